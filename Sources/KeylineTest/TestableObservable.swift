import Keyline

/// A source whose events are known beforehand and whose subscriptions are recorded.
///
/// It says what it was told to say, also when that is against the grammar: for tests of what
/// becomes of that.
public class TestableObservable<Element>: ObservableType {
  /// When it was subscribed to, and when left.
  public fileprivate(set) var subscriptions: [Subscription] = []
  /// What it says.
  public let recordedEvents: [Recorded<Event<Element>>]
  fileprivate let scheduler: TestScheduler

  fileprivate init(_ events: [Recorded<Event<Element>>], on scheduler: TestScheduler) {
    recordedEvents = events
    self.scheduler = scheduler
  }

  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    asObservable().subscribe(observer)
  }

  public func asObservable() -> Observable<Element> {
    Observable.create { observer in
      let index = self.subscriptions.count
      self.subscriptions.append(Subscription(self.scheduler.clock))
      let feed = self.feed(observer, index)
      return Disposables.create {
        feed.dispose()
        self.subscriptions[index] = Subscription(
          self.subscriptions[index].subscribe, self.scheduler.clock)
      }
    }
  }

  fileprivate func feed(_ observer: AnyObserver<Element>, _ index: Int) -> any Disposable {
    Disposables.create()
  }
}

final class HotObservable<Element>: TestableObservable<Element> {
  private var observers: [(index: Int, observer: AnyObserver<Element>)] = []

  override init(_ events: [Recorded<Event<Element>>], on scheduler: TestScheduler) {
    super.init(events, on: scheduler)
    for event in events {
      scheduler.scheduleAt(event.time) { [self] in
        for (_, observer) in observers { observer.on(event.value) }
      }
    }
  }

  override fileprivate func feed(_ observer: AnyObserver<Element>, _ index: Int) -> any Disposable {
    observers.append((index, observer))
    return Disposables.create { self.observers.removeAll { $0.index == index } }
  }
}

final class ColdObservable<Element>: TestableObservable<Element> {
  override init(_ events: [Recorded<Event<Element>>], on scheduler: TestScheduler) {
    super.init(events, on: scheduler)
  }

  override fileprivate func feed(_ observer: AnyObserver<Element>, _ index: Int) -> any Disposable {
    let pending = recordedEvents.map { event in
      scheduler.scheduleRelativeVirtual((), dueTime: event.time) { _ in
        observer.on(event.value)
        return Disposables.create()
      }
    }
    return Disposables.create(pending)
  }
}

/// The ticks at which a ``TestableObservable`` was subscribed to and left.
public struct Subscription: Equatable, Sendable, CustomDebugStringConvertible {
  /// The tick of the subscription.
  public let subscribe: Int
  /// The tick at which it was left; `Int.max` if it was not.
  public let unsubscribe: Int

  public init(_ subscribe: Int, _ unsubscribe: Int = .max) {
    self.subscribe = subscribe
    self.unsubscribe = unsubscribe
  }

  /// `(200 : 230)`, or `(200 : ∞)`.
  public var debugDescription: String {
    "(\(subscribe) : \(unsubscribe == .max ? "∞" : "\(unsubscribe)"))"
  }
}
