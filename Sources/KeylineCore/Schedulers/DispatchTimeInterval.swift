import Dispatch

extension DispatchTimeInterval: TimeIntervalType {
  /// The same interval.
  public func asDuration() -> Duration {
    switch self {
    case .seconds(let count): .seconds(count)
    case .milliseconds(let count): .milliseconds(count)
    case .microseconds(let count): .microseconds(count)
    case .nanoseconds(let count): .nanoseconds(count)
    default: .never
    }
  }
}

// For intervals in variables. Disfavoured, so that a leading dot is a `Duration`.
extension SchedulerType {
  /// As `scheduleRelative(_:dueTime:action:)` with a `Duration`.
  @_disfavoredOverload
  public func scheduleRelative<State>(
    _ state: State, dueTime: DispatchTimeInterval, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    scheduleRelative(state, dueTime: dueTime.asDuration(), action: action)
  }

  /// As `schedulePeriodic(_:startAfter:period:action:)` with `Duration`s.
  @_disfavoredOverload
  public func schedulePeriodic<State>(
    _ state: State, startAfter: DispatchTimeInterval, period: DispatchTimeInterval,
    action: @escaping (State) -> State
  ) -> any Disposable {
    schedulePeriodic(
      state, startAfter: startAfter.asDuration(), period: period.asDuration(), action: action)
  }
}
