import Synchronization

// Settling: what reads what, and when it is brought up to date.

/// One thread's outermost set, mutation, batch or death, until everything it has caused is settled.
///
///     stored deliveries (at once; in a batch, at its end)
///       ──▶ settle: what is marked and observed, in the order of subscription ──▶ endings
///
/// All state of the engine that belongs to a thread is here.
///
/// - Isolation: a thread's own.
@usableFromInline final class Transaction {
  private static let local = ThreadLocal<Transaction>()
  // Begins with 1: a turn of nobody is 0.
  private static let threads = Atomic<UInt>(0)
  private static let orders = Atomic<UInt>(0)

  /// The one of this thread.
  @usableFromInline static var current: Transaction {
    if let transaction = local.value { return transaction }
    let made = Transaction()
    local.value = made
    return made
  }

  /// Calls `body` with the one of this thread, without retaining it.
  @usableFromInline static func withCurrent(_ body: (Transaction) -> Void) {
    if local.withValue(body) == nil { body(current) }
  }

  /// How many nested sets, or rules, are deep: what follows waits, or is settled before, so that the
  /// stack stays flat.
  static let deep = 64

  /// No other thread has it, nor ever had.
  let number: UInt
  // Proof of unchecked, here and below: the thread's own, and no foreign code runs during an access.
  /// How many sets, batches, deaths and evaluations are under way, one inside the other.
  @exclusivity(unchecked) var depth = 0
  @exclusivity(unchecked) var batchLevel = 0
  /// How many batches of the program are open, one inside the other; others are those of rules.
  @exclusivity(unchecked) private(set) var openBatches = 0
  /// Which batch is open, or was open last.
  @exclusivity(unchecked) private(set) var batchNumber: UInt = 0
  /// The batch whose changes are being delivered; 0 for none.
  @exclusivity(unchecked) private(set) var flushedBatch: UInt = 0
  /// What is marked and observed: the only one of it, or all.
  @exclusivity(unchecked) private var next: Node?
  @exclusivity(unchecked) private var agenda = Heap<Node>()
  /// Properties whose changes wait for the outermost set.
  @exclusivity(unchecked) private var held = Queue<(node: Node, pass: Int)>()
  /// Whether one of them is being delivered: perhaps to where its change has come from.
  var isDeliveringHeld: Bool { pass > 0 }
  /// How many of them have caused one another, up to the one being delivered: a row of properties of any
  /// length comes to each of them once, and a ring comes back (B9).
  @exclusivity(unchecked) private(set) var pass = 0
  /// Properties that the open batch has set, in the order of the first set.
  @exclusivity(unchecked) private var batched: [Node] = []
  /// What comes when all is settled.
  @exclusivity(unchecked) private var endings = Queue<() -> Void>()
  /// Objects that may die when all is settled.
  @exclusivity(unchecked) private var kept: [AnyObject] = []
  /// Computed values that are outdated, unobserved, and retain objects.
  @exclusivity(unchecked) private var unused: [Node] = []
  @exclusivity(unchecked) private var marking: [Node] = []
  /// Objects that have died while another one's death is being delivered.
  @exclusivity(unchecked) private var deaths = Queue<RegisteredObject>()
  @exclusivity(unchecked) private var isEndingObject = false
  /// What deinitialised nodes have retained.
  @exclusivity(unchecked) var released: [(dependents: [Link], dependencies: [Dependency])] = []
  @exclusivity(unchecked) private var isReleasing = false
  /// Observers that have left a node during its delivery on this thread.
  @exclusivity(unchecked) var leavers: [Observer] = []
  /// Whether anything waits for the outermost set to settle.
  @exclusivity(unchecked) private var hasWork = false
  /// Which outermost set is under way; unique across threads.
  @exclusivity(unchecked) var settling: UInt
  /// The outermost set in which a feedback loop was reported last.
  @exclusivity(unchecked) private var reportedIn: UInt = 0
  /// Whether one has been reported in this one.
  var isLoopReported: Bool { reportedIn == settling }
  /// How often anything has been set on this thread.
  @exclusivity(unchecked) var changes: UInt = 0

  /// Whether an object is asked for its description, for a report.
  @exclusivity(unchecked) var isDescribing = false
  /// The set of a binding that is under way.
  @exclusivity(unchecked) var currentWrite: PropertyWrite?

  // Evaluation: see Evaluation.swift.

  @exclusivity(unchecked) var stack: [Frame] = []
  /// Whether reads are recorded for the node on top of the stack, or identified.
  @exclusivity(unchecked) private(set) var isEvaluating = false
  /// How many rules are being evaluated, one inside the other, untracked code in them included.
  @exclusivity(unchecked) var ruleLevel = 0
  @exclusivity(unchecked) var evaluation = Evaluation(number: 0)
  @exclusivity(unchecked) var lastEvaluation: UInt
  @exclusivity(unchecked) var identification: Identification?

  private init() {
    // Numbers of evaluations are unique across threads: the upper bits are the thread's.
    number = Self.threads.wrappingAdd(1, ordering: .relaxed).newValue
    lastEvaluation = number << 32
    settling = number << 32
  }

  static func nextOrder() -> UInt { orders.wrappingAdd(1, ordering: .relaxed).newValue }

  // MARK: Scopes

  func perform<Result>(_ body: () throws -> Result) rethrows -> Result {
    depth += 1
    defer { close() }
    return try body()
  }

  /// - Parameters:
  ///   - writer: the object whose property has been set: in its deinit, no weak reference leads to it, but it
  ///     can be read.
  ///   - node: the node of the property.
  @inline(__always) func close(for writer: AnyObject? = nil, _ node: Node? = nil) {
    if depth == 1 {
      if hasWork { settle(for: writer, node) }
      settling &+= 1
    }
    depth -= 1
  }

  /// Does `work` when everything has settled, before the outermost set returns.
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
      openBatches += 1
      beginBatch()
      defer {
        openBatches -= 1
        endBatch()
      }
      return try body()
    }
  }

  func beginBatch() {
    if batchLevel == 0 { batchNumber += 1 }
    batchLevel += 1
  }

  func endBatch() {
    batchLevel -= 1
    if batchLevel == 0, !batched.isEmpty { flush() }
  }

  func addToBatch(_ node: Node) { batched.append(node) }

  private func flush() {
    let nodes = batched
    batched = []
    let changed = nodes.filter { $0.resolveBatch(in: self) }
    let outer = flushedBatch
    flushedBatch = batchNumber
    untracked { for node in changed { node.deliverWaiting(in: self) } }
    flushedBatch = outer
  }

  // MARK: Marking and settling

  /// Marks the readers of `node`, and theirs.
  @inline(__always) func markDependents(of node: Node) {
    if node.dependents.isEmpty { return }
    markReaders(of: node)
    while let node = marking.popLast() { markReaders(of: node) }
  }

  private func markReaders(of node: Node) {
    var index = 0
    var isSwept = true
    while index < node.dependents.count {
      let link = node.dependents[index]
      if link.isInUse { mark(link.reader) } else { isSwept = false }
      index += 1
    }
    if !isSwept { node.sweepDependents() }
  }

  /// Marks the chains that lead through a node whose object has died.
  func markChains(of node: Node) {
    for link in node.dependents where link.isInUse && !link.reader.isTracked { mark(link.reader) }
    while let node = marking.popLast() { markReaders(of: node) }
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
      hasWork = true
      unused.append(node)
    }
  }

  /// Marks a node that is outdated whatever has changed, and what depends on it.
  func markOutdated(_ node: Node) {
    node.state.insert(.outdated)
    mark(node)
    while let node = marking.popLast() { markReaders(of: node) }
  }

  // `__owned`, because it is stored: otherwise it would be retained twice.
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

  /// Leaves the changes of a property that wait to the outermost set.
  func hold(_ node: Node) {
    hasWork = true
    held.append((node, pass + 1))
  }

  @inline(never) private func settle(for writer: AnyObject?, _ changed: Node?) {
    Instrumentation.enter(.settle)
    defer { Instrumentation.leave() }
    untracked {
      while true {
        if !held.isEmpty, let next = held.popFirst() {
          pass = next.pass
          next.node.deliverWaiting(in: self)
          pass = 0
        } else if let node = takeNext() {
          settle(node, for: writer, changed)
        } else if !unused.isEmpty, let node = unused.popLast() {
          if node.mayBeStale, !node.isObserved { node.releaseUnusedValue() }
        } else if !kept.isEmpty {
          // Objects that die now may set and mark in turn.
          let released = kept
          kept = []
          withExtendedLifetime(released) {}
        } else if !endings.isEmpty, let ending = endings.popFirst() {
          ending()
        } else {
          hasWork = false
          return
        }
      }
    }
  }

  private func settle(_ node: Node, for writer: AnyObject?, _ changed: Node?) {
    node.state.remove(.queued)
    guard node.isObserved, !node.hasEnded, admits(node) else { return }
    ThreadCheck.begin(.deliver, node, in: self)
    defer { ThreadCheck.end(node, in: self) }
    // A look-up of the object costs more than the comparison, and finds nothing in its deinit.
    if let writer, node.owner === changed?.owner {
      node.settle(of: writer, in: self)
    } else if let owner = node.owner.object {
      node.settle(of: owner, in: self)
    }
  }

  /// Whether a node may be settled once more in this transaction (P3); a loop is reported.
  func admits(_ node: Node) -> Bool {
    node.round = node.settling == settling ? node.round + 1 : 0
    node.settling = settling
    // Looking up the limit costs more than all else.
    if node.round == 0 { return true }
    let limit = Diagnostics.feedbackLimit
    if node.round - 1 == limit { reportFeedback(of: node) }
    // Evaluated once more than delivered, so that it goes on with what it depends on now.
    return node.round - 2 <= limit
  }

  /// Whether the value of a computed node may be delivered once more in this transaction (P3).
  func admitsDelivery(of node: Node) -> Bool {
    node.round == 0 || node.round - 1 <= Diagnostics.feedbackLimit
  }

  /// Reports a feedback loop, once for an outermost set.
  func reportFeedback(of node: Node) {
    guard reportedIn != settling else { return }
    reportedIn = settling
    // A path is named by the property whose change has outdated it.
    let index = node.changedDependency
    let node =
      !node.isDerived && index < node.dependencies.count ? node.dependencies[index].node : node
    node.report(
      .feedbackLoop,
      "each of \(Diagnostics.feedbackLimit) deliveries in a row has set it, or what it depends on, "
        + "again; delivery stops with the value stored")
  }

  /// Reports that the rule under way sets a property, once for each class and property (D17).
  func reportWrite(to node: Node) { reportWrite(to: node.name, of: node.owner.type) }

  func reportWrite(to property: String?, of type: AnyClass) {
    Diagnostics.report(
      .derivedWrite, "a rule sets it; it is delivered after the evaluation", of: type,
      property: property, once: "\(type).\(property ?? "")")
  }

  // MARK: Deaths

  /// Delivers the death of an object. Deaths that observers cause follow one after the other, so that
  /// a cascade does not grow the stack.
  func end(_ object: RegisteredObject) {
    deaths.append(object)
    guard !isEndingObject else { return }
    isEndingObject = true
    depth += 1
    untracked {
      while let object = deaths.popFirst() {
        Instrumentation.enter(.death(object.identity, object.type))
        object.deliverDeath(in: self)
        // The last one's ends when all has settled.
        if !deaths.isEmpty { Instrumentation.leave() }
      }
    }
    isEndingObject = false
    close()
    Instrumentation.leave()
  }

  /// Releases what nodes have retained, unless that is under way: without recursion.
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

  /// Calls `body`, in which reads are no dependencies.
  func untracked<Result>(_ body: () throws -> Result) rethrows -> Result {
    let outer = isEvaluating
    setEvaluating(false)
    defer { setEvaluating(outer) }
    return try body()
  }
}
