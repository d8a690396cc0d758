import Dispatch

/// Work to be done somewhere else, in order: on a scheduler, or on the main thread, and there at once if
/// that is where it comes from, whatever else is being delivered.
///
/// However much waits, one action at a time is scheduled.
final class DeliveryQueue: @unchecked Sendable {
  // Proof of @unchecked: what waits is behind its mutex, and done where the scheduler runs it.
  /// Nil for the main thread.
  private let scheduler: (any ImmediateSchedulerType)?
  /// The work under way on the scheduler stays in line until it has been done: whoever finds the line
  /// empty schedules.
  private let waiting = Protected(Queue<() -> Void>())
  private let action = SerialDisposable()

  init(_ scheduler: (any ImmediateSchedulerType)?, until context: SubscriptionContext) {
    self.scheduler = scheduler
    context.add(action)
  }

  func deliver(_ work: @escaping () -> Void) {
    let isFirst = waiting.withLock { waiting in
      defer { waiting.append(work) }
      return waiting.isEmpty
    }
    if scheduler == nil, MainScheduler.isCurrent {
      doAll()
    } else if isFirst {
      schedule()
    }
  }

  private func schedule() {
    guard let scheduler else { return DispatchQueue.main.async { self.doAll() } }
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
