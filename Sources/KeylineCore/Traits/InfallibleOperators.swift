// The operators of the traits that cannot fail, infallible, driver and signal, as in
// TraitOperators.swift. Those that take sequences of other traits are in AcrossTraits.swift.

extension TraitSequenceType where Trait: UnfailingTrait {
  /// The elements given, in order, then completion.
  public static func of(_ elements: Element...) -> SameSequence { from(elements) }

  /// The elements of a Swift sequence, in order, then completion.
  public static func from(_ elements: some Sequence<Element>) -> SameSequence {
    SameSequence(raw: Trait.start(.from(elements)))
  }

  /// The value of an optional, if there is one, then completion.
  public static func from(optional: Element?) -> SameSequence { from(optional.map { [$0] } ?? []) }

  /// Calls the handlers as events pass, and changes nothing.
  public func `do`(
    onNext: ((Element) -> Void)? = nil, afterNext: ((Element) -> Void)? = nil,
    onCompleted: (() -> Void)? = nil, afterCompleted: (() -> Void)? = nil,
    onSubscribe: (() -> Void)? = nil, onSubscribed: (() -> Void)? = nil,
    onDispose: (() -> Void)? = nil
  ) -> SameSequence {
    SameSequence(
      source.do(
        onNext: onNext, afterNext: afterNext, onCompleted: onCompleted,
        afterCompleted: afterCompleted, onSubscribe: onSubscribe, onSubscribed: onSubscribed,
        onDispose: onDispose))
  }

  /// Emits `elements` before any element of the source.
  public func startWith(_ elements: Element...) -> SameSequence {
    SameSequence(.from(elements).concat(self))
  }

  /// Emits the first `count` elements, and completes with the last of them.
  public func take(_ count: Int) -> SameSequence { .init(source.take(count)) }

  /// Leaves out the first `count` elements.
  public func skip(_ count: Int) -> SameSequence { .init(source.skip(count)) }

  /// Emits as long as `predicate` is true, then completes.
  public func take(
    while predicate: @escaping (Element) -> Bool, behavior: TakeBehavior = .exclusive
  ) -> SameSequence {
    SameSequence(source.take(while: predicate, behavior: behavior))
  }

  /// Emits until `predicate` is true, then completes.
  public func take(
    until predicate: @escaping (Element) -> Bool, behavior: TakeBehavior = .exclusive
  ) -> SameSequence {
    SameSequence(source.take(until: predicate, behavior: behavior))
  }

  /// Emits the last `count` elements, on completion.
  public func takeLast(_ count: Int) -> SameSequence { .init(source.takeLast(count)) }

  /// Leaves out the elements before the first for which `predicate` is false.
  public func skip(while predicate: @escaping (Element) -> Bool) -> SameSequence {
    SameSequence(source.skip(while: predicate))
  }

  /// Emits each element with its index, from 0.
  public func enumerated() -> SameTrait<(index: Int, element: Element)> {
    SameTrait(source.enumerated())
  }

  /// Emits, for each element, the result of combining all elements so far with `accumulator`.
  public func scan<Result>(
    _ seed: Result, accumulator: @escaping (Result, Element) -> Result
  ) -> SameTrait<Result> {
    SameTrait(source.scan(seed, accumulator: accumulator))
  }

  /// Emits, for each element, a value updated by `accumulator` with all elements so far.
  public func scan<Result>(
    into seed: Result, accumulator: @escaping (inout Result, Element) -> Void
  ) -> SameTrait<Result> {
    SameTrait(source.scan(into: seed, accumulator: accumulator))
  }

  /// Emits `element` if the source completes without one.
  public func ifEmpty(default element: Element) -> SameSequence {
    SameSequence(source.ifEmpty(default: element))
  }

  /// Continues with `other` if the source completes without an element.
  public func ifEmpty(switchTo other: SameSequence) -> SameSequence {
    SameSequence(source.ifEmpty(switchTo: other.source))
  }

  /// Leaves out each element that is equal to the one before it.
  public func distinctUntilChanged() -> SameSequence where Element: Equatable {
    SameSequence(source.distinctUntilChanged())
  }

  /// Leaves out each element whose value at `keyPath` is equal to that of the one before it.
  public func distinctUntilChanged(at keyPath: KeyPath<Element, some Equatable>) -> SameSequence {
    SameSequence(source.distinctUntilChanged(at: keyPath))
  }

  /// Leaves out each element whose key is equal to that of the one before it.
  public func distinctUntilChanged<Key: Equatable>(
    _ keySelector: @escaping (Element) -> Key
  ) -> SameSequence {
    SameSequence(source.distinctUntilChanged(keySelector))
  }

  /// Leaves out each element for which `comparer`, given the one before it and the element, is
  /// true.
  public func distinctUntilChanged(
    _ comparer: @escaping (Element, Element) -> Bool
  ) -> SameSequence {
    SameSequence(source.distinctUntilChanged(comparer))
  }

  /// Leaves out each element for whose key `comparer`, given the key before it, is true.
  public func distinctUntilChanged<Key>(
    _ keySelector: @escaping (Element) -> Key, comparer: @escaping (Key, Key) -> Bool
  ) -> SameSequence {
    SameSequence(source.distinctUntilChanged(keySelector, comparer: comparer))
  }

  /// Emits the elements of the sequence most recently returned by `selector`.
  public func flatMapLatest<Result>(
    _ selector: @escaping (Element) -> SameTrait<Result>
  ) -> SameTrait<Result> {
    SameTrait(source.flatMapLatest(selector))
  }

  /// Emits the elements of a sequence returned by `selector`; elements that arrive before it has
  /// completed are left out.
  public func flatMapFirst<Result>(
    _ selector: @escaping (Element) -> SameTrait<Result>
  ) -> SameTrait<Result> {
    SameTrait(source.flatMapFirst(selector))
  }

  /// Emits the elements of the sequences returned by `selector`, one sequence after the other.
  public func concatMap<Result>(
    _ selector: @escaping (Element) -> SameTrait<Result>
  ) -> SameTrait<Result> {
    SameTrait(source.concatMap(selector))
  }

  /// Continues with `second` once this sequence has completed.
  public func concat(_ second: SameSequence) -> SameSequence { .init(source.concat(second)) }

  /// Emits the elements of all `sources`, one source after the other.
  public static func concat(_ sources: SameSequence...) -> SameSequence { concat(sources) }

  /// Emits the elements of all `sources`, one source after the other.
  public static func concat(_ sources: some Sequence<SameSequence>) -> SameSequence {
    SameSequence(.concat(sources.lazy.map { $0.asObservable() }))
  }

  /// Emits the result of `resultSelector` for `object`, referenced weakly, and each element;
  /// completes with the first element after the death of the object.
  public func withUnretained<Object: AnyObject, Result>(
    _ object: Object, resultSelector: @escaping (Object, Element) -> Result
  ) -> SameTrait<Result> {
    SameTrait(source.withUnretained(object, resultSelector: resultSelector))
  }

  /// Emits each element with `object`, referenced weakly; completes with the first element after
  /// the object's death.
  public func withUnretained<Object: AnyObject>(_ object: Object) -> SameTrait<(Object, Element)> {
    withUnretained(object) { ($0, $1) }
  }

  /// Emits the elements of all `sources`, as they emit them.
  public static func merge(_ sources: SameSequence...) -> SameSequence { merge(sources) }

  /// Emits the elements of all sources of a collection, as they emit them.
  public static func merge(_ sources: some Collection<SameSequence>) -> SameSequence {
    SameSequence(.merge(sources.map { $0.asObservable() }))
  }

  /// As `combineLatest(_:resultSelector:)` for any number of sources of one type.
  // Proof of the attribute, here and below: without it the overloads would be ambiguous.
  @_disfavoredOverload public static func combineLatest<Upstream>(
    _ sources: some Collection<SameTrait<Upstream>>,
    resultSelector: @escaping ([Upstream]) -> Element
  ) -> SameSequence {
    SameSequence(.combineLatest(sources, resultSelector: resultSelector))
  }

  /// The same as an operator of the sources' type: `Driver<Int>.combineLatest([a, b]) { … }`.
  public static func combineLatest<Result>(
    _ sources: some Collection<SameSequence>, resultSelector: @escaping ([Element]) -> Result
  ) -> SameTrait<Result> {
    SameTrait<Result>.combineLatest(sources, resultSelector: resultSelector)
  }

  /// Emits the latest elements of `sources`, whenever one emits, once each has.
  @_disfavoredOverload public static func combineLatest<Upstream>(
    _ sources: some Collection<SameTrait<Upstream>>
  ) -> SameSequence where Element == [Upstream] {
    combineLatest(sources, resultSelector: { $0 })
  }

  /// The same as an operator of the sources' type: `Driver<Int>.combineLatest([a, b])`.
  public static func combineLatest(
    _ sources: some Collection<SameSequence>
  ) -> SameTrait<[Element]> {
    SameTrait<[Element]>.combineLatest(sources, resultSelector: { $0 })
  }
}
