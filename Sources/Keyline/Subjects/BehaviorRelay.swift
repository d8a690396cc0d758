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
public final class BehaviorRelay<Element>: Relay<Element> {
  private let behavior: BehaviorSubject<Element>

  /// A relay with a value.
  public init(value: Element) {
    behavior = BehaviorSubject(value: value)
    super.init(behavior)
  }

  /// The value now: the element accepted last.
  public var value: Element { behavior.current }
}

// Proof of @unchecked: adds the subject of its superclass, by another type.
extension BehaviorRelay: @unchecked Sendable where Element: Sendable {}
