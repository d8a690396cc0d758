// Subjects: the subjects and the relays, and the broadcaster with a replay buffer that they share.

/// Emits the last element it has received, once it completes: a result that is awaited.
///
///     input      --1-----2-----3--|
///     observer 1 ^----------------(3|)
///     observer 2                      ^(3|)
///
/// A subject that fails emits the error alone.
///
/// Laws as for ``PublishSubject``.
///
/// - Timing: synchronous, on the thread that completes it; the element to all observers, then
///   completion.
/// - Lifetime: keeps the last element, and an object in it, alive until it fails or is released.
/// - Complexity: O(1) per element; O(observers) once.
/// - SeeAlso: ReactiveX [Subject](https://reactivex.io/documentation/subject.html).
public final class AsyncSubject<Element>: Subject<Element> {
  /// A subject without an element.
  public init() {
    super.init(ReplayBroadcaster(capacity: 1, awaitsCompletion: true), "AsyncSubject")
  }

  /// The subject itself.
  public override func asObserver() -> AsyncSubject<Element> { self }
}

// Proof of @unchecked: adds no mutable state to its superclass.
extension AsyncSubject: @unchecked Sendable where Element: Sendable {}
