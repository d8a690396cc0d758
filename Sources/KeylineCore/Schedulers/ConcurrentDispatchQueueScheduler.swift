#if canImport(Dispatch) && !KEYLINE_WITHOUT_DISPATCH
  import Dispatch

  // Schedulers: the schedulers themselves, and the only code that imports Dispatch. Their protocols
  // are in Core, the operators that take them in Operators.

  /// Runs actions on a concurrent dispatch queue: several at a time, in no order.
  ///
  /// - Isolation: `Sendable`. Operators schedule one action at a time, so that delivery stays in
  ///   order.
  public final class ConcurrentDispatchQueueScheduler: LoopBacked {
    let loop: any MainLoop

    /// A scheduler on `queue`.
    ///
    /// - Parameter leeway: how late timers may fire, to save energy.
    public init(queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
      loop = QueueLoop(queue: queue, leeway: leeway)
    }

    /// A scheduler on a concurrent queue of its own of the quality of service `qos`.
    public convenience init(qos: DispatchQoS, leeway: DispatchTimeInterval = .nanoseconds(0)) {
      self.init(
        queue: DispatchQueue(label: "keyline.concurrent", qos: qos, attributes: .concurrent),
        leeway: leeway)
    }
  }
#endif
