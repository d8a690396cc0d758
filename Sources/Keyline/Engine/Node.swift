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
  // Proof of unchecked, here and below: confined, and no foreign code runs during an access.
  @exclusivity(unchecked) @usableFromInline package final var state: State = []
  /// The signals and, above their bits, the number of observers: atomic, because any thread may ask.
  final let signals: Atomic<UInt32>
  /// Incremented by every change.
  @exclusivity(unchecked) @usableFromInline package final var version: UInt = 0
  /// The version of the value being delivered, or delivered last.
  @exclusivity(unchecked) @usableFromInline final var delivered: UInt = 0
  @exclusivity(unchecked) package final var dependents = LinkList()
  /// The nodes that the last evaluation has read, in order; empty for stored properties.
  @exclusivity(unchecked) package final var dependencies: [Dependency] = []
  /// The number of the last evaluation that has read the node.
  @exclusivity(unchecked) final var stamp: UInt64 = 0
  @exclusivity(unchecked) package final var settlement = Settlement()

  // The observers: see NodeObservers.swift. Proof of unchecked: under the mutex of ``ObjectLife``.

  @exclusivity(unchecked) final var observers = MemberList<Observer>()
  /// The observers after the first; nil if one has joined or left since they were called.
  @exclusivity(unchecked) final var otherObservers: [Observer]?

  /// The address of the wrapper that leads to this node, only compared; 0 without a wrapper.
  @exclusivity(unchecked) @usableFromInline package final var place: UInt
  /// The property's own key path; nil for a path, and until the property's accessor has passed it.
  @exclusivity(unchecked) @usableFromInline final var keyPath: AnyKeyPath?

  /// - Parameter kind: the kind of node; empty for a stored property.
  init(owner: RegisteredObject, _ kind: State = [], place: UInt = 0) {
    self.owner = owner
    self.place = place
    state = kind.isEmpty ? kind : kind.union([.computed, .marked, .outdated])
    signals = Atomic(kind.contains(.derived) ? Signal.derived.rawValue : 0)
  }

  /// What the node is, and where it stands. Used by the node's domain; marks are also used after the
  /// object has died.
  @usableFromInline package struct State: OptionSet, Sendable {
    // What the node is.

    /// The value is computed from other nodes.
    static let computed = State(rawValue: 1)
    /// The value has a rule, which must not set anything (D17).
    static let derived = State(rawValue: 2)
    /// A computed property on a chain, which owns the node.
    static let hop = State(rawValue: 4)
    /// An evaluation records its reads itself; otherwise ``Transaction/didRead(_:)`` does.
    static let recordsReads = State(rawValue: 8)
    /// Marks are passed to `marked(in:)` while the node is unobserved.
    static let releasable = State(rawValue: 16)
    /// Reads of the node are registered with the standard library's Observation (D21).
    static let registered = State(rawValue: 32)
    /// The property refers to its object weakly, or the value depends on such a property: a death on
    /// another thread may change it (D23).
    static let weak = State(rawValue: 64)
    /// An observer reads the value through an override.
    static let readThrough = State(rawValue: 128)
    /// Sets may be refused: by rules, or by an exclusive binding.
    static let validated = State(rawValue: 256)

    /// A derived value that is an object, or nil.
    @inlinable static var reference: State { State(rawValue: 1 << 25) }

    /// The last property of a chain has an owner and a value.
    static let unbroken = State(rawValue: 1 << 22)
    /// The chain was unbroken when it was delivered last.
    static let deliveredUnbroken = State(rawValue: 1 << 24)
    /// A chain has delivered a value last, and not nil.
    @inlinable static var nonNil: State { State(rawValue: 1 << 23) }

    // Whether the value is up to date.

    /// A dependency may have changed.
    static let marked = State(rawValue: 1 << 9)
    /// The node is being checked or evaluated; a read of it closes a cycle (D15).
    static let busy = State(rawValue: 1 << 10)
    /// The node is in the agenda of a transaction.
    static let queued = State(rawValue: 1 << 11)
    /// The next check evaluates the node, even if no dependency has changed.
    static let outdated = State(rawValue: 1 << 12)
    /// The last change was the death of the referenced object.
    static let died = State(rawValue: 1 << 13)

    // The delivery of changes.

    /// An observer is being called.
    static let underWay = State(rawValue: 1 << 14)
    /// The death of the referenced object is being delivered, or was delivered last.
    static let deliversDeath = State(rawValue: 1 << 15)
    /// At least one change is queued, for the delivery under way or else for the outermost set.
    @inlinable static var waiting: State { State(rawValue: 1 << 16) }
    /// The node is in the transaction's queue of nodes whose changes wait for the outermost set.
    static let held = State(rawValue: 1 << 17)
    /// The node was set in a batch, and the value from before is remembered, an object weakly.
    @inlinable static var batched: State { State(rawValue: 1 << 18) }
    /// The node is in the list of the open batch.
    static let collected = State(rawValue: 1 << 19)
    /// A change is being announced. For a computed value in a batch: set until the value has been
    /// delivered.
    static let announced = State(rawValue: 1 << 20)
    /// A feedback loop of the node was stopped in this transaction.
    static let stopped = State(rawValue: 1 << 21)

    /// A cached result takes more than a load: marked, busy, outdated, registered, or weak.
    @inlinable static var unclean: State { State(rawValue: 1 << 9 | 1 << 10 | 1 << 12 | 3 << 5) }

    @usableFromInline package let rawValue: UInt32
    @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }
  }

  /// A fact that other threads report, or ask for.
  enum Signal: UInt32 {
    /// The node has ended.
    case ended = 1
    /// A death waits in the inbox of an object that the value depends on (D23).
    case mailBelow = 2
    /// The value has a rule, so that the node outlives its observers.
    case derived = 4

    /// One observer.
    static let observer: UInt32 = 8
  }

  /// The state that decides when a node settles, and how often.
  package struct Settlement {
    /// The rank among nodes that settle: lower ranks settle first. Assigned whenever the node begins to
    /// be observed.
    package var order: UInt = 0
    /// The number of the transaction that `count` is about; 0 for none.
    var transaction: UInt64 = 0
    /// How many deliveries of the node in the transaction, each caused by the one before, precede this
    /// one (P3); 0 for the first.
    var count: Int32 = 0
    /// The index of the dependency whose change outdated the node last.
    var changedDependency: Int32 = 0
  }

  /// Whether this is the node of the wrapper at `place`, and its object is alive.
  @usableFromInline final func isNode(at place: UInt) -> Bool { self.place == place && !hasEnded }

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

  /// Records a change, and marks all dependents of the node. Does not open the inbox: an observer of a
  /// letter would read computed values that are not marked yet.
  final func beginChange(isDeath: Bool = false, in transaction: Transaction) {
    owner.user.store(transaction.number, ordering: .relaxed)
    version &+= 1
    transaction.markDependents(of: self)
    set(.died, isDeath)
    if !isDeath, transaction.isInRule { transaction.reportWrite(to: name, of: owner.type) }
  }

  @inlinable final func set(_ flag: State, _ isSet: Bool) {
    if isSet != state.contains(flag) { state.formSymmetricDifference(flag) }
  }

  /// Begins the delivery of `version`.
  ///
  /// - Parameter isDeath: whether it is the death of the referenced object.
  final func beginDelivery(of version: UInt, isDeath: Bool) {
    delivered = version
    state.insert(.underWay)
    set(.deliversDeath, isDeath)
  }

  // MARK: For subclasses

  /// Computes the value again, and increments `version` if it has changed. Runs foreign code; a node
  /// that compares values ends the recording of reads before.
  ///
  /// - Parameters:
  ///   - owner: the object, kept alive by the caller.
  ///   - index: the first dependency that has changed.
  func evaluate(of owner: AnyObject, from index: Int, in transaction: Transaction) {}

  /// Brings an observed computed node up to date, and delivers its value if that has changed.
  func settle(of owner: AnyObject, in transaction: Transaction) {
    transaction.refresh(self, of: owner)
    // As often as a loop allows (P3).
    guard delivered != version,
      settlement.count == 0 || Int(settlement.count) - 1 <= Diagnostics.feedbackLimit
    else { return }
    deliver(of: owner, in: transaction)
  }

  /// Delivers the value of a computed node; delivers the value of a stored property as a change.
  func deliver(of owner: AnyObject, in transaction: Transaction) {}

  /// Called when a `releasable` node is marked while it is unobserved.
  func marked(in transaction: Transaction) { transaction.releaseUnused(of: self) }
  /// Releases the contents of an outdated and unobserved value (D14), or of a node that has ended.
  func releaseUnused() {
    // Kept alive, because the death of the object ends the node. Under evaluation, the node still needs
    // its dependencies.
    guard hasEnded, !state.contains(.busy), let owner = owner.object else { return }
    dropDependencies()
    releaseContents()
    withExtendedLifetime(owner) {}
  }
  /// Nodes that are evaluated together with this one.
  var parts: [Node] { [] }
  /// The node of which this one is a part. Called on any thread.
  var whole: Node? { nil }

  /// Delivers the changes that wait, in order.
  func deliverChanges(in transaction: Transaction) {}

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

  /// The errors that the rule throws.
  var errors: Observable<any Error> { .empty() }

  // MARK: State

  @usableFromInline package final var isComputed: Bool { state.contains(.computed) }
  /// Any thread may ask.
  final var isDerived: Bool { has(.derived) }
  package final var isHop: Bool { state.contains(.hop) }

  /// The address of the object.
  @inlinable final var identity: UInt { owner.identity }

  /// Whether the object's class may override the property, because the class has inherited it.
  final var mayBeOverridden: Bool { keyPath.map { type(of: $0).rootType != owner.type } ?? false }

  /// The subscriptions of the observers, for inspection.
  package final var contexts: [SubscriptionContext] {
    owner.all(of: self).map(\.context).filter(\.isActive)
  }

  /// Whether the node settles before `other` does.
  package final func settles(before other: Node) -> Bool {
    settlement.order < other.settlement.order
  }

  /// The version to record for a read. In a cycle, a fallback may be read, which has no version (D15).
  final var readVersion: UInt { state.contains(.busy) ? version &- 1 : version }
  /// Whether a dependency may have changed.
  final var isMarked: Bool { state.contains(.marked) }
  /// Whether the value must be checked before it is used.
  package final var mayBeStale: Bool { !state.isDisjoint(with: [.marked, .outdated]) }
  /// Whether the node settles when it is marked; otherwise it is checked when it is read.
  package final var isObserved: Bool { observerCount > 0 }
  final var observerCount: UInt32 { signals.load(ordering: .relaxed) / Signal.observer }

  // MARK: The end

  /// Whether the node has ended: it no longer changes, and cannot be observed.
  @usableFromInline package final var hasEnded: Bool {
    signals.load(ordering: .acquiring) & Signal.ended.rawValue != 0
  }

  /// - Returns: whether this call has ended the node.
  final func markEnded() -> Bool { raise(.ended) }

  /// Whether a death waits in the inbox of an object that the value depends on (D23).
  final var hasMailBelow: Bool { has(.mailBelow) }

  private func has(_ signal: Signal) -> Bool {
    signals.load(ordering: .relaxed) & signal.rawValue != 0
  }

  /// - Returns: whether the signal is new.
  final func raise(_ signal: Signal) -> Bool {
    signals.bitwiseOr(signal.rawValue, ordering: .sequentiallyConsistent).oldValue
      & signal.rawValue == 0
  }

  /// Completes the observers, and releases the contents. Called by the registry when the object has
  /// died, on any thread.
  final func end() {
    _ = markEnded()
    willEnd()
    if isComputed { bequeath(in: .current) }
    dropDependencies()
    Instrumentation.note(.complete(self))
    for observer in owner.all(of: self) {
      _ = owner.leave(observer)
      if observer.context.isActive { observer.complete() }
    }
    releaseContents()
  }

  // Released one after the other: in a long row, each node may be the last to retain the next.
  deinit {
    guard !dependents.isEmpty || !dependencies.isEmpty else { return }
    Transaction.current.release(
      Array(exchange(&dependents, with: LinkList())), exchange(&dependencies, with: []))
  }

  /// Ends a dependency that has been removed.
  func drop(_ dependency: Dependency) { dependency.link.drop() }

  /// Called when the current value is the same as at `version`: observers that have received that one
  /// do not receive it again, and those that are still to receive it receive it once.
  @usableFromInline final func leaveOut(since version: UInt) {
    // The observers that are still to receive that value receive it as the current one.
    if state.contains(.underWay), delivered == version { delivered = self.version }
    for observer in owner.all(of: self) where observer.known == version {
      observer.known = self.version
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
  ///   - checked: the dependency that has been checked last, with which to begin; -1 for none.
  ///   - isDeep: whether to check all dependencies before any evaluation, so that the stack stays
  ///     flat.
  final func check(after checked: Int, isDeep: Bool) -> Check {
    let mustEvaluate = state.contains(.outdated)
    if mustEvaluate, !isDeep { return .outdated(0) }
    let start = max(checked, 0)
    for index in start..<max(start, dependencies.count) {
      if dependencies[index].canBeChecked, index != checked { return .dependent(index) }
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
      || node.state.contains(.busy) && !node.hasEnded
  }
}
