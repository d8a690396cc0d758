// The operators that flatten a sequence of sequences: `merge`, `concat()`, `switchLatest`, and the
// `flatMap` family.

extension ObservableType {
  /// Emits the elements of all observables returned by `selector`, as they emit them.
  ///
  ///     source     --a-----b-------|
  ///     a's inner    --1------3--|
  ///     b's inner          --2-|
  ///     output     ----1-----2-3--|
  ///
  /// - Timing: synchronous; elements pass one at a time, on the thread that emits or, while another thread
  ///   is delivering, on that one. Completes with the last of all.
  /// - Errors: the first error of any, or one thrown by `selector`, ends the output.
  /// - Lifetime: an inner subscription is released when it ends.
  /// - Complexity: O(1) per element; two allocations per inner subscription.
  /// - Parameter selector: called once per source element, never under a lock.
  /// - SeeAlso: ReactiveX [FlatMap](https://reactivex.io/documentation/operators/flatmap.html).
  public func flatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeMap(selector)
  }

  /// Emits the elements of an observable returned by `selector`; elements of the source that arrive
  /// before it has completed are left out.
  ///
  ///     source     --a-----b--------c---|
  ///     a's inner    --1-----2-|
  ///     c's inner                   --3--|
  ///     output     ----1-----2--------3--|
  ///
  /// - Timing: synchronous, on the thread that emits. `selector` is not called for elements left
  ///   out.
  /// - Errors: the first error of any, or one thrown by `selector`, ends the output.
  /// - SeeAlso: ReactiveX [FlatMap](https://reactivex.io/documentation/operators/flatmap.html).
  public func flatMapFirst<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeMap(selector, isExclusive: true)
  }

  /// Emits the elements of the observable most recently returned by `selector`.
  ///
  ///     source     --a-----b-------|
  ///     a's inner    --1--2--3
  ///     b's inner          --4--5|
  ///     output     ----1--2----4--5|
  ///
  /// - Timing: synchronous, on the thread that emits or, while another thread is delivering, on that one.
  /// - Errors: the first error of either side, or one thrown by `selector`, ends the output.
  /// - Lifetime: retains `selector` and the current inner subscription only.
  /// - Complexity: O(1) per element; three allocations per inner subscription.
  /// - Parameter selector: called once per source element, never under a lock.
  /// - SeeAlso: ReactiveX [Switch](https://reactivex.io/documentation/operators/switch.html).
  @inlinable public func flatMapLatest<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    map(named: "") { try selector($0).asObservable() }.switchLatest(named: #function)
  }

  /// Emits the elements of the observables returned by `selector`, one observable after the other.
  ///
  ///     source     --a--b-------------|
  ///     a's inner    --1-----2-|
  ///     b's inner               -3--4|
  ///     output     ----1-----2---3--4|
  ///
  /// - Timing: synchronous, on the thread that emits. `selector` is called when an element arrives;
  ///   its result is subscribed to when all before it have completed.
  /// - Errors: the first error of any, or one thrown by `selector`, ends the output.
  /// - Lifetime: observables wait in a queue without bound.
  /// - Complexity: O(1) per element; no recursion, however many complete inside `subscribe`.
  /// - Parameter selector: called once per source element, never under a lock.
  /// - SeeAlso: ReactiveX [FlatMap](https://reactivex.io/documentation/operators/flatmap.html).
  public func concatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeMap(selector, maxConcurrent: 1)
  }

  /// Emits the elements of all observables returned by `selector`, with at most `maxConcurrent`
  /// subscriptions at a time; the other observables wait, in order.
  ///
  /// - Parameter isExclusive: whether elements are left out while an inner observable runs.
  func mergeMap<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source, maxConcurrent: Int = .max,
    isExclusive: Bool = false, named name: StaticString = #function
  ) -> Observable<Source.Element> {
    stage(name) { upstream, downstream, context in
      let coordinator = MergeCoordinator(into: downstream, context, maxConcurrent: maxConcurrent)
      let source = context.child()
      let observer = AnyObserver<Source.Element>(
        next: { _ in }, terminate: source.ending(before: coordinator.terminate))
      upstream.run(
        observer.withNext { element in
          if isExclusive, !coordinator.isIdle { return }
          observer.attempt { coordinator.add(try selector(element).asObservable()) }
        }, in: source)
    }
  }
}

extension ObservableSequenceType
where Trait: MultiElementTrait, SameSequence: ObservableConvertibleType<Element> {
  // MARK: Merging

  /// Emits the elements of all `sources`, as they emit them.
  ///
  ///     a      --1-----3--|
  ///     b      ----2----------4--|
  ///     output --1-2---3------4--|
  ///
  /// - Timing: sources are subscribed to in order, until the output has ended; elements pass one at a
  ///   time, on the thread that emits or, while another thread is delivering, on that one. Completes with the
  ///   last of them.
  /// - Errors: the first error of any source ends the output.
  /// - SeeAlso: ReactiveX [Merge](https://reactivex.io/documentation/operators/merge.html).
  public static func merge(_ sources: SameSequence...) -> SameSequence { merge(sources) }

  /// Emits the elements of all sources of a collection, as they emit them.
  ///
  /// - SeeAlso: `merge(_:)` of single sources, for timing and errors.
  public static func merge<Sources: Collection>(_ sources: Sources) -> SameSequence
  where Sources.Element == SameSequence {
    let all = _Source<SameSequence>("") { observer, context in
      Trampoline.perform { for source in sources where context.isActive { observer.next(source) } }
      observer.terminate(nil)
    }
    return _wrap(all.merge())
  }
}

extension ObservableType where Element: ObservableConvertibleType {
  /// Emits the elements of all observables that arrive, as they emit them.
  ///
  ///     source ---a-----b-------|
  ///     a        --1--------3--|
  ///     b              --2-|
  ///     output -----1----2--3--|
  ///
  /// - Timing: elements pass one at a time, on the thread that emits or, while another thread is delivering,
  ///   on that one. Completes with the last of them, the source included.
  /// - Errors: the first error of any ends the output.
  /// - Lifetime: an inner subscription is released when it ends.
  /// - Complexity: O(1) per element; one inner subscription per observable.
  /// - SeeAlso: ReactiveX [Merge](https://reactivex.io/documentation/operators/merge.html).
  public func merge() -> Observable<Element.Element> { mergeMap { $0 } }

  /// Emits the elements of all observables that arrive, with at most `maxConcurrent` subscriptions
  /// at a time.
  ///
  ///     source   a-b-c------|
  ///     a        --1---2--|
  ///     b          --3--|
  ///     c               ---4--|
  ///     merge(2) --1-3-2---4--|
  ///
  /// - Timing: beyond that number an observable waits, in order, until another has completed and
  ///   been released; any number may complete synchronously without growing the stack. Completes
  ///   with the last of them, the source included.
  /// - Errors: the first error of any ends the output.
  /// - Lifetime: retains the observables that wait.
  /// - Parameter maxConcurrent: how many; less than one counts as one, and is reported as misuse.
  /// - SeeAlso: ReactiveX [Merge](https://reactivex.io/documentation/operators/merge.html).
  public func merge(maxConcurrent: Int) -> Observable<Element.Element> {
    if maxConcurrent < 1 {
      Diagnostics.report(.misuse, "merge(maxConcurrent: \(maxConcurrent)) would run nothing")
    }
    return mergeMap({ $0 }, maxConcurrent: max(1, maxConcurrent))
  }

  /// Emits the elements of all observables that arrive, one observable after the other.
  ///
  /// - SeeAlso: ``merge(maxConcurrent:)``, with one subscription at a time.
  public func concat() -> Observable<Element.Element> { merge(maxConcurrent: 1) }

  /// Emits the elements of the observable most recently emitted by this one.
  ///
  /// - Timing: synchronous. An element that the previous observable is delivering on another thread
  ///   when it is replaced is dropped.
  /// - Errors: the first error of either side ends the output.
  /// - SeeAlso: ReactiveX [Switch](https://reactivex.io/documentation/operators/switch.html).
  public func switchLatest() -> Observable<Element.Element> { switchLatest(named: #function) }

  /// - Parameter name: the operator that this is the body of.
  @usableFromInline func switchLatest(named name: StaticString) -> Observable<Element.Element> {
    serializedStage(name) { source, downstream, upstreams in
      let coordinator = SwitchCoordinator(downstream, upstreams)
      source.run(
        in: upstreams.context.child(), next: { coordinator.switchTo($0.asObservable()) },
        terminate: { upstreams.deliver($0, to: coordinator.outerEnded) })
    }
  }
}
