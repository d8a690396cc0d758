/// Has a value: new observers receive it first, then the elements that follow.
///
/// ```swift
/// let temperature = BehaviorSubject(value: 20)
/// temperature.onNext(21)
/// temperature.subscribe(onNext: { print($0) }).disposed(by: bag)
/// print(try temperature.value())
/// ```
/// ```text
/// 21
/// 21
/// ```
///
///     input      --1-----2-----3--|
///     observer 1 ^01-----2-----3--|
///     observer 2     ^1--2-----3--|
///     observer 3                     ^|
///
/// Laws as for ``PublishSubject``, and: the value changes as soon as `onNext` is called, and the
/// last element delivered is the value once producers are quiet (C5); between the first element of
/// a new observer and the next one no element is lost or repeated (C7).
///
/// - Timing: as ``PublishSubject``; the first element inside `subscribe`.
/// - Lifetime: keeps its value, and an object in it, alive until the next one, or until the subject is
///   released, also after its termination.
/// - SeeAlso: ReactiveX [Subject](https://reactivex.io/documentation/subject.html).
public final class BehaviorSubject<Element>: Subject<Element> {
  @usableFromInline let behavior: BehaviorBroadcaster<Element>

  /// A subject with a value.
  ///
  /// - Parameter value: the first value.
  public init(value: Element) {
    behavior = BehaviorBroadcaster(value)
    super.init(behavior, "BehaviorSubject")
  }

  /// The value now: the latest element.
  ///
  /// - Throws: the error the subject has failed with.
  @inlinable public func value() throws -> Element {
    if isDisposed { throw RxError.disposed(object: self) }
    return try behavior.outcome.get()
  }

  /// The value now, also after termination or disposal.
  @inlinable var current: Element { behavior.value }

  override package var inspection: [String] { [String(inspecting: current)] + super.inspection }

  /// The subject itself.
  public override func asObserver() -> BehaviorSubject<Element> { self }
}

// Proof of @unchecked: adds no mutable state to its superclass.
extension BehaviorSubject: @unchecked Sendable where Element: Sendable {}
