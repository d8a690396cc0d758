/// Performs work in order on a serial scheduler. If the scheduler is the main thread's and the work
/// is submitted there, it is performed at once, even during another delivery.
final class DeliveryQueue: Disposable, @unchecked Sendable {
  // Proof of @unchecked: the waiting work is behind its mutex, and performed where the scheduler
  // runs it.
  private let scheduler: any ImmediateSchedulerType
  /// Nil after the end, because the work retains the binding, which retains the queue.
  private let waiting = Protected<Queue<() -> Void>?>(Queue())
  /// The scheduled action: only one at a time, however much work waits.
  private let action = SerialDisposable()

  init(_ scheduler: any ImmediateSchedulerType, until context: SubscriptionContext) {
    self.scheduler = scheduler
    context.add(self)
  }

  func dispose() {
    _ = waiting.exchange(nil)
    action.dispose()
  }

  func deliver(_ work: @escaping () -> Void) {
    let (_, isFirst) = waiting.withLock { ($0?.append(work), $0?.count == 1) }
    if scheduler is MainScheduler, MainScheduler.isCurrent {
      doAll()
    } else if isFirst {
      action.hold { scheduler.schedule(doAll) }
    }
  }

  private func doAll() { while let work = waiting.withLock({ $0?.popFirst() }) { work() } }
}
