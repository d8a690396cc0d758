import Dispatch

/// Runs work on the main queue, at once whenever it is called there: for subscribing, where order
/// among actions does not matter.
///
/// ``MainScheduler`` is the one for delivering: it keeps actions in order.
///
/// - Isolation: `Sendable`.
public final class ConcurrentMainScheduler: SchedulerType, Sendable {
  /// The one there is.
  public static let instance = ConcurrentMainScheduler()

  private let scheduler = DispatchQueueScheduler(queue: .main, leeway: .nanoseconds(0))

  private init() {}

  public var now: Duration { scheduler.now }

  public func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    MainScheduler.isCurrent ? action(state) : scheduler.schedule(state, action: action)
  }

  public func scheduleRelative<State>(
    _ state: State, dueTime: Duration, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    scheduler.scheduleRelative(state, dueTime: dueTime, action: action)
  }

  public func schedulePeriodic<State>(
    _ state: State, startAfter: Duration, period: Duration, action: @escaping (State) -> State
  ) -> any Disposable {
    scheduler.schedulePeriodic(state, startAfter: startAfter, period: period, action: action)
  }
}
