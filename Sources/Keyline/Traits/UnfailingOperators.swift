// The operators of sequences that cannot fail, as in TraitOperators.swift.

extension TraitSequenceType where Trait: UnfailingTrait {
  /// The elements given, in order, then completion.
  public static func of(_ elements: Element...) -> Same { from(elements) }

  /// The elements of a Swift sequence, in order, then completion.
  public static func from(_ elements: some Sequence<Element>) -> Same {
    Same(raw: Trait.start(.from(elements)))
  }

  /// The value of an optional, if there is one, then completion.
  public static func from(optional: Element?) -> Same { from(optional.map { [$0] } ?? []) }

  /// Calls the handlers as events pass, and changes nothing.
  public func `do`(
    onNext: ((Element) -> Void)? = nil, afterNext: ((Element) -> Void)? = nil,
    onCompleted: (() -> Void)? = nil, afterCompleted: (() -> Void)? = nil,
    onSubscribe: (() -> Void)? = nil, onSubscribed: (() -> Void)? = nil,
    onDispose: (() -> Void)? = nil
  ) -> Same {
    Same(
      source.do(
        onNext: onNext, afterNext: afterNext, onCompleted: onCompleted,
        afterCompleted: afterCompleted, onSubscribe: onSubscribe, onSubscribed: onSubscribed,
        onDispose: onDispose))
  }

  /// Emits `elements` before anything else.
  public func startWith(_ elements: Element...) -> Same { Same(.from(elements).concat(self)) }

  /// Emits the first `count` elements, and completes with the last of them.
  public func take(_ count: Int) -> Same { Same(source.take(count)) }

  /// Emits until `other` emits its first element, then completes.
  public func take<Other: UnfailingTrait, Value>(until other: TraitSequence<Other, Value>) -> Same {
    Same(source.take(until: other.source))
  }

  /// Leaves out the first `count` elements.
  public func skip(_ count: Int) -> Same { Same(source.skip(count)) }

  /// Emits while `predicate` holds, then completes.
  public func take(
    while predicate: @escaping (Element) -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Same {
    Same(source.take(while: predicate, behavior: behavior))
  }

  /// Emits until `predicate` holds, then completes.
  public func take(
    until predicate: @escaping (Element) -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Same {
    Same(source.take(until: predicate, behavior: behavior))
  }

  /// Emits the last `count` elements, on completion.
  public func takeLast(_ count: Int) -> Same { Same(source.takeLast(count)) }

  /// Leaves out the elements before the first for which `predicate` is false.
  public func skip(while predicate: @escaping (Element) -> Bool) -> Same {
    Same(source.skip(while: predicate))
  }

  /// Leaves out what comes before the first element of `other`.
  public func skip<Other: UnfailingTrait, Value>(until other: TraitSequence<Other, Value>) -> Same {
    Same(source.skip(until: other.source))
  }

  /// Emits each element with its index, from 0.
  public func enumerated() -> Kind<(index: Int, element: Element)> { Kind(source.enumerated()) }

  /// Emits what `accumulator` makes of its last result, at first `seed`, and each element.
  public func scan<Result>(
    _ seed: Result, accumulator: @escaping (Result, Element) -> Result
  ) -> Kind<Result> {
    Kind(source.scan(seed, accumulator: accumulator))
  }

  /// Emits what `accumulator` has made of its last result, at first `seed`, with each element.
  public func scan<Result>(
    into seed: Result, accumulator: @escaping (inout Result, Element) -> Void
  ) -> Kind<Result> {
    Kind(source.scan(into: seed, accumulator: accumulator))
  }

  /// Emits `element` if the source completes without one.
  public func ifEmpty(default element: Element) -> Same { Same(source.ifEmpty(default: element)) }

  /// Goes on with `other` if the source completes without an element.
  public func ifEmpty(switchTo other: Same) -> Same { Same(source.ifEmpty(switchTo: other.source)) }

  /// Leaves out each element that is equal to the one before it.
  public func distinctUntilChanged() -> Same where Element: Equatable {
    Same(source.distinctUntilChanged())
  }

  /// Leaves out each element whose value at `keyPath` is equal to that of the one before it.
  public func distinctUntilChanged(at keyPath: KeyPath<Element, some Equatable>) -> Same {
    Same(source.distinctUntilChanged(at: keyPath))
  }

  /// Leaves out each element whose key is equal to that of the one before it.
  public func distinctUntilChanged<Key: Equatable>(
    _ keySelector: @escaping (Element) -> Key
  ) -> Same {
    Same(source.distinctUntilChanged(keySelector))
  }

  /// Leaves out each element that `comparer` finds equal to the one before it.
  public func distinctUntilChanged(_ comparer: @escaping (Element, Element) -> Bool) -> Same {
    Same(source.distinctUntilChanged(comparer))
  }

  /// Leaves out each element whose key `comparer` finds equal to that of the one before it.
  public func distinctUntilChanged<Key>(
    _ keySelector: @escaping (Element) -> Key, comparer: @escaping (Key, Key) -> Bool
  ) -> Same {
    Same(source.distinctUntilChanged(keySelector, comparer: comparer))
  }

  /// Emits the elements of the sequence most recently returned by `selector`.
  public func flatMapLatest<Result>(
    _ selector: @escaping (Element) -> Kind<Result>
  ) -> Kind<Result> {
    Kind(source.flatMapLatest(selector))
  }

  /// Emits the elements of the sequence most recently emitted by this one.
  public func switchLatest<Result>() -> Kind<Result> where Element == Kind<Result> {
    flatMapLatest { $0 }
  }

  /// Emits what a sequence made by `selector` emits; elements that arrive before it has completed are
  /// left out.
  public func flatMapFirst<Result>(
    _ selector: @escaping (Element) -> Kind<Result>
  ) -> Kind<Result> {
    Kind(source.flatMapFirst(selector))
  }

  /// Emits what the sequences made by `selector` emit, one after the other.
  public func concatMap<Result>(_ selector: @escaping (Element) -> Kind<Result>) -> Kind<Result> {
    Kind(source.concatMap(selector))
  }

  /// Goes on with `second` once this has completed.
  public func concat(_ second: Same) -> Same { Same(source.concat(second)) }

  /// Emits what each of `sources` emits, one after the other.
  public static func concat(_ sources: Same...) -> Same { concat(sources) }

  /// Emits what each of `sources` emits, one after the other.
  public static func concat(_ sources: some Sequence<Same>) -> Same {
    Same(.concat(sources.lazy.map { $0.asObservable() }))
  }

  /// Emits what each sequence that arrives emits, at most `maxConcurrent` of them at a time.
  public func merge<Result>(maxConcurrent: Int) -> Kind<Result> where Element == Kind<Result> {
    Kind(source.merge(maxConcurrent: maxConcurrent))
  }

  /// Emits what `resultSelector` makes of `object` and each element; completes with the first
  /// element that comes when the object, held weakly, is gone.
  public func withUnretained<Object: AnyObject, Result>(
    _ object: Object, resultSelector: @escaping (Object, Element) -> Result
  ) -> Kind<Result> {
    Kind(source.withUnretained(object, resultSelector: resultSelector))
  }

  /// Emits each element with `object`; completes with the first that comes when the object, held
  /// weakly, is gone.
  public func withUnretained<Object: AnyObject>(_ object: Object) -> Kind<(Object, Element)> {
    withUnretained(object) { ($0, $1) }
  }

  /// Emits what each sequence that arrives emits, as it comes.
  public func merge<Result>() -> Kind<Result> where Element == Kind<Result> { Kind(source.merge()) }

  /// Emits what each of `sources` emits, as it comes.
  public static func merge(_ sources: Same...) -> Same { merge(sources) }

  /// Emits what each of a collection of sources emits, as it comes.
  public static func merge(_ sources: some Collection<Same>) -> Same {
    Same(.merge(sources.map { $0.asObservable() }))
  }

  /// Emits, for each element, what `resultSelector` makes of it and of the latest one of `second`.
  public func withLatestFrom<Second, Result>(
    _ second: Kind<Second>,
    resultSelector: @escaping (Element, Second) -> Result
  ) -> Kind<Result> {
    Kind(source.withLatestFrom(second, resultSelector: resultSelector))
  }

  /// Emits, for each element, the latest one of `second`.
  public func withLatestFrom<Second>(_ second: Kind<Second>) -> Kind<Second> {
    withLatestFrom(second, resultSelector: { $1 })
  }

  /// Emits what `resultSelector` makes of the latest elements of all `sources`, whenever one emits,
  /// once each has.
  public static func combineLatest<each Upstream>(
    _ sources: repeat Kind<each Upstream>,
    resultSelector: @escaping (repeat each Upstream) -> Element
  ) -> Same {
    Same(.combineLatest(repeat each sources, resultSelector: resultSelector))
  }

  /// As `combineLatest(_:resultSelector:)` for any number of sources of one type.
  public static func combineLatest<Upstream>(
    _ sources: some Collection<Kind<Upstream>>, resultSelector: @escaping ([Upstream]) -> Element
  ) -> Same {
    Same(.combineLatest(sources, resultSelector: resultSelector))
  }

  /// Emits the latest elements of `sources`, whenever one emits, once each has.
  public static func combineLatest<Upstream>(_ sources: some Collection<Kind<Upstream>>) -> Same
  where Element == [Upstream] {
    combineLatest(sources, resultSelector: { $0 })
  }
}

extension TraitSequenceType where Trait: UnfailingTrait, Element == Any {
  /// Emits the latest elements of all `sources` as a tuple, whenever one emits, once each has.
  public static func combineLatest<each Upstream>(
    _ sources: repeat Kind<each Upstream>
  ) -> Kind<(repeat each Upstream)> {
    Kind(Observable.combineLatest(repeat each sources))
  }
}
