/// A ``PublishSubject`` that never terminates: it accepts elements only.
///
/// - Timing: synchronous, on the thread that calls `accept(_:)` or, while another thread is delivering, on
///   that one; C4 to C7 as for the subject.
/// - Lifetime: a relay that is released disposes the subscriptions to it, without a termination.
///   For subscriptions behind operators, see ``Relay``.
/// - SeeAlso: ReactiveX [Subject](https://reactivex.io/documentation/subject.html).
public final class PublishRelay<Element>: Relay<Element> {
  /// A relay without observers.
  public init() { super.init(PublishSubject(), "PublishRelay") }
}

// Proof of @unchecked: adds no mutable state to its superclass.
extension PublishRelay: @unchecked Sendable where Element: Sendable {}
