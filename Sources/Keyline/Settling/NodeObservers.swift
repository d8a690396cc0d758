import Synchronization

/// An observer of a node. It has a place in the node's list, and is the item of its subscription's
/// teardown that removes it from there.
@usableFromInline class Observer: Disposable, @unchecked Sendable {
  // Proof of @unchecked: immutable, but for the version, which only the domain uses, and the place,
  // which belongs to the holder of the turn.
  let node: Node
  @usableFromInline let context: SubscriptionContext
  /// The version of the value received last. The observer receives later versions only.
  final var known: UInt
  fileprivate final var place: Int?
  fileprivate final var isFirst = false

  @usableFromInline init(_ node: Node, _ context: SubscriptionContext) {
    self.node = node
    self.context = context
    known = node.version
  }

  /// Delivers completion.
  func complete() {}

  @usableFromInline func dispose() {
    Instrumentation.note(.dispose(node))
    node.remove(self)
  }
}

// The list of a node's observers. It belongs to the holder of the turn: the domain while it
// delivers, otherwise, for some instructions, the thread that adds or disposes an observer. The
// only foreign code that runs in a turn is the code of observers that receive a value.
//
// An observer that leaves is released at once or, if a delivery is under way, at the end of the
// delivery. Its place in the list stays empty until more than half of all places are.
extension Node {
  /// Waits for the turn, unless the caller's own delivery holds it.
  private final func withTurn<Result>(_ body: () -> Result) -> Result {
    if delivery.contains(.underWay) { return body() }
    let transaction = Transaction.current
    claimTurn(in: transaction)
    defer { endTurn(in: transaction) }
    return body()
  }

  @inline(__always) private final func tryTurn(in transaction: Transaction) -> Bool {
    turn.compareExchange(
      expected: 0, desired: transaction.number, ordering: .sequentiallyConsistent
    ).exchanged
  }

  private final func claimTurn(in transaction: Transaction) { while !tryTurn(in: transaction) {} }

  @inline(__always) private final func endTurn(in transaction: Transaction) {
    let released = transaction.leavers.isEmpty ? nil : takeOutLeavers(in: transaction)
    turn.store(0, ordering: .sequentiallyConsistent)
    if needsPurge.load(ordering: .sequentiallyConsistent) { purge(in: transaction) }
    // Released outside of the turn, because this releases closures of the program.
    withExtendedLifetime(released) {}
  }

  /// Adds an observer, which receives values delivered from now on.
  ///
  /// - Parameter isFirst: whether it receives each value before the observers added without this
  ///   flag.
  @usableFromInline final func add(_ observer: Observer, isFirst: Bool = false) {
    guard !hasEnded else { return observer.complete() }
    if !isObserved, !state.contains(.queued) { order = Transaction.nextOrder() }
    observerCount.wrappingAdd(1, ordering: .relaxed)
    withTurn {
      observer.isFirst = isFirst
      observer.place = observers.count
      observers.insert(
        observer, at: isFirst ? observers.prefix { $0?.isFirst ?? true }.count : observers.count)
      if isFirst { closeGaps() }
    }
    observer.context.add(observer)
  }

  /// Called once, on any thread, when the subscription of `observer` has ended.
  final func remove(_ observer: Observer) {
    let transaction = Transaction.current
    if tryTurn(in: transaction) {
      takeOut(observer)
      endTurn(in: transaction)
    } else if turn.load(ordering: .relaxed) == transaction.number {
      transaction.leavers.append(observer)
    } else {
      needsPurge.store(true, ordering: .sequentiallyConsistent)
      purge(in: transaction)
    }
    if observerCount.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      observersLeft()
    }
  }

  /// Removes the observers that have left during a delivery on this thread.
  private final func takeOutLeavers(in transaction: Transaction) -> [Observer] {
    let leavers = transaction.leavers.filter { $0.node === self }
    transaction.leavers.removeAll { $0.node === self }
    leavers.forEach(takeOut)
    return leavers
  }

  /// Removes the observers that have left on other threads. If the turn is taken, its holder
  /// removes them.
  private final func purge(in transaction: Transaction) {
    while needsPurge.load(ordering: .sequentiallyConsistent), tryTurn(in: transaction) {
      needsPurge.store(false, ordering: .sequentiallyConsistent)
      let leavers = observers.compactMap { $0 }.filter { !$0.context.isActive }
      leavers.forEach(takeOut)
      turn.store(0, ordering: .sequentiallyConsistent)
      withExtendedLifetime(leavers) {}
    }
  }

  private final func takeOut(_ observer: Observer) {
    guard let place = observer.place else { return }
    observer.place = nil
    observers[place] = nil
    emptyCount += 1
    if 2 * emptyCount > observers.count { closeGaps() }
  }

  private final func closeGaps() {
    observers.removeAll { $0 == nil }
    for (place, observer) in observers.enumerated() { observer?.place = place }
    emptyCount = 0
  }

  /// Removes and returns all observers.
  final func takeObservers() -> [Observer] {
    withTurn {
      // Inside the turn: a thread that disposes an observer would look for it in the empty list.
      for observer in observers { observer?.place = nil }
      return exchange(&observers, with: []).compactMap { $0 }
    }
  }

  /// The observers, in order.
  final var currentObservers: [Observer] {
    withTurn { observers }.compactMap { $0 }
  }

  /// The subscriptions of the observers, for inspection.
  package final var contexts: [SubscriptionContext] {
    currentObservers.map(\.context).filter(\.isActive)
  }

  // MARK: Delivering

  /// The next observer to receive the value being delivered.
  @usableFromInline final func nextObserver(_ index: inout Int) -> Observer? {
    // Without the turn, the list may belong to another thread.
    while delivery.contains(.underWay), index < observers.count {
      let observer = observers[index]
      index += 1
      if let observer, observer.known < delivered, observer.context.isActive {
        observer.known = delivered
        return observer
      }
    }
    return nil
  }

  /// Called before a set, which counts as an operation on the object (D23).
  ///
  /// - Returns: whether ``PropertyNode/willSet(_:)`` must be called.
  @usableFromInline final func prepareSet() -> Bool {
    owner.openMail()
    return delivery.contains(.validated) || Transaction.areAnnouncementsWanted
  }

  /// Begins a set, after the store.
  ///
  /// - Returns: whether the value has only to be sent to the observers, in a delivery that the call
  ///   has begun.
  @usableFromInline final func beginSet(in transaction: Transaction) -> Bool {
    transaction.depth += 1
    ThreadCheck.begin(.set, self, in: transaction)
    beginChange(in: transaction)
    return isObserved && transaction.batchLevel == 0 && !delivery.contains(.batched)
      && !isSentSpecially && beginDelivery(in: transaction)
  }

  /// Whether the open batch has recorded the property, which is delivered at the end of the batch.
  @usableFromInline final func isCollected(in transaction: Transaction) -> Bool {
    delivery.contains(.batched) && transaction.batchLevel > 0
      && batchNumber == transaction.batchNumber
  }

  /// Ends a set after its delivery, and settles if the set is the outermost one.
  @usableFromInline final func endSet(of writer: AnyObject?, in transaction: Transaction) {
    ThreadCheck.end(self, in: transaction)
    transaction.close(for: writer, self)
    Instrumentation.leave()
  }

  /// Whether a value has to be reported, or read through an override, when it is passed to
  /// observers.
  @usableFromInline final var isSentSpecially: Bool {
    Instrumentation.isOn || delivery.contains(.readThrough)
  }

  /// Claims the delivery of the current value.
  ///
  /// - Returns: false if the delivery must wait: for the delivery that has caused it, for the end
  ///   of a rule's evaluation, or, in deeply nested sets, for the outermost set.
  @usableFromInline final func beginDelivery(in transaction: Transaction) -> Bool {
    guard delivery.isDisjoint(with: [.underWay, .waiting, .stopped]), !transaction.isEvaluating,
      transaction.depth < Transaction.deep
    else { return resumeAfterLoop(in: transaction) }
    claimDelivery(in: transaction)
    delivered = version
    return true
  }

  /// Claims the delivery if a stopped loop is the only obstacle, and the loop is over: it was
  /// stopped in an earlier transaction, or no delivery that may belong to it is under way.
  private final func resumeAfterLoop(in transaction: Transaction) -> Bool {
    guard delivery.contains(.stopped), !isStopped(in: transaction) else { return false }
    delivery.remove(.stopped)
    return beginDelivery(in: transaction)
  }

  /// Whether a loop of this property was stopped in this transaction, so that sets which continue
  /// the loop are not delivered.
  final func isStopped(in transaction: Transaction) -> Bool {
    stoppedIn == transaction.settling
      && (transaction.pass > 0 || delivery.contains(.underWay))
  }

  /// Takes the turn for a delivery.
  final func claimDelivery(in transaction: Transaction) {
    claimTurn(in: transaction)
    delivery.insert(.underWay)
  }

  /// Delivers the changes that this delivery has caused, and ends it.
  @usableFromInline final func endDelivery(in transaction: Transaction) {
    while delivery.contains(.waiting) { deliverCaused(in: transaction) }
    delivery.remove(.underWay)
    endTurn(in: transaction)
  }
}
