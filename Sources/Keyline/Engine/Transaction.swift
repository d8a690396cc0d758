import Synchronization

// Settling: recording the dependencies of computed values, and bringing these values up to date.

/// One thread's outermost set, mutation, batch or death, up to the point where everything it has
/// caused is settled.
///
///     deliveries of stored properties (at once; in a batch or rule, at its end)
///       ──▶ settle: marked and observed nodes, in the order of subscription ──▶ endings
///
/// All state of the engine that belongs to a thread is here.
///
/// - Isolation: confined to its thread.
@usableFromInline final class Transaction {
  private static let local = ThreadLocal<Transaction>()
  // Numbers begin with 1, because 0 marks an object that no thread has used.
  private static let threads = Atomic<UInt32>(0)
  private static let orders = Atomic<UInt>(0)

  /// The transaction of this thread.
  @usableFromInline static var current: Transaction {
    if let transaction = local.value { return transaction }
    let made = Transaction()
    local.value = made
    return made
  }

  /// Calls `body` with the transaction of this thread, without retaining it.
  @usableFromInline static func withCurrent(_ body: (Transaction) -> Void) {
    if local.withValue(body) == nil { body(current) }
  }

  /// The nesting of sets, or of rules, that counts as deep. From there on deliveries wait, and
  /// dependencies are checked before any evaluation, so that the stack stays flat.
  static let deep = 64

  /// Identifies the thread. No other thread has, or ever had, this number.
  let number: UInt32
  // Proof of unchecked, here and below: confined to the thread, and no foreign code runs during an
  // access.
  /// How many sets, batches, deaths and evaluations are under way, nested in each other.
  @exclusivity(unchecked) var depth = 0
  @exclusivity(unchecked) var batch = Batch()
  @exclusivity(unchecked) var evaluation = Evaluation()
  /// The nodes that are being checked and evaluated.
  @exclusivity(unchecked) var stack: [Frame] = []
  @exclusivity(unchecked) var lastEvaluation: UInt64
  /// The path that is being applied, if reads are to be identified.
  @exclusivity(unchecked) var identification: Identification?
  /// The number of the outermost set under way; unique across threads.
  @exclusivity(unchecked) private(set) var settling: UInt64

  @exclusivity(unchecked) private var waiting = WaitingWork()
  /// The number of held changes, each caused by the one before, up to the one being delivered; 0 if
  /// none is being delivered.
  ///
  /// A row of properties of any length delivers each of them once; a ring returns to the property
  /// where it began (B9).
  var pass: Int32 { waiting.pass }
  /// Marked nodes whose readers are still to be marked.
  @exclusivity(unchecked) private var marking: [Node] = []
  /// While an object's death is delivered: the objects that die meanwhile, each with the weak
  /// properties whose dependents have been marked.
  var deaths: Queue<(RegisteredObject, [ReferentWatch])>?
  /// While links of deinitialised nodes are released: those that are still to be released.
  private var released: [(dependents: [Link], dependencies: [Dependency])]?
  /// The write under way, if a binding, a name or a rule sets the property.
  var currentWrite: PropertyWrite?

  private init() {
    // Numbers of evaluations are unique across threads: their upper bits are the number of the
    // thread.
    number = Self.threads.wrappingAdd(1, ordering: .relaxed).newValue
    lastEvaluation = UInt64(number) << 32
    settling = lastEvaluation
  }

  static func nextOrder() -> UInt { orders.wrappingAdd(1, ordering: .relaxed).newValue }

  // MARK: Scopes

  func perform<Result>(_ body: () throws -> Result) rethrows -> Result {
    depth += 1
    defer { close() }
    return try body()
  }

  /// - Parameters:
  ///   - writer: the object whose property was set. In the object's deinit no weak reference leads
  ///     to it any more, but it can be read.
  ///   - node: the node of the property.
  @inline(__always) func close(for writer: AnyObject? = nil, _ node: Node? = nil) {
    if depth == 1 {
      if waiting.isThere { settle(for: writer, node) }
      settling &+= 1
    }
    depth -= 1
  }

  /// Performs `work` after everything has settled, before the outermost set returns.
  func atEnd(_ work: @escaping () -> Void) {
    waiting.isThere = true
    waiting.endings.append(work)
  }

  // MARK: Marking and settling

  /// Marks the dependents of `node`, transitively.
  @inline(__always) func markDependents(of node: Node) {
    if node.dependents.isEmpty { return }
    markReaders(of: node)
    while let node = marking.popLast() { markReaders(of: node) }
  }

  private func markReaders(of node: Node) {
    var isSwept = true
    for link in node.dependents {
      if link.isInUse { mark(link.reader) } else { isSwept = false }
    }
    if !isSwept { node.owner.sweepReaders(of: node) }
  }

  /// Marks a node, and adds it to the agenda if it is observed.
  func mark(_ node: __owned Node) {
    if node.state.insert(.marked).inserted, !node.dependents.isEmpty { marking.append(node) }
    if node.isObserved {
      if !node.state.contains(.queued) { enqueue(node) }
    } else if node.state.contains(.releasable) {
      node.marked(in: self)
    }
  }

  /// Releases an object after all values are up to date; a node releases contents that nothing needs.
  @usableFromInline func releaseUnused(of object: AnyObject) {
    waiting.isThere = true
    waiting.leftovers.append(object)
  }

  /// Marks a node that must be evaluated even if no dependency has changed, and its dependents.
  func markOutdated(_ node: Node) {
    node.state.insert(.outdated)
    mark(node)
    while let node = marking.popLast() { markReaders(of: node) }
  }

  // `__owned`, because the node is stored: otherwise it would be retained twice.
  func enqueue(_ node: __owned Node) {
    waiting.isThere = true
    node.state.insert(.queued)
    waiting.agenda.insert(node) { $0.settles(before: $1) }
  }

  /// Holds the waiting changes of a property for the outermost set.
  func hold(_ node: Node) {
    waiting.isThere = true
    waiting.held.append((node, pass &+ 1))
  }

  @inline(never) private func settle(for writer: AnyObject?, _ changed: Node?) {
    Instrumentation.enter(.settle)
    defer { Instrumentation.leave() }
    while true {
      if !waiting.held.isEmpty, let next = waiting.held.popFirst() {
        waiting.pass = next.pass
        next.node.deliverHeld(in: self)
        waiting.pass = 0
      } else if let node = waiting.agenda.popFirst(by: { $0.settles(before: $1) }) {
        settle(node, for: writer, changed)
      } else if let leftover = waiting.leftovers.popLast() {
        // Objects that die here may set properties and mark nodes in turn.
        (leftover as? Node)?.releaseUnused()
      } else if !waiting.endings.isEmpty, let ending = waiting.endings.popFirst() {
        ending()
      } else {
        waiting.isThere = false
        if hasStoppedLoop {
          for node in exchange(&waiting.stopped, with: []) { node.state.remove(.stopped) }
        }
        return
      }
    }
  }

  private func settle(_ node: Node, for writer: AnyObject?, _ changed: Node?) {
    node.state.subtract([.queued, .announced])
    guard node.isObserved, !node.hasEnded else { return }
    // Admitted with its object kept alive: a report of a loop reads the dependencies. In the deinit of the
    // writer, no weak reference leads to it.
    if let writer, node.owner === changed?.owner {
      if admits(node) { node.settle(of: writer, in: self) }
    } else if let owner = node.owner.object, admits(node) {
      node.settle(of: owner, in: self)
    }
  }

  /// Whether a node may settle once more in this transaction (P3); reports a loop.
  func admits(_ node: Node) -> Bool {
    let count = node.settlement.transaction == settling ? node.settlement.count &+ 1 : 0
    node.settlement.transaction = settling
    node.settlement.count = count
    // Looking up the limit costs more than the rest.
    if count == 0 { return true }
    let limit = Diagnostics.feedbackLimit
    if Int(count) - 1 == limit { reportFeedback(of: node) }
    // One evaluation more than deliveries, so that the node follows its current dependencies.
    return Int(count) - 2 <= limit
  }

  /// Reports a feedback loop, once in an outermost set.
  func reportFeedback(of node: Node) {
    waiting.isThere = true
    waiting.stopped.append(node)
    guard waiting.stopped.count == 1 else { return }
    // A path is named by the property whose change outdated it.
    let index = Int(node.settlement.changedDependency)
    let node =
      !node.isDerived && index < node.dependencies.count ? node.dependencies[index].node : node
    node.report(
      .feedbackLoop,
      "each of \(Diagnostics.feedbackLimit) deliveries in a row has set it, or what it depends on, "
        + "again; delivery stops with the value stored")
  }

  /// Whether a feedback loop has been stopped, and reported, in this outermost set.
  var hasStoppedLoop: Bool { !waiting.stopped.isEmpty }

  /// Reports that the rule under way sets a property, once for each class and property (D17).
  func reportWrite(to property: String?, of type: AnyClass) {
    Diagnostics.report(
      .derivedWrite, "a rule sets it; it is delivered after the evaluation", of: type,
      property: property, once: "\(type).\(property ?? "")")
  }

  // MARK: Releasing

  /// Releases the links of a deinitialised node; without recursion, because in a long row of nodes
  /// each may be the last to retain the next.
  func release(_ dependents: [Link], _ dependencies: [Dependency]) {
    guard released == nil else { return released!.append((dependents, dependencies)) }
    released = [(dependents, dependencies)]
    while released?.popLast() != nil {}
    released = nil
  }

  // MARK: Tracking

  /// Whether reads are recorded, as dependencies of the node on top of the stack or to identify a path.
  var isEvaluating: Bool { evaluation.isRecording }

  func setEvaluating(_ flag: Bool) {
    guard flag != evaluation.isRecording else { return }
    evaluation.isRecording = flag
    countTracking(flag ? 1 : -1)
  }

  /// Calls `body`, whose reads create no dependencies.
  func untracked<Result>(_ body: () throws -> Result) rethrows -> Result {
    let outer = isEvaluating
    setEvaluating(false)
    defer { setEvaluating(outer) }
    return try body()
  }
}

/// What waits for the end of the outermost set; the kinds stand in the order of their turn.
private struct WaitingWork {
  /// Whether anything waits.
  var isThere = false
  /// Properties whose changes are held for the outermost set.
  var held = Queue<(node: Node, pass: Int32)>()
  /// The pass of the held changes being delivered; 0 if none is.
  var pass: Int32 = 0
  /// The marked and observed nodes.
  var agenda = Heap<Node>()
  /// Nodes that may retain contents that nothing needs, and objects to release.
  var leftovers: [AnyObject] = []
  /// Work to do after everything has settled.
  var endings = Queue<() -> Void>()
  /// The nodes of which a feedback loop was stopped.
  var stopped: [Node] = []
}
