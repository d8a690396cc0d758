import Dispatch

/// A scheduler on a dispatch queue: conforming types provide the queue.
protocol DispatchQueueBacked: SchedulerType, Sendable {
  var queue: DispatchQueue { get }
  /// How late timers may fire, to save energy.
  var leeway: DispatchTimeInterval { get }

  /// Whether an action that is being scheduled may run at once instead of waiting for the queue.
  /// Called once per action.
  func claimImmediateRun() -> Bool

  /// Called when an action has run, or has been passed over because it was disposed before.
  func endRun()
}

extension DispatchQueueBacked {
  var leeway: DispatchTimeInterval { .nanoseconds(0) }

  func claimImmediateRun() -> Bool { false }

  func endRun() {}

  /// The time since the system started.
  public var now: Duration { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }

  public func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    if claimImmediateRun() {
      defer { endRun() }
      return action(state)
    }
    let scheduled = ScheduledAction { action(state) }
    queue.async {
      defer { self.endRun() }
      scheduled.invoke()
    }
    return scheduled
  }

  public func scheduleRelative<State>(
    _ state: State, dueTime: Duration, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    let scheduled = ScheduledAction { action(state) }
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + dueTime.dispatchInterval, leeway: leeway)
    timer.setEventHandler {
      timer.cancel()
      scheduled.invoke()
    }
    timer.resume()
    return Disposables.create(Disposables.create(with: timer.cancel), scheduled)
  }

  public func schedulePeriodic<State>(
    _ state: State, startAfter: Duration, period: Duration, action: @escaping (State) -> State
  ) -> any Disposable {
    // Released on disposal, however long the queue retains the timer. Its contents are accessed by
    // the timer's handler alone, which never runs concurrently with itself.
    let task = Protected(Optional((state: Box(state), action: action)))
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(
      deadline: .now() + startAfter.dispatchInterval,
      repeating: max(period, .nanoseconds(1)).dispatchInterval, leeway: leeway)
    timer.setEventHandler {
      // The handler retains the timer until it is cancelled, also when the disposable is released.
      guard let (state, action) = task.withLock({ $0 }) else { return timer.cancel() }
      state.value = action(state.value)
    }
    timer.resume()
    return Disposables.create { if task.exchange(nil) != nil { timer.cancel() } }
  }
}

extension Duration {
  /// Rounded up to nanoseconds; `never` if it exceeds their range.
  fileprivate var dispatchInterval: DispatchTimeInterval {
    guard self > .zero else { return .nanoseconds(0) }
    let nanoseconds = (self / .nanoseconds(1)).rounded(.up)
    return nanoseconds < 0x1p63 ? .nanoseconds(Int(nanoseconds)) : .never
  }
}
