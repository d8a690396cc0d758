// The operators of single, maybe and completable, as in TraitOperators.swift. The operators of sequences
// that may fail are declared in Operators, for observables and these traits alike.

extension PrimitiveSequenceType {
  /// The sequence that `primitiveSequenceFactory` returns for a resource, which is disposed with
  /// it.
  public static func using<Resource: Disposable>(
    _ resourceFactory: @escaping () throws -> Resource,
    primitiveSequenceFactory: @escaping (Resource) throws -> SameSequence
  ) -> SameSequence {
    SameSequence(
      .using(resourceFactory, observableFactory: { try primitiveSequenceFactory($0).source }))
  }
}

extension PrimitiveSequenceType where Trait: ElementTrait {
  /// Continues with the maybe that `selector` returns for the element.
  public func flatMapMaybe<Result>(
    _ selector: @escaping (Element) throws -> Maybe<Result>
  ) -> Maybe<Result> {
    Maybe(source.flatMap(selector))
  }

  /// Continues with the completable that `selector` returns for the element.
  public func flatMapCompletable(
    _ selector: @escaping (Element) throws -> Completable
  ) -> Completable {
    Completable(source.flatMap(selector))
  }

  /// The result of `resultSelector` for the elements of all sources.
  public static func zip<First, each Other>(
    _ first: SameTrait<First>, _ others: repeat SameTrait<each Other>,
    resultSelector: @escaping (First, repeat each Other) throws(Trait.Failure) -> Element
  ) -> SameSequence {
    SameSequence(
      Trait.zipMode.output(
        of: first.source, repeat (each others).source, combining: resultSelector))
  }

  /// 0 after `dueTime`.
  public static func timer(
    _ dueTime: Duration, scheduler: any SchedulerType
  ) -> SameSequence where Element: FixedWidthInteger {
    SameSequence(.timer(dueTime, scheduler: scheduler))
  }

  /// The same without the element: completes when this sequence has emitted it.
  public func asCompletable() -> Completable { Completable(source.terminationOnly()) }
}

extension PrimitiveSequenceType where Trait: ElementTrait, Element == Any {
  /// The elements of all `sources`, as a tuple.
  public static func zip<each Upstream>(
    _ sources: repeat SameTrait<each Upstream>
  ) -> SameTrait<(repeat each Upstream)> {
    SameTrait(
      Trait.zipMode.output(of: repeat (each sources).source) {
        (elements: repeat each Upstream) in (repeat each elements)
      })
  }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// Calls the handlers as the event passes, and changes nothing.
  public func `do`(
    onSuccess: ((Element) throws -> Void)? = nil, afterSuccess: ((Element) throws -> Void)? = nil,
    onError: ((any Error) throws -> Void)? = nil, afterError: ((any Error) throws -> Void)? = nil,
    onSubscribe: (() -> Void)? = nil, onSubscribed: (() -> Void)? = nil,
    onDispose: (() -> Void)? = nil
  ) -> Single<Element> {
    SameSequence(
      source.do(
        onNext: onSuccess, afterNext: afterSuccess, onError: onError, afterError: afterError,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }

  /// The same, as a maybe.
  public func asMaybe() -> Maybe<Element> { Maybe(source) }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
  /// The element, or `element` if there is none.
  public func ifEmpty(default element: Element) -> Single<Element> {
    Single(source.ifEmpty(default: element))
  }

  /// The element, or the element of `other` if there is none.
  public func ifEmpty(switchTo other: Single<Element>) -> Single<Element> {
    Single(source.ifEmpty(switchTo: other.source))
  }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
  /// Completes after `dueTime`.
  public static func timer(_ dueTime: Duration, scheduler: any SchedulerType) -> Completable {
    Single<Int>.timer(dueTime, scheduler: scheduler).asCompletable()
  }

  /// Continues with `second` once this sequence has completed.
  ///
  /// - Errors: an error of this one ends the output; `second` is not subscribed to.
  /// - SeeAlso: ReactiveX [Concat](https://reactivex.io/documentation/operators/concat.html).
  public func andThen<Next, Result>(
    _ second: PrimitiveSequence<Next, Result>
  ) -> PrimitiveSequence<Next, Result> {
    TraitSequence<Next, Result>(andThen(second.asObservable()))
  }

  /// Continues with `second` once this sequence has completed.
  public func andThen<Result>(_ second: Observable<Result>) -> Observable<Result> {
    source.terminationOnly().concat(second)
  }

  /// Continues with `second` once this sequence has completed.
  public func concat(_ second: Completable) -> Completable { andThen(second) }

  /// Subscribes to each of `sources` once the one before has completed.
  public static func concat(_ sources: Completable...) -> Completable { concat(sources.consumed) }

  /// Subscribes to each of `sources` once the one before has completed.
  public static func concat(_ sources: some Sequence<Completable>) -> Completable {
    Completable(.concat(sources.lazy.map { $0.asObservable() }))
  }

  /// Completes when all of `sources` have; the first error ends it.
  ///
  /// - SeeAlso: ReactiveX [Merge](https://reactivex.io/documentation/operators/merge.html).
  public static func zip(_ sources: Completable...) -> Completable { zip(sources) }

  /// Completes when all of `sources` have; the first error ends it.
  public static func zip(_ sources: some Collection<Completable>) -> Completable {
    Completable(.merge(sources.map { $0.asObservable() }))
  }
}
