// The names of RxSwift 5 that are others in RxSwift 6: unavailable, so that the compiler offers the
// new one. Most are declared for everything convertible, once for observables and traits.

extension ObservableConvertibleType {
  @available(*, unavailable, renamed: "observe(on:)")
  public func observeOn(_ scheduler: any ImmediateSchedulerType) -> Self { fatalError() }

  @available(*, unavailable, renamed: "subscribe(on:)")
  public func subscribeOn(_ scheduler: any ImmediateSchedulerType) -> Self { fatalError() }

  @available(*, unavailable, renamed: "catchAndReturn(_:)")
  public func catchErrorJustReturn(_ element: Element) -> Self { fatalError() }

  @available(*, unavailable, renamed: "catch(sequence:)")
  public static func catchError<Sources: Sequence>(_ sequence: Sources) -> Observable<Element>
  where Sources.Element: ObservableConvertibleType<Element> { fatalError() }

  @available(*, unavailable, renamed: "retry(when:)")
  public func retryWhen<Trigger: ObservableType, Failure: Error>(
    _ notificationHandler: @escaping (Observable<Failure>) -> Trigger
  ) -> Self { fatalError() }

  @available(*, unavailable, renamed: "element(at:)")
  public func elementAt(_ index: Int) -> Self { fatalError() }

  @available(*, unavailable, renamed: "take(for:scheduler:)")
  public func take(_ duration: some TimeIntervalType, scheduler: any SchedulerType) -> Self {
    fatalError()
  }

  @available(*, unavailable, renamed: "take(until:)")
  public func takeUntil(_ other: some ObservableConvertibleType) -> Self { fatalError() }

  @available(*, unavailable, renamed: "take(until:behavior:)")
  public func takeUntil(
    _ behavior: TakeBehavior, predicate: @escaping (Element) throws -> Bool
  ) -> Self { fatalError() }

  @available(*, unavailable, renamed: "take(while:)")
  public func takeWhile(_ predicate: @escaping (Element) throws -> Bool) -> Self { fatalError() }

  @available(*, unavailable, renamed: "take(while:behavior:)")
  public func takeWhile(
    _ behavior: TakeBehavior, predicate: @escaping (Element) throws -> Bool
  ) -> Self { fatalError() }

  @available(*, unavailable, renamed: "skip(until:)")
  public func skipUntil(_ other: some ObservableConvertibleType) -> Self { fatalError() }

  @available(*, unavailable, renamed: "skip(while:)")
  public func skipWhile(_ predicate: @escaping (Element) throws -> Bool) -> Self { fatalError() }
}

extension ObservableType {
  @available(*, unavailable, renamed: "catch(_:)")
  public func catchError(
    _ handler: @escaping (any Error) throws -> Observable<Element>
  ) -> Observable<Element> { fatalError() }
}

extension PrimitiveSequenceType {
  @available(*, unavailable, renamed: "catch(_:)")
  public func catchError(
    _ handler: @escaping (any Error) throws -> SameSequence
  ) -> SameSequence { fatalError() }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
  @available(*, unavailable, renamed: "subscribe(onSuccess:onFailure:onDisposed:)")
  public func subscribe(
    onSuccess: ((Element) -> Void)? = nil, onError: @escaping (any Error) -> Void,
    onDisposed: (() -> Void)? = nil
  ) -> any Disposable { fatalError() }
}

extension Result where Failure == any Error {
  @available(*, unavailable, renamed: "failure(_:)")
  public static func error(_ error: any Error) -> Self { fatalError() }
}
