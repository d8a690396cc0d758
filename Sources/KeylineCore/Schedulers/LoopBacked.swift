/// A scheduler on a loop: conforming types provide the loop.
protocol LoopBacked: SchedulerType, Sendable {
  var loop: any MainLoop { get }

  /// Whether an action that is being scheduled may run at once instead of waiting for the loop.
  /// Called once per action.
  func claimImmediateRun() -> Bool

  /// Called when an action has run, or has been passed over because it was disposed before.
  func endRun()
}

extension LoopBacked {
  func claimImmediateRun() -> Bool { false }

  func endRun() {}

  /// The time that the system has been awake since the program first asked.
  public var now: Duration { firstInstant.duration(to: .now) }

  public func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    if claimImmediateRun() {
      defer { endRun() }
      return action(state)
    }
    let scheduled = ScheduledAction { action(state) }
    loop.perform {
      defer { self.endRun() }
      scheduled.invoke()
    }
    return scheduled
  }

  public func scheduleRelative<State>(
    _ state: State, dueTime: Duration, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    let scheduled = ScheduledAction { action(state) }
    let timer = loop.perform(after: max(.zero, dueTime)) { scheduled.invoke() }
    return Disposables.create(timer, scheduled)
  }
}

private let firstInstant = SuspendingClock.now
