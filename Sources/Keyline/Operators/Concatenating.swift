extension ObservableType {
  /// Emits what `second` emits once this one has completed.
  ///
  ///     source --1--2--|
  ///     second         --3--|
  ///     output --1--2----3--|
  ///
  /// - Timing: `second` is subscribed to when this one has completed and has been left.
  /// - Errors: the first error ends the output.
  /// - SeeAlso: ReactiveX [Concat](https://reactivex.io/documentation/operators/concat.html).
  public func concat<Second: ObservableConvertibleType>(_ second: Second) -> Observable<Element>
  where Second.Element == Element {
    .concat(asObservable(), second.asObservable())
  }

  /// Emits what each of `sources` emits, one after the other.
  ///
  /// - SeeAlso: ReactiveX [Concat](https://reactivex.io/documentation/operators/concat.html).
  public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
    concat(sources)
  }

  /// Emits what each of `sources` emits, one after the other.
  ///
  /// - Timing: each is subscribed to when the one before has completed and has been left; any number
  ///   may complete synchronously without growing the stack. No sources: completes at once.
  /// - Errors: the first error ends the output.
  /// - Parameter sources: asked for a source when it is needed; it may be infinite.
  /// - SeeAlso: ReactiveX [Concat](https://reactivex.io/documentation/operators/concat.html).
  public static func concat<Sources: Sequence>(_ sources: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    .following(sources) { $0 == nil }
  }
}

extension ObservableType where Element: ObservableConvertibleType {
  /// Emits what each observable that arrives emits, one after the other.
  ///
  /// - SeeAlso: ``merge(maxConcurrent:)``, of which it is the case of one.
  public func concat() -> Observable<Element.Element> { merge(maxConcurrent: 1) }

  /// Emits what each observable that arrives emits, as it comes, from `maxConcurrent` at a time.
  ///
  ///     source   a-b-c------|
  ///     a        --1---2--|
  ///     b          --3--|
  ///     c               ---4--|
  ///     merge(2) --1-3-2---4--|
  ///
  /// - Timing: one that arrives when so many are running is subscribed to, in order, when one of
  ///   them has completed and has been left; any number may complete synchronously without growing
  ///   the stack. Completes with the last of them, the source included.
  /// - Errors: the first error of any ends the output.
  /// - Lifetime: retains the observables that wait.
  /// - Parameter maxConcurrent: how many; fewer than one are taken for one, and reported.
  /// - SeeAlso: ReactiveX [Merge](https://reactivex.io/documentation/operators/merge.html).
  public func merge(maxConcurrent: Int) -> Observable<Element.Element> {
    if maxConcurrent < 1 {
      Diagnostics.report(.misuse, "merge(maxConcurrent: \(maxConcurrent)) would run nothing")
    }
    return flattened({ $0 }, maxConcurrent: max(1, maxConcurrent))
  }
}
