extension ObservableType {
  /// Emits what `resultSelector` makes of the first elements of all `sources`, then of the second
  /// ones, and so on.
  ///
  ///     a      --1--2--------3--|
  ///     b      ----x-----y--------z--|
  ///     output ----1x----2y-------3z-|
  ///
  /// - Timing: sources are subscribed to in order; on the thread that emits, one at a time.
  ///   Completes with the last source, or when an element comes that finds no partner and no source
  ///   left that could send one.
  /// - Errors: the first error of any source, or one thrown by `resultSelector`, ends the output.
  /// - Lifetime: retains the elements that wait for a partner.
  /// - Complexity: O(sources) per element, amortised.
  /// - SeeAlso: ReactiveX [Zip](https://reactivex.io/documentation/operators/zip.html).
  @inlinable public static func zip<each Upstream: ObservableConvertibleType>(
    _ sources: repeat each Upstream,
    resultSelector: @escaping (repeat (each Upstream).Element) throws -> Element
  ) -> Observable<Element> {
    Combiner.output(
      of: repeat (each sources).asObservable(), isZip: true, combining: resultSelector)
  }

  /// As `zip(_:resultSelector:)` for any number of sources of one type.
  ///
  /// - Timing: no sources, no elements: completes at once.
  public static func zip<Sources: Collection>(
    _ sources: Sources, resultSelector: @escaping ([Sources.Element.Element]) throws -> Element
  ) -> Observable<Element> where Sources.Element: ObservableConvertibleType {
    Combiner.output(of: sources, isZip: true, combining: resultSelector)
  }

  /// Emits the first elements of all `sources`, then the second ones, and so on.
  public static func zip<Sources: Collection>(
    _ sources: Sources
  ) -> Observable<[Sources.Element.Element]>
  where Sources.Element: ObservableConvertibleType, Element == [Sources.Element.Element] {
    zip(sources, resultSelector: { $0 })
  }
}

extension ObservableType where Element == Any {
  /// Emits the first elements of all `sources` as a tuple, then the second ones, and so on.
  ///
  /// - SeeAlso: ReactiveX [Zip](https://reactivex.io/documentation/operators/zip.html).
  @inlinable public static func zip<each Upstream: ObservableConvertibleType>(
    _ sources: repeat each Upstream
  ) -> Observable<(repeat (each Upstream).Element)> {
    Combiner.output(of: repeat (each sources).asObservable(), isZip: true) {
      (elements: repeat (each Upstream).Element) in (repeat each elements)
    }
  }
}
