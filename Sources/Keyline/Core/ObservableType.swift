/// Anything that can be seen as an observable: observables, subjects, relays and traits.
public protocol ObservableConvertibleType<Element> {
  associatedtype Element

  /// The observable of the same elements.
  func asObservable() -> Observable<Element>
}

/// What stays what it is when it delivers elsewhere, or later: observables, and the traits that do
/// not say where they deliver. Operators that take a scheduler are declared here, once.
public protocol ReschedulableType<Element>: ObservableConvertibleType {
  /// What these operators return: the same elements, under the same promises.
  associatedtype Kept

  /// Puts `source` under the promises of this sequence, which it keeps.
  static func keeping(_ source: Observable<Element>) -> Kept
}

/// What may fail: observables, and the traits of one event. Operators that deal with errors, or add
/// one, are declared here, once.
public protocol FallibleType<Element>: ReschedulableType {}

/// Anything with the `bind` family: observables and infallibles. Drivers are driven, signals emitted.
public protocol BindableType<Element>: ReschedulableType {}

/// Something to subscribe to. Operators are declared here, once.
///
/// Conform with `subscribe(_:)` alone to bring a source of your own; it gets the grammar of law 1
/// and every operator.
public protocol ObservableType<Element>: BindableType, FallibleType
where Kept == Observable<Element> {
  /// Delivers this sequence's events to `observer` until it terminates or is disposed.
  ///
  /// - Returns: the subscription. It need not be kept: dropping it does not dispose it.
  func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element
}

extension ObservableType {
  public static func keeping(_ source: Observable<Element>) -> Observable<Element> { source }

  public func asObservable() -> Observable<Element> {
    Observable.create { subscribe($0) }
  }

  /// Delivers every event, termination included, to `on`.
  ///
  /// - Parameter on: called on the thread that emits, never under a lock.
  public func subscribe(_ on: @escaping (Event<Element>) -> Void) -> any Disposable {
    asObservable().subscribe(AnyObserver(eventHandler: on), onDisposed: nil)
  }

  /// Delivers elements and termination to the handlers given.
  ///
  /// - Timing: `onDisposed` runs last, once, after termination as well as after disposal.
  /// - Errors: without `onError` an error goes to ``Hooks/defaultErrorHandler``.
  /// - Lifetime: the handlers are released when the subscription ends.
  public func subscribe(
    onNext: ((Element) -> Void)? = nil, onError: ((any Error) -> Void)? = nil,
    onCompleted: (() -> Void)? = nil, onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    let observer = AnyObserver(
      next: onNext ?? { _ in }, terminate: Self.terminate(onError, onCompleted))
    return asObservable().subscribe(observer, onDisposed: onDisposed)
  }

  private static func terminate(
    _ onError: ((any Error) -> Void)?, _ onCompleted: (() -> Void)?
  ) -> ((any Error)?) -> Void {
    // Most subscriptions have neither: their closure captures nothing and costs nothing.
    guard onError != nil || onCompleted != nil || Hooks.recordCallStackOnError else {
      return { error in if let error { Hooks.report(unhandled: error) } }
    }
    let onError = onError ?? Hooks.errorHandlerOfSubscription()
    return { error in if let error { onError(error) } else { onCompleted?() } }
  }

  /// As `subscribe(onNext:onError:onCompleted:onDisposed:)`; the handlers get `object` while it
  /// lives and are skipped once it is gone.
  ///
  /// - Lifetime: `object` is held weakly.
  public func subscribe<Object: AnyObject>(
    with object: Object, onNext: ((Object, Element) -> Void)? = nil,
    onError: ((Object, any Error) -> Void)? = nil, onCompleted: ((Object) -> Void)? = nil,
    onDisposed: ((Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onNext: weakly(object, onNext), onError: weakly(object, onError),
      onCompleted: weakly(object, onCompleted), onDisposed: weakly(object, onDisposed))
  }
}

/// `handler` without its first argument: `object`, while that lives.
func weakly<Object: AnyObject, Input>(
  _ object: Object, _ handler: ((Object, Input) -> Void)?
) -> ((Input) -> Void)? {
  handler.map { handler in
    { [weak object] input in if let object { handler(object, input) } }
  }
}

/// `handler` without its argument: `object`, while that lives.
func weakly<Object: AnyObject>(_ object: Object, _ handler: ((Object) -> Void)?) -> (() -> Void)? {
  handler.map { handler in { [weak object] in if let object { handler(object) } } }
}
