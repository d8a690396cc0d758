import Keyline

/// Records events and the ticks they came at.
public final class TestableObserver<Element>: ObserverType {
  /// What has come so far.
  public private(set) var events: [Recorded<Event<Element>>] = []
  private let scheduler: TestScheduler

  init(scheduler: TestScheduler) { self.scheduler = scheduler }

  public func on(_ event: Event<Element>) {
    events.append(Recorded(time: scheduler.clock, value: event))
  }
}
