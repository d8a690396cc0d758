/// What all relays are: a subject that never ends, because it takes elements only. They differ in what
/// newcomers get.
///
/// - Timing: synchronous, on the thread that calls `accept(_:)`; laws 4 to 7 as for the subject.
/// - Lifetime: a relay that dies disposes the subscriptions to it, without a termination.
/// - Isolation: `Sendable` where `Element` is; every member may be used from any thread.
public class Relay<Element>: ObservableType {
  private let subject: Subject<Element>

  init(_ subject: Subject<Element>) { self.subject = subject }

  /// Whether anybody is subscribed now.
  public final var hasObservers: Bool { subject.hasObservers }

  /// Passes `element` on to everyone who is subscribed.
  public final func accept(_ element: Element) { subject.onNext(element) }

  public final func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    subject.subscribe(observer)
  }

  public final func asObservable() -> Observable<Element> { subject }
}

// Proof of @unchecked: immutable but for the subject, which is `Sendable` itself.
extension Relay: @unchecked Sendable where Element: Sendable {}
