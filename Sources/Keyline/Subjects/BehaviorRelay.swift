/// A ``BehaviorSubject`` that never ends: a variable that can be observed.
///
/// ```swift
/// let volume = BehaviorRelay(value: 3)
/// volume.subscribe(onNext: { print($0) }).disposed(by: bag)   // 3
/// volume.accept(volume.value + 1)                             // 4
/// ```
///
/// - Timing: synchronous, on the thread that calls `accept(_:)`; laws 4 to 7 as for the subject.
///   An observer that calls `accept(_:)` finds `value` new at once, and is told in its turn.
/// - Lifetime: a relay that dies disposes the subscriptions to it, without a termination.
/// - SeeAlso: ReactiveX [Subject](https://reactivex.io/documentation/subject.html).
public final class BehaviorRelay<Element>: ObservableType {
  private let subject: BehaviorSubject<Element>

  /// A relay with a value.
  public init(value: Element) { subject = BehaviorSubject(value: value) }

  /// The value now: the element accepted last.
  public var value: Element { subject.current }

  /// Whether anybody is subscribed now.
  public var hasObservers: Bool { subject.hasObservers }

  /// Makes `element` the value, and passes it on to everyone who is subscribed.
  public func accept(_ element: Element) { subject.onNext(element) }

  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    subject.subscribe(observer)
  }

  public func asObservable() -> Observable<Element> { subject }
}

extension BehaviorRelay: Sendable where Element: Sendable {}
