/// Performs work in order, on a serial scheduler; at once if that is the main thread's and the work comes
/// from there, whatever else is being delivered.
final class DeliveryQueue: @unchecked Sendable {
  // Proof of @unchecked: what waits is behind its mutex, and done where the scheduler runs it.
  private let scheduler: any ImmediateSchedulerType
  private let waiting = Protected(Queue<() -> Void>())
  /// What is scheduled: one action at a time, however much waits.
  private let action = SerialDisposable()

  init(_ scheduler: any ImmediateSchedulerType, until context: SubscriptionContext) {
    self.scheduler = scheduler
    context.add(action)
  }

  func deliver(_ work: @escaping () -> Void) {
    let isFirst = waiting.withLock { waiting in
      waiting.append(work)
      return waiting.count == 1
    }
    if scheduler is MainScheduler, MainScheduler.isCurrent {
      doAll()
    } else if isFirst {
      action.hold {
        scheduler.schedule(()) {
          self.doAll()
          return Disposables.create()
        }
      }
    }
  }

  private func doAll() {
    while let work = waiting.withLock({ $0.popFirst() }) { work() }
  }
}
