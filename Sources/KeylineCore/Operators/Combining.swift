// The operators that combine several sequences. `merge` and `switchLatest`, which go with
// `flatMap`, are in Flattening.swift.

extension ObservableSequenceType
where Trait: MultiElementTrait, SameSequence: ObservableConvertibleType<Element> {
  // MARK: One after the other

  /// Emits `elements` before any element of the source.
  ///
  ///     source       --1--2--|
  ///     startWith(0) 0-1--2--|
  ///
  /// - Timing: synchronous, inside `subscribe`.
  /// - SeeAlso: ReactiveX [StartWith](https://reactivex.io/documentation/operators/startwith.html).
  public func startWith(_ elements: Element...) -> SameSequence {
    let started = asObservable().stage { source, downstream, context in
      for element in elements where context.isActive { downstream.next(element) }
      if context.isActive { source.run(downstream, in: context) }
    }
    return Self._wrap(started)
  }

  /// Emits the elements of all `sources`, one source after the other.
  ///
  /// - SeeAlso: ReactiveX [Concat](https://reactivex.io/documentation/operators/concat.html).
  public static func concat(_ sources: SameSequence...) -> SameSequence { concat(sources) }

  /// Emits the elements of all `sources`, one source after the other; each is released when it has ended.
  ///
  /// - SeeAlso: `concat(_:)` of a sequence, for timing and errors.
  public static func concat(_ sources: [SameSequence]) -> SameSequence { concat(sources.consumed) }

  /// Emits the elements of all `sources`, one source after the other.
  ///
  /// - Timing: each is subscribed to when the one before has completed and been released; any
  ///   number may complete synchronously without growing the stack. Without sources, completes at
  ///   once.
  /// - Errors: the first error ends the output.
  /// - Parameter sources: iterated lazily, one source at a time; may be infinite.
  /// - SeeAlso: ReactiveX [Concat](https://reactivex.io/documentation/operators/concat.html).
  public static func concat<Sources: Sequence>(_ sources: Sources) -> SameSequence
  where Sources.Element == SameSequence {
    _wrap(Observable.concat(sources.lazy.map { $0.asObservable() }, while: { $0 == nil }))
  }
}

extension ObservableType {
  /// Emits the elements of `second` once this sequence has completed.
  ///
  ///     source --1--2--|
  ///     second         --3--|
  ///     output --1--2----3--|
  ///
  /// - Timing: `second` is subscribed to when this sequence has completed and been released.
  /// - Errors: the first error ends the output.
  /// - SeeAlso: ReactiveX [Concat](https://reactivex.io/documentation/operators/concat.html).
  public func concat<Second: ObservableConvertibleType>(_ second: Second) -> Observable<Element>
  where Second.Element == Element {
    .concat(asObservable(), second.asObservable())
  }

  /// Emits the elements of one source after the other, as long as `continues` returns true for the
  /// termination of each; terminates with the termination of the last source.
  static func concat<Sources: Sequence>(
    _ sources: Sources, named name: StaticString = #function,
    while continues: @escaping ((any Error)?) -> Bool
  ) -> Observable<Element> where Sources.Element == Observable<Element> {
    _Source(name) { downstream, context in
      let subscription = SerialSubscription(in: context)
      var remaining = sources.makeIterator()
      func runNext(after error: (any Error)?) {
        guard let source = remaining.next() else { return downstream.terminate(error) }
        subscription.run(
          source, next: downstream.next,
          terminate: { if continues($0) { runNext(after: $0) } else { downstream.terminate($0) } })
      }
      runNext(after: nil)
    }
  }

  // MARK: With the latest of another

  /// Emits, for each element, the result of `resultSelector` for it and the latest element of
  /// `second`.
  ///
  ///     source --1-----2--3-----|
  ///     second ----x-----y------
  ///     output --------2x-3y----|
  ///
  /// - Timing: `second` is subscribed to first. Elements before its first one are left out; its
  ///   completion is ignored. `resultSelector` runs on the thread that emits or, while another thread is
  ///   delivering, on that one.
  /// - Errors: the first error of either side, or one thrown by `resultSelector`, ends the output.
  /// - Lifetime: keeps the latest element of `second`, and an object in it, alive until the next one.
  /// - SeeAlso: ReactiveX
  ///   [CombineLatest](https://reactivex.io/documentation/operators/combinelatest.html).
  public func withLatestFrom<Second: ObservableConvertibleType, Result>(
    _ second: Second, resultSelector: @escaping (Element, Second.Element) throws -> Result
  ) -> Observable<Result> {
    serializedStage { first, downstream, upstreams in
      var latest: Second.Element?
      upstreams.subscribe(
        to: second.asObservable(), next: { latest = $0 }, terminate: downstream.terminateOnError)
      upstreams.subscribe(
        to: first,
        next: { element in
          guard let other = latest else { return }
          downstream.attemptNext { try resultSelector(element, other) }
        },
        terminate: downstream.terminate)
    }
  }

  /// Emits, for each element, the latest element of `second`.
  ///
  /// - SeeAlso: ``withLatestFrom(_:resultSelector:)``.
  public func withLatestFrom<Second: ObservableConvertibleType>(
    _ second: Second
  ) -> Observable<Second.Element> { withLatestFrom(second, resultSelector: { $1 }) }

  // MARK: With an object

  /// Emits the result of `resultSelector` for `object` and each element; completes with the first
  /// element after the death of the object.
  ///
  /// - Lifetime: `object` is referenced weakly.
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

  /// Emits each element with `object`; completes with the first element after the object's death.
  ///
  /// - Lifetime: `object` is referenced weakly.
  @inlinable
  public func withUnretained<Object: AnyObject>(_ object: Object) -> Observable<(Object, Element)> {
    withUnretained(object) { ($0, $1) }
  }

  // MARK: The latest of each

  /// Emits the result of `resultSelector` for the latest elements of all `sources`, whenever one
  /// emits, once each has.
  ///
  ///     a      --1-----2-------|
  ///     b      ----x------y-------|
  ///     output ----1x--2x-2y------|
  ///
  /// - Timing: sources are subscribed to in order, until the output has ended; elements are handled
  ///   one at a time, on the thread that emits or, while another thread is delivering, on that one.
  ///   Completes with the last source, or when the only source left emits while another has
  ///   completed without an element.
  /// - Errors: the first error of any source, or one thrown by `resultSelector`, ends the output.
  /// - Lifetime: keeps the latest element of each source, and an object in it, alive until the next one
  ///   of this source, also after this source has completed.
  /// - Complexity: O(sources) per element, without allocating.
  /// - SeeAlso: ReactiveX
  ///   [CombineLatest](https://reactivex.io/documentation/operators/combinelatest.html).
  // The first source has a parameter of its own, here and in the other operators that combine any number:
  // without it, the compiler gives up on a closure such as `{ $0 + $1 + $2 + $3 + $4 + $5 }`.
  @inlinable
  public static func combineLatest<
    First: ObservableConvertibleType, each Other: ObservableConvertibleType
  >(
    _ first: First, _ others: repeat each Other,
    resultSelector: @escaping (First.Element, repeat (each Other).Element) throws -> Element
  ) -> Observable<Element> {
    CombineMode.latest.output(
      of: first.asObservable(), repeat (each others).asObservable(), combining: resultSelector)
  }

  /// As `combineLatest(_:resultSelector:)` of any number, faster.
  @inlinable
  public static func combineLatest<
    First: ObservableConvertibleType, Second: ObservableConvertibleType
  >(
    _ first: First, _ second: Second,
    resultSelector: @escaping (First.Element, Second.Element) throws -> Element
  ) -> Observable<Element> {
    CombineMode.latestOfTwo(first.asObservable(), second.asObservable(), combining: resultSelector)
  }

  /// As `combineLatest(_:resultSelector:)` for any number of sources of one type.
  ///
  /// - Timing: without sources, emits the result of `resultSelector` for no elements, then completes.
  public static func combineLatest<Sources: Collection>(
    _ sources: Sources, resultSelector: @escaping ([Sources.Element.Element]) throws -> Element
  ) -> Observable<Element> where Sources.Element: ObservableConvertibleType {
    CombineMode.latest.output(of: sources, combining: resultSelector)
  }

  /// Emits the latest elements of `sources`, whenever one emits, once each has:
  /// `Observable.combineLatest([a, b])`.
  public static func combineLatest<Sources: Collection>(_ sources: Sources) -> Observable<[Element]>
  where Sources.Element: ObservableConvertibleType, Sources.Element.Element == Element {
    Observable<[Element]>.combineLatest(sources, resultSelector: { $0 })
  }

  // MARK: Pairing

  /// Emits the result of `resultSelector` for the first elements of all `sources`, then for the
  /// second ones, and so on.
  ///
  ///     a      --1--2--------3--|
  ///     b      ----x-----y--------z--|
  ///     output ----1x----2y-------3z-|
  ///
  /// - Timing: sources are subscribed to in order, until the output has ended; elements are handled
  ///   one at a time, on the thread that emits or, while another thread is delivering, on that one.
  ///   Completes with the last source.
  /// - Errors: the first error of any source, or one thrown by `resultSelector`, ends the output.
  /// - Lifetime: keeps the elements that wait for a partner, and objects in them, alive.
  /// - Complexity: O(sources) per element, amortised.
  /// - SeeAlso: ReactiveX [Zip](https://reactivex.io/documentation/operators/zip.html).
  @inlinable
  public static func zip<
    First: ObservableConvertibleType, each Other: ObservableConvertibleType
  >(
    _ first: First, _ others: repeat each Other,
    resultSelector: @escaping (First.Element, repeat (each Other).Element) throws -> Element
  ) -> Observable<Element> {
    CombineMode.zip.output(
      of: first.asObservable(), repeat (each others).asObservable(), combining: resultSelector)
  }

  /// As `zip(_:resultSelector:)` for any number of sources of one type.
  ///
  /// - Timing: completes with the last source or, unlike the form for sources of several types, when the
  ///   only source left emits an element that has no partner. Without sources, completes at once.
  public static func zip<Sources: Collection>(
    _ sources: Sources, resultSelector: @escaping ([Sources.Element.Element]) throws -> Element
  ) -> Observable<Element> where Sources.Element: ObservableConvertibleType {
    CombineMode.zip.output(of: sources, combining: resultSelector)
  }

  /// Emits the first elements of all `sources`, then the second ones, and so on:
  /// `Observable.zip([a, b])`.
  public static func zip<Sources: Collection>(_ sources: Sources) -> Observable<[Element]>
  where Sources.Element: ObservableConvertibleType, Sources.Element.Element == Element {
    Observable<[Element]>.zip(sources, resultSelector: { $0 })
  }
}

// MARK: Tuples

extension ObservableType where Element == Any {
  /// Emits the latest elements of all `sources` as a tuple, whenever one emits, once each has.
  ///
  /// - SeeAlso: ReactiveX
  ///   [CombineLatest](https://reactivex.io/documentation/operators/combinelatest.html).
  @inlinable public static func combineLatest<each Upstream: ObservableConvertibleType>(
    _ sources: repeat each Upstream
  ) -> Observable<(repeat (each Upstream).Element)> {
    CombineMode.latest.output(of: repeat (each sources).asObservable()) {
      (elements: repeat (each Upstream).Element) in (repeat each elements)
    }
  }

  /// As `combineLatest(_:)` of any number, faster.
  @inlinable
  public static func combineLatest<
    First: ObservableConvertibleType, Second: ObservableConvertibleType
  >(_ first: First, _ second: Second) -> Observable<(First.Element, Second.Element)> {
    CombineMode.latestOfTwo(first.asObservable(), second.asObservable()) { ($0, $1) }
  }

  /// Emits the first elements of all `sources` as a tuple, then the second ones, and so on.
  ///
  /// - SeeAlso: ReactiveX [Zip](https://reactivex.io/documentation/operators/zip.html).
  @inlinable public static func zip<each Upstream: ObservableConvertibleType>(
    _ sources: repeat each Upstream
  ) -> Observable<(repeat (each Upstream).Element)> {
    CombineMode.zip.output(of: repeat (each sources).asObservable()) {
      (elements: repeat (each Upstream).Element) in (repeat each elements)
    }
  }
}

extension Array {
  /// The elements; an iterator does not keep those that it has returned.
  var consumed: some Sequence<Element> { sequence(state: reversed() as Self) { $0.popLast() } }
}
