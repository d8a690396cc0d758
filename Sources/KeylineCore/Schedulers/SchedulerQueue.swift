/// Performs work in order on a scheduler. At most one action is scheduled at a time: for one piece of work, or
/// for all that waits. If the scheduler runs actions at once, the pieces are performed in a loop, so that the
/// stack does not grow.
///
/// - Lifetime: the work that waits is released when the queue is disposed.
package final class SchedulerQueue: Disposable, @unchecked Sendable {
  // Proof of @unchecked: the waiting work is behind its mutex, and performed where the scheduler runs it. A
  // scheduler of the program that is not `Sendable` is called on one thread: see ThreadConfinedSchedulerType.
  private let scheduler: any ImmediateSchedulerType
  private let action = SerialDisposable()
  private let serializer = Serializer()
  private let isBatching: Bool
  /// Nil after the end.
  private let state = Protected<State?>(State())

  private struct State {
    // In a struct: in a queue of events, metadata would be looked up for each of them, and a bare closure
    // would be converted.
    var waiting = Queue<Unchecked<() -> Void>>()
    /// Whether an action is scheduled, or under way.
    var isScheduled = false
  }

  /// - Parameters:
  ///   - isBatching: whether one action performs all the work that waits. Such a queue on the main scheduler
  ///     performs work that is appended on the main thread at once, even inside other work.
  ///   - context: disposes the queue.
  package init(
    _ scheduler: any ImmediateSchedulerType, isBatching: Bool = false,
    until context: SubscriptionContext? = nil
  ) {
    self.scheduler = scheduler
    self.isBatching = isBatching
    context?.add(self)
  }

  /// Performs `work` after the work that waits.
  package func append(_ work: @escaping () -> Void) {
    let isImmediate = isBatching && scheduler is MainScheduler && MainScheduler.isCurrent
    let isFirst = state.withLock { state in
      state?.waiting.append(Unchecked(work))
      guard !isImmediate, state?.isScheduled == false else { return false }
      state?.isScheduled = true
      return true
    }
    if isImmediate { while performFirst() {} } else if isFirst { schedule() }
  }

  package func dispose() {
    _ = state.exchange(nil)
    action.dispose()
  }

  private func performFirst() -> Bool {
    guard let work = state.withLock({ $0?.waiting.popFirst() }) else { return false }
    work.value()
    return true
  }

  private func schedule() {
    action.hold {
      scheduler.schedule(self) { queue in
        queue.run()
        return Disposables.create()
      }
    }
  }

  private func run() {
    serializer.perform {
      while self.performFirst(), self.isBatching {}
      let isWaiting = self.state.withLock { state in
        let isWaiting = state?.waiting.isEmpty == false
        state?.isScheduled = isWaiting
        return isWaiting
      }
      if isWaiting { self.schedule() }
    }
  }
}
