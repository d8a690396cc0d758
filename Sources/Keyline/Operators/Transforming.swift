extension ObservableType {
  /// Emits what `transform` makes of each element.
  ///
  /// - Errors: an error thrown by `transform` ends the output.
  /// - SeeAlso: ReactiveX [Map](https://reactivex.io/documentation/operators/map.html).
  @inlinable
  public func map<Result>(
    _ transform: @escaping (Element) throws -> Result
  ) -> Observable<Result> {
    lift { downstream in
      AnyObserver(
        next: { element in
          do { downstream.next(try transform(element)) } catch { downstream.terminate(error) }
        },
        terminate: downstream.terminate
      )
    }
  }

  /// Emits what `transform` makes of each element, unless that is nil.
  ///
  ///     source               --1---x---3--|
  ///     compactMap(Int.init) --1-------3--|
  ///
  /// - Errors: an error thrown by `transform` ends the output.
  /// - SeeAlso: ReactiveX [Map](https://reactivex.io/documentation/operators/map.html).
  @inlinable
  public func compactMap<Result>(
    _ transform: @escaping (Element) throws -> Result?
  ) -> Observable<Result> {
    lift { downstream in
      AnyObserver(
        next: { element in
          do {
            if let result = try transform(element) { downstream.next(result) }
          } catch { downstream.terminate(error) }
        },
        terminate: downstream.terminate
      )
    }
  }
}
