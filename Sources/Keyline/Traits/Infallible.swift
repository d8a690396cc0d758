/// Any number of elements, and never an error; on any thread.
public typealias Infallible<Element> = TraitSequence<InfallibleTrait, Element>

/// The promise of an ``Infallible``.
public enum InfallibleTrait: UnfailingTrait, UnscheduledTrait {}

/// Anything that can be seen as an ``Infallible``: for extensions.
public protocol InfallibleType<Element>: TraitSequenceType, BindableType, UnfailingType
where Trait == InfallibleTrait, Kept == Infallible<Element> {}

extension TraitSequence: BindableType where Trait == InfallibleTrait {}
extension TraitSequence: InfallibleType where Trait == InfallibleTrait {}

/// One message of an ``Infallible``.
@frozen
public enum InfallibleEvent<Element> {
  /// The next element.
  case next(Element)
  /// The sequence has ended.
  case completed
}

extension InfallibleEvent: Sendable where Element: Sendable {}

extension InfallibleType {
  /// Takes the events of an ``Infallible``.
  public typealias InfallibleObserver = (InfallibleEvent<Element>) -> Void

  /// An infallible made by hand: `subscribe` gets each observer and says how to stop feeding it.
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
  public func subscribe(_ on: @escaping (Event<Element>) -> Void) -> any Disposable {
    source.subscribe(on)
  }

  /// Delivers elements and completion to the handlers given.
  ///
  /// - Timing: `onDisposed` runs last, after completion as well as after disposal.
  public func subscribe(
    onNext: ((Element) -> Void)? = nil, onCompleted: (() -> Void)? = nil,
    onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    source.subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// As `subscribe(onNext:onCompleted:onDisposed:)`; the handlers get `object`, held weakly, while it
  /// lives and are skipped once it is gone.
  public func subscribe<Object: AnyObject>(
    with object: Object, onNext: ((Object, Element) -> Void)? = nil,
    onCompleted: ((Object) -> Void)? = nil, onDisposed: ((Object) -> Void)? = nil
  ) -> any Disposable {
    source.subscribe(with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// One subscription for all observers, the last `replay` elements first.
  public func share(
    replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected
  ) -> Infallible<Element> {
    Infallible(source.share(replay: replay, scope: scope))
  }
}

// MARK: Promising not to fail

extension ObservableConvertibleType {
  /// This sequence under the promise of `Trait`; what `handler` returns follows an error.
  func promising<Trait: UnfailingTrait>(
    recovering handler: @escaping (any Error) -> Observable<Element>
  ) -> TraitSequence<Trait, Element> {
    TraitSequence(Trait.deliver(asObservable()).catch(handler))
  }

  /// This sequence under the promise of `Trait`; `fallback` follows an error.
  func or<Trait: UnfailingTrait>(_ fallback: Observable<Element>) -> TraitSequence<Trait, Element> {
    promising { _ in fallback }
  }

  /// The same elements; instead of an error, `last` and completion.
  public func asInfallible(onErrorJustReturn last: Element) -> Infallible<Element> {
    or(.just(last))
  }

  /// The same elements; instead of an error, those of `other`.
  public func asInfallible(onErrorFallbackTo other: Infallible<Element>) -> Infallible<Element> {
    or(other.source)
  }

  /// The same elements; instead of an error, those of what `onErrorRecover` makes of it.
  public func asInfallible(
    onErrorRecover: @escaping (any Error) -> Infallible<Element>
  ) -> Infallible<Element> {
    promising { onErrorRecover($0).source }
  }
}

/// What never fails: it may go under any promise of that.
public protocol UnfailingType<Element>: ObservableConvertibleType {}

extension TraitSequence: UnfailingType where Trait: UnfailingTrait {}

extension UnfailingType {
  /// As a driver.
  public func asDriver() -> Driver<Element> { or(.empty()) }

  /// As a signal.
  public func asSignal() -> Signal<Element> { or(.empty()) }

  /// As an infallible.
  public func asInfallible() -> Infallible<Element> { or(.empty()) }
}
