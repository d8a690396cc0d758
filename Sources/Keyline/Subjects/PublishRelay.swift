/// A ``PublishSubject`` that never ends: it takes elements only.
///
/// - Timing: synchronous, on the thread that calls `accept(_:)`; laws 4 to 7 as for the subject.
/// - Lifetime: a relay that dies disposes the subscriptions to it, without a termination.
/// - SeeAlso: ReactiveX [Subject](https://reactivex.io/documentation/subject.html).
public final class PublishRelay<Element>: ObservableType {
  private let subject = PublishSubject<Element>()

  public init() {}

  /// Whether anybody is subscribed now.
  public var hasObservers: Bool { subject.hasObservers }

  /// Passes `element` on to everyone who is subscribed.
  public func accept(_ element: Element) { subject.onNext(element) }

  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    subject.subscribe(observer)
  }

  public func asObservable() -> Observable<Element> { subject }
}

extension PublishRelay: Sendable where Element: Sendable {}
