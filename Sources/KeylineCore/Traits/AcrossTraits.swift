// The operators of infallible, driver and signal that take sequences of other traits. There is one
// rule for each of the two ways in which sequences meet:
//
// - A sequence *combined* with another becomes a part of it: `combineLatest`, `zip`,
//   `withLatestFrom`, `sample`. The result has the trait of the other sequence. Any sequence that cannot
//   fail may become a part, and is delivered where the trait delivers. Of `take(until:)` and
//   `skip(until:)`, in Operators, a sequence that may fail becomes a part, too.
// - A sequence that *takes the place* of another determines the trait of the result: `flatMap` and its
//   relatives, `switchLatest`, `merge`. A driver flattened into signals is a signal. The sequences
//   that an infallible is flattened into become infallible, whatever they were.

extension ObservableConvertibleType {
  /// The elements as a part of a sequence of `trait`: delivered where that delivers.
  ///
  /// - Errors: an error goes to ``Hooks/defaultErrorHandler`` and completes the part, unless `trait` may
  ///   fail.
  func joined<Trait: TraitType>(to trait: Trait.Type) -> Observable<Element> {
    guard Trait.Failure.self == Never.self else { return asObservable() }
    if let own = Self.self as? any TraitSequenceType.Type, own.isDelivered(as: trait) {
      return asObservable()
    }
    return Trait.deliver(asObservable()).catch { error in
      Hooks.report(unhandled: error)
      return .empty()
    }
  }
}

extension TraitSequenceType {
  /// Whether this trait delivers where `trait` delivers: drivers and signals share a scheduler.
  fileprivate static func isDelivered(as trait: any TraitType.Type) -> Bool {
    let shared: [any TraitType.Type] = [DriverSharingStrategy.self, SignalSharingStrategy.self]
    if shared.contains(where: { $0 == Trait.self }) { return shared.contains { $0 == trait } }
    return Trait.self == trait
  }
}

// MARK: Combining

extension TraitSequenceType where Trait.Failure == Never {
  /// Emits, for each element, the result of `resultSelector` for it and the latest element of
  /// `second`.
  public func withLatestFrom<Second: UnfailingType, Result>(
    _ second: Second, resultSelector: @escaping (Element, Second.Element) -> Result
  ) -> SameTrait<Result> {
    SameTrait(source.withLatestFrom(second.joined(to: Trait.self), resultSelector: resultSelector))
  }

  /// Emits, for each element, the latest element of `second`.
  public func withLatestFrom<Second: UnfailingType>(_ second: Second) -> SameTrait<Second.Element> {
    withLatestFrom(second, resultSelector: { $1 })
  }

  /// Emits, whenever `sampler` emits or completes, the latest element emitted since the last time,
  /// or else `defaultValue`.
  public func sample(_ sampler: some UnfailingType, defaultValue: Element? = nil) -> SameSequence {
    SameSequence(source.sample(sampler.joined(to: Trait.self), defaultValue: defaultValue))
  }

  /// Emits the result of `resultSelector` for the latest elements of all `sources`, whenever one
  /// emits, once each has.
  public static func combineLatest<First: UnfailingType, each Other: UnfailingType>(
    _ first: First, _ others: repeat each Other,
    resultSelector: @escaping (First.Element, repeat (each Other).Element) -> Element
  ) -> SameSequence {
    SameSequence(
      .combineLatest(
        first.joined(to: Trait.self), repeat (each others).joined(to: Trait.self),
        resultSelector: resultSelector))
  }

  /// Emits the result of `resultSelector` for the first elements of all `sources`, then for the
  /// second ones, and so on.
  public static func zip<First: UnfailingType, each Other: UnfailingType>(
    _ first: First, _ others: repeat each Other,
    resultSelector: @escaping (First.Element, repeat (each Other).Element) -> Element
  ) -> SameSequence {
    SameSequence(
      .zip(
        first.joined(to: Trait.self), repeat (each others).joined(to: Trait.self),
        resultSelector: resultSelector))
  }
}

extension TraitSequenceType where Trait.Failure == Never, Element == Any {
  /// Emits the latest elements of all `sources` as a tuple, whenever one emits, once each has.
  public static func combineLatest<each Source: UnfailingType>(
    _ sources: repeat each Source
  ) -> SameTrait<(repeat (each Source).Element)> {
    SameTrait(Observable.combineLatest(repeat (each sources).joined(to: Trait.self)))
  }

  /// Emits the first elements of all `sources` as a tuple, then the second ones, and so on.
  public static func zip<each Source: UnfailingType>(
    _ sources: repeat each Source
  ) -> SameTrait<(repeat (each Source).Element)> {
    SameTrait(Observable.zip(repeat (each sources).joined(to: Trait.self)))
  }
}

// MARK: Drivers and signals

// Declared for the protocol itself: an overload such as `map(to:)` that a program adds to the protocol
// would otherwise hide the operators of all traits, because a trailing closure may be its argument.
extension SharedSequenceConvertibleType {
  /// Emits the result of `transform` for each element.
  @inlinable public func map<Result>(
    _ transform: @escaping (Element) -> Result
  ) -> SharedSequence<SharingStrategy, Result> {
    SharedSequence(source.map(transform))
  }

  /// Emits the result of `transform` for each element, unless it is nil.
  @inlinable public func compactMap<Result>(
    _ transform: @escaping (Element) -> Result?
  ) -> SharedSequence<SharingStrategy, Result> {
    SharedSequence(source.compactMap(transform))
  }

  /// Emits the elements for which `predicate` is true.
  @inlinable public func filter(
    _ predicate: @escaping (Element) -> Bool
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(source.filter(predicate))
  }

  /// Emits the elements of all sequences returned by `selector`, as they emit them.
  public func flatMap<Inner: SharingStrategyProtocol, Result>(
    _ selector: @escaping (Element) -> SharedSequence<Inner, Result>
  ) -> SharedSequence<Inner, Result> {
    SharedSequence(source.flatMap(selector))
  }

  /// Emits the elements of the sequence most recently returned by `selector`.
  public func flatMapLatest<Inner: SharingStrategyProtocol, Result>(
    _ selector: @escaping (Element) -> SharedSequence<Inner, Result>
  ) -> SharedSequence<Inner, Result> {
    SharedSequence(source.flatMapLatest(selector))
  }

  /// Emits the elements of a sequence returned by `selector`; elements that arrive before it has
  /// completed are left out.
  public func flatMapFirst<Inner: SharingStrategyProtocol, Result>(
    _ selector: @escaping (Element) -> SharedSequence<Inner, Result>
  ) -> SharedSequence<Inner, Result> {
    SharedSequence(source.flatMapFirst(selector))
  }

  /// Emits the elements of the sequences returned by `selector`, one sequence after the other.
  public func concatMap<Inner: SharingStrategyProtocol, Result>(
    _ selector: @escaping (Element) -> SharedSequence<Inner, Result>
  ) -> SharedSequence<Inner, Result> {
    SharedSequence(source.concatMap(selector))
  }
}

extension SharedSequenceConvertibleType where Element: SharedSequenceConvertibleType {
  /// Emits the elements of the sequence most recently emitted by this one.
  public func switchLatest() -> SharedSequence<Element.SharingStrategy, Element.Element> {
    SharedSequence(source.switchLatest())
  }

  /// Emits the elements of all sequences that arrive, as they emit them.
  public func merge() -> SharedSequence<Element.SharingStrategy, Element.Element> {
    SharedSequence(source.merge())
  }

  /// Emits the elements of all sequences that arrive, with at most `maxConcurrent` subscriptions at
  /// a time.
  public func merge(
    maxConcurrent: Int
  ) -> SharedSequence<Element.SharingStrategy, Element.Element> {
    SharedSequence(source.merge(maxConcurrent: maxConcurrent))
  }
}

// MARK: Flattening infallibles

extension InfallibleType {
  /// Emits the elements of all sequences returned by `selector`, as they emit them.
  ///
  /// - Errors: an error of one of them goes to ``Hooks/defaultErrorHandler`` and completes that
  ///   one. The same holds for all operators that flatten an infallible.
  public func flatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) -> Source
  ) -> Infallible<Source.Element> {
    Infallible(source.flatMap { selector($0).joined(to: Trait.self) })
  }

  /// Emits the elements of the sequence most recently returned by `selector`.
  public func flatMapLatest<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) -> Source
  ) -> Infallible<Source.Element> {
    Infallible(source.flatMapLatest { selector($0).joined(to: Trait.self) })
  }

  /// Emits the elements of a sequence returned by `selector`; elements that arrive before it has
  /// completed are left out.
  public func flatMapFirst<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) -> Source
  ) -> Infallible<Source.Element> {
    Infallible(source.flatMapFirst { selector($0).joined(to: Trait.self) })
  }

  /// Emits the elements of the sequences returned by `selector`, one sequence after the other.
  public func concatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) -> Source
  ) -> Infallible<Source.Element> {
    Infallible(source.concatMap { selector($0).joined(to: Trait.self) })
  }
}

extension InfallibleType where Element: ObservableConvertibleType {
  /// Emits the elements of the sequence most recently emitted by this one.
  public func switchLatest() -> Infallible<Element.Element> { flatMapLatest { $0 } }

  /// Emits the elements of all sequences that arrive, as they emit them.
  public func merge() -> Infallible<Element.Element> { flatMap { $0 } }

  /// Emits the elements of all sequences that arrive, with at most `maxConcurrent` subscriptions at
  /// a time.
  public func merge(maxConcurrent: Int) -> Infallible<Element.Element> {
    Infallible(source.map { $0.joined(to: Trait.self) }.merge(maxConcurrent: maxConcurrent))
  }
}
