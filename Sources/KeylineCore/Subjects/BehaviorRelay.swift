/// A ``BehaviorSubject`` that never terminates: an observable variable.
///
/// ```swift
/// let volume = BehaviorRelay(value: 3)
/// volume.subscribe(onNext: { print($0) }).disposed(by: bag)
/// volume.accept(volume.value + 1)
/// ```
/// ```text
/// 3
/// 4
/// ```
///
/// - Timing: synchronous, on the thread that calls `accept(_:)` or, while another thread is delivering, on
///   that one; C4 to C7 as for the subject.
///   `value` changes at once when an observer calls `accept(_:)`; the delivery waits for its turn.
/// - Lifetime: keeps its value, and an object in it, alive until the next one. A relay that is released
///   disposes the subscriptions to it, without a termination. For subscriptions behind
///   operators, see ``Relay``.
/// - SeeAlso: ReactiveX [Subject](https://reactivex.io/documentation/subject.html).
public final class BehaviorRelay<Element>: Relay<Element> {
  @usableFromInline let behavior: BehaviorSubject<Element>

  /// A relay with a value.
  ///
  /// - Parameter value: the first value.
  public init(value: Element) {
    behavior = BehaviorSubject(value: value)
    super.init(behavior, "BehaviorRelay")
  }

  /// The value now: the element accepted last.
  @inlinable public var value: Element { behavior.current }
}

// Proof of @unchecked: adds the subject of its superclass, under another type.
extension BehaviorRelay: @unchecked Sendable where Element: Sendable {}
