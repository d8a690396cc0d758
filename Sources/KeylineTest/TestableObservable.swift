import Keyline

/// A source whose events are known beforehand and whose subscriptions are recorded.
///
/// It says what it was told to say, also when that is against the grammar: for tests of what
/// becomes of that.
public final class TestableObservable<Element>: ObservableType {
  /// When it was subscribed to, and when left.
  public private(set) var subscriptions: [Subscription] = []
  /// What it says.
  public let recordedEvents: [Recorded<Event<Element>>]
  private let scheduler: TestScheduler
  private let feed: (AnyObserver<Element>) -> any Disposable

  /// - Parameter feed: has what is recorded said to an observer.
  init(
    _ events: [Recorded<Event<Element>>], on scheduler: TestScheduler,
    feed: @escaping (AnyObserver<Element>) -> any Disposable
  ) {
    (recordedEvents, self.scheduler, self.feed) = (events, scheduler, feed)
  }

  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    asObservable().subscribe(observer)
  }

  public func asObservable() -> Observable<Element> {
    Observable.create { [self] observer in
      let index = subscriptions.count
      subscriptions.append(Subscription(scheduler.clock))
      let feed = feed(observer)
      return Disposables.create { [self] in
        feed.dispose()
        subscriptions[index] = Subscription(subscriptions[index].subscribe, scheduler.clock)
      }
    }
  }
}

/// The ticks at which a ``TestableObservable`` was subscribed to and left.
public struct Subscription: Equatable, Sendable, CustomDebugStringConvertible {
  /// The tick of the subscription.
  public let subscribe: Int
  /// The tick at which it was left; `Int.max` if it was not.
  public let unsubscribe: Int

  public init(_ subscribe: Int, _ unsubscribe: Int = .max) {
    (self.subscribe, self.unsubscribe) = (subscribe, unsubscribe)
  }

  /// `(200 : 230)`, or `(200 : ∞)`.
  public var debugDescription: String {
    "(\(subscribe) : \(unsubscribe == .max ? "∞" : "\(unsubscribe)"))"
  }
}
