// The operators of the traits that cannot fail, infallible, driver and signal, as in
// TraitOperators.swift. Those that take sequences of other traits are in AcrossTraits.swift.

extension TraitSequenceType where Trait.Failure == Never {
  /// Emits each element with its index, from 0.
  public func enumerated() -> SameTrait<(index: Int, element: Element)> {
    SameTrait(source.enumerated())
  }

  /// Emits each element with the one before it, from the second element on.
  public func withPrevious() -> SameTrait<(previous: Element, current: Element)> {
    SameTrait(source.withPrevious())
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

  /// Continues with `second` once this sequence has completed.
  public func concat(_ second: SameSequence) -> SameSequence { .init(source.concat(second)) }

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

  /// As `combineLatest(_:resultSelector:)` for any number of sources of one type.
  public static func combineLatest<Upstream>(
    _ sources: some Collection<SameTrait<Upstream>>,
    resultSelector: @escaping ([Upstream]) -> Element
  ) -> SameSequence {
    SameSequence(.combineLatest(sources, resultSelector: resultSelector))
  }

  /// Emits the latest elements of `sources`, whenever one emits, once each has.
  public static func combineLatest(
    _ sources: some Collection<SameSequence>
  ) -> SameTrait<[Element]> {
    SameTrait<[Element]>.combineLatest(sources, resultSelector: { $0 })
  }
}
