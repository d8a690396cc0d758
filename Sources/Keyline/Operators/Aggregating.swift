extension ObservableType {
  /// Emits one element when the source completes: what `accumulator` has made of all elements.
  ///
  ///     source       --1--2--3--|
  ///     reduce(0, +) -----------6|
  ///
  /// - Errors: those of the source and of `accumulator` end the output, without an element.
  /// - Lifetime: retains the latest result.
  /// - Parameters:
  ///   - seed: what the first element is combined with; emitted if there is none.
  ///   - accumulator: makes the next result of the latest one and an element.
  /// - SeeAlso: ReactiveX [Reduce](https://reactivex.io/documentation/operators/reduce.html).
  @inlinable public func reduce<Result>(
    _ seed: Result, accumulator: @escaping (Result, Element) throws -> Result
  ) -> Observable<Result> {
    reduce(seed, accumulator: accumulator, mapResult: { $0 })
  }

  /// Emits one element when the source completes: what `mapResult` makes of what `accumulator` has
  /// made of all elements.
  ///
  /// - Errors: those of the source and of both closures end the output, without an element.
  /// - SeeAlso: ReactiveX [Reduce](https://reactivex.io/documentation/operators/reduce.html).
  @inlinable public func reduce<Accumulated, Result>(
    _ seed: Accumulated, accumulator: @escaping (Accumulated, Element) throws -> Accumulated,
    mapResult: @escaping (Accumulated) throws -> Result
  ) -> Observable<Result> {
    folded(into: seed, { $0 = try accumulator($0, $1) }, { [try mapResult($0)] })
  }

  /// Emits all elements of the source in one array when it completes.
  @inlinable func collected() -> Observable<[Element]> {
    folded(into: [], { $0.append($1) }, { [$0] })
  }

  /// Emits, at completion, what `conclude` makes of a value that `update` has changed by each element.
  @inlinable func folded<Accumulated, Result>(
    into seed: Accumulated, _ update: @escaping (inout Accumulated, Element) throws -> Void,
    _ conclude: @escaping (Accumulated) throws -> [Result]
  ) -> Observable<Result> {
    stage { source, downstream, context in
      let accumulated = Slot(seed)
      source.run(
        in: context.child(),
        // Proof of the pointer: a source emits serially.
        next: { element in
          downstream.attempt { try update(&accumulated.storage.pointee, element) }
        },
        terminate: { error in
          downstream.attempt {
            let results = error == nil ? try conclude(accumulated.filled) : []
            for result in results where context.isActive { downstream.next(result) }
            downstream.terminate(error)
          }
        })
    }
  }
}
