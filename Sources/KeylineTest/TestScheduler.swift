import Keyline

/// A virtual clock for tests, with observables and observers that go by it.
///
/// ```swift
/// let scheduler = TestScheduler(initialClock: 0)
/// let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
/// let result = scheduler.start { source.map { $0 * 10 } }
/// print(result.events)
/// print(source.subscriptions)
/// ```
/// ```text
/// [next(10) @ 210, next(20) @ 220, completed @ 230]
/// [(200 : 230)]
/// ```
///
/// Time is in ticks. An action scheduled at a tick (by `scheduleAt`, by a test observable, by `start`)
/// runs at that tick. An action that an operator schedules for now, or for the past, runs one tick
/// later.
///
/// - Isolation: for one thread.
public final class TestScheduler: VirtualTimeScheduler<TestSchedulerVirtualTimeConverter> {
  /// The ticks at which `start` creates, subscribes and disposes by default.
  public enum Defaults {
    /// When the sequence under test is made.
    public static let created = 100
    /// When it is subscribed to.
    public static let subscribed = 200
    /// When the subscription is disposed.
    public static let disposed = 1000
  }

  private let simulateProcessingDelay: Bool

  /// - Parameters:
  ///   - initialClock: the tick to start from.
  ///   - resolution: how long a tick is.
  ///   - simulateProcessingDelay: whether an action scheduled for now runs a tick later.
  public init(
    initialClock: Int, resolution: Duration = .seconds(1), simulateProcessingDelay: Bool = true
  ) {
    self.simulateProcessingDelay = simulateProcessingDelay
    super.init(
      initialClock: initialClock,
      converter: TestSchedulerVirtualTimeConverter(resolution: resolution))
  }

  /// A scheduler whose tick is a number of seconds.
  public convenience init(
    initialClock: Int, resolution: Double, simulateProcessingDelay: Bool = true
  ) {
    self.init(
      initialClock: initialClock, resolution: .seconds(resolution),
      simulateProcessingDelay: simulateProcessingDelay)
  }

  public override func adjustScheduledTime(_ time: Int) -> Int {
    time <= clock ? clock + (simulateProcessingDelay ? 1 : 0) : time
  }

  /// Runs `action` at a tick; at the current one if that has passed.
  public func scheduleAt(_ time: Int, action: @escaping () -> Void) {
    _ = scheduleAbsoluteVirtual((), time: time) { _ in
      action()
      return Disposables.create()
    }
  }

  /// An observable that emits `events` at their ticks, with or without observers.
  public func createHotObservable<Element>(
    _ events: [Recorded<Event<Element>>]
  ) -> TestableObservable<Element> {
    let subject = PublishSubject<Event<Element>>()
    for event in events { scheduleAt(event.time) { subject.onNext(event.value) } }
    return TestableObservable(events, on: self) { subject.subscribe(onNext: $0.on) }
  }

  /// An observable that emits `events` to each observer, ticks counted from its subscription.
  public func createColdObservable<Element>(
    _ events: [Recorded<Event<Element>>]
  ) -> TestableObservable<Element> {
    TestableObservable(events, on: self) { [self] observer in
      Disposables.create(
        events.map { event in
          scheduleRelativeVirtual((), dueTime: event.time) { _ in
            observer.on(event.value)
            return Disposables.create()
          }
        })
    }
  }

  /// An observer that records events with their ticks.
  public func createObserver<Element>(_ type: Element.Type) -> TestableObserver<Element> {
    TestableObserver(scheduler: self)
  }

  /// Creates an observable, subscribes to it and disposes the subscription, at the ticks given,
  /// while it runs all scheduled actions.
  ///
  /// - Returns: the observer, with the events recorded.
  public func start<Output: ObservableConvertibleType>(
    created: Int = Defaults.created, subscribed: Int = Defaults.subscribed,
    disposed: Int = Defaults.disposed, create: @escaping () -> Output
  ) -> TestableObserver<Output.Element> {
    let observer = createObserver(Output.Element.self)
    var source: Observable<Output.Element>?
    var subscription: (any Disposable)?
    scheduleAt(created) { source = create().asObservable() }
    scheduleAt(subscribed) { subscription = source?.subscribe(observer) }
    scheduleAt(disposed) { subscription?.dispose() }
    start()
    return observer
  }

  /// `start(created:subscribed:disposed:create:)` at the default ticks, for a function.
  public func start<Output: ObservableConvertibleType>(
    _ create: @escaping () -> Output
  ) -> TestableObserver<Output.Element> {
    start(create: create)
  }
}

/// Ticks to durations and back. Times that exceed the range of ticks are the most distant tick.
public struct TestSchedulerVirtualTimeConverter: VirtualTimeConverterType {
  private let resolution: Duration

  init(resolution: Duration) { self.resolution = resolution }

  public func convertFromVirtualTime(_ virtualTime: Int) -> Duration { resolution * virtualTime }

  public func convertToVirtualTime(_ time: Duration) -> Int {
    Int(clamping: Int64(max(-0x1p62, min((time / resolution).rounded(), 0x1p62))))
  }

  public func convertFromVirtualTimeInterval(_ virtualTimeInterval: Int) -> Duration {
    resolution * virtualTimeInterval
  }

  public func convertToVirtualTimeInterval(_ timeInterval: Duration) -> Int {
    convertToVirtualTime(timeInterval)
  }

  public func offsetVirtualTime(_ time: Int, offset: Int) -> Int {
    Int(clamping: Int64(time) + Int64(min(offset, .max - max(time, 0))))
  }
}
