/// One element, or none, or an error: the family of ``Single``, ``Maybe`` and ``Completable``.
public typealias PrimitiveSequence<Trait: TraitType, Element> = TraitSequence<Trait, Element>
where Trait.Failure == any Error

/// One element, or an error: a request and its answer.
public typealias Single<Element> = PrimitiveSequence<SingleTrait, Element>

/// One element, or none, or an error.
public typealias Maybe<Element> = PrimitiveSequence<MaybeTrait, Element>

/// Completion or an error: an operation without a result.
public typealias Completable = PrimitiveSequence<CompletableTrait, Never>

/// The guarantees of a ``Single``.
public enum SingleTrait: ElementTrait, UnscheduledTrait {
  public typealias Filtered = MaybeTrait
}

/// The guarantees of a ``Maybe``.
public enum MaybeTrait: ElementTrait, UnscheduledTrait {}

/// The guarantees of a ``Completable``.
public enum CompletableTrait: UnscheduledTrait {}

/// Types that convert to a ``PrimitiveSequence``: for extensions by a program.
public protocol PrimitiveSequenceType<Trait, Element>: TraitSequenceType
where Trait.Failure == any Error {
  /// The sequence of the same events.
  var primitiveSequence: PrimitiveSequence<Trait, Element> { get }
}

extension TraitSequence: PrimitiveSequenceType where Trait.Failure == any Error {
  public var primitiveSequence: TraitSequence { self }
}

/// How a ``Single`` ends.
public typealias SingleEvent<Element> = Result<Element, any Error>

/// How a ``Maybe`` ends.
@frozen
public enum MaybeEvent<Element> {
  /// With its element.
  case success(Element)
  /// With an error.
  case error(any Error)
  /// Without an element.
  case completed

  fileprivate func get() throws -> Element? {
    if case .error(let error) = self { throw error }
    if case .success(let element) = self { return element }
    return nil
  }
}

extension MaybeEvent: Sendable where Element: Sendable {}

/// How a ``Completable`` ends.
@frozen
public enum CompletableEvent: Sendable {
  /// With an error.
  case error(any Error)
  /// With completion.
  case completed

  fileprivate func get() throws -> Never? {
    guard case .error(let error) = self else { return nil }
    throw error
  }
}

// MARK: Creating and subscribing

extension PrimitiveSequenceType {
  public func asObservable() -> Observable<Element> { primitiveSequence.source }

  /// The sequence of the first event that the emitter is called with, by whichever thread; `get` returns
  /// its element.
  fileprivate static func createOnce<Result>(
    _ subscribe: @escaping (@escaping (Result) -> Void) -> any Disposable,
    _ get: @escaping (Result) throws -> Element?
  ) -> SameSequence {
    SameSequence(
      .create { observer in
        subscribe { event in
          observer.attempt {
            if let element = try get(event) { observer.next(element) }
            observer.terminate(nil)
          }
        }
      }.take(1))
  }

  /// Calls one of the first three handlers, once.
  fileprivate func subscribeOnce(
    _ onElement: ((Element) -> Void)?, _ onError: ((any Error) -> Void)?,
    _ onCompleted: (() -> Void)?, _ onDisposed: (() -> Void)?, at call: CallSite
  ) -> any Disposable {
    let onError = Hooks.errorHandler(of: onError)
    var isDone = false
    let observer = AnyObserver<Element>(
      next: { element in
        isDone = true
        onElement?(element)
      },
      terminate: { error in
        if isDone { return }
        if let error { onError(error) } else { onCompleted?() }
      })
    return source.subscribe(observer, onDisposed: onDisposed, at: call)
  }
}

// MARK: Single

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// Receives the one event of a ``Single``.
  public typealias SingleObserver = (SingleEvent<Element>) -> Void

  /// A single defined by a closure: `subscribe` feeds each observer and returns a
  /// disposable that stops it.
  ///
  /// ```swift
  /// let answer = Single<Int>.create { single in
  ///   single(.success(42))
  ///   return Disposables.create()
  /// }
  /// ```
  ///
  /// - Lifetime: the disposable returned is disposed at the event or at disposal.
  /// - Parameter subscribe: called once per subscription. Only the first event counts.
  /// - SeeAlso: ReactiveX [Create](https://reactivex.io/documentation/operators/create.html).
  public static func create(
    subscribe: @escaping (@escaping SingleObserver) -> any Disposable
  ) -> Single<Element> { createOnce(subscribe) { try $0.get() } }

  /// Delivers the one event to `observer`.
  public func subscribe(
    _ observer: @escaping SingleObserver, file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable {
    subscribeOnce(
      { observer(.success($0)) }, { observer(.failure($0)) }, nil, nil, at: CallSite(file, line))
  }

  /// Delivers the element, or the error, to the handlers given.
  ///
  /// - Timing: `onDisposed` runs once, as in `subscribe` of an ``Observable``.
  /// - Errors: without `onFailure` an error is forwarded to ``Hooks/defaultErrorHandler``.
  public func subscribe(
    onSuccess: ((Element) -> Void)? = nil, onFailure: ((any Error) -> Void)? = nil,
    onDisposed: (() -> Void)? = nil, file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable {
    subscribeOnce(onSuccess, onFailure, nil, onDisposed, at: CallSite(file, line))
  }

  /// As `subscribe(onSuccess:onFailure:onDisposed:)`; the handlers receive `object`, referenced
  /// weakly, while it is alive and are not called after its death.
  public func subscribe<Object: AnyObject>(
    with object: Object, onSuccess: ((Object, Element) -> Void)? = nil,
    onFailure: ((Object, any Error) -> Void)? = nil, onDisposed: ((Object) -> Void)? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable {
    subscribeOnce(
      weakly(object, onSuccess), weakly(object, onFailure), nil, weakly(object, onDisposed),
      at: CallSite(file, line))
  }
}

// MARK: Maybe

extension PrimitiveSequenceType where Trait == MaybeTrait {
  /// Receives the one event of a ``Maybe``.
  public typealias MaybeObserver = (MaybeEvent<Element>) -> Void

  /// A maybe defined by a closure: `subscribe` feeds each observer and returns a
  /// disposable that stops it.
  ///
  /// - Lifetime: the disposable returned is disposed at the event or at disposal.
  /// - Parameter subscribe: called once per subscription. Only the first event counts.
  /// - SeeAlso: ReactiveX [Create](https://reactivex.io/documentation/operators/create.html).
  public static func create(
    subscribe: @escaping (@escaping MaybeObserver) -> any Disposable
  ) -> Maybe<Element> { createOnce(subscribe) { try $0.get() } }

  /// Delivers the one event to `observer`.
  public func subscribe(
    _ observer: @escaping MaybeObserver, file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable {
    subscribeOnce(
      { observer(.success($0)) }, { observer(.error($0)) }, { observer(.completed) }, nil,
      at: CallSite(file, line))
  }

  /// Delivers the element, the error, or completion without an element, to the handlers given.
  ///
  /// - Timing: `onDisposed` runs once, as in `subscribe` of an ``Observable``.
  /// - Errors: without `onError` an error is forwarded to ``Hooks/defaultErrorHandler``.
  public func subscribe(
    onSuccess: ((Element) -> Void)? = nil, onError: ((any Error) -> Void)? = nil,
    onCompleted: (() -> Void)? = nil, onDisposed: (() -> Void)? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable {
    subscribeOnce(onSuccess, onError, onCompleted, onDisposed, at: CallSite(file, line))
  }

  /// As `subscribe(onSuccess:onError:onCompleted:onDisposed:)`; the handlers receive `object`,
  /// referenced weakly, while it is alive and are not called after its death.
  public func subscribe<Object: AnyObject>(
    with object: Object, onSuccess: ((Object, Element) -> Void)? = nil,
    onError: ((Object, any Error) -> Void)? = nil, onCompleted: ((Object) -> Void)? = nil,
    onDisposed: ((Object) -> Void)? = nil, file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable {
    subscribeOnce(
      weakly(object, onSuccess), weakly(object, onError), weakly(object, onCompleted),
      weakly(object, onDisposed), at: CallSite(file, line))
  }
}

// MARK: Completable

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
  /// Receives the one event of a ``Completable``.
  public typealias CompletableObserver = (CompletableEvent) -> Void

  /// A completable defined by a closure: `subscribe` feeds each observer and returns a
  /// disposable that stops it.
  ///
  /// - Lifetime: the disposable returned is disposed at the event or at disposal.
  /// - Parameter subscribe: called once per subscription. Only the first event counts.
  /// - SeeAlso: ReactiveX [Create](https://reactivex.io/documentation/operators/create.html).
  public static func create(
    subscribe: @escaping (@escaping CompletableObserver) -> any Disposable
  ) -> Completable { createOnce(subscribe) { try $0.get() } }

  /// Delivers the one event to `observer`.
  public func subscribe(
    _ observer: @escaping CompletableObserver, file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable {
    subscribeOnce(
      nil, { observer(.error($0)) }, { observer(.completed) }, nil, at: CallSite(file, line))
  }

  /// Delivers completion, or the error, to the handlers given.
  ///
  /// - Timing: `onDisposed` runs once, as in `subscribe` of an ``Observable``.
  /// - Errors: without `onError` an error is forwarded to ``Hooks/defaultErrorHandler``.
  public func subscribe(
    onCompleted: (() -> Void)? = nil, onError: ((any Error) -> Void)? = nil,
    onDisposed: (() -> Void)? = nil, file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable {
    subscribeOnce(nil, onError, onCompleted, onDisposed, at: CallSite(file, line))
  }

  /// As `subscribe(onCompleted:onError:onDisposed:)`; the handlers receive `object`, referenced
  /// weakly, while it is alive and are not called after its death.
  public func subscribe<Object: AnyObject>(
    with object: Object, onCompleted: ((Object) -> Void)? = nil,
    onError: ((Object, any Error) -> Void)? = nil, onDisposed: ((Object) -> Void)? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> any Disposable {
    subscribeOnce(
      nil, weakly(object, onError), weakly(object, onCompleted), weakly(object, onDisposed),
      at: CallSite(file, line))
  }
}
