import Dispatch

/// What the schedulers on dispatch queues have in common: a queue, a clock and timers.
struct DispatchQueueScheduler: Sendable {
  let queue: DispatchQueue
  let leeway: DispatchTimeInterval

  /// The time since the system started.
  var now: Duration { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }

  func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    let task = Task(state, action)
    queue.async { task.run() }
    return task.cancel
  }

  func scheduleRelative<State>(
    _ state: State, dueTime: Duration, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    let task = Task(state, action)
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + dueTime.dispatchInterval, leeway: leeway)
    timer.setEventHandler {
      timer.cancel()
      task.run()
    }
    timer.resume()
    return Disposables.create(TimerDisposable(timer: timer), task.cancel)
  }

  func schedulePeriodic<State>(
    _ state: State, startAfter: Duration, period: Duration, action: @escaping (State) -> State
  ) -> any Disposable {
    let disposable = BooleanDisposable()
    // Proof of Unchecked: used by the timer's handler alone, which never runs twice at once.
    let task = Unchecked((state: Slot(state), action: action))
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(
      deadline: .now() + startAfter.dispatchInterval,
      repeating: max(period, .nanoseconds(1)).dispatchInterval, leeway: leeway)
    timer.setEventHandler {
      let (state, action) = task.value
      // The handler keeps the timer until it is cancelled, whoever drops the disposable.
      guard !disposable.isDisposed else { return timer.cancel() }
      state.store(action(state.filled))
    }
    timer.resume()
    return Disposables.create(disposable, TimerDisposable(timer: timer))
  }
}

/// An action on its way to another thread, unless it is cancelled before.
private final class Task<State>: Sendable {
  let cancel = SingleAssignmentDisposable()
  // Proof of Unchecked: used by the one run of the task.
  private let work: Unchecked<(state: State, action: (State) -> any Disposable)>

  init(_ state: State, _ action: @escaping (State) -> any Disposable) {
    work = Unchecked((state, action))
  }

  func run() {
    if !cancel.isDisposed { cancel.setDisposable(work.value.action(work.value.state)) }
  }
}

private struct TimerDisposable: Disposable, @unchecked Sendable {
  // Proof of @unchecked: dispatch sources may be cancelled from any thread.
  let timer: any DispatchSourceTimer

  func dispose() { timer.cancel() }
}

extension Duration {
  /// Rounded up to nanoseconds; what is too long for them is for ever.
  fileprivate var dispatchInterval: DispatchTimeInterval {
    guard self > .zero else { return .nanoseconds(0) }
    let (seconds, attoseconds) = components
    let whole = Int(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let sum = whole.partialValue.addingReportingOverflow(
      Int((attoseconds + 999_999_999) / 1_000_000_000))
    return whole.overflow || sum.overflow ? .never : .nanoseconds(sum.partialValue)
  }
}
