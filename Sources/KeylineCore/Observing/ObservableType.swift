/// Anything that can be seen as an observable: observables, subjects, relays and traits.
///
/// Public because functions take any of them as an argument, as `flatMap` does as a result.
public protocol ObservableConvertibleType<Element> {
  /// The type of the elements that the sequence emits.
  associatedtype Element

  /// The observable of the same elements.
  func asObservable() -> Observable<Element>
}

/// Sequences whose type does not change when a scheduler delivers their events elsewhere, or later:
/// observables, and the traits without a scheduler of their own. Operators that take a scheduler
/// are declared here, once.
///
/// Public because a program extends it with such operators of its own.
public protocol ReschedulableType<Element>: ObservableConvertibleType {
  /// The result of these operators: a sequence of the same elements with the same guarantees.
  associatedtype SameSequence

  /// Wraps `source`, which satisfies the guarantees of this type.
  static func _wrap(_ source: Observable<Element>) -> SameSequence
}

/// Sequences of any number of elements: observables, infallibles, drivers and signals. Operators
/// that select elements, or add some of the same type, are declared here, once.
///
/// Public because a program extends it with such operators of its own.
public protocol MultiElementType<Element>: ObservableConvertibleType {
  /// The result of these operators: a sequence of the same elements with the same guarantees.
  associatedtype SameSequence
  /// The errors that closures given to these operators may throw: any error, or `Never`.
  associatedtype ThrownError: Error

  /// Wraps `source`, which satisfies the guarantees of this type.
  static func _wrap(_ source: Observable<Element>) -> SameSequence
}

extension MultiElementType {
  /// As `lift`, with the result wrapped.
  @inlinable func liftSame(
    _ name: StaticString = #function,
    _ transform: @escaping (__owned AnyObserver<Element>) -> AnyObserver<Element>
  ) -> SameSequence {
    Self._wrap(asObservable().lift(name, transform))
  }
}

/// Sequences that may fail: observables, and the traits of one event. Operators that handle errors,
/// or add one, are declared here, once.
///
/// Public because a program extends it with such operators of its own.
public protocol FallibleType<Element>: ReschedulableType {}

/// A sequence that can be subscribed to. Operators are declared here, once.
///
/// Conform with `subscribe(_:)` alone to define a source of your own; it gets the grammar of C1 and
/// every operator.
public protocol ObservableType<Element>: FallibleType, MultiElementType
where SameSequence == Observable<Element>, ThrownError == any Error {
  /// Delivers this sequence's events to `observer` until it terminates or is disposed.
  ///
  /// - Returns: the subscription. It need not be retained: releasing it does not dispose it.
  func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element
}

extension ObservableType {
  /// `source` itself.
  public static func _wrap(_ source: Observable<Element>) -> Observable<Element> { source }

  public func asObservable() -> Observable<Element> {
    Observable.create { subscribe($0) }
  }

  /// Delivers every event, termination included, to `on`.
  ///
  /// - Parameter on: called on the thread that emits, never under a lock.
  public func subscribe(
    _ on: @escaping (Event<Element>) -> Void, file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable {
    asObservable().subscribe(
      AnyObserver(eventHandler: on), onDisposed: nil, at: CallSite(file, line))
  }

  /// Delivers elements and termination to the handlers given.
  ///
  /// - Timing: `onDisposed` runs once: on disposal last of all; after a termination when its handler
  ///   has returned, though `do(onDispose:)` and the source's teardown may follow.
  /// - Errors: without `onError` an error goes to ``Hooks/defaultErrorHandler``.
  /// - Lifetime: the handlers are released when the subscription ends.
  public func subscribe(
    onNext: ((Element) -> Void)? = nil, onError: ((any Error) -> Void)? = nil,
    onCompleted: (() -> Void)? = nil, onDisposed: (() -> Void)? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable {
    asObservable().subscribe(onNext, onError, onCompleted, onDisposed, at: CallSite(file, line))
  }

  /// As `subscribe(onNext:onError:onCompleted:onDisposed:)`; the handlers receive `object` while it
  /// is alive and are not called after its death.
  ///
  /// - Lifetime: `object` is referenced weakly.
  public func subscribe<Object: AnyObject>(
    with object: Object, onNext: ((Object, Element) -> Void)? = nil,
    onError: ((Object, any Error) -> Void)? = nil, onCompleted: ((Object) -> Void)? = nil,
    onDisposed: ((Object) -> Void)? = nil, file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable {
    asObservable().subscribe(
      weakly(object, onNext), weakly(object, onError), weakly(object, onCompleted),
      weakly(object, onDisposed), at: CallSite(file, line))
  }
}

extension Observable {
  /// Delivers to the handlers given: the common body of `subscribe`, `bind`, `drive` and `emit`.
  func subscribe(
    _ onNext: ((Element) -> Void)?, _ onError: ((any Error) -> Void)? = nil,
    _ onCompleted: (() -> Void)? = nil, _ onDisposed: (() -> Void)? = nil, at call: CallSite
  ) -> any Disposable {
    // Not `??`, as in `Hooks.errorHandler(of:)`.
    let next: (Element) -> Void
    if let onNext { next = onNext } else { next = { _ in } }
    let observer = AnyObserver(next: next, terminate: Self.terminate(onError, onCompleted))
    return subscribe(observer, onDisposed: onDisposed, at: call)
  }

  private static func terminate(
    _ onError: ((any Error) -> Void)?, _ onCompleted: (() -> Void)?
  ) -> ((any Error)?) -> Void {
    // Most subscriptions have neither: their closure captures nothing and is not allocated.
    guard onError != nil || onCompleted != nil || Hooks.recordCallStackOnError else {
      return { error in if let error { Hooks.report(unhandled: error) } }
    }
    let onError = Hooks.errorHandler(of: onError)
    return { error in if let error { onError(error) } else { onCompleted?() } }
  }
}

/// A type that wraps an observable: it provides `asObservable()` and no `subscribe(_:)` of its own.
protocol ObservableWrapperType: ObservableType {}

extension ObservableWrapperType {
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    asObservable().subscribe(observer)
  }
}

/// `handler` with `object`, referenced weakly, as its first argument; not called after its death.
func weakly<Object: AnyObject, Input>(
  _ object: Object, _ handler: ((Object, Input) -> Void)?
) -> ((Input) -> Void)? {
  guard let handler else { return nil }
  return { [weak object] input in if let object { handler(object, input) } }
}

/// `handler` with `object`, referenced weakly, as its argument; not called after its death.
func weakly<Object: AnyObject>(_ object: Object, _ handler: ((Object) -> Void)?) -> (() -> Void)? {
  guard let handler else { return nil }
  return { [weak object] in if let object { handler(object) } }
}
