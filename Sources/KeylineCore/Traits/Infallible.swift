/// Any number of elements and never an error, on any thread.
public typealias Infallible<Element> = TraitSequence<InfallibleTrait, Element>

/// The guarantees of an ``Infallible``.
public enum InfallibleTrait: UnfailingTrait, TraitCapability.Unscheduled {}

/// Types that convert to an ``Infallible``: for extensions by a program.
public protocol InfallibleType<Element>: TraitSequenceType, ReschedulableType, UnfailingType,
  MultiElementType
where Trait == InfallibleTrait, SameSequence == Infallible<Element>, ThrownError == Never {}

extension TraitSequence: InfallibleType where Trait == InfallibleTrait {}

/// An event of an ``Infallible``.
@frozen
public enum InfallibleEvent<Element> {
  /// The next element.
  case next(Element)
  /// The sequence has completed.
  case completed
}

extension InfallibleEvent: Sendable where Element: Sendable {}

extension InfallibleType {
  /// Receives the events of an ``Infallible``.
  public typealias InfallibleObserver = (InfallibleEvent<Element>) -> Void

  /// An infallible defined by a closure: `subscribe` feeds each observer and returns a
  /// disposable that stops it.
  ///
  /// - Parameter subscribe: called once per subscription. It must feed its observer serially.
  /// - SeeAlso: ReactiveX [Create](https://reactivex.io/documentation/operators/create.html).
  public static func create(
    subscribe: @escaping (@escaping InfallibleObserver) -> any Disposable
  ) -> Infallible<Element> {
    Infallible(
      .create { observer in
        subscribe { event in
          switch event {
          case .next(let element): observer.next(element)
          case .completed: observer.terminate(nil)
          }
        }
      })
  }

  /// Delivers every event to `on`.
  public func subscribe(
    _ on: @escaping (Event<Element>) -> Void, file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable {
    source.subscribe(AnyObserver(eventHandler: on), onDisposed: nil, at: CallSite(file, line))
  }

  /// Delivers elements and completion to the handlers given.
  ///
  /// - Timing: `onDisposed` runs once, as in `subscribe` of an ``Observable``.
  public func subscribe(
    onNext: ((Element) -> Void)? = nil, onCompleted: (() -> Void)? = nil,
    onDisposed: (() -> Void)? = nil, file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable {
    source.subscribe(onNext, nil, onCompleted, onDisposed, at: CallSite(file, line))
  }

  /// As `subscribe(onNext:onCompleted:onDisposed:)`; the handlers receive `object`, referenced
  /// weakly, while it is alive and are not called after its death.
  public func subscribe<Object: AnyObject>(
    with object: Object, onNext: ((Object, Element) -> Void)? = nil,
    onCompleted: ((Object) -> Void)? = nil, onDisposed: ((Object) -> Void)? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable {
    source.subscribe(
      weakly(object, onNext), nil, weakly(object, onCompleted), weakly(object, onDisposed),
      at: CallSite(file, line))
  }

  /// One subscription for all observers, the last `replay` elements first.
  public func share(
    replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected
  ) -> Infallible<Element> {
    Infallible(source.share(replay: replay, scope: scope))
  }
}

// MARK: Converting to a trait that cannot fail

extension ObservableConvertibleType {
  /// This sequence as a `Trait`; an error is replaced by the observable that `handler` returns.
  func recover<Trait: UnfailingTrait>(
    _ handler: @escaping (any Error) -> Observable<Element>
  ) -> TraitSequence<Trait, Element> {
    TraitSequence(Trait.deliver(asObservable()).catch(handler))
  }

  /// This sequence as a `Trait`; an error is replaced by `fallback`.
  func recover<Trait: UnfailingTrait>(
    _ fallback: Observable<Element>
  ) -> TraitSequence<Trait, Element> {
    recover { _ in fallback }
  }

  /// The same elements; instead of an error, `last` and completion.
  public func asInfallible(onErrorJustReturn last: Element) -> Infallible<Element> {
    recover(.just(last))
  }

  /// The same elements; after an error, continues with the elements of `other`.
  public func asInfallible(onErrorFallbackTo other: Infallible<Element>) -> Infallible<Element> {
    recover(other.source)
  }

  /// The same elements; after an error, continues with the infallible that `onErrorRecover`
  /// returns.
  public func asInfallible(
    onErrorRecover: @escaping (any Error) -> Infallible<Element>
  ) -> Infallible<Element> {
    recover { onErrorRecover($0).source }
  }
}

/// Sequences that cannot fail, which convert to every trait with that guarantee.
///
/// Public because functions take any of them as an argument, as `combineLatest` of drivers does.
public protocol UnfailingType<Element>: ObservableConvertibleType {}

extension TraitSequence: UnfailingType where Trait: UnfailingTrait {}

extension UnfailingType {
  /// As a driver.
  public func asDriver() -> Driver<Element> { recover(.empty()) }

  /// As a signal.
  public func asSignal() -> Signal<Element> { recover(.empty()) }

  /// As an infallible.
  public func asInfallible() -> Infallible<Element> { recover(.empty()) }
}
