/// A ``ReplaySubject`` that never ends: it takes elements only.
///
/// - Timing: synchronous, on the thread that calls `accept(_:)`; laws 4 to 7 as for the subject.
/// - Lifetime: a relay that dies disposes the subscriptions to it, without a termination.
/// - SeeAlso: ReactiveX [Replay](https://reactivex.io/documentation/operators/replay.html).
public final class ReplayRelay<Element>: ObservableType {
  private let subject: ReplaySubject<Element>

  private init(_ subject: ReplaySubject<Element>) { self.subject = subject }

  /// A relay that replays the last `bufferSize` elements; none if that is not positive.
  public static func create(bufferSize: Int) -> ReplayRelay<Element> {
    ReplayRelay(.create(bufferSize: bufferSize))
  }

  /// A relay that replays everything it ever accepted.
  public static func createUnbound() -> ReplayRelay<Element> { ReplayRelay(.createUnbounded()) }

  /// Whether anybody is subscribed now.
  public var hasObservers: Bool { subject.hasObservers }

  /// Keeps `element`, and passes it on to everyone who is subscribed.
  public func accept(_ element: Element) { subject.onNext(element) }

  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    subject.subscribe(observer)
  }

  public func asObservable() -> Observable<Element> { subject }
}

extension ReplayRelay: Sendable where Element: Sendable {}
