import KeylineCore

/// Runs everything at once, on the thread that schedules it.
struct ImmediateScheduler: SchedulerType {
  var now: Duration { .zero }

  func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    action(state)
  }

  func scheduleRelative<State>(
    _ state: State, dueTime: Duration, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    action(state)
  }
}

/// Never runs anything.
struct IdleScheduler: SchedulerType {
  var now: Duration { .zero }

  func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    Disposables.create()
  }

  func scheduleRelative<State>(
    _ state: State, dueTime: Duration, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    Disposables.create()
  }
}
