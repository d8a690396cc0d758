// Each operator of the traits, once: the one of ``ObservableType`` under the same name, which its
// comment describes, with the trait put back around the result. What is said here is what differs.

extension TraitSequenceType {
  /// Nothing, for ever.
  public static func never() -> TraitSequence<Trait, Element> { TraitSequence(raw: .never()) }
}

extension TraitSequenceType where Trait: EmptyableTrait {
  /// Completion, at once.
  public static func empty() -> TraitSequence<Trait, Element> {
    TraitSequence(raw: Trait.start(.empty()))
  }
}

// MARK: With elements

extension TraitSequenceType where Trait: ElementTrait {
  /// One element, then completion.
  public static func just(_ element: Element) -> TraitSequence<Trait, Element> {
    TraitSequence(raw: Trait.start(.just(element)))
  }

  /// Emits what `transform` makes of each element.
  @inlinable
  public func map<Result>(
    _ transform: @escaping (Element) throws(Trait.Failure) -> Result
  ) -> TraitSequence<Trait, Result> {
    TraitSequence<Trait, Result>(asObservable().map(transform))
  }

  /// Emits what `transform` makes of each element, unless that is nil. A single becomes a maybe.
  @inlinable
  public func compactMap<Result>(
    _ transform: @escaping (Element) throws(Trait.Failure) -> Result?
  ) -> TraitSequence<Trait.Filtered, Result> {
    TraitSequence<Trait.Filtered, Result>(asObservable().compactMap(transform))
  }

  /// Emits the elements for which `predicate` is true. A single becomes a maybe.
  @inlinable
  public func filter(
    _ predicate: @escaping (Element) throws(Trait.Failure) -> Bool
  ) -> TraitSequence<Trait.Filtered, Element> {
    TraitSequence<Trait.Filtered, Element>(asObservable().filter(predicate))
  }
}

// MARK: Without a scheduler of their own

extension TraitSequenceType where Trait: UnscheduledTrait {
  /// Passes every event on through `scheduler`.
  // Proof of the attribute: without it the overload for the main scheduler would be ambiguous.
  @_disfavoredOverload
  public func observe(on scheduler: any ImmediateSchedulerType) -> TraitSequence<Trait, Element>
  where Element: Sendable {
    TraitSequence(asObservable().observe(on: scheduler))
  }

  /// Passes every event on through the main queue; elements may be of any kind.
  public func observe(on scheduler: MainScheduler) -> TraitSequence<Trait, Element> {
    TraitSequence(asObservable().observe(on: scheduler))
  }
}

// MARK: One event

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// Calls the handlers as the event passes, and changes nothing.
  public func `do`(
    onSuccess: ((Element) throws -> Void)? = nil, afterSuccess: ((Element) throws -> Void)? = nil,
    onError: ((any Error) throws -> Void)? = nil, afterError: ((any Error) throws -> Void)? = nil,
    onSubscribe: (() -> Void)? = nil, onSubscribed: (() -> Void)? = nil,
    onDispose: (() -> Void)? = nil
  ) -> Single<Element> {
    TraitSequence(
      asObservable().do(
        onNext: onSuccess, afterNext: afterSuccess, onError: onError, afterError: afterError,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }

  /// The same, with the right to have no element.
  public func asMaybe() -> Maybe<Element> { Maybe(asObservable()) }
}

extension PrimitiveSequenceType where Trait: EmptyableTrait {
  /// Calls the handlers as events pass, and changes nothing.
  public func `do`(
    onNext: ((Element) throws -> Void)? = nil, afterNext: ((Element) throws -> Void)? = nil,
    onError: ((any Error) throws -> Void)? = nil, afterError: ((any Error) throws -> Void)? = nil,
    onCompleted: (() throws -> Void)? = nil, afterCompleted: (() throws -> Void)? = nil,
    onSubscribe: (() -> Void)? = nil, onSubscribed: (() -> Void)? = nil,
    onDispose: (() -> Void)? = nil
  ) -> PrimitiveSequence<Trait, Element> {
    TraitSequence(
      asObservable().do(
        onNext: onNext, afterNext: afterNext, onError: onError, afterError: afterError,
        onCompleted: onCompleted, afterCompleted: afterCompleted,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }
}

extension PrimitiveSequenceType where Trait: ElementTrait {
  /// The same without the element: completes when this has had it.
  public func asCompletable() -> Completable {
    Completable(asObservable().terminationOnly())
  }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
  /// Subscribes to `second` once this has completed, and goes on with that.
  ///
  /// - Errors: an error of this one ends the output; `second` is not subscribed to.
  /// - SeeAlso: ReactiveX [Concat](https://reactivex.io/documentation/operators/concat.html).
  public func andThen<Next: PrimitiveTrait, Result>(
    _ second: PrimitiveSequence<Next, Result>
  ) -> PrimitiveSequence<Next, Result> {
    TraitSequence<Next, Result>(andThen(second.asObservable()))
  }

  /// Subscribes to `second` once this has completed, and goes on with that.
  public func andThen<Result>(_ second: Observable<Result>) -> Observable<Result> {
    asObservable().terminationOnly().followed { $0 == nil ? second : nil }
  }

  /// Completes when all of `sources` have; the first error ends it.
  ///
  /// - SeeAlso: ReactiveX [Merge](https://reactivex.io/documentation/operators/merge.html).
  public static func zip(_ sources: Completable...) -> Completable { zip(sources) }

  /// Completes when all of `sources` have; the first error ends it.
  public static func zip<Sources: Collection>(_ sources: Sources) -> Completable
  where Sources.Element == Completable {
    Completable(.merge(sources.map { $0.asObservable() }))
  }
}

// MARK: Any number of elements, and no error

extension TraitSequenceType where Trait: UnfailingTrait {
  /// The elements given, in order, then completion.
  public static func of(_ elements: Element...) -> TraitSequence<Trait, Element> { from(elements) }

  /// The elements of a Swift sequence, in order, then completion.
  public static func from<Elements: Sequence>(_ elements: Elements) -> TraitSequence<Trait, Element>
  where Elements.Element == Element {
    TraitSequence(raw: Trait.start(.from(elements)))
  }

  /// Calls the handlers as events pass, and changes nothing.
  public func `do`(
    onNext: ((Element) -> Void)? = nil, afterNext: ((Element) -> Void)? = nil,
    onCompleted: (() -> Void)? = nil, afterCompleted: (() -> Void)? = nil,
    onSubscribe: (() -> Void)? = nil, onSubscribed: (() -> Void)? = nil,
    onDispose: (() -> Void)? = nil
  ) -> TraitSequence<Trait, Element> {
    TraitSequence(
      asObservable().do(
        onNext: onNext, afterNext: afterNext, onCompleted: onCompleted,
        afterCompleted: afterCompleted, onSubscribe: onSubscribe, onSubscribed: onSubscribed,
        onDispose: onDispose))
  }

  /// Emits `elements` before anything else.
  public func startWith(_ elements: Element...) -> TraitSequence<Trait, Element> {
    TraitSequence(.from(elements).followed { _ in asObservable() })
  }

  /// Emits the first `count` elements, and completes with the last of them.
  public func take(_ count: Int) -> TraitSequence<Trait, Element> {
    TraitSequence(asObservable().take(count))
  }

  /// Emits until `other` emits its first element, then completes.
  public func take<Other: UnfailingTrait, Value>(
    until other: TraitSequence<Other, Value>
  ) -> TraitSequence<Trait, Element> {
    TraitSequence(asObservable().take(until: other.asObservable()))
  }

  /// Leaves out the first `count` elements.
  public func skip(_ count: Int) -> TraitSequence<Trait, Element> {
    TraitSequence(asObservable().skip(count))
  }

  /// Leaves out each element that is equal to the one before it.
  public func distinctUntilChanged() -> TraitSequence<Trait, Element> where Element: Equatable {
    TraitSequence(asObservable().distinctUntilChanged())
  }

  /// Leaves out each element whose value at `keyPath` is equal to that of the one before it.
  public func distinctUntilChanged<Property: Equatable>(
    at keyPath: KeyPath<Element, Property>
  ) -> TraitSequence<Trait, Element> {
    TraitSequence(asObservable().distinctUntilChanged(at: keyPath))
  }

  /// Leaves out each element whose key is equal to that of the one before it.
  public func distinctUntilChanged<Key: Equatable>(
    _ keySelector: @escaping (Element) -> Key
  ) -> TraitSequence<Trait, Element> {
    TraitSequence(asObservable().distinctUntilChanged(keySelector))
  }

  /// Leaves out each element that `comparer` finds equal to the one before it.
  public func distinctUntilChanged(
    _ comparer: @escaping (Element, Element) -> Bool
  ) -> TraitSequence<Trait, Element> {
    TraitSequence(asObservable().distinctUntilChanged(comparer))
  }

  /// Leaves out each element whose key `comparer` finds equal to that of the one before it.
  public func distinctUntilChanged<Key>(
    _ keySelector: @escaping (Element) -> Key, comparer: @escaping (Key, Key) -> Bool
  ) -> TraitSequence<Trait, Element> {
    TraitSequence(asObservable().distinctUntilChanged(keySelector, comparer: comparer))
  }

  /// Emits the elements of the sequence most recently returned by `selector`.
  public func flatMapLatest<Result>(
    _ selector: @escaping (Element) -> TraitSequence<Trait, Result>
  ) -> TraitSequence<Trait, Result> {
    TraitSequence<Trait, Result>(asObservable().flatMapLatest(selector))
  }

  /// Emits the elements of the sequence most recently emitted by this one.
  public func switchLatest<Result>() -> TraitSequence<Trait, Result>
  where Element == TraitSequence<Trait, Result> {
    flatMapLatest { $0 }
  }

  /// Emits what each sequence that arrives emits, as it comes.
  public func merge<Result>() -> TraitSequence<Trait, Result>
  where Element == TraitSequence<Trait, Result> {
    TraitSequence<Trait, Result>(asObservable().merge())
  }

  /// Emits what each of `sources` emits, as it comes.
  public static func merge(
    _ sources: TraitSequence<Trait, Element>...
  ) -> TraitSequence<Trait, Element> {
    merge(sources)
  }

  /// Emits what each of a collection of sources emits, as it comes.
  public static func merge<Sources: Collection>(_ sources: Sources) -> TraitSequence<Trait, Element>
  where Sources.Element == TraitSequence<Trait, Element> {
    TraitSequence(.merge(sources.map { $0.asObservable() }))
  }

  /// Emits, for each element, what `resultSelector` makes of it and of the latest one of `second`.
  public func withLatestFrom<Second, Result>(
    _ second: TraitSequence<Trait, Second>,
    resultSelector: @escaping (Element, Second) -> Result
  ) -> TraitSequence<Trait, Result> {
    TraitSequence<Trait, Result>(
      asObservable().withLatestFrom(second, resultSelector: resultSelector))
  }

  /// Emits, for each element, the latest one of `second`.
  public func withLatestFrom<Second>(
    _ second: TraitSequence<Trait, Second>
  ) -> TraitSequence<Trait, Second> {
    withLatestFrom(second, resultSelector: { $1 })
  }

  /// Emits what `resultSelector` makes of the latest elements of all `sources`, whenever one emits,
  /// once each has.
  public static func combineLatest<each Upstream>(
    _ sources: repeat TraitSequence<Trait, each Upstream>,
    resultSelector: @escaping (repeat each Upstream) -> Element
  ) -> TraitSequence<Trait, Element> {
    TraitSequence(.combineLatest(repeat each sources, resultSelector: resultSelector))
  }

  /// As `combineLatest(_:resultSelector:)` for any number of sources of one type.
  public static func combineLatest<Sources: Collection, Upstream>(
    _ sources: Sources, resultSelector: @escaping ([Upstream]) -> Element
  ) -> TraitSequence<Trait, Element> where Sources.Element == TraitSequence<Trait, Upstream> {
    TraitSequence(.combineLatest(sources, resultSelector: resultSelector))
  }

  /// Emits the latest elements of `sources`, whenever one emits, once each has.
  public static func combineLatest<Sources: Collection, Upstream>(
    _ sources: Sources
  ) -> TraitSequence<Trait, Element>
  where Sources.Element == TraitSequence<Trait, Upstream>, Element == [Upstream] {
    combineLatest(sources, resultSelector: { $0 })
  }
}

extension TraitSequenceType where Trait: UnfailingTrait, Element == Any {
  /// Emits the latest elements of all `sources` as a tuple, whenever one emits, once each has.
  public static func combineLatest<each Upstream>(
    _ sources: repeat TraitSequence<Trait, each Upstream>
  ) -> TraitSequence<Trait, (repeat each Upstream)> {
    TraitSequence<Trait, (repeat each Upstream)>(Observable.combineLatest(repeat each sources))
  }
}
