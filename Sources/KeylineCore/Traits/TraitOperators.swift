// The operators of traits, each declared once: the operator of ``ObservableType`` with the same
// name, documented there, with its result wrapped in the trait. The comments here note the
// differences.

extension TraitSequenceType where Trait: ElementTrait {
  /// One element, then completion.
  public static func just(_ element: Element) -> SameSequence {
    SameSequence(raw: Trait.start(.just(element)))
  }

  /// Emits the result of `transform` for each element.
  @inlinable public func map<Result>(
    _ transform: @escaping (Element) throws(Trait.Failure) -> Result
  ) -> SameTrait<Result> {
    SameTrait(source.map(transform))
  }

  /// Emits the result of `transform` for each element, unless it is nil. A single becomes a maybe.
  @inlinable public func compactMap<Result>(
    _ transform: @escaping (Element) throws(Trait.Failure) -> Result?
  ) -> TraitSequence<Trait.Filtered, Result> {
    TraitSequence(source.compactMap(transform))
  }

  /// Emits the elements for which `predicate` is true. A single becomes a maybe.
  @inlinable public func filter(
    _ predicate: @escaping (Element) throws(Trait.Failure) -> Bool
  ) -> TraitSequence<Trait.Filtered, Element> {
    TraitSequence(source.filter(predicate))
  }

  /// Emits the elements of all sequences returned by `selector`, as they emit them.
  public func flatMap<Result>(
    _ selector: @escaping (Element) throws(Trait.Failure) -> SameTrait<Result>
  ) -> SameTrait<Result> {
    SameTrait(source.flatMap(selector))
  }

  /// As `zip(_:resultSelector:)` for any number of sources of one type.
  public static func zip<Upstream>(
    _ sources: some Collection<SameTrait<Upstream>>,
    resultSelector: @escaping ([Upstream]) throws(Trait.Failure) -> Element
  ) -> SameSequence {
    SameSequence(Trait.zipMode.output(of: sources, combining: resultSelector))
  }

  /// Emits the first elements of all `sources` in an array, then the second ones, and so on.
  public static func zip(_ sources: some Collection<SameSequence>) -> SameTrait<[Element]> {
    SameTrait<[Element]>.zip(sources, resultSelector: { $0 })
  }
}
