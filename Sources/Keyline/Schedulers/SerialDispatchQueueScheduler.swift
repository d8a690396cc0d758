import Dispatch

/// Runs work on a serial dispatch queue: one action at a time, in order.
///
/// - Isolation: `Sendable`. Actions run on the queue alone.
public final class SerialDispatchQueueScheduler: SchedulerType, Sendable {
  private let scheduler: DispatchQueueScheduler

  /// A scheduler on `serialQueue`, which must be serial.
  ///
  /// - Parameter leeway: how late timers may be, to save energy.
  public init(
    serialQueue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    scheduler = DispatchQueueScheduler(queue: serialQueue, leeway: leeway)
  }

  /// A scheduler on a serial queue of its own that is called `internalSerialQueueName`.
  public convenience init(
    internalSerialQueueName: String, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    self.init(serialQueue: DispatchQueue(label: internalSerialQueueName), leeway: leeway)
  }

  /// A scheduler on a serial queue of its own that runs on `queue`, serial or not.
  public convenience init(
    queue: DispatchQueue, internalSerialQueueName: String,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    self.init(
      serialQueue: DispatchQueue(label: internalSerialQueueName, target: queue), leeway: leeway)
  }

  /// A scheduler on a serial queue of its own of the quality of service `qos`.
  public convenience init(
    qos: DispatchQoS, internalSerialQueueName: String = "keyline.serial",
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    self.init(
      serialQueue: DispatchQueue(label: internalSerialQueueName, qos: qos), leeway: leeway)
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
