import Dispatch

/// Runs work on a concurrent dispatch queue: several actions at a time, in no order.
///
/// - Isolation: `Sendable`. Operators schedule one action at a time, so that what they deliver stays
///   in order.
public final class ConcurrentDispatchQueueScheduler: SchedulerType, Sendable {
  private let scheduler: DispatchQueueScheduler

  /// A scheduler on `queue`.
  ///
  /// - Parameter leeway: how late timers may be, to save energy.
  public init(queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    scheduler = DispatchQueueScheduler(queue: queue, leeway: leeway)
  }

  /// A scheduler on a concurrent queue of its own of the quality of service `qos`.
  public convenience init(qos: DispatchQoS, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    self.init(
      queue: DispatchQueue(label: "keyline.concurrent", qos: qos, attributes: .concurrent),
      leeway: leeway)
  }

  public var now: Duration { scheduler.now }

  public func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    scheduler.schedule(state, action: action)
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
