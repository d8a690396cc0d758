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
public final class BehaviorSubject<Element>: Subject<Element> {
  private let memory: Memory<Element>

  /// A subject with a value.
  public init(value: Element) {
    memory = Memory([value], capacity: 1, replay: .untilTermination)
    super.init(memory)
  }

  /// The value now: the element fed last.
  ///
  /// - Throws: the error the subject has failed with.
  public func value() throws -> Element {
    if isDisposed { throw RxError.disposed(object: self) }
    if let failure = memory.failure { throw failure }
    return current
  }

  /// The value now, whatever became of the subject.
  var current: Element {
    // Proof: the memory starts with one element, and only ever exchanges it.
    memory.latest.unsafelyUnwrapped
  }

  public override func asObserver() -> BehaviorSubject<Element> { self }
}

// Proof of @unchecked: adds nothing that changes to its superclass.
extension BehaviorSubject: @unchecked Sendable where Element: Sendable {}
