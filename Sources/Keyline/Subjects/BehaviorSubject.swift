/// Has a value: newcomers get it first, then whatever the subject is fed.
///
/// ```swift
/// let temperature = BehaviorSubject(value: 20)
/// temperature.onNext(21)
/// temperature.subscribe(onNext: { print($0) }).disposed(by: bag)   // 21
/// try temperature.value()                                          // 21
/// ```
///
///     fed        --1-----2-----3--|
///     observer 1 ^01-----2-----3--|
///     observer 2     ^1--2-----3--|
///     observer 3                     ^|
///
/// Laws as for ``PublishSubject``, and: the value is new as soon as `onNext` has been called, and the
/// last element delivered is the value once producers are quiet (5); between the first element of a
/// newcomer and the next one nothing is lost or doubled (7).
///
/// - Timing: as ``PublishSubject``; the first element inside `subscribe`.
/// - Lifetime: holds its value until it dies, also after its termination.
/// - SeeAlso: ReactiveX [Subject](https://reactivex.io/documentation/subject.html).
public final class BehaviorSubject<Element>: Observable<Element>, SubjectType, ObserverType {
  private let memory: Memory<Element>

  /// A subject with a value.
  public init(value: Element) {
    memory = Memory([value], capacity: 1, replay: .untilTermination)
  }

  /// The value now: the element fed last.
  ///
  /// - Throws: the error the subject has failed with.
  public func value() throws -> Element {
    if let failure = memory.failure { throw failure }
    return current
  }

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

  public func asObserver() -> BehaviorSubject<Element> { self }

  override func run(_ observer: AnyObserver<Element>, in context: SubscriptionContext) {
    memory.join(observer, in: context)
  }

  /// The value now, whatever became of the subject.
  var current: Element {
    // Proof: the memory starts with one element, and only ever exchanges it.
    memory.latest.unsafelyUnwrapped
  }

  deinit { memory.forget() }
}

// Proof of @unchecked: immutable but for the memory, which orders all that is done to it.
extension BehaviorSubject: @unchecked Sendable where Element: Sendable {}
