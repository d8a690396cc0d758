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
public final class AsyncSubject<Element>: Observable<Element>, SubjectType, ObserverType {
  private let memory = Memory<Element>(capacity: 1, replay: .afterCompletion)

  public override init() {}

  /// Whether anybody is subscribed now.
  public var hasObservers: Bool { memory.hasObservers }

  public func onNext(_ element: Element) { memory.remember(element) }

  public func on(_ event: Event<Element>) {
    switch event {
    case .next(let element): memory.remember(element)
    case .error(let error): memory.end(error)
    case .completed: memory.end(nil)
    }
  }

  public func asObserver() -> AsyncSubject<Element> { self }

  override func run(_ observer: AnyObserver<Element>, in context: SubscriptionContext) {
    memory.join(observer, in: context)
  }

  deinit { memory.forget() }
}

// Proof of @unchecked: immutable but for the memory, which orders all that is done to it.
extension AsyncSubject: @unchecked Sendable where Element: Sendable {}
