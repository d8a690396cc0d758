// Operators: one file per ReactiveX category, each operator whole, with its public forms beside its
// body; the traits' forms are in Traits. How to write an operator: see Observing/Observable.swift. Each
// has a line in `OperatorUnderTest.all`, over which the tests of the laws run.

extension ObservableType {
  /// Emits one element when the source completes: the result of combining all elements with
  /// `accumulator`.
  ///
  ///     source       --1--2--3--|
  ///     reduce(0, +) -----------6|
  ///
  /// - Errors: an error of the source, or one thrown by `accumulator`, ends the output without an
  ///   element.
  /// - Lifetime: keeps the latest result, and an object in it, alive until the next one.
  /// - Parameters:
  ///   - seed: the result before the first element; emitted if there is none.
  ///   - accumulator: returns the next result for the latest one and an element.
  /// - SeeAlso: ReactiveX [Reduce](https://reactivex.io/documentation/operators/reduce.html).
  @inlinable public func reduce<Result>(
    _ seed: Result, accumulator: @escaping (Result, Element) throws -> Result
  ) -> Observable<Result> {
    reduce(seed, accumulator: accumulator, mapResult: { $0 })
  }

  /// Emits one element when the source completes: the result of combining all elements with
  /// `accumulator`, transformed by `mapResult`.
  ///
  /// - Errors: an error of the source, or one thrown by either closure, ends the output without an
  ///   element.
  /// - SeeAlso: ReactiveX [Reduce](https://reactivex.io/documentation/operators/reduce.html).
  @inlinable public func reduce<Accumulated, Result>(
    _ seed: Accumulated, accumulator: @escaping (Accumulated, Element) throws -> Accumulated,
    mapResult: @escaping (Accumulated) throws -> Result
  ) -> Observable<Result> {
    fold(into: seed, { $0 = try accumulator($0, $1) }, { [try mapResult($0)] })
  }

  /// All elements of the source in one array when it completes. `toArray()` is a single of it.
  @inlinable func allElements() -> Observable<[Element]> {
    fold(into: [], named: "toArray", { $0.append($1) }, { [$0] })
  }

  /// Emits, at completion, the elements that `conclude` returns for a value updated by each
  /// element.
  @inlinable func fold<Accumulated, Result>(
    into seed: Accumulated, named name: StaticString = #function,
    _ update: @escaping (inout Accumulated, Element) throws -> Void,
    _ conclude: @escaping (Accumulated) throws -> [Result]
  ) -> Observable<Result> {
    stage(name) { source, downstream, context in
      var accumulated = seed
      source.run(
        in: context.child(),
        next: { element in downstream.attempt { try update(&accumulated, element) } },
        terminate: { error in
          downstream.attempt {
            let results = error == nil ? try conclude(accumulated) : []
            for result in results where context.isActive { downstream.next(result) }
            downstream.terminate(error)
          }
        })
    }
  }
}
