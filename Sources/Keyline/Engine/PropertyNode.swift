/// An observer of the values of one node.
@usableFromInline class PropertyObserver<Value>: Observer, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.
  @usableFromInline final let next: (Value) -> Void
  /// Whether the observer receives the value as an override of the property returns it.
  final var readsOverride = false
  private let terminate: ((any Error)?) -> Void

  @usableFromInline init(
    _ node: Node, _ context: SubscriptionContext, terminate: @escaping ((any Error)?) -> Void,
    next: @escaping (Value) -> Void
  ) {
    self.next = next
    self.terminate = terminate
    super.init(node, context)
  }

  override final func complete() { terminate(nil) }
}

/// A node with values. It delivers them to its observers, each value in order (P1 to P3).
@usableFromInline class PropertyNode<Value>: Node, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass.

  /// The waiting changes, and the value before the open batch; made on demand.
  private final var pending: PendingChanges<Value>?
  /// The rules that a set must pass before the store; made on demand.
  final var validators: Validators<Value>?
  /// Notices the death of the object that a weak property refers to.
  final var watch: ReferentWatch?
  /// Reads the stored value from the object.
  private let read: ((AnyObject) -> Value)?
  /// Reads the value through an override of the property; nil if no observer needs it.
  final var readOverride: ((AnyObject) -> Value)?

  @usableFromInline init(
    owner: RegisteredObject, isComputed: Bool = false, place: UInt = 0,
    read: ((AnyObject) -> Value)? = nil
  ) {
    self.read = read
    super.init(owner: owner, isComputed: isComputed, place: place)
  }

  /// The current value; nil if there is none.
  @usableFromInline func currentValue(of owner: AnyObject, in transaction: Transaction) -> Value? {
    read?(owner)
  }

  /// The current value for an observer that is about to join; nil if there is none.
  func firstValue(of owner: AnyObject, in transaction: Transaction) -> Value? { read?(owner) }

  /// Whether the property retains a value that is an object.
  final var retainsValue: Bool { !isComputed && !state.contains(.readsWeak) }

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
  @inlinable final func changed(
    to value: Value, from former: Value?, of writer: AnyObject? = nil
  ) {
    if Instrumentation.isOn { reportSet(to: value, from: former) }
    Transaction.withCurrent { transaction in
      if beginSet(in: transaction) {
        send(value)
        endDelivery(in: transaction)
      } else if !isCollected(in: transaction) {
        deliver(value, from: former, in: transaction)
      }
      endSet(of: writer, in: transaction)
    }
  }

  @inline(never) @usableFromInline final func reportSet(to value: Value, from former: Value?) {
    Instrumentation.enter(
      .set(
        self, from: former.map { $0 as Any }, to: value,
        isEqual: { former.map { Equality<Value>.of($0, value) == true } ?? false }))
  }

  /// Called before an in-place mutation: opens the transaction, so that computed values are
  /// evaluated after the access has ended.
  ///
  /// - Returns: whether the former value is needed afterwards.
  final func beginMutation() -> Bool {
    let transaction = Transaction.current
    transaction.depth += 1
    ThreadCheck.begin(.set, self, in: transaction)
    if let validators, validators.isObserved { return true }
    if Transaction.areAnnouncementsWanted { transaction.announce(self) }
    // Comparing a collection would need a copy of it.
    return Optionals.isReference(Value.self)
      || transaction.batchLevel > 0 && !(Value.self is any Collection.Type)
  }

  /// Called after an in-place mutation that was refused.
  final func endMutation(of owner: AnyObject) {
    let transaction = Transaction.current
    ThreadCheck.end(self, in: transaction)
    transaction.close(for: owner, self)
  }

  /// Called after an in-place mutation that has stored `value`.
  final func endMutation(with value: Value, from former: Value?, of owner: AnyObject) {
    let transaction = Transaction.current
    ThreadCheck.end(self, in: transaction)
    // The change opens the transaction again, and settles in place of the mutation.
    transaction.depth -= 1
    changed(to: value, from: former, of: owner)
  }

  /// Delivers a change that has begun, or adds it to the batch.
  @usableFromInline
  final func deliver(_ value: Value, from former: Value?, in transaction: Transaction) {
    if transaction.batchLevel > 0 || delivery.contains(.batched) {
      collect(value, former, in: transaction)
    } else if isObserved {
      emit(value, in: transaction)
    }
  }

  /// Delivers a value, or queues it if the delivery must wait.
  @inlinable final func emit(_ value: Value, in transaction: Transaction) {
    guard beginDelivery(in: transaction) else { return wait(value, in: transaction) }
    if isSentSpecially { send(value, overriddenValue()) } else { send(value) }
    endDelivery(in: transaction)
  }

  /// Passes a value to the observers. Their reads are not recorded, because no rule is being
  /// evaluated.
  @inlinable final func send(_ value: Value) {
    var cursor = DeliveryCursor(self)
    while let observer = cursor.next(in: self) {
      // Proof of the cast: only these observe a node with values of this type.
      let observer = cast(observer, to: PropertyObserver<Value>.self)
      // The observer retains the closure, which then need not be retained for the call.
      withExtendedLifetime(observer) { observer.next(value) }
    }
  }

  /// Passes the value to the observers, with reports, or as an override returns it.
  ///
  /// - Parameter overridden: the value that an override returned when the value was set.
  @usableFromInline final func send(_ value: Value, _ overridden: Value?) {
    var cursor = DeliveryCursor(self)
    while let observer = cursor.next(in: self) {
      // Proof of the cast: as above.
      let observer = cast(observer, to: PropertyObserver<Value>.self)
      guard let value = observer.readsOverride ? overridden : value else { continue }
      Instrumentation.enter(.deliver(self, value, to: observer.context, place: cursor.place))
      observer.next(value)
      Instrumentation.leave()
    }
  }

  @usableFromInline final func overriddenValue() -> Value? {
    guard let readOverride, let object = owner.object else { return nil }
    return Transaction.current.untracked { readOverride(object) }
  }

  package override var valueType: Any.Type { Value.self }

  /// Passes every value through `rule`, from now on until `context` ends.
  final func validate(in context: SubscriptionContext, _ rule: @escaping SetRule<Value>.Closure) {
    let validators = validators ?? Validators(owner: self.owner, isComputed: false)
    self.validators = validators
    delivery.insert(.validated)
    validators.add(SetRule(validators, context, rule))
  }

  // MARK: Changes that wait

  @usableFromInline final func wait(_ value: Value, in transaction: Transaction) {
    Instrumentation.note(.queue(self))
    // After a loop has been stopped, changes made while its last value is delivered are not
    // delivered.
    if isStopped(in: transaction) { return didLeaveOut() }
    let isCaused = delivery.contains(.underWay)
    let isBack = [settling, transaction.reportedIn].contains(transaction.settling)
    let round = isCaused ? round + 1 : isBack ? transaction.pass + 1 : 0
    if !isCaused { settling = transaction.settling }
    let pending = pending ?? PendingChanges()
    self.pending = pending
    pending.changes.append(
      .init(value: value, overridden: overriddenValue(), version: version, round: round))
    delivery.insert(.waiting)
    if !isCaused, !delivery.contains(.held) {
      delivery.insert(.held)
      transaction.hold(self)
    }
  }

  override func deliverWaiting(in transaction: Transaction) {
    guard !hasEnded, let object = owner.object else { return }
    delivery.remove(.held)
    ThreadCheck.begin(.deliver, self, in: transaction)
    defer { ThreadCheck.end(self, in: transaction) }
    if delivery.contains(.batched) {
      leaveBatch()
      if isObserved, let value = currentValue(of: object, in: transaction) {
        emit(value, in: transaction)
      }
    } else if delivery.contains(.waiting), !delivery.contains(.underWay) {
      delivery.insert(.underWay)
      deliverChanges(in: transaction)
      endDelivery(in: transaction)
    }
    withExtendedLifetime(object) {}
  }

  override func deliverCaused(in transaction: Transaction) {
    transaction.untracked { deliverChanges(in: transaction) }
  }

  private final func deliverChanges(in transaction: Transaction) {
    guard let pending else { return delivery = delivery.subtracting(.waiting) }
    var count = 0
    // Retained until the next change has been delivered: observers may refer to the former value
    // weakly.
    var former: PendingChanges<Value>.Change?
    while true {
      // Releasing the former value may release an object that a weak property refers to; that death
      // is a change.
      if pending.changes.isEmpty { former = nil }
      guard var change = pending.changes.popFirst() else { break }
      round = change.round
      count += 1
      if isLoop(after: count) {
        while let last = pending.changes.popFirst() { change = last }
        stoppedIn = transaction.settling
        delivery.insert(.stopped)
        transaction.reportFeedback(of: self)
      }
      if pending.changes.isEmpty { delivery.remove(.waiting) }
      delivered = change.version
      let isLast = stoppedIn == transaction.settling
      send(isLast ? valueAfterLoop(change.value) : change.value, change.overridden)
      withExtendedLifetime(former) {}
      former = change
    }
    pending.changes = Queue()
    delivery.remove(.waiting)
    round = 0
  }

  /// The value to deliver after a loop was stopped, in place of `value`, which was set last.
  func valueAfterLoop(_ value: Value) -> Value { value }

  /// Called when a change that was made after a loop was stopped is not delivered.
  func didLeaveOut() {}

  /// Whether so many deliveries have caused one another that they count as a loop (P3).
  private final func isLoop(after count: Int) -> Bool {
    // Looking up the limit costs more than the rest.
    guard round > 1 else { return false }
    let limit = Diagnostics.feedbackLimit
    // If each delivery causes several others, the total count ends the loop, long before the round
    // reaches the limit.
    return round > limit || limit < .max / 100 && count > 100 * max(limit, 10)
  }

  // MARK: Batches

  /// Leaves a change for the end of the batch.
  private final func collect(_ value: Value, _ former: Value?, in transaction: Transaction) {
    if transaction.batchLevel == 0 || owner.object == nil {
      // A dying object cannot be retained until the batch ends. At level 0, an observer has set the
      // property while the batch is delivered: the value is delivered now, and not again at the
      // property's turn.
      leaveBatch()
      return emit(value, in: transaction)
    }
    if !delivery.contains(.batched) {
      let pending = pending ?? PendingChanges()
      self.pending = pending
      pending.isFormer = former.map(pending.remembering)
      pending.formerVersion = version &- 1
      delivery.insert(.batched)
    } else if isCollected(in: transaction) {
      return
    }
    // An inner batch, opened by an observer during the delivery of the outer one, delivers the
    // property.
    batchNumber = transaction.batchNumber
    transaction.batched.append(self)
  }

  private final func leaveBatch() {
    pending?.isFormer = nil
    delivery.remove(.batched)
  }

  override func resolveBatch(in transaction: Transaction) -> Bool {
    // In a batch that retains no object, this one may have died, perhaps on another thread.
    guard let object = owner.object, delivery.contains(.batched) else { return false }
    guard let pending, let isFormer = pending.isFormer,
      let value = currentValue(of: object, in: transaction), isFormer(value)
    else { return true }
    Instrumentation.note(.restore(self, value))
    guard isBack(at: pending.formerVersion) else { return true }
    leaveBatch()
    return false
  }

  // MARK: The end

  override func releaseContents() {
    pending = nil
    watch?.cancel()
    watch = nil
    validators?.endRules()
  }
}

/// The changes of one property that have not been delivered.
private final class PendingChanges<Value> {
  /// A change made during the delivery of another one.
  struct Change {
    let value: Value
    /// The value that an override returned at the time of the change, if an observer reads it.
    let overridden: Value?
    let version: UInt
    let round: Int
  }

  var changes = Queue<Change>()
  /// Whether a value is the one from before the batch; nil if that one is not known.
  var isFormer: ((Value) -> Bool)?
  let remembering = Equality<Value>.remembering
  /// The version of that value.
  var formerVersion: UInt = 0
}
