import Synchronization

/// The node of a value that can be read and observed: a stored property, or a value computed from
/// others.
///
/// A computed node also has dependencies. A change marks all nodes that depend on the changed node,
/// transitively and without foreign code; marked nodes that are observed settle when the
/// transaction closes.
///
///     set ──▶ version += 1 ──▶ mark dependents ──▶ deliver ──▶ outermost set closes ──▶ settle
///
/// A node never retains the object that owns it. References between two nodes:
///
///     reader.dependencies ──▶ node          a read, with the version read; in the order of reading
///     node.dependents ──▶ link ──▶ reader   dropped by the reader, swept by the node
///
/// - Isolation: confined with the object, except for disposal and death, which may come from any
///   thread: see ``ObjectLife``.
@usableFromInline package class Node: @unchecked Sendable {
  // Proof of @unchecked: see above.

  /// The registered object that the node belongs to.
  @usableFromInline package final let owner: RegisteredObject
  /// The address of the object.
  @usableFromInline final let identity: UInt
  /// Incremented by every change.
  // Proof of unchecked, here and below: confined, and no foreign code runs during an access.
  @exclusivity(unchecked) @usableFromInline package final var version: UInt = 0
  @exclusivity(unchecked) package final var dependents: [Link] = []
  /// The nodes that the last evaluation has read, in order; empty for stored properties.
  @exclusivity(unchecked) package final var dependencies: [Dependency] = []
  @exclusivity(unchecked) @usableFromInline final var state: State = []
  @exclusivity(unchecked) @usableFromInline final var delivery: Delivery = []
  /// Whether the value is computed from other nodes.
  @usableFromInline final let isComputed: Bool
  /// The rank among nodes that settle: lower ranks settle first. Assigned whenever the node begins
  /// to be observed.
  @exclusivity(unchecked) package final var order: UInt = 0
  /// The number of the last evaluation that has read the node.
  @exclusivity(unchecked) final var stamp: UInt64 = 0
  /// How many links of `dependents` the last sweep found in use; at least 4.
  final var sweptCount = 4
  private final let ended = Atomic<Bool>(false)

  // Delivery: see NodeObservers.swift.

  // Proof of unchecked: under the mutex of ``ObjectLife``.
  @exclusivity(unchecked) final var observers = MemberList<Observer>()
  /// The observers after the first; nil if one has joined or left since they were called.
  @exclusivity(unchecked) final var otherObservers: [Observer]?
  final let observerCount = Atomic<Int>(0)
  /// Whether a death waits in the inbox of an object that the value depends on (D23).
  final let hasMailBelow = Atomic<Bool>(false)
  /// The version of the value being delivered, or delivered last.
  @exclusivity(unchecked) final var delivered: UInt = 0
  /// The index of the dependency whose change outdated the node last.
  @exclusivity(unchecked) final var changedDependency = 0
  /// How many deliveries have caused one another, up to the delivery under way (P3).
  @exclusivity(unchecked) final var round = 0
  /// The version that resulted from the death of the referenced object; 0 if there was none.
  @exclusivity(unchecked) final var deathVersion: UInt = 0
  /// The last transaction in which a computed node was settled, or a stored property had to wait.
  @exclusivity(unchecked) final var settling: UInt64 = 0

  /// The address of the wrapper that leads to this node, only compared; 0 without a wrapper.
  @exclusivity(unchecked) @usableFromInline final var place: UInt
  /// The property's own key path; nil for a path, and until the property's accessor has passed it.
  @exclusivity(unchecked) @usableFromInline final var keyPath: AnyKeyPath?

  init(owner: RegisteredObject, isComputed: Bool = false, place: UInt = 0) {
    self.owner = owner
    identity = owner.identity
    self.place = place
    self.isComputed = isComputed
    if isComputed { state = [.marked, .outdated] }
  }

  /// Whether the value is up to date. Used only by the node's domain, even after the object has
  /// died.
  @usableFromInline struct State: OptionSet, Sendable {
    /// A dependency may have changed.
    static let marked = State(rawValue: 1)
    /// The node is being checked or evaluated.
    static let busy = State(rawValue: 2)
    /// The node is in the agenda of a transaction.
    static let queued = State(rawValue: 4)
    /// The next check evaluates the node, even if no dependency has changed.
    static let outdated = State(rawValue: 8)
    /// Marks are passed to `marked(in:)` while the node is unobserved.
    static let releasable = State(rawValue: 16)
    /// Reads of the node are registered with the standard library's Observation (D21).
    static let registered = State(rawValue: 32)
    /// The value depends on something that a death on another thread may change (D23).
    static let readsWeak = State(rawValue: 64)

    @usableFromInline let rawValue: UInt8
    @usableFromInline init(rawValue: UInt8) { self.rawValue = rawValue }
  }

  /// The state of the delivery of changes. Used while the object is alive.
  @usableFromInline struct Delivery: OptionSet, Sendable {
    /// An observer is being called.
    static let underWay = Delivery(rawValue: 1)
    /// Changes wait for their delivery.
    static let waiting = Delivery(rawValue: 2)
    /// The transaction delivers the node's waiting changes before it settles.
    static let held = Delivery(rawValue: 4)
    /// The node was set in a batch, and has not been delivered since.
    @inlinable static var batched: Delivery { Delivery(rawValue: 8) }
    /// The open batch delivers the node.
    static let collected = Delivery(rawValue: 256)
    /// A change is being announced or, of a computed value in a batch, has been announced and not
    /// been delivered yet.
    static let announced = Delivery(rawValue: 16)
    /// A feedback loop of the node was stopped in this transaction.
    static let stopped = Delivery(rawValue: 32)
    /// An observer reads the value through an override.
    static let readThrough = Delivery(rawValue: 64)
    /// Sets must pass rules.
    static let validated = Delivery(rawValue: 128)

    @usableFromInline let rawValue: UInt16
    @inlinable init(rawValue: UInt16) { self.rawValue = rawValue }
  }

  /// Whether this is the node of the wrapper at `place`, and its object is alive.
  @usableFromInline final func isNode(at place: UInt) -> Bool { self.place == place && !hasEnded }

  /// Gives up the wrapper's place to another node; ends unless the node is observed or has readers.
  final func detach() {
    place = 0
    if !isObserved, dependents.isEmpty { _ = markEnded() }
  }

  /// Records the read of the property at `place`, if this is its node and the key path is known.
  @usableFromInline final func wasRead(at place: UInt) -> Bool {
    guard isNode(at: place), keyPath != nil else { return false }
    Transaction.withCurrent { transaction in
      guard transaction.isEvaluating else { return }
      owner.use(in: transaction)
      transaction.didRead(self)
    }
    return true
  }

  /// Records a change, and marks all dependents of the node.
  final func beginChange(isDeath: Bool = false, in transaction: Transaction) {
    owner.use(in: transaction)
    version &+= 1
    transaction.markDependents(of: self)
    if isDeath { deathVersion = version }
    if transaction.ruleLevel > 0, !isDeath, transaction.isInRule {
      transaction.reportWrite(to: name, of: owner.type)
    }
  }

  // MARK: For subclasses

  /// Computes the value again. Runs foreign code, whose reads are recorded if ``isTracked`` is
  /// true.
  ///
  /// - Parameters:
  ///   - owner: the object, kept alive by the caller.
  ///   - index: the first dependency that has changed.
  func evaluate(of owner: AnyObject, from index: Int, in transaction: Transaction) {}

  /// Stores the computed value, and increments `version` if the value has changed. Comparing values
  /// runs foreign code, whose reads are not recorded.
  func commit(in transaction: Transaction) {}

  /// Whether ``Transaction/didRead(_:)`` records the reads of `evaluate`; otherwise `evaluate`
  /// does.
  var isTracked: Bool { true }

  /// Brings an observed computed node up to date, and delivers its value if it differs from the
  /// last one delivered.
  func settle(of owner: AnyObject, in transaction: Transaction) {}

  /// Called when an unobserved node is marked that is `releasable`.
  func marked(in transaction: Transaction) { transaction.releaseUnused(of: self) }
  /// Releases what only an outdated and unobserved value needs (D14), or a node that has ended.
  func releaseUnused() {
    // Kept alive, because the death of the object ends the node.
    guard hasEnded, let owner = owner.object else { return }
    dropDependencies()
    releaseContents()
    withExtendedLifetime(owner) {}
  }
  /// Nodes that are evaluated together with this one.
  var parts: [Node] { [] }
  /// The node of which this one is a part. Called on any thread.
  var whole: Node? { nil }

  /// Delivers the changes that the delivery under way has caused, in order.
  func deliverCaused(in transaction: Transaction) {}

  /// Delivers the changes that waited for the outermost set.
  func deliverWaiting(in transaction: Transaction) {}

  /// Whether a batch has set the property, which is back at its former value.
  func isRestored(of owner: AnyObject, in transaction: Transaction) -> Bool { false }

  /// Forgets the value from before a batch.
  @usableFromInline func forgetFormer() {}

  /// Called when the last observer has left, perhaps on another thread.
  func observersLeft() {}

  /// Called when the object has died, before observers are completed.
  func willEnd() {}
  /// Releases values and closures; the object has died.
  func releaseContents() {}

  /// The value computed last, for inspection; nil for stored properties.
  package var inspectedValue: Any? { nil }

  /// The type of the values, for inspection.
  package var valueType: Any.Type { Never.self }

  /// The state of a chain, for inspection; nil for all other nodes.
  package var chain: InspectedChain? { nil }

  /// Whether the last change was the death of the referenced object.
  final var isAtDeath: Bool { deathVersion != 0 && deathVersion == version }

  /// Whether the death of the referenced object is being delivered.
  final var isDeliveringDeath: Bool { deathVersion != 0 && deathVersion == delivered }

  /// The errors that the rule throws.
  var errors: Observable<any Error> { .empty() }

  /// Whether the node has a rule, which must not set anything (D17).
  var isDerived: Bool { false }
  /// Whether the node is a property on a chain, which owns the node.
  package var isHop: Bool { false }

  /// Whether the object's class may override the property, because the class has inherited it.
  final var mayBeOverridden: Bool { keyPath.map { type(of: $0).rootType != owner.type } ?? false }

  /// The subscriptions of the observers, for inspection.
  package final var contexts: [SubscriptionContext] {
    currentObservers.map(\.context).filter(\.isActive)
  }

  // MARK: State

  /// Whether a dependency may have changed.
  final var isMarked: Bool { state.contains(.marked) }
  /// Whether the value must be checked before it is used.
  package final var mayBeStale: Bool { !state.isDisjoint(with: [.marked, .outdated]) }
  /// Whether the node settles when it is marked; otherwise it is checked when it is read.
  package final var isObserved: Bool { observerCount.load(ordering: .relaxed) > 0 }

  // MARK: The end

  /// Whether the node has ended: it no longer changes, and cannot be observed.
  @usableFromInline package final var hasEnded: Bool { ended.load(ordering: .acquiring) }

  /// - Returns: whether this call has ended the node.
  final func markEnded() -> Bool { !ended.exchange(true, ordering: .acquiringAndReleasing) }

  /// Completes the observers, and releases the contents. Called by the registry when the object has
  /// died, on any thread.
  final func end() {
    _ = markEnded()
    willEnd()
    dropDependencies()
    Instrumentation.note(.complete(self))
    while let observer = owner.takeObserver(of: self) {
      if observer.context.isActive { observer.complete() }
    }
    releaseContents()
  }

  // Released one after the other: in a long row, each node may be the last to retain the next.
  deinit {
    guard !dependents.isEmpty || !dependencies.isEmpty else { return }
    let transaction = Transaction.current
    transaction.released.append((dependents, dependencies))
    dependents = []
    dependencies = []
    transaction.releaseLinks()
  }

  /// Ends a dependency that has been removed.
  func drop(_ dependency: Dependency) { dependency.link.drop() }

  /// Leaves out the delivery of a value that is the same as at `version`, for the observers that have
  /// received that one, or for which it is waiting.
  ///
  /// - Returns: whether no other observer is left, which joined later and received another value.
  @usableFromInline final func isBack(at version: UInt) -> Bool {
    // The observers that are still to receive that value receive it as the current one.
    if delivery.contains(.underWay), delivered == version { delivered = self.version }
    let observers = currentObservers
    for observer in observers where observer.known == version { observer.known = self.version }
    return observers.allSatisfy {
      $0.known == self.version || Int(bitPattern: $0.known &- version) < 0
    }
  }

  // MARK: Checking

  enum Check {
    case current
    /// The dependency at this index has changed.
    case outdated(Int)
    /// The dependency at this index must be checked first.
    case dependent(Int)
  }

  /// Finds the first dependency that has changed, or that must be checked before the others.
  ///
  /// - Parameters:
  ///   - start: the dependency to begin with.
  ///   - isChecked: whether the dependency at `start` has been checked. In a cycle it stays
  ///     outdated.
  ///   - isDeep: whether to check all dependencies before any evaluation, so that the stack stays
  ///     flat.
  final func check(from start: Int, isChecked: Bool, isDeep: Bool) -> Check {
    let mustEvaluate = state.contains(.outdated)
    if mustEvaluate, !isDeep { return .outdated(0) }
    for index in start..<max(start, dependencies.count) where !dependencies[index].isCurrent {
      if dependencies[index].canBeChecked, !isChecked || index > start { return .dependent(index) }
      if !isDeep, isNewer(at: index) { return .outdated(index) }
    }
    if mustEvaluate { return .outdated(0) }
    if isDeep, let index = dependencies.indices.first(where: isNewer) { return .outdated(index) }
    return .current
  }

  /// Whether the dependency at `index` has changed since it was read. A dependency that is being
  /// evaluated counts as changed: it has read this node, and evaluating this node shows whether the
  /// two still depend on each other.
  private final func isNewer(at index: Int) -> Bool {
    let node = dependencies[index].node
    return node.version != dependencies[index].version
      || !node.hasEnded && node.state.contains(.busy)
  }

  /// Whether the dependency at `index` is `node`, in its current version.
  @inline(__always) final func hasDependency(at index: Int, on node: Node) -> Bool {
    index < dependencies.count && dependencies[index].node === node
      && dependencies[index].version == node.version
  }

  /// `Person.name`, for reports.
  package final var description: String { "\(owner.type).\(name ?? "value")" }

  /// `Person.name`, or the class for a path: reads nothing that changes.
  final var propertyDescription: String { place == 0 ? "\(owner.type)" : description }

  /// The name of the property; nil for a path.
  package final var name: String? {
    place == 0
      ? owner.name(of: self) : StoredProperties.name(at: place &- owner.identity, in: owner.type)
  }
}
