/// Emits the last element it was fed, once it is completed: a result that is awaited.
///
///     fed        --1-----2-----3--|
///     observer 1 ^----------------(3|)
///     observer 2                      ^(3|)
///
/// A subject that fails emits the error alone, whatever it was fed.
///
/// Laws as for ``PublishSubject``.
///
/// - Timing: synchronous, on the thread that completes it; the element to everyone, then completion.
/// - Lifetime: holds the last element until it fails or dies.
/// - Complexity: O(1) per element; O(observers) once.
/// - SeeAlso: ReactiveX [Subject](https://reactivex.io/documentation/subject.html).
public final class AsyncSubject<Element>: Subject<Element> {
  public init() { super.init(Memory(capacity: 1, replay: .afterCompletion)) }

  public override func asObserver() -> AsyncSubject<Element> { self }
}

// Proof of @unchecked: adds nothing that changes to its superclass.
extension AsyncSubject: @unchecked Sendable where Element: Sendable {}
