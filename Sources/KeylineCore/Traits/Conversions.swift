extension ObservableConvertibleType {
  /// The only element, when the sequence completes.
  ///
  /// - Errors: ``RxError/noElements`` if there is none, ``RxError/moreThanOneElement`` at the
  ///   second.
  public func asSingle() -> Single<Element> {
    Single(asObservable().onlyElement { throw RxError.noElements })
  }

  /// The only element, when the sequence completes, or none.
  ///
  /// - Errors: ``RxError/moreThanOneElement`` at the second element.
  public func asMaybe() -> Maybe<Element> { Maybe(asObservable().onlyElement { nil }) }

  /// The termination of a sequence without elements.
  public func asCompletable() -> Completable where Element == Never { Completable(asObservable()) }
}

extension ObservableType {
  /// The first element, as soon as it is emitted; nil if the sequence completes without one.
  ///
  ///     source  --1--2--|    ----|
  ///     first() --1|         ----nil|
  ///
  /// - SeeAlso: ReactiveX [First](https://reactivex.io/documentation/operators/first.html).
  public func first() -> Single<Element?> {
    Single(take(1).map(Optional.some).ifEmpty(default: nil))
  }

  /// All elements in an array, when the sequence completes.
  ///
  /// - Lifetime: keeps every element, and objects in them, alive until completion.
  /// - SeeAlso: ReactiveX [To](https://reactivex.io/documentation/operators/to.html).
  public func toArray() -> Single<[Element]> { Single(allElements()) }
}
