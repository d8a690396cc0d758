/// Anything that can be seen as an observable: observables, subjects, relays and traits.
///
/// Public because functions take any of them as an argument, as `flatMap` does as a result.
///
/// - Isolation: a conformance cannot be isolated to an actor, because operators use it on any thread. In a module
///   that is isolated to the main actor by default, a conforming type is `nonisolated`.
public protocol ObservableConvertibleType<Element>: SendableMetatype {
  /// The type of the elements that the sequence emits.
  associatedtype Element

  /// The observable of the same elements.
  func asObservable() -> Observable<Element>
}

/// Observables and traits. An operator whose result is a sequence of the same type is declared here, once,
/// for the traits that have it.
///
/// Public because a program extends it with such operators of its own.
public protocol ObservableSequenceType<Element>: ObservableConvertibleType {
  /// The guarantees of the sequence.
  associatedtype Trait: TraitType
  /// The result of these operators: a sequence of the same elements with the same guarantees.
  associatedtype SameSequence

  /// Wraps `source`, which satisfies the guarantees of this type.
  static func _wrap(_ source: Observable<Element>) -> SameSequence
}

extension ObservableSequenceType where Trait: MultiElementTrait & UnscheduledTrait {
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
  /// - Errors: without `onError` an error goes to ``Hooks/defaultErrorHandler``. An infallible never calls
  ///   `onError`, which takes a `Never`.
  /// - Lifetime: the handlers are released when the subscription ends.
  public func subscribe(
    onNext: ((Element) -> Void)? = nil, onError: ((Trait.Failure) -> Void)? = nil,
    onCompleted: (() -> Void)? = nil, onDisposed: (() -> Void)? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable {
    asObservable().subscribe(
      onNext, untyped(onError), onCompleted, onDisposed, at: CallSite(file, line))
  }

  /// As `subscribe(onNext:onError:onCompleted:onDisposed:)`; the handlers receive `object` while it
  /// is alive and are not called after its death.
  ///
  /// - Lifetime: `object` is referenced weakly.
  public func subscribe<Object: AnyObject>(
    with object: Object, onNext: ((Object, Element) -> Void)? = nil,
    onError: ((Object, Trait.Failure) -> Void)? = nil, onCompleted: ((Object) -> Void)? = nil,
    onDisposed: ((Object) -> Void)? = nil, file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable {
    asObservable().subscribe(
      weakly(object, onNext), untyped(weakly(object, onError)), weakly(object, onCompleted),
      weakly(object, onDisposed), at: CallSite(file, line))
  }

  /// A handler of errors whose type is not known, or nil if there is no handler.
  private func untyped(_ onError: ((Trait.Failure) -> Void)?) -> ((any Error) -> Void)? {
    guard let onError else { return nil }
    return { error in if let error = error as? Trait.Failure { onError(error) } }
  }
}

/// Observables and traits, for operators whose elements may change threads.
///
/// Public because a program extends it with operators that take any scheduler. Such an operator is preferred to
/// an operator of ``ObservableSequenceType`` that takes a scheduler confined to a thread.
public protocol ThreadCrossingSequenceType<Element>: ObservableSequenceType {}

/// A sequence that can be subscribed to. Operators are declared here, once.
///
/// Conform with `subscribe(_:)` alone to define a source of your own; it gets the grammar of C1 and
/// every operator.
public protocol ObservableType<Element>: ThreadCrossingSequenceType
where Trait == ObservableTrait, SameSequence == Observable<Element> {
  /// Delivers this sequence's events to `observer` until it terminates or is disposed.
  ///
  /// - Returns: the subscription. It need not be retained: releasing it does not dispose it.
  func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element
}

extension ObservableType {
  /// `source` itself.
  @inlinable
  public static func _wrap(_ source: Observable<Element>) -> Observable<Element> { source }

  public func asObservable() -> Observable<Element> {
    _Source(serializing: { subscribe($0) })
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
    let terminate: ((any Error)?) -> Void
    if onError != nil || onCompleted != nil || Hooks.recordCallStackOnError {
      let onError = Hooks.errorHandler(of: onError)
      terminate = { error in if let error { onError(error) } else { onCompleted?() } }
    } else {
      // The closure of most subscriptions: it captures nothing, and is not allocated.
      terminate = { error in if let error { Hooks.report(unhandled: error) } }
    }
    return subscribe(
      AnyObserver(next: next, terminate: terminate), onDisposed: onDisposed, at: call)
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
func weakly<Object: AnyObject, each Input>(
  _ object: Object, _ handler: ((Object, repeat each Input) -> Void)?
) -> ((repeat each Input) -> Void)? {
  guard let handler else { return nil }
  return { [weak object] (input: repeat each Input) in
    if let object { handler(object, repeat each input) }
  }
}
