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
    timer.schedule(deadline: .now() + dueTime.dispatchInterval(), leeway: leeway)
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
    // Released on disposal, however long the queue retains the timer. Called by the timer's handler
    // alone, which never runs concurrently with itself.
    var state = state
    let task = Protected<(() -> Void)?> { state = action(state) }
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(
      deadline: .now() + startAfter.dispatchInterval(),
      repeating: max(period, .nanoseconds(1)).dispatchInterval(), leeway: leeway)
    timer.setEventHandler {
      // The handler retains the timer until it is cancelled, also when the disposable is released.
      if let task = task.withLock({ $0 }) { task() } else { timer.cancel() }
    }
    timer.resume()
    return Disposables.create { if task.exchange(nil) != nil { timer.cancel() } }
  }
}

extension Duration {
  /// Rounded up to nanoseconds or, where a word cannot count them, to milliseconds or seconds: a word
  /// of 32 bits holds two seconds of nanoseconds. `never` if the word cannot count the seconds either.
  ///
  /// - Parameter limit: the largest count, for tests.
  package func dispatchInterval(upTo limit: Int = .max) -> DispatchTimeInterval {
    func count(_ unit: Duration) -> Int? {
      Int(exactly: max(0, (self / unit).rounded(.up))).flatMap { $0 <= limit ? $0 : nil }
    }
    return count(.nanoseconds(1)).map { .nanoseconds($0) }
      ?? count(.milliseconds(1)).map { .milliseconds($0) }
      ?? count(.seconds(1)).map { .seconds($0) } ?? .never
  }
}
