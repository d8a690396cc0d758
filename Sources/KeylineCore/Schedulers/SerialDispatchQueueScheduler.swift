#if canImport(Dispatch) && !KEYLINE_WITHOUT_DISPATCH
  import Dispatch

  /// Runs actions on a serial dispatch queue: one at a time, in order.
  ///
  /// - Isolation: `Sendable`. Actions run on the queue alone.
  /// - SeeAlso: ``MainScheduler``, for the main queue.
  public final class SerialDispatchQueueScheduler: LoopBacked {
    let loop: any MainLoop

    /// A scheduler on `serialQueue`, which must be serial.
    ///
    /// - Parameter leeway: how late timers may fire, to save energy.
    public init(serialQueue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
      loop = QueueLoop(queue: serialQueue, leeway: leeway)
    }

    /// A scheduler on a serial queue of its own with the label `internalSerialQueueName`.
    ///
    /// - Parameter serialQueueConfiguration: called once, with the queue, before it is used.
    public convenience init(
      internalSerialQueueName: String, serialQueueConfiguration: ((DispatchQueue) -> Void)? = nil,
      leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
      let queue = DispatchQueue(label: internalSerialQueueName)
      serialQueueConfiguration?(queue)
      self.init(serialQueue: queue, leeway: leeway)
    }

    /// A scheduler on a serial queue of its own that targets `queue`, serial or not.
    public convenience init(
      queue: DispatchQueue, internalSerialQueueName: String,
      leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
      self.init(
        serialQueue: DispatchQueue(label: internalSerialQueueName, target: queue), leeway: leeway)
    }

    /// A scheduler on a serial queue of its own that targets the global queue of the class of `qos`.
    public convenience init(
      qos: DispatchQoS, internalSerialQueueName: String = "keyline.serial",
      leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
      self.init(
        queue: .global(qos: qos.qosClass), internalSerialQueueName: internalSerialQueueName,
        leeway: leeway)
    }
  }
#endif
