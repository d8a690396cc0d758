import Keyline

/// Records events with the ticks at which they arrive.
public final class TestableObserver<Element>: ObserverType {
  /// The events recorded so far.
  public private(set) var events: [Recorded<Event<Element>>] = []
  private let scheduler: TestScheduler

  init(scheduler: TestScheduler) { self.scheduler = scheduler }

  public func on(_ event: Event<Element>) {
    events.append(Recorded(time: scheduler.clock, value: event))
  }
}
