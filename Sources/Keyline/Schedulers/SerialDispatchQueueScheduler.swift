import Dispatch

/// Runs work on a serial dispatch queue: one action at a time, in order.
///
/// - Isolation: `Sendable`. Actions run on the queue alone.
public final class SerialDispatchQueueScheduler: DispatchQueueBacked {
  let queue: DispatchQueue
  let leeway: DispatchTimeInterval

  /// A scheduler on `serialQueue`, which must be serial.
  ///
  /// - Parameter leeway: how late timers may be, to save energy.
  public init(serialQueue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    (self.queue, self.leeway) = (serialQueue, leeway)
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
    self.init(serialQueue: DispatchQueue(label: internalSerialQueueName, qos: qos), leeway: leeway)
  }
}
