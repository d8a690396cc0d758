/// A ``PublishSubject`` that never ends: it takes elements only.
///
/// - Timing: synchronous, on the thread that calls `accept(_:)`; laws 4 to 7 as for the subject.
/// - Lifetime: a relay that dies disposes the subscriptions to it, without a termination.
/// - SeeAlso: ReactiveX [Subject](https://reactivex.io/documentation/subject.html).
public final class PublishRelay<Element>: Relay<Element> {
  public init() { super.init(PublishSubject()) }
}

// Proof of @unchecked: adds nothing that can change to its superclass.
extension PublishRelay: @unchecked Sendable where Element: Sendable {}
