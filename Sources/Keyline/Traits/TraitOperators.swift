// Each operator of the traits, once: the one of ``ObservableType`` under the same name, which its
// comment describes, with the trait put back around the result. What is said here is what differs.

extension TraitSequenceType {
  /// Nothing, for ever.
  public static func never() -> Same { Same(raw: .never()) }

  /// Whatever `factory` returns, made anew for every subscription.
  public static func deferred(_ factory: @escaping () throws(Trait.Failure) -> Same) -> Same {
    Same(.deferred { try factory().source })
  }

  /// Prints what happens, and changes nothing.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file,
    line: UInt = #line, function: String = #function
  ) -> Same {
    Same(
      source.debug(
        identifier, trimOutput: trimOutput, file: file, line: line, function: function))
  }
}

extension TraitSequenceType where Trait: EmptyableTrait {
  /// Completion, at once.
  public static func empty() -> Same { Same(raw: Trait.start(.empty())) }
}

// MARK: With elements

extension TraitSequenceType where Trait: ElementTrait {
  /// One element, then completion.
  public static func just(_ element: Element) -> Same { Same(raw: Trait.start(.just(element))) }

  /// Emits what `transform` makes of each element.
  @inlinable public func map<Result>(
    _ transform: @escaping (Element) throws(Trait.Failure) -> Result
  ) -> Kind<Result> {
    Kind(source.map(transform))
  }

  /// Emits what `transform` makes of each element, unless that is nil. A single becomes a maybe.
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

  /// Emits what each sequence made by `selector` emits, as it comes.
  public func flatMap<Result>(
    _ selector: @escaping (Element) throws(Trait.Failure) -> Kind<Result>
  ) -> Kind<Result> {
    Kind(source.flatMap(selector))
  }

  /// Emits what `resultSelector` makes of the first elements of all `sources`, then of the second
  /// ones, and so on.
  public static func zip<each Upstream>(
    _ sources: repeat Kind<each Upstream>,
    resultSelector: @escaping (repeat each Upstream) throws(Trait.Failure) -> Element
  ) -> Same {
    Same(.zip(repeat each sources, resultSelector: resultSelector))
  }

  /// As `zip(_:resultSelector:)` for any number of sources of one type.
  public static func zip<Upstream>(
    _ sources: some Collection<Kind<Upstream>>,
    resultSelector: @escaping ([Upstream]) throws(Trait.Failure) -> Element
  ) -> Same {
    Same(.zip(sources, resultSelector: resultSelector))
  }

  /// Emits the first elements of all `sources` in an array, then the second ones, and so on.
  public static func zip<Upstream>(_ sources: some Collection<Kind<Upstream>>) -> Same
  where Element == [Upstream] {
    Same(.zip(sources))
  }
}

extension TraitSequenceType where Trait: ElementTrait, Element == Any {
  /// Emits the first elements of all `sources` as a tuple, then the second ones, and so on.
  public static func zip<each Upstream>(
    _ sources: repeat Kind<each Upstream>
  ) -> Kind<(repeat each Upstream)> {
    Kind(Observable.zip(repeat each sources))
  }
}

// MARK: Without a scheduler of their own

extension TraitSequenceType where Trait: UnscheduledTrait & ElementTrait {
  /// One element, on `scheduler`, then completion.
  public static func just(
    _ element: Element, scheduler: any ImmediateSchedulerType
  ) -> Same where Element: Sendable {
    Same(.just(element, scheduler: scheduler))
  }
}
