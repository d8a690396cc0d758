extension ObservableType {
  /// Emits `elements` before anything else.
  ///
  ///     source       --1--2--|
  ///     startWith(0) 0-1--2--|
  ///
  /// - Timing: synchronous, inside `subscribe`.
  /// - SeeAlso: ReactiveX [StartWith](https://reactivex.io/documentation/operators/startwith.html).
  public func startWith(_ elements: Element...) -> Observable<Element> {
    stage { source, downstream, context in
      for element in elements where context.isActive { downstream.next(element) }
      if context.isActive { source.run(downstream, in: context) }
    }
  }
}

// MARK: Merging

extension ObservableType {
  /// Emits what each of `sources` emits, as it comes.
  ///
  ///     a      --1-----3--|
  ///     b      ----2----------4--|
  ///     output --1-2---3------4--|
  ///
  /// - Timing: sources are subscribed to in order; elements pass on the thread that emits them, one
  ///   at a time. Completes with the last of them.
  /// - Errors: the first error of any source ends the output.
  /// - SeeAlso: ReactiveX [Merge](https://reactivex.io/documentation/operators/merge.html).
  public static func merge(_ sources: Observable<Element>...) -> Observable<Element> {
    merge(sources)
  }

  /// Emits what each of a collection of sources emits, as it comes.
  ///
  /// - SeeAlso: `merge(_:)` of single sources, for its events.
  public static func merge<Sources: Collection>(_ sources: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    Source<Observable<Element>> { observer, context in
      Trampoline.run { for source in sources where context.isActive { observer.next(source) } }
      observer.terminate(nil)
    }.merge()
  }
}

extension ObservableType where Element: ObservableConvertibleType {
  /// Emits what each observable that arrives emits, as it comes.
  ///
  ///     source ---a-----b-------|
  ///     a        --1--------3--|
  ///     b              --2-|
  ///     output -----1----2--3--|
  ///
  /// - Timing: on the thread that emits, one at a time. Completes with the last of them, the source
  ///   included.
  /// - Errors: the first error of any ends the output.
  /// - Lifetime: an inner subscription is released when it ends.
  /// - Complexity: O(1) per element; one inner subscription per observable.
  /// - SeeAlso: ReactiveX [Merge](https://reactivex.io/documentation/operators/merge.html).
  public func merge() -> Observable<Element.Element> {
    flattened { $0 }
  }
}

// MARK: Latest of each

extension ObservableType {
  /// Emits what `resultSelector` makes of the latest elements of all `sources`, whenever one emits,
  /// once each has.
  ///
  ///     a      --1-----2-------|
  ///     b      ----x------y-------|
  ///     output ----1x--2x-2y------|
  ///
  /// - Timing: sources are subscribed to in order; on the thread that emits, one at a time.
  ///   Completes with the last source, or when only one is left that cannot help another to its
  ///   first element.
  /// - Errors: the first error of any source, or one thrown by `resultSelector`, ends the output.
  /// - Lifetime: retains the latest element of each source.
  /// - Complexity: O(sources) per element, without allocating.
  /// - SeeAlso: ReactiveX
  ///   [CombineLatest](https://reactivex.io/documentation/operators/combinelatest.html).
  @inlinable public static func combineLatest<each Upstream: ObservableConvertibleType>(
    _ sources: repeat each Upstream,
    resultSelector: @escaping (repeat (each Upstream).Element) throws -> Element
  ) -> Observable<Element> {
    Combiner.output(
      of: repeat (each sources).asObservable(), isZip: false, combining: resultSelector)
  }

  /// As `combineLatest(_:resultSelector:)` for any number of sources of one type.
  ///
  /// - Timing: of no sources there is one result, that of no elements, then completion.
  public static func combineLatest<Sources: Collection>(
    _ sources: Sources, resultSelector: @escaping ([Sources.Element.Element]) throws -> Element
  ) -> Observable<Element> where Sources.Element: ObservableConvertibleType {
    Combiner.output(of: sources, isZip: false, combining: resultSelector)
  }

  /// Emits the latest elements of `sources`, whenever one emits, once each has.
  public static func combineLatest<Sources: Collection>(
    _ sources: Sources
  ) -> Observable<[Sources.Element.Element]>
  where Sources.Element: ObservableConvertibleType, Element == [Sources.Element.Element] {
    combineLatest(sources, resultSelector: { $0 })
  }
}

extension ObservableType where Element == Any {
  /// Emits the latest elements of all `sources` as a tuple, whenever one emits, once each has.
  ///
  /// - SeeAlso: ReactiveX
  ///   [CombineLatest](https://reactivex.io/documentation/operators/combinelatest.html).
  @inlinable public static func combineLatest<each Upstream: ObservableConvertibleType>(
    _ sources: repeat each Upstream
  ) -> Observable<(repeat (each Upstream).Element)> {
    Combiner.output(of: repeat (each sources).asObservable(), isZip: false) {
      (elements: repeat (each Upstream).Element) in (repeat each elements)
    }
  }
}

extension ObservableType {
  /// Emits, for each element, what `resultSelector` makes of it and of the latest one of `second`.
  ///
  ///     source --1-----2--3-----|
  ///     second ----x-----y------
  ///     output --------2x-3y----|
  ///
  /// - Timing: `second` is subscribed to first. Elements before its first one are left out; its
  ///   completion changes nothing.
  /// - Errors: the first error of either side, or one thrown by `resultSelector`, ends the output.
  /// - Lifetime: retains the latest element of `second`.
  /// - SeeAlso: ReactiveX
  ///   [CombineLatest](https://reactivex.io/documentation/operators/combinelatest.html).
  public func withLatestFrom<Second: ObservableConvertibleType, Result>(
    _ second: Second, resultSelector: @escaping (Element, Second.Element) throws -> Result
  ) -> Observable<Result> {
    meeting { first, downstream, junction in
      let latest = Slot<Second.Element>()
      junction.follow(second.asObservable(), next: latest.store, terminate: downstream.fail)
      junction.follow(
        first,
        next: { element in
          guard let other = latest.value else { return }
          downstream.attempt { downstream.next(try resultSelector(element, other)) }
        },
        terminate: downstream.terminate)
    }
  }

  /// Emits, for each element, the latest one of `second`.
  ///
  /// - SeeAlso: ``withLatestFrom(_:resultSelector:)``.
  public func withLatestFrom<Second: ObservableConvertibleType>(
    _ second: Second
  ) -> Observable<Second.Element> {
    withLatestFrom(second, resultSelector: { $1 })
  }
}

// MARK: With an object

extension ObservableType {
  /// Emits what `resultSelector` makes of `object` and each element; completes with the first
  /// element that comes when the object is gone.
  ///
  /// - Lifetime: `object` is held weakly.
  @inlinable public func withUnretained<Object: AnyObject, Result>(
    _ object: Object, resultSelector: @escaping (Object, Element) -> Result
  ) -> Observable<Result> {
    lift { [weak object] downstream in
      downstream.withNext { element in
        guard let object else { return downstream.terminate(nil) }
        downstream.next(resultSelector(object, element))
      }
    }
  }

  /// Emits each element with `object`; completes with the first that comes when the object is gone.
  ///
  /// - Lifetime: `object` is held weakly.
  @inlinable
  public func withUnretained<Object: AnyObject>(_ object: Object) -> Observable<(Object, Element)> {
    withUnretained(object) { ($0, $1) }
  }
}
