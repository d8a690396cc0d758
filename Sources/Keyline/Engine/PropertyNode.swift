/// An observer of a node. It is in the list of the node, and in the teardown of its subscription,
/// which removes it from there.
@usableFromInline package class Observer: ListMember, Disposable, @unchecked Sendable {
  // Proof of @unchecked: immutable, but for the version, which only the domain uses, and the place in
  // the list, which is under the mutex of the object.
  /// Whether the observer receives the value as an override of the property returns it.
  @usableFromInline final var readsOverride = false
  package let node: Node
  @usableFromInline let context: SubscriptionContext
  /// The version of the value received last. The observer receives later versions only.
  // Proof of unchecked: an access is a load or a store.
  @exclusivity(unchecked) final var known: UInt

  @usableFromInline init(_ node: Node, _ context: SubscriptionContext) {
    self.node = node
    self.context = context
    known = node.version
  }

  /// Delivers completion.
  func complete() {}

  /// Called before a store.
  func announce() {}

  @usableFromInline package func dispose() {
    Instrumentation.note(.dispose(node))
    if node.owner.leave(self) { node.observersLeft() }
  }

  /// Leaves the node, which is not evaluated any more for this observer while other disposables of the
  /// same group are disposed. A node that releases its contents does so later.
  public final func _end() -> [any Disposable] {
    node.owner.leave(self) ? [Disposables.create(with: node.observersLeft)] : []
  }
}

/// An observer of the values of one node.
@usableFromInline class ValueObserver<Value>: Observer, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.
  /// Receives a value that the node delivers.
  @usableFromInline func receive(_ value: Value) {}
}

/// Passes the values of one node to closures.
@usableFromInline class PropertyObserver<Value>: ValueObserver<Value>, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.
  private let next: (Value) -> Void
  private let terminate: ((any Error)?) -> Void

  init(
    _ node: Node, _ context: SubscriptionContext, terminate: @escaping ((any Error)?) -> Void,
    next: @escaping (Value) -> Void
  ) {
    self.next = next
    self.terminate = terminate
    super.init(node, context)
  }

  // The observer retains the closure, which then need not be retained for the call.
  override final func receive(_ value: Value) { next(value) }

  override final func complete() { context.finish(terminate) }
}

/// A node with values. It delivers them to its observers, each value in order (P1 to P3).
@usableFromInline class PropertyNode<Value>: Node, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  /// Made on demand, for few properties.
  @exclusivity(unchecked) @usableFromInline final var supplement: PropertySupplement<Value>?

  /// What a set must pass before the store.
  final var validators: Validators<Value>? { supplement?.validators }

  /// The current value; nil if there is none.
  @usableFromInline func currentValue(of owner: AnyObject, in transaction: Transaction) -> Value? {
    nil
  }

  /// The current value for an observer that is about to join; nil if there is none.
  func firstValue(of owner: AnyObject, in transaction: Transaction) -> Value? {
    currentValue(of: owner, in: transaction)
  }

  // MARK: Setting

  /// Called before a store: rules may change or refuse the value, and the change is announced.
  ///
  /// - Returns: whether the value is to be stored.
  @usableFromInline final func willSet(_ value: inout Value) -> Bool {
    if let validators, !validators.admit(&value, of: self) { return false }
    if Transaction.areAnnouncementsWanted { Transaction.current.announce(self) }
    return true
  }

  /// Called after the store of `value`: marks the dependents of the property, delivers the value,
  /// and settles if this is the outermost set.
  ///
  /// Inlinable, so that the observers of most changes are called where the type of the value is
  /// known: generic code would look up metadata.
  @inlinable final func changed(to value: Value, from former: Value?, of writer: AnyObject? = nil) {
    if Instrumentation.isOn { reportSet(to: value, from: former) }
    Transaction.withCurrent { transaction in
      let decision = beginSet(in: transaction)
      deliver(value, from: former, decision, in: transaction)
      endSet(of: writer, in: transaction)
    }
  }

  @inline(never) @usableFromInline final func reportSet(to value: Value, from former: Value?) {
    Instrumentation.enter(
      .set(
        self, from: former.map { $0 as Any }, to: value,
        isEqual: { former.map { Equality<Value>.of($0, value) == true } ?? false }))
  }

  override func deliver(of owner: AnyObject, in transaction: Transaction) {
    if let value = currentValue(of: owner, in: transaction) { changed(to: value, from: nil) }
  }

  /// Carries out the decision about a value.
  ///
  /// - Parameter former: the value before the change, if it is known.
  @inlinable @inline(__always) final func deliver(
    _ value: Value, from former: Value?, _ decision: Decision, in transaction: Transaction
  ) {
    switch decision {
    case .done: break
    case .send:
      send(value, isSentSpecially ? overriddenValue() : nil)
      endDelivery(in: transaction)
    case .wait: wait(value, in: transaction)
    case .collect:
      if !state.contains(.batched) { remember(former) }
      transaction.collect(self) { cast($0, to: PropertyNode.self).takeTurn(of: $1, in: $2) }
    }
  }

  /// Delivers a value that has been computed, or collected by a batch.
  @inlinable final func emit(_ value: Value, in transaction: Transaction) {
    deliver(value, from: nil, decide(in: transaction), in: transaction)
  }

  /// Passes a value to the observers. Their reads are not recorded, because no rule is being
  /// evaluated.
  ///
  /// - Parameter overridden: the value that an override returned when the value was set.
  @inlinable final func send(_ value: Value, _ overridden: Value?) {
    guard case (let first?, let others) = owner.observers(of: self) else { return }
    send(value, overridden, to: first, at: 1)
    for index in others.indices { send(value, overridden, to: others[index], at: index + 2) }
  }

  /// Passes a value to an observer that has not received it yet.
  @inlinable @inline(__always)
  final func send(_ value: Value, _ overridden: Value?, to observer: Observer, at place: Int) {
    guard receivesDelivery(observer) else { return }
    // Proof of the cast: only these observe a node with values of this type.
    let observer = cast(observer, to: ValueObserver<Value>.self)
    if !isSentSpecially { return observer.receive(value) }
    report(observer.readsOverride ? overridden : value, to: observer, at: place)
  }

  @usableFromInline
  final func report(_ value: Value?, to observer: ValueObserver<Value>, at place: Int) {
    guard let value else { return }
    Instrumentation.enter(.deliver(self, value, to: observer.context, place: place))
    observer.receive(value)
    Instrumentation.leave()
  }

  @usableFromInline final func overriddenValue() -> Value? {
    guard let read = supplement?.readOverride, let object = owner.object else { return nil }
    return Transaction.current.untracked { read(object) }
  }

  package override var valueType: Any.Type { Value.self }

  /// What every set must pass from now on.
  final func makeValidators() -> Validators<Value> {
    let supplement = makeSupplement()
    let validators = supplement.validators ?? Validators()
    supplement.validators = validators
    state.insert(.validated)
    return validators
  }

  // MARK: Changes that wait

  @usableFromInline final func wait(_ value: Value, in transaction: Transaction) {
    Instrumentation.note(.queue(self))
    // After a loop has been stopped, changes made while its last value is delivered are not
    // delivered.
    if isStopped(in: transaction) { return didLeaveOut() }
    let isCaused = state.contains(.underWay)
    let isBack = settlement.transaction == transaction.settling || transaction.hasStoppedLoop
    let round = isCaused ? settlement.count &+ 1 : isBack ? transaction.pass &+ 1 : 0
    if !isCaused { settlement.transaction = transaction.settling }
    makeSupplement().changes.append(
      .init(
        value: value, overridden: overriddenValue(), version: version,
        isDeath: state.contains(.died), round: round))
    state.insert(.waiting)
    if !isCaused, !state.contains(.held) {
      state.insert(.held)
      transaction.hold(self)
    }
  }

  override final func deliverChanges(in transaction: Transaction) {
    guard let supplement else { return _ = state.remove(.waiting) }
    var count = 0
    // Retained until the next change has been delivered: observers may refer to the former value
    // weakly.
    var former: PropertySupplement<Value>.Change?
    while true {
      // Releasing the former value may release an object that a weak property refers to; that death
      // is a change.
      if supplement.changes.isEmpty { former = nil }
      guard var change = supplement.changes.popFirst() else { break }
      settlement.count = change.round
      count += 1
      if isLoop(after: count) {
        while let last = supplement.changes.popFirst() { change = last }
        state.insert(.stopped)
        transaction.reportFeedback(of: self)
      }
      if supplement.changes.isEmpty { state.remove(.waiting) }
      // A batch may have restored the last value, which then is the current one.
      let isCurrent = supplement.changes.isEmpty && state.isDisjoint(with: [.batched, .stopped])
      beginDelivery(of: isCurrent ? version : change.version, isDeath: change.isDeath)
      let isLast = state.contains(.stopped)
      send(isLast ? valueAfterLoop(change.value) : change.value, change.overridden)
      withExtendedLifetime(former) {}
      former = change
    }
    supplement.changes = Queue()
    state.remove(.waiting)
    settlement.count = 0
  }

  /// The value to deliver after a loop was stopped, in place of `value`, which was set last.
  func valueAfterLoop(_ value: Value) -> Value { value }

  /// Called when a change that was made after a loop was stopped is not delivered.
  func didLeaveOut() {}

  /// Whether so many deliveries have caused one another that they count as a loop (P3).
  private final func isLoop(after count: Int) -> Bool {
    // Looking up the limit costs more than the rest.
    guard settlement.count > 1 else { return false }
    let limit = Diagnostics.feedbackLimit
    // If each delivery causes several others, the total count ends the loop, long before the round
    // reaches the limit.
    return settlement.count > limit || limit < .max / 100 && count > 100 * max(limit, 10)
  }

  // MARK: Batches

  /// Remembers the value delivered last, up to the next delivery.
  ///
  /// - Parameter former: that value; nil if it is not known.
  @inlinable final func remember(_ former: Value?) {
    let supplement = makeSupplement()
    if let former {
      supplement.former.value.store(former, isReference: supplement.areEqual.isReference)
    }
    supplement.former.version = version &- 1
    state.insert(.batched)
  }

  /// Delivers the property at its turn at the end of a batch, unless that has happened before, or the
  /// value delivered last is back (D31).
  @inlinable final func takeTurn(of owner: AnyObject, in transaction: Transaction) {
    guard state.contains(.batched), !hasEnded, let supplement,
      let value = currentValue(of: owner, in: transaction)
    else { return }
    let isBack = supplement.isFormer(value)
    if isBack { leaveOut(value, since: supplement.former.version) }
    forgetFormer()
    // A change that waits delivers the value that is back.
    if !isBack || !state.contains(.waiting) { emit(value, in: transaction) }
  }

  @usableFromInline final func leaveOut(_ value: Value, since version: UInt) {
    Instrumentation.note(.restore(self, value))
    leaveOut(since: version)
  }

  override final func isRestored(of owner: AnyObject, in transaction: Transaction) -> Bool {
    guard state.contains(.batched), let supplement else { return false }
    return currentValue(of: owner, in: transaction).map(supplement.isFormer) == true
  }

  @usableFromInline override final func forgetFormer() {
    state.remove(.batched)
    supplement?.forgetFormer()
  }

  @usableFromInline final func makeSupplement() -> PropertySupplement<Value> {
    let supplement = supplement ?? PropertySupplement()
    self.supplement = supplement
    return supplement
  }

  // MARK: The end

  override func releaseContents() {
    guard let supplement = exchange(&supplement, with: nil) else { return }
    supplement.watch?.cancel()
    supplement.derived?.errors?.onCompleted()
  }
}

/// State that few properties need: changes that wait, the value before the open batch, rules, the watch
/// of a weak property, an override, and what few derived properties need.
@usableFromInline final class PropertySupplement<Value> {
  /// A change made during the delivery of another one.
  struct Change {
    let value: Value
    /// The value that an override returned at the time of the change, if an observer reads it.
    let overridden: Value?
    let version: UInt
    /// Whether the change is the death of the referenced object.
    let isDeath: Bool
    let round: Int32
  }

  final var changes = Queue<Change>()
  /// The value delivered last, while a batch delivers no change, and its version; empty if it is not
  /// known.
  @exclusivity(unchecked) @usableFromInline
  final var former = (value: Remembered<Value>(), version: UInt(0))
  /// What a set must pass before the store.
  final var validators: Validators<Value>?
  /// Notices the death of the object that a weak property refers to.
  final var watch: ReferentWatch?
  /// What few derived properties need.
  final var derived: DerivedSupplement?
  /// Reads the value through an override of the property; nil if no observer needs it.
  final var readOverride: ((AnyObject) -> Value)?
  // Looked up once.
  @usableFromInline final let areEqual = Equality<Value>.of

  /// Whether `value` is the value delivered last.
  @inlinable final func isFormer(_ value: Value) -> Bool {
    former.value.load().map { areEqual($0, value) == true } ?? false
  }

  @inlinable final func forgetFormer() { former.value.forget(isReference: areEqual.isReference) }
}
