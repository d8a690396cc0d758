/// Emits the elements it receives to the observers of that moment.
///
/// ```swift
/// let clicks = PublishSubject<String>()
/// clicks.onNext("lost")                                 // no observer
/// clicks.subscribe(onNext: { print($0) }).disposed(by: bag)
/// clicks.onNext("received")
/// ```
/// ```text
/// received
/// ```
///
///     input      --1-----2-----3--|
///     observer 1 ^-1-----2-----3--|
///     observer 2     ^---2-----3--|
///     observer 3                     ^|
///
/// Laws: observers are called in the order in which they subscribed, any number of them (C4); the
/// elements of several threads are delivered in one order, the same for all observers (C5); an
/// element emitted by an observer waits until the current one has been delivered to all (C6);
/// observers may subscribe and be disposed at any moment (C7); the termination, which later
/// observers receive too, releases all observers (C8).
///
/// - Timing: synchronous, on the thread that emits; while another thread is delivering, on that
///   one.
/// - Lifetime: a subject that is released disposes the subscriptions to it, without a termination.
/// - Complexity: O(observers) per element, without allocating; O(1) amortised to subscribe and
///   dispose.
/// - SeeAlso: ReactiveX [Subject](https://reactivex.io/documentation/subject.html).
public final class PublishSubject<Element>: Subject<Element> {
  /// A subject without observers.
  // Inlinable: the client's module needs no lookup of the broadcaster's type.
  @inlinable public init() { super.init(Broadcaster(), "PublishSubject") }

  /// The subject itself.
  public override func asObserver() -> PublishSubject<Element> { self }
}

// Proof of @unchecked: adds no mutable state to its superclass.
extension PublishSubject: @unchecked Sendable where Element: Sendable {}
