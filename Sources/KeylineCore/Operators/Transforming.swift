extension ObservableType {
  /// Emits the result of `transform` for each element.
  ///
  /// - Errors: an error thrown by `transform` ends the output.
  /// - SeeAlso: ReactiveX [Map](https://reactivex.io/documentation/operators/map.html).
  @inlinable
  public func map<Result>(_ transform: @escaping (Element) throws -> Result) -> Observable<Result> {
    map(named: #function, transform)
  }

  /// - Parameter name: the operator that this is a part of; empty for none.
  @inlinable @inline(__always) func map<Result>(
    named name: StaticString, _ transform: @escaping (Element) throws -> Result
  ) -> Observable<Result> {
    lift(name) { downstream in
      downstream.withNext { element in
        downstream.attemptNext { try transform(element) }
      }
    }
  }

  /// Emits the result of `transform` for each element, unless it is nil.
  ///
  ///     source               --1---x---3--|
  ///     compactMap(Int.init) --1-------3--|
  ///
  /// - Errors: an error thrown by `transform` ends the output.
  /// - SeeAlso: ReactiveX [Map](https://reactivex.io/documentation/operators/map.html).
  @inlinable public func compactMap<Result>(
    _ transform: @escaping (Element) throws -> Result?
  ) -> Observable<Result> {
    lift { downstream in
      downstream.withNext { element in
        downstream.attempt { if let result = try transform(element) { downstream.next(result) } }
      }
    }
  }

  /// Emits each element with its index, counted from 0.
  ///
  /// - SeeAlso: ReactiveX [Map](https://reactivex.io/documentation/operators/map.html).
  @inlinable public func enumerated() -> Observable<(index: Int, element: Element)> {
    accumulate(from: 0) { index, element in
      defer { index += 1 }
      return (index, element)
    }
  }

  /// Emits each element with the one before it, from the second element on.
  ///
  ///     source       --1--2-----3--|
  ///     withPrevious -----1,2---2,3|
  ///
  /// - Lifetime: keeps the last element, and an object in it, alive until the next one.
  /// - SeeAlso: ReactiveX [Scan](https://reactivex.io/documentation/operators/scan.html).
  @inlinable public func withPrevious() -> Observable<(previous: Element, current: Element)> {
    accumulate(from: Element?.none) { latest, element in
      defer { latest = element }
      return latest.map { ($0, element) }
    }
  }

  // MARK: Accumulating

  /// Emits, for each element, the result of combining all elements so far with `accumulator`.
  ///
  ///     source     --1--2--3--|
  ///     scan(0, +) --1--3--6--|
  ///
  /// - Errors: an error thrown by `accumulator` ends the output.
  /// - Lifetime: keeps the latest result, and an object in it, alive until the next one.
  /// - Parameters:
  ///   - seed: the result before the first element. It is not emitted.
  ///   - accumulator: returns the next result for the latest one and an element.
  /// - SeeAlso: ReactiveX [Scan](https://reactivex.io/documentation/operators/scan.html).
  @inlinable public func scan<Result>(
    _ seed: Result, accumulator: @escaping (Result, Element) throws -> Result
  ) -> Observable<Result> {
    scan(into: seed) { $0 = try accumulator($0, $1) }
  }

  /// Emits, for each element, a value updated by `accumulator` with all elements so far.
  ///
  /// - Errors: an error thrown by `accumulator` ends the output.
  /// - Lifetime: keeps the latest value, and an object in it, alive until the next one.
  /// - SeeAlso: ReactiveX [Scan](https://reactivex.io/documentation/operators/scan.html).
  @inlinable public func scan<Result>(
    into seed: Result, accumulator: @escaping (inout Result, Element) throws -> Void
  ) -> Observable<Result> {
    accumulate(from: seed) { accumulated, element in
      try accumulator(&accumulated, element)
      return accumulated
    }
  }

  // MARK: Events as elements

  /// Emits the events of the source as elements, termination included, then completes.
  ///
  ///     source      --1----2----X
  ///     materialize --n1---n2---eX|
  ///
  /// - SeeAlso: ReactiveX
  ///   [Materialize](https://reactivex.io/documentation/operators/materialize-dematerialize.html).
  public func materialize() -> Observable<Event<Element>> {
    stage { source, downstream, context in
      source.run(
        in: context.child(), next: { downstream.next(.next($0)) },
        terminate: { error in
          downstream.next(Event(termination: error))
          downstream.terminate(nil)
        })
    }
  }
}

/// An event, or a representation of one: the elements of ``ObservableType/dematerialize()``.
///
/// Public because types of a program that represent events conform.
public protocol EventConvertible<Element> {
  /// The type of the elements of the event.
  associatedtype Element

  /// The event.
  var event: Event<Element> { get }
}

extension Event: EventConvertible {
  public var event: Event<Element> { self }
}

extension ObservableType where Element: EventConvertible {
  /// Emits the events that it receives as elements: the inverse of `materialize()`.
  ///
  /// - Errors: an error event, or one of the source itself, ends the output.
  /// - SeeAlso: ReactiveX
  ///   [Dematerialize](https://reactivex.io/documentation/operators/materialize-dematerialize.html).
  public func dematerialize() -> Observable<Element.Element> {
    lift { downstream in
      AnyObserver(next: { downstream.on($0.event) }, terminate: downstream.terminate)
    }
  }
}
