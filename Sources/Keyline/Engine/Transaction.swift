import Synchronization

// Settling: recording the dependencies of computed values, and bringing these values up to date.

/// One thread's outermost set, mutation, batch or death, up to the point where everything it has
/// caused is settled.
///
///     stored deliveries (at once; in a batch, at its end)
///       ──▶ settle: marked and observed nodes, in the order of subscription ──▶ endings
///
/// All state of the engine that belongs to a thread is here.
///
/// - Isolation: confined to its thread.
@usableFromInline final class Transaction {
  private static let local = ThreadLocal<Transaction>()
  // Numbers begin with 1, because 0 marks an object that no thread has used.
  private static let threads = Atomic<UInt>(0)
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
  let number: UInt
  // Proof of unchecked, here and below: confined to the thread, and no foreign code runs during an
  // access.
  /// How many sets, batches, deaths and evaluations are under way, nested in each other.
  @exclusivity(unchecked) var depth = 0
  @exclusivity(unchecked) var batchLevel = 0
  /// The number of the batch whose changes are being delivered; 0 for none.
  @exclusivity(unchecked) private(set) var flushedBatch: UInt64 = 0
  /// The marked and observed node, if there is only one; otherwise all of them are in `agenda`.
  @exclusivity(unchecked) private var next: Node?
  @exclusivity(unchecked) private var agenda = Heap<Node>()
  /// Properties whose changes wait for the outermost set.
  @exclusivity(unchecked) private var held = Queue<(node: Node, pass: Int)>()
  /// How many held changes have caused one another, up to the one being delivered; 0 if none is. A
  /// row of properties of any length delivers each of them once; a ring returns to the property
  /// where it began (B9).
  @exclusivity(unchecked) private(set) var pass = 0
  /// Properties that the open batch has set, in the order of the first set.
  @exclusivity(unchecked) private var batched: [CollectedNode] = []
  /// How many of them are being delivered, after the end of their batches.
  @exclusivity(unchecked) private var delivering = 0
  /// Work to do after everything has settled.
  @exclusivity(unchecked) private var endings = Queue<() -> Void>()
  /// Objects that are released after everything has settled.
  @exclusivity(unchecked) private var kept: [AnyObject] = []
  /// Nodes that may retain objects that nothing needs after settling.
  @exclusivity(unchecked) private var unused: [Node] = []
  @exclusivity(unchecked) private var marking: [Node] = []
  /// Objects that have died during the delivery of another object's death, each with the weak
  /// properties whose dependents have been marked.
  @exclusivity(unchecked) private var deaths = Queue<(RegisteredObject, [ReferentWatch])>()
  @exclusivity(unchecked) private var isEndingObject = false
  /// Links and dependencies of deinitialised nodes.
  @exclusivity(unchecked) var released: [(dependents: [Link], dependencies: [Dependency])] = []
  @exclusivity(unchecked) private var isReleasing = false
  /// Whether work waits for the outermost set to settle.
  @exclusivity(unchecked) private var hasWork = false
  /// The number of the outermost set under way; unique across threads.
  @exclusivity(unchecked) var settling: UInt64
  /// The nodes of which a feedback loop was stopped in this outermost set.
  private var stopped: [Node] = []

  /// Whether an object is being described for a report.
  @exclusivity(unchecked) var isDescribing = false
  /// The write of a binding that is under way.
  @exclusivity(unchecked) var currentWrite: PropertyWrite?

  // Evaluation: see Evaluation.swift.

  @exclusivity(unchecked) var stack: [Frame] = []
  /// Whether reads are recorded for the node on top of the stack, or identified.
  @exclusivity(unchecked) private(set) var isEvaluating = false
  /// How many rules are being evaluated, nested in each other, even if they run untracked code.
  @exclusivity(unchecked) var ruleLevel = 0
  @exclusivity(unchecked) var evaluation = Evaluation(number: 0)
  @exclusivity(unchecked) var lastEvaluation: UInt64
  @exclusivity(unchecked) var identification: Identification?

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
      if hasWork { settle(for: writer, node) }
      settling &+= 1
    }
    depth -= 1
  }

  /// Performs `work` after everything has settled, before the outermost set returns.
  func atEnd(_ work: @escaping () -> Void) {
    hasWork = true
    endings.append(work)
  }

  /// Retains `object` until everything has settled.
  func keep(_ object: AnyObject) {
    guard depth > 0 else { return }
    hasWork = true
    kept.append(object)
  }

  // MARK: Batches

  func batch<Result>(_ body: () throws -> Result) rethrows -> Result {
    Instrumentation.enter(.batch)
    defer { Instrumentation.leave() }
    return try perform {
      beginBatch()
      defer { endBatch() }
      return try body()
    }
  }

  func beginBatch() {
    batchLevel += 1
  }

  /// Whether the object of `node` is not in its deinit: it would not be there at the end of the batch,
  /// so that its properties are delivered at once.
  func canCollect(_ node: Node) -> Bool {
    // Most sets are of the object that was set before.
    if batched.count > delivering, batched[batched.count - 1].node.owner === node.owner {
      return true
    }
    return node.owner.object != nil
  }

  /// Lets the open batch deliver `node` at its end.
  @usableFromInline func collect(
    _ node: __owned Node, deliver: @escaping (Node, AnyObject, Transaction) -> Void
  ) {
    node.delivery.insert(.collected)
    batched.append(CollectedNode(node: node, deliver: deliver))
  }

  func endBatch() {
    batchLevel -= 1
    guard batchLevel == 0, batched.count > delivering else { return }
    let (outer, start, end) = (flushedBatch, delivering, batched.count)
    lastEvaluation += 1
    flushedBatch = lastEvaluation
    // A batch inside an observer appends its properties, and removes them at its end.
    delivering = end
    for index in start..<end { batched[index].node.delivery.remove(.collected) }
    untracked { deliverBatched(start..<end) }
    while batched.count > start { _ = batched.removeLast() }
    delivering = start
    flushedBatch = outer
  }

  private func deliverBatched(_ range: Range<Int>) {
    var index = range.lowerBound
    while index < range.upperBound {
      if let object = batched[index].node.owner.object {
        index = deliverBatched(index..<range.upperBound, of: object)
      } else {
        index += 1
      }
    }
  }

  /// Delivers the first property of `range`, and the following ones of the same object, which is
  /// retained meanwhile.
  ///
  /// - Returns: the index of the first property of another object.
  private func deliverBatched(_ range: Range<Int>, of object: AnyObject) -> Int {
    let identity = address(of: object)
    for index in range {
      if batched[index].node.identity != identity { return index }
      batched[index].deliver(batched[index].node, object, self)
    }
    return range.upperBound
  }

  // MARK: Marking and settling

  /// Marks the dependents of `node`, transitively.
  @inline(__always) func markDependents(of node: Node) {
    if node.dependents.isEmpty { return }
    markReaders(of: node)
    while let node = marking.popLast() { markReaders(of: node) }
  }

  private func markReaders(of node: Node) {
    var index = 0
    var isSwept = true
    while index < node.dependents.count {
      // No copy of the link: it would be retained.
      if node.dependents[index].isInUse {
        mark(node.dependents[index].reader)
      } else {
        isSwept = false
      }
      index += 1
    }
    if !isSwept { node.sweepDependents() }
  }

  /// Marks a node, and adds it to the agenda if it is observed.
  func mark(_ node: __owned Node) {
    if !node.isMarked {
      node.state.insert(.marked)
      if !node.dependents.isEmpty { marking.append(node) }
    }
    if node.isObserved {
      if !node.state.contains(.queued) { enqueue(node) }
    } else if node.state.contains(.releasable) {
      node.marked(in: self)
    }
  }

  /// Lets `node` release what nothing needs any more, after all values are up to date.
  func releaseUnused(of node: Node) {
    hasWork = true
    unused.append(node)
  }

  /// Marks a node that must be evaluated even if no dependency has changed, and its dependents.
  func markOutdated(_ node: Node) {
    node.state.insert(.outdated)
    mark(node)
    while let node = marking.popLast() { markReaders(of: node) }
  }

  // `__owned`, because the node is stored: otherwise it would be retained twice.
  func enqueue(_ node: __owned Node) {
    hasWork = true
    node.state.insert(.queued)
    if next == nil, agenda.isEmpty {
      next = node
    } else {
      if let first = next.take() { agenda.insert(first, by: Self.isEarlier) }
      agenda.insert(node, by: Self.isEarlier)
    }
  }

  private static func isEarlier(_ one: Node, _ other: Node) -> Bool { one.order < other.order }

  private func takeNext() -> Node? {
    if let node = next.take() { return node }
    guard let node = agenda.first else { return nil }
    agenda.removeFirst(by: Self.isEarlier)
    return node
  }

  /// Holds the waiting changes of a property for the outermost set.
  func hold(_ node: Node) {
    hasWork = true
    held.append((node, pass + 1))
  }

  @inline(never) private func settle(for writer: AnyObject?, _ changed: Node?) {
    Instrumentation.enter(.settle)
    defer { Instrumentation.leave() }
    while true {
      if !held.isEmpty, let next = held.popFirst() {
        pass = next.pass
        next.node.deliverWaiting(in: self)
        pass = 0
      } else if let node = takeNext() {
        settle(node, for: writer, changed)
      } else if !unused.isEmpty, let node = unused.popLast() {
        node.releaseUnused()
      } else if !kept.isEmpty {
        // Objects that die here may set properties and mark nodes in turn.
        _ = exchange(&kept, with: [])
      } else if !endings.isEmpty, let ending = endings.popFirst() {
        ending()
      } else {
        hasWork = false
        if hasStoppedLoop {
          for node in exchange(&stopped, with: []) { node.delivery.remove(.stopped) }
        }
        return
      }
    }
  }

  private func settle(_ node: Node, for writer: AnyObject?, _ changed: Node?) {
    node.state.remove(.queued)
    guard node.isObserved, !node.hasEnded else { return }
    // In the deinit of the writer, no weak reference leads to it.
    let writer = node.owner === changed?.owner ? writer : nil
    guard let owner = writer ?? node.owner.object else { return }
    node.delivery.remove(.announced)
    guard admits(node) else { return }
    ThreadCheck.begin(.deliver, node, in: self)
    node.settle(of: owner, in: self)
    ThreadCheck.end(node, in: self)
  }

  /// Whether a node may settle once more in this transaction (P3); reports a loop.
  func admits(_ node: Node) -> Bool {
    node.round = node.settling == settling ? node.round + 1 : 0
    node.settling = settling
    // Looking up the limit costs more than the rest.
    if node.round == 0 { return true }
    let limit = Diagnostics.feedbackLimit
    if node.round - 1 == limit { reportFeedback(of: node) }
    // One evaluation more than deliveries, so that the node follows its current dependencies.
    return node.round - 2 <= limit
  }

  /// Whether the value of a computed node may be delivered once more in this transaction (P3).
  func admitsDelivery(of node: Node) -> Bool {
    node.round == 0 || node.round - 1 <= Diagnostics.feedbackLimit
  }

  /// Reports a feedback loop, once in an outermost set.
  func reportFeedback(of node: Node) {
    hasWork = true
    stopped.append(node)
    guard stopped.count == 1 else { return }
    // A path is named by the property whose change outdated it.
    let index = node.changedDependency
    let node =
      !node.isDerived && index < node.dependencies.count ? node.dependencies[index].node : node
    node.report(
      .feedbackLoop,
      "each of \(Diagnostics.feedbackLimit) deliveries in a row has set it, or what it depends on, "
        + "again; delivery stops with the value stored")
  }

  /// Whether a feedback loop has been stopped, and reported, in this outermost set.
  var hasStoppedLoop: Bool { !stopped.isEmpty }

  /// Reports that the rule under way sets a property, once for each class and property (D17).
  func reportWrite(to property: String?, of type: AnyClass) {
    Diagnostics.report(
      .derivedWrite, "a rule sets it; it is delivered after the evaluation", of: type,
      property: property, once: "\(type).\(property ?? "")")
  }

  // MARK: Deaths

  /// Delivers the death of an object. Deaths caused by observers are delivered one after the other,
  /// so that a cascade does not grow the stack.
  func end(_ object: RegisteredObject) {
    // A death inside another one waits, but reads compute with nil from now on (D11).
    deaths.append((object, isEndingObject ? object.becomeUnreachable(in: self) : []))
    guard !isEndingObject else { return }
    isEndingObject = true
    depth += 1
    untracked {
      while let (object, watches) = deaths.popFirst() {
        Instrumentation.enter(.death(object.identity, object.type))
        object.deliverDeath(after: watches, in: self)
        // The activity of the last death ends after everything has settled.
        if !deaths.isEmpty { Instrumentation.leave() }
      }
    }
    isEndingObject = false
    close()
    Instrumentation.leave()
  }

  /// Releases the links of deinitialised nodes without recursion, unless that is under way already.
  func releaseLinks() {
    guard !isReleasing else { return }
    isReleasing = true
    while !released.isEmpty { _ = released.removeLast() }
    isReleasing = false
  }

  // MARK: Tracking

  func setEvaluating(_ flag: Bool) {
    guard flag != isEvaluating else { return }
    isEvaluating = flag
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

/// A property that a batch has set.
private struct CollectedNode {
  let node: Node
  /// Delivers the property; made where the type of the value is known.
  let deliver: (Node, AnyObject, Transaction) -> Void
}
