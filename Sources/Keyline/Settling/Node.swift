import Synchronization

/// What can be read and observed: a stored property, or a value computed from others.
///
/// A computed node also has dependencies. A change marks what depends on the node, transitively and
/// without foreign code; marked nodes that are observed are settled when the transaction closes.
///
///     set ──▶ version += 1 ──▶ mark dependents ──▶ deliver ──▶ outermost set closes ──▶ settle
///
/// Nodes never retain the object that they belong to. Between two nodes:
///
///     reader.dependencies ──▶ node          what was read, with its version, in order
///     node.dependents ──▶ link ──▶ reader   dropped by the reader, swept by the node
///
/// - Isolation: confined with the object, but for disposal and death, which may come from any thread.
///   These touch the observers in a turn of their own (NodeObservers.swift), the flags of the links
///   and `hasEnded`, and nothing else: a thread uses all other fields of a node only while it keeps
///   the object alive. Marks, links and places in the agenda are used by the domain that set a
///   dependency, also after the object has died.
@usableFromInline package class Node: @unchecked Sendable {
  // Proof of @unchecked: see above.

  /// The object that it belongs to.
  @usableFromInline package final let owner: RegisteredObject
  /// The address of the object.
  @usableFromInline final let identity: UInt
  /// Grows with every change.
  // Proof of unchecked, here and below: confined, and no foreign code runs during an access.
  @exclusivity(unchecked) final var version: UInt = 0
  @exclusivity(unchecked) final var dependents: [Link] = []
  /// What the last evaluation has read, in order; empty for stored properties.
  @exclusivity(unchecked) final var dependencies: [Dependency] = []
  @exclusivity(unchecked) @usableFromInline final var state: State = []
  @exclusivity(unchecked) final var delivery: Delivery = []
  /// Whether it is computed from others.
  @usableFromInline final let isComputed: Bool
  /// The place among what is settled: the earlier it was first observed, the lower.
  @exclusivity(unchecked) final var order: UInt = 0
  /// The evaluation that has read it last.
  @exclusivity(unchecked) final var stamp: UInt = 0
  /// How many links of `dependents` were found in use by the last sweep.
  private final var sweptCount = 4
  private final let ended = Atomic<Bool>(false)

  // Delivery: see NodeObservers.swift.

  @exclusivity(unchecked) final var observers: [Observer?] = []
  final let observerCount = Atomic<Int>(0)
  /// The number of the transaction that has the turn; 0 for none.
  final let turn = Atomic<UInt>(0)
  final let needsPurge = Atomic<Bool>(false)
  /// How many places of `observers` are empty.
  @exclusivity(unchecked) final var emptyCount = 0
  /// The version of the value that is being delivered, or was delivered last.
  @exclusivity(unchecked) final var delivered: UInt = 0
  /// The dependency whose change has outdated it last.
  @exclusivity(unchecked) final var changedDependency = 0
  /// How many deliveries have caused one another, up to the one under way (P3).
  @exclusivity(unchecked) final var round = 0
  /// The version that the death of the object it refers to has led to; 0 for none.
  @exclusivity(unchecked) final var deathVersion: UInt = 0
  /// The value of `restoredVersion` was that of `restoringVersion`, too: a batch had put it back (D31).
  @exclusivity(unchecked) private var restoredVersion: UInt = 0
  @exclusivity(unchecked) private var restoringVersion: UInt = 0
  /// The transaction in which a feedback loop of it was stopped last.
  @exclusivity(unchecked) final var stoppedIn: UInt = 0
  /// The transaction in which a computed node was delivered last, or a stored one had to wait for the
  /// outermost set.
  @exclusivity(unchecked) final var settling: UInt = 0
  /// The batch that delivers it, if its delivery is `batched`.
  @exclusivity(unchecked) final var batchNumber: UInt = 0

  /// The address of the wrapper that leads here; 0 for nodes without one. Only ever compared.
  @exclusivity(unchecked) @usableFromInline final var place: UInt
  /// Announces changes before the store, to observers with `.prior`; made on demand.
  final var announcements: AnnouncingNode?
  /// The property's own key path; nil for paths, and until the property is read by its accessor.
  @exclusivity(unchecked) @usableFromInline final var keyPath: AnyKeyPath?

  init(owner: RegisteredObject, isComputed: Bool, place: UInt = 0) {
    self.owner = owner
    identity = owner.identity
    self.place = place
    self.isComputed = isComputed
    if isComputed { state = [.marked, .outdated] }
  }

  /// Whether the value is up to date. Used by the domain only, also when the object has died.
  @usableFromInline struct State: OptionSet, Sendable {
    /// Something that it depends on may have changed.
    static let marked = State(rawValue: 1)
    /// It is being checked or evaluated.
    static let busy = State(rawValue: 2)
    /// It is in the agenda of a transaction.
    static let queued = State(rawValue: 4)
    /// The next check evaluates it, whatever has changed.
    static let outdated = State(rawValue: 8)
    /// Its value retains objects: it is released when it is outdated and unobserved (D14).
    static let releasable = State(rawValue: 16)
    /// Its reads are registered with the standard library's Observation (D21).
    static let registered = State(rawValue: 32)

    @usableFromInline let rawValue: UInt8
    @usableFromInline init(rawValue: UInt8) { self.rawValue = rawValue }
  }

  /// What is being done with its changes. Used while the object is alive.
  struct Delivery: OptionSet {
    /// An observer is being called.
    static let underWay = Delivery(rawValue: 1)
    /// Changes wait for their delivery.
    static let waiting = Delivery(rawValue: 2)
    /// It is among what the transaction delivers before it settles.
    static let held = Delivery(rawValue: 4)
    /// It has been set in a batch that is open, or being delivered.
    static let batched = Delivery(rawValue: 8)
    /// A change has been announced that has not been delivered yet.
    static let announced = Delivery(rawValue: 16)
    /// A feedback loop of it was stopped, in the transaction `stoppedIn`.
    static let stopped = Delivery(rawValue: 32)
    /// An observer reads the value through an override.
    static let readThrough = Delivery(rawValue: 64)
    /// A set has to pass rules.
    static let validated = Delivery(rawValue: 128)

    let rawValue: UInt8
  }

  /// Whether it is the node of the wrapper at `place`, whose object is alive.
  @usableFromInline final func isNode(at place: UInt) -> Bool { self.place == place && !hasEnded }

  /// Gives up the wrapper's place, which another node takes; ends unless something observes or reads it.
  final func detach() {
    place = 0
    if !isObserved, dependents.isEmpty { _ = markEnded() }
  }

  /// Records the read of the property at `place`, if that is this one's and its key path is known.
  @usableFromInline final func wasRead(at place: UInt) -> Bool {
    guard isNode(at: place), keyPath != nil else { return false }
    Transaction.withCurrent { transaction in
      guard transaction.isEvaluating else { return }
      owner.use(in: transaction)
      transaction.didRead(self)
    }
    return true
  }

  /// Records a change, and marks what depends on the node.
  final func beginChange(isDeath: Bool = false, in transaction: Transaction) {
    owner.use(in: transaction)
    version &+= 1
    transaction.changes &+= 1
    transaction.markDependents(of: self)
    if isDeath { deathVersion = version }
    if transaction.ruleLevel > 0, !isDeath, transaction.isInRule {
      transaction.reportWrite(to: self)
    }
  }

  // MARK: For subclasses

  /// Computes the value anew. Foreign code, whose reads are recorded.
  ///
  /// - Parameters:
  ///   - owner: the object, kept alive by the caller.
  ///   - index: of the first dependency that has changed.
  func evaluate(of owner: AnyObject, from index: Int, in transaction: Transaction) {}

  /// Stores the value computed, and increments `version` if it is another one. Comparing values is
  /// foreign code, whose reads are not recorded.
  func commit(in transaction: Transaction) {}

  /// Whether `evaluate` records what it reads by ``Transaction/didRead(_:)``, and not itself.
  var isTracked: Bool { true }

  /// Brings a computed node that is observed up to date, and delivers its value if it is another one
  /// than was delivered last.
  func settle(of owner: AnyObject, in transaction: Transaction) {}

  /// Releases the value of a computed node that is outdated and unobserved.
  func releaseUnusedValue() {}

  /// Delivers the changes that the delivery under way has caused, the earliest first.
  func deliverCaused(in transaction: Transaction) {}

  /// Delivers the changes that have waited for the outermost set, or for the end of a batch.
  func deliverWaiting(in transaction: Transaction) {}

  /// Ends the batch for this property.
  ///
  /// - Returns: false if it is back at its value (D31).
  func resolveBatch(in transaction: Transaction) -> Bool { true }

  /// Called when the last observer has left, perhaps on another thread.
  func observersLeft() {}

  /// Called when the object has died, before observers are completed.
  func willEnd() {}

  /// Releases values and closures; the object has died.
  func releaseContents() {}

  /// The value as it was computed last, for inspection; nil for stored properties.
  package var inspectedValue: Any? { nil }

  /// The type of the values, for inspection.
  package var valueType: Any.Type { Never.self }

  /// Whether it delivers the announcements of another node.
  package var isAnnouncing: Bool { false }

  /// The state of a chain, for inspection; nil for all other nodes.
  package var chain: InspectedChain? { nil }

  /// Whether the last change is the death of the object that it refers to.
  final var isAtDeath: Bool { deathVersion != 0 && deathVersion == version }

  /// Whether the death of the object that it refers to is being delivered.
  final var isDeliveringDeath: Bool { deathVersion != 0 && deathVersion == delivered }

  /// Whether its rule must not set anything (D17).
  var isDerived: Bool { false }

  /// Whether it is a property on a chain, which owns it.
  var isHop: Bool { false }

  /// Whether the class of the object may override the property: it has inherited it.
  final var mayBeOverridden: Bool { keyPath.map { type(of: $0).rootType != owner.type } ?? false }

  // MARK: State

  /// Whether something that it depends on may have changed.
  final var isMarked: Bool { state.contains(.marked) }
  /// Whether a check is needed before the value is used.
  final var mayBeStale: Bool { !state.isDisjoint(with: [.marked, .outdated]) }
  /// Whether it is settled when it is marked, and not only when it is read.
  package final var isObserved: Bool { observerCount.load(ordering: .relaxed) > 0 }

  // MARK: The end

  /// Whether nothing will change or observe it any more.
  package final var hasEnded: Bool { ended.load(ordering: .acquiring) }

  /// - Returns: whether this call has ended it.
  final func markEnded() -> Bool { !ended.exchange(true, ordering: .acquiringAndReleasing) }

  /// Completes what observes it, and releases its contents. Called by the registry, when the object
  /// has died; on whatever thread that is.
  final func end(in transaction: Transaction = .current) {
    _ = markEnded()
    willEnd()
    dropDependencies()
    // Another thread may be marking what depends on it.
    if owner.isUsed(in: transaction) { transaction.markChains(of: self) }
    if !isComputed { dependents = [] }
    Instrumentation.note(.complete(self))
    for observer in takeObservers() where observer.context.isActive { observer.complete() }
    releaseContents()
  }

  // One node after the other: in a long row, each may be the last to retain the next.
  deinit {
    guard !dependents.isEmpty || !dependencies.isEmpty else { return }
    let transaction = Transaction.current
    transaction.released.append((dependents, dependencies))
    dependents = []
    dependencies = []
    transaction.releaseLinks()
  }

  // MARK: Links

  /// Adds a reader, and sweeps out links that are not in use if there are too many.
  final func link(_ reader: Node) -> Link {
    if dependents.count >= 2 * sweptCount { sweepDependents() }
    let link = Link(reader: reader)
    dependents.append(link)
    return link
  }

  final func sweepDependents() {
    dependents.removeAll { !$0.isInUse }
    sweptCount = max(4, dependents.count)
  }

  /// Ends the dependencies from the one at `index` on.
  final func dropDependencies(from index: Int = 0) {
    // Each is released after its removal: a node may be the last to retain closures of the program.
    while dependencies.count > index { drop(dependencies.removeLast()) }
  }

  /// Ends a dependency, which has been removed.
  func drop(_ dependency: Dependency) { dependency.link.drop() }

  /// Whether the value is the one of `version`, which may have been restored by a batch.
  final func isUnchanged(since version: UInt) -> Bool {
    self.version == version || self.version == restoringVersion && version == restoredVersion
  }

  /// Lets readers and observers of the value as of `version` count as those of the current one: a batch has
  /// put it back.
  final func restore(_ version: UInt) {
    for observer in currentObservers where observer.known == version {
      observer.known = self.version
    }
    if restoringVersion != version { restoredVersion = version }
    restoringVersion = self.version
    for link in dependents where link.isInUse {
      let reader = link.reader
      for index in reader.dependencies.indices
      where reader.dependencies[index].node === self
        && reader.dependencies[index].version == version
      { reader.dependencies[index].version = self.version }
    }
  }

  // MARK: Checking

  enum Check {
    case current
    /// The dependency at this index has changed.
    case outdated(Int)
    /// The one at this index has to be checked first.
    case dependent(Int)
  }

  /// Looks for the first dependency that has changed, or that has to be checked before that is known.
  ///
  /// - Parameters:
  ///   - start: the dependency to begin with.
  ///   - isChecked: whether that one has been checked. One in a cycle stays outdated.
  ///   - isDeep: whether all that have to be checked come before any evaluation, so that the stack
  ///     stays flat.
  final func check(from start: Int, isChecked: Bool, isDeep: Bool) -> Check {
    let mustEvaluate = state.contains(.outdated)
    if mustEvaluate, !isDeep { return .outdated(0) }
    for index in start..<max(start, dependencies.count) where !dependencies[index].isCurrent {
      let node = dependencies[index].node
      if node.mayBeStale, !node.state.contains(.busy), !node.hasEnded, !isChecked || index > start {
        return .dependent(index)
      }
      if !isDeep, isNewer(at: index) { return .outdated(index) }
    }
    if mustEvaluate { return .outdated(0) }
    if isDeep, let index = dependencies.indices.first(where: isNewer) { return .outdated(index) }
    return .current
  }

  /// Whether the dependency at `index` has changed since it was read. One that is being evaluated has
  /// read this node: evaluating shows whether this node still depends on it.
  private final func isNewer(at index: Int) -> Bool {
    let node = dependencies[index].node
    return node.version != dependencies[index].version
      || (node.hasEnded ? !isTracked : node.state.contains(.busy))
  }

  /// Whether the dependency at `index` is on `node`, as it is now.
  @inline(__always) final func hasDependency(at index: Int, on node: Node) -> Bool {
    index < dependencies.count && dependencies[index].node === node
      && dependencies[index].version == node.version
  }

  /// `Person.name`, for reports.
  package final var description: String { "\(owner.type).\(name ?? "value")" }

  /// The name of the property; nil for a path.
  package final var name: String? {
    place == 0
      ? owner.name(of: self) : StoredProperties.name(at: place &- owner.identity, in: owner.type)
  }
}

/// A node that has been read, and the version that was read.
struct Dependency {
  let node: Node
  let link: Link
  var version: UInt

  /// Whether it is known that the node has not changed, without checking it.
  @inline(__always) var isCurrent: Bool {
    node.version == version && node.state.isDisjoint(with: [.marked, .outdated, .busy])
      && !node.hasEnded
  }
}
