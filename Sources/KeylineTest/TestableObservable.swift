import Keyline

/// A source whose events are given and whose subscriptions are recorded.
///
/// It emits the events given even if they violate the grammar: for tests of operators that receive
/// such events.
///
/// - Lifetime: a subscription does not retain it. Subscriptions to a hot observable that are never
///   disposed end when both it and its scheduler, or the events left to emit, have been released.
public final class TestableObservable<Element>: ObservableType {
  /// When it was subscribed to, and when the subscriptions were disposed.
  public private(set) var subscriptions: [Subscription] = []
  /// The events it emits.
  public let recordedEvents: [Recorded<Event<Element>>]
  private let scheduler: TestScheduler
  private let feed: (AnyObserver<Element>) -> any Disposable

  /// - Parameter feed: emits the events to an observer.
  init(
    _ events: [Recorded<Event<Element>>], on scheduler: TestScheduler,
    feed: @escaping (AnyObserver<Element>) -> any Disposable
  ) {
    recordedEvents = events
    self.scheduler = scheduler
    self.feed = feed
  }

  /// Delivers the events to `observer`, including events after a termination, until the subscription is
  /// disposed; a termination does not dispose it.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    start(AnyObserver(observer))
  }

  /// The observable of the same events, as recorded.
  // Not `create`: events that violate the grammar are forwarded.
  public func asObservable() -> Observable<Element> { _Source { $1.add(self.start($0)) } }

  private func start(_ observer: AnyObserver<Element>) -> any Disposable {
    let index = subscriptions.count
    subscriptions.append(Subscription(scheduler.clock))
    let feed = feed(observer)
    return Disposables.create { [weak self] in
      feed.dispose()
      guard let self else { return }
      subscriptions[index] = Subscription(subscriptions[index].subscribe, scheduler.clock)
    }
  }
}

/// The ticks at which a ``TestableObservable`` was subscribed to and disposed.
public struct Subscription: Hashable, Sendable, CustomDebugStringConvertible {
  /// The tick of the subscription.
  public let subscribe: Int
  /// The tick of its disposal; `Int.max` if it was not disposed.
  public let unsubscribe: Int

  /// The ticks of a subscription and of its disposal; `.max` for never.
  public init(_ subscribe: Int, _ unsubscribe: Int = .max) {
    self.subscribe = subscribe
    self.unsubscribe = unsubscribe
  }

  /// `(200 : 230)`, or `(200 : ∞)`.
  public var debugDescription: String {
    "(\(subscribe) : \(unsubscribe == .max ? "∞" : "\(unsubscribe)"))"
  }
}
