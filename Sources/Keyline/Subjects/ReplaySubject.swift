/// Newcomers get the last elements it was fed, then whatever comes.
///
///     bufferSize 2
///     fed        --1-----2-----3--|
///     observer 1 ^-1-----2-----3--|
///     observer 2           ^12-3--|
///     observer 3                     ^23|
///
/// Laws as for ``PublishSubject``, and: between the replay of a newcomer and the next element nothing
/// is lost or doubled (7).
///
/// - Timing: as ``PublishSubject``; the replay inside `subscribe`.
/// - Lifetime: holds what it replays until it dies, also after its termination.
/// - SeeAlso: ReactiveX [Replay](https://reactivex.io/documentation/operators/replay.html).
public final class ReplaySubject<Element>: Observable<Element>, SubjectType, ObserverType {
  private let memory: Memory<Element>

  private init(capacity: Int) { memory = Memory(capacity: capacity) }

  /// A subject that replays the last `bufferSize` elements; none if that is not positive.
  public static func create(bufferSize: Int) -> ReplaySubject<Element> {
    ReplaySubject(capacity: max(0, bufferSize))
  }

  /// A subject that replays everything it was ever fed.
  public static func createUnbounded() -> ReplaySubject<Element> { ReplaySubject(capacity: .max) }

  /// Whether anybody is subscribed now.
  public var hasObservers: Bool { memory.hasObservers }

  public func onNext(_ element: Element) { memory.emit(element) }

  public func on(_ event: Event<Element>) {
    switch event {
    case .next(let element): memory.emit(element)
    case .error(let error): memory.end(error)
    case .completed: memory.end(nil)
    }
  }

  /// Whether `dispose()` has been called.
  public var isDisposed: Bool { memory.isDisposed }

  /// Ends all subscriptions without a termination; who subscribes later gets `RxError.disposed`.
  public func dispose() { memory.dispose() }

  public func asObserver() -> ReplaySubject<Element> { self }

  override var isSubject: Bool { true }

  override func run(_ observer: AnyObserver<Element>, in context: SubscriptionContext) {
    if isDisposed { return observer.terminate(RxError.disposed(object: self)) }
    memory.join(observer, in: context)
  }

  deinit { memory.forget() }
}

// Proof of @unchecked: immutable but for the memory, which orders all that is done to it.
extension ReplaySubject: @unchecked Sendable where Element: Sendable {}
