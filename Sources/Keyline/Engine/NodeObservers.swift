// Adding observers, and delivering to them. The list belongs to ``ObjectLife``.
extension Node {
  /// Adds an observer, which receives values delivered from now on.
  @usableFromInline final func add(_ observer: Observer) {
    if !isObserved, !state.contains(.queued) { settlement.order = Transaction.nextOrder() }
    guard owner.join(observer) else { return observer.complete() }
    // A death may have marked the node after the observer's first value was computed.
    if isComputed, isMarked, !state.contains(.queued) { Transaction.current.enqueue(self) }
    observer.context.add(observer)
  }

  /// Ends a node that nothing needs any more. Its contents are released at the end of the transaction
  /// under way. On another thread than the domain's, this posts a letter instead.
  final func abandon() {
    guard markEnded() else { return }
    let transaction = Transaction.current
    if owner.isUsed(in: transaction) {
      transaction.perform { transaction.releaseUnused(of: self) }
    } else {
      owner.post(.abandoned(self))
    }
  }

  // MARK: Delivering

  /// Whether `observer` is to receive the value being delivered, which it has not received yet.
  @usableFromInline final func receivesDelivery(_ observer: Observer) -> Bool {
    guard observer.known < delivered, observer.context.isActive else { return false }
    observer.known = delivered
    return true
  }

  /// Called before a set: opens the inbox (D23).
  ///
  /// - Returns: whether ``PropertyNode/willSet(_:)`` must be called.
  @usableFromInline final func prepareSet() -> Bool {
    owner.openMail()
    return state.contains(.validated) || Transaction.areAnnouncementsWanted
  }

  /// Begins a set, after the store, and decides whether the value is delivered now.
  @usableFromInline final func beginSet(in transaction: Transaction) -> Decision {
    transaction.depth += 1
    beginChange(in: transaction)
    return decide(in: transaction)
  }

  /// What becomes of a value that has been stored or computed.
  @usableFromInline enum Decision {
    /// Nothing: the node has no observer, or the open batch has collected it already.
    case done
    /// It is sent to the observers, in a delivery that the decision has begun.
    case send
    /// It waits for the delivery that has caused it or, if the set is deeply nested or made while a
    /// path is identified, for the outermost set.
    case wait
    /// The open batch collects the node, and delivers it at its end. The evaluation of a rule is a
    /// batch, too: sets by the rule are delivered when it has returned, before its own value or, inside
    /// another batch, at the end of that one.
    case collect
  }

  /// The decision about the current value, made only here.
  @usableFromInline final func decide(in transaction: Transaction) -> Decision {
    guard isObserved else { return .done }
    if transaction.batch.level > 0 {
      if state.contains(.collected) { return .done }
      // An object in its deinit is gone at the end of the batch: its properties are delivered at once.
      if owner.object != nil { return .collect }
    }
    // The batch that remembers the former value is delivering, or an observer has set the node before
    // its turn: without the former value, its turn passes it over.
    if state.contains(.batched) { forgetFormer() }
    if !state.isDisjoint(with: [.underWay, .waiting]) || transaction.isEvaluating
      || transaction.depth >= Transaction.deep || isStopped(in: transaction)
    {
      return .wait
    }
    beginDelivery(of: version, isDeath: state.contains(.died))
    return .send
  }

  /// Ends a set after its delivery, and settles if the set is the outermost one.
  @usableFromInline final func endSet(of writer: AnyObject?, in transaction: Transaction) {
    transaction.close(for: writer, self)
    Instrumentation.leave()
  }

  /// Whether a value has to be reported, or read through an override, when it is passed to
  /// observers.
  @usableFromInline final var isSentSpecially: Bool {
    Instrumentation.isOn || state.contains(.readThrough)
  }

  /// Whether a loop of this property was stopped in this transaction, so that sets which continue
  /// the loop are not delivered.
  final func isStopped(in transaction: Transaction) -> Bool {
    state.contains(.stopped) && (transaction.pass > 0 || state.contains(.underWay))
  }

  /// Delivers the changes that waited for the outermost set.
  final func deliverHeld(in transaction: Transaction) {
    guard !hasEnded, let object = owner.object else { return }
    state.remove(.held)
    guard state.contains(.waiting), !state.contains(.underWay) else { return }
    state.insert(.underWay)
    deliverChanges(in: transaction)
    endDelivery(in: transaction)
    withExtendedLifetime(object) {}
  }

  /// Delivers the changes made meanwhile, each to all observers, and ends the delivery.
  @usableFromInline final func endDelivery(in transaction: Transaction) {
    while state.contains(.waiting) { transaction.untracked { deliverChanges(in: transaction) } }
    state.remove(.underWay)
  }
}
