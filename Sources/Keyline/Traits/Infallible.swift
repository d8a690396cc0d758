/// Any number of elements, and never an error; on any thread.
public typealias Infallible<Element> = TraitSequence<InfallibleTrait, Element>

/// The promise of an ``Infallible``.
public enum InfallibleTrait: UnfailingTrait, UnscheduledTrait {}

/// Anything that can be seen as an ``Infallible``: for extensions.
public protocol InfallibleType<Element>: TraitSequenceType, BindableType
where Trait == InfallibleTrait {}

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
    asObservable().subscribe(on)
  }

  /// Delivers elements and completion to the handlers given.
  ///
  /// - Timing: `onDisposed` runs last, after completion as well as after disposal.
  public func subscribe(
    onNext: ((Element) -> Void)? = nil, onCompleted: (() -> Void)? = nil,
    onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    receive(onNext, onCompleted, onDisposed)
  }

  /// As `subscribe(onNext:onCompleted:onDisposed:)`; the handlers get `object`, held weakly, while it
  /// lives and are skipped once it is gone.
  public func subscribe<Object: AnyObject>(
    with object: Object, onNext: ((Object, Element) -> Void)? = nil,
    onCompleted: ((Object) -> Void)? = nil, onDisposed: ((Object) -> Void)? = nil
  ) -> any Disposable {
    receive(weakly(object, onNext), weakly(object, onCompleted), weakly(object, onDisposed))
  }
}

extension TraitSequenceType where Trait: UnfailingTrait {
  /// What `subscribe`, `drive` and `emit` have in common.
  func receive(
    _ onNext: ((Element) -> Void)?, _ onCompleted: (() -> Void)?, _ onDisposed: (() -> Void)?
  ) -> any Disposable {
    asObservable().subscribe(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }
}

extension InfallibleType {
  /// One subscription for all observers, the last `replay` elements first.
  public func share(
    replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected
  ) -> Infallible<Element> {
    Infallible(asObservable().share(replay: replay, scope: scope))
  }
}

// MARK: Promising not to fail

extension ObservableConvertibleType {
  /// This sequence under the promise of `Trait`; what `handler` returns follows an error.
  func promising<Trait: UnfailingTrait>(
    _ trait: Trait.Type = Trait.self,
    recovering handler: @escaping (any Error) -> Observable<Element> = { _ in .empty() }
  ) -> TraitSequence<Trait, Element> {
    TraitSequence(Trait.deliver(asObservable()).catch(handler))
  }

  /// The same elements; instead of an error, `element` and completion.
  public func asInfallible(onErrorJustReturn element: Element) -> Infallible<Element> {
    promising { _ in .just(element) }
  }

  /// The same elements; instead of an error, those of `infallible`.
  public func asInfallible(
    onErrorFallbackTo infallible: Infallible<Element>
  ) -> Infallible<Element> {
    promising { _ in infallible.asObservable() }
  }

  /// The same elements; instead of an error, those of what `onErrorRecover` makes of it.
  public func asInfallible(
    onErrorRecover: @escaping (any Error) -> Infallible<Element>
  ) -> Infallible<Element> {
    promising { onErrorRecover($0).asObservable() }
  }
}
