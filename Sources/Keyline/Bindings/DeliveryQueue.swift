import KeylineCore

/// Performs work in order, on a scheduler or on the main thread; there at once if it comes from
/// that thread, whatever else is being delivered.
///
/// However many wait, one action at a time is scheduled.
final class DeliveryQueue: @unchecked Sendable {
  // Proof of @unchecked: what waits is behind its mutex, and done where the scheduler runs it.
  /// Nil for the main thread.
  private let scheduler: (any ImmediateSchedulerType)?
  /// The work under way on the scheduler stays in the queue until it has been done: only work that
  /// finds the queue empty is scheduled.
  private let waiting = Protected(Queue<() -> Void>())
  private let action = SerialDisposable()

  init(_ scheduler: (any ImmediateSchedulerType)?, until context: SubscriptionContext) {
    self.scheduler = scheduler
    context.add(action)
  }

  func deliver(_ work: @escaping () -> Void) {
    let isHere = scheduler == nil && MainScheduler.isCurrent
    let isFirst = waiting.withLock { waiting in
      let isFirst = waiting.isEmpty
      if !isFirst || !isHere { waiting.append(work) }
      return isFirst
    }
    if isHere {
      isFirst ? work() : doAll()
    } else if isFirst {
      schedule()
    }
  }

  private func schedule() {
    guard let scheduler else {
      _ = MainScheduler.asyncInstance.schedule(()) {
        self.doAll()
        return Disposables.create()
      }
      return
    }
    action.hold {
      scheduler.schedule(()) {
        self.doFirst()
        return Disposables.create()
      }
    }
  }

  /// What is sent meanwhile on the main thread is done inside, at once.
  private func doAll() {
    while let work = waiting.withLock({ $0.popFirst() }) { work() }
  }

  private func doFirst() {
    waiting.withLock { $0.first }?()
    let (_, isLast) = waiting.withLock { ($0.popFirst(), $0.isEmpty) }
    if !isLast { schedule() }
  }
}
