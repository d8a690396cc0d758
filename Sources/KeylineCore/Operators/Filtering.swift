// The filtering operators that decide for each element. Operators that take or skip a part of the
// sequence are in FilteringTakeSkip.swift, timed operators in FilteringSampling.swift.

extension ObservableType {
  /// Emits the elements for which `predicate` is true.
  ///
  ///     source            --1--2--3--4--|
  ///     filter { $0 > 2 } --------3--4--|
  ///
  /// - Errors: an error thrown by `predicate` ends the output.
  /// - SeeAlso: ReactiveX [Filter](https://reactivex.io/documentation/operators/filter.html).
  @inlinable
  public func filter(_ predicate: @escaping (Element) throws -> Bool) -> Observable<Element> {
    lift { downstream in
      downstream.withNext { element in
        downstream.attempt { if try predicate(element) { downstream.next(element) } }
      }
    }
  }

  /// Emits the termination only.
  ///
  /// - SeeAlso: ReactiveX
  ///   [IgnoreElements](https://reactivex.io/documentation/operators/ignoreelements.html).
  public func ignoreElements() -> Observable<Never> {
    lift { AnyObserver(next: { _ in }, terminate: $0.terminate) }
  }

  // MARK: By position

  /// Emits the element at `index`, and completes.
  ///
  /// - Errors: `RxError.argumentOutOfRange` if there is none, or `index` is negative.
  /// - Parameter index: counted from 0.
  /// - SeeAlso: ReactiveX [ElementAt](https://reactivex.io/documentation/operators/elementat.html).
  public func element(at index: Int) -> Observable<Element> {
    guard index >= 0 else { return .error(RxError.argumentOutOfRange) }
    return skip(index).take(1).ifEmpty(switchTo: .error(RxError.argumentOutOfRange))
  }

  /// Emits the only element.
  ///
  /// - Errors: `RxError.noElements` at completion without one, `RxError.moreThanOneElement` at the
  ///   second.
  /// - SeeAlso: ReactiveX [First](https://reactivex.io/documentation/operators/first.html).
  public func single() -> Observable<Element> { single { _ in true } }

  /// Emits the only element for which `predicate` is true.
  ///
  /// - Errors: `RxError.noElements` at completion without one, `RxError.moreThanOneElement` at the
  ///   second; an error thrown by `predicate`.
  /// - SeeAlso: ReactiveX [First](https://reactivex.io/documentation/operators/first.html).
  public func single(_ predicate: @escaping (Element) throws -> Bool) -> Observable<Element> {
    filter(predicate).enumerated().map { index, element in
      guard index == 0 else { throw RxError.moreThanOneElement }
      return element
    }.ifEmpty(switchTo: .error(RxError.noElements))
  }
}

extension ObservableSequenceType where Trait: MultiElementTrait {
  // MARK: Changes only

  /// Leaves out each element that is equal to the one before it.
  ///
  ///     source               --1--1--2--2--1--|
  ///     distinctUntilChanged --1-----2-----1--|
  ///
  /// Elements of an `Equatable` class are compared by `==`, as in RxSwift, and not by identity.
  ///
  /// - Lifetime: keeps the last element, and an object in it, alive until the next distinct one.
  /// - SeeAlso: ReactiveX [Distinct](https://reactivex.io/documentation/operators/distinct.html).
  @inlinable public func distinctUntilChanged() -> SameSequence where Element: Equatable {
    distinctUntilChanged({ $0 }, comparer: { $0 == $1 })
  }

  /// Leaves out each object that is the same instance as the one before it.
  ///
  /// - Lifetime: references the last object weakly. An object made after its death counts as distinct,
  ///   wherever it is allocated.
  /// - SeeAlso: ReactiveX [Distinct](https://reactivex.io/documentation/operators/distinct.html).
  // Why disfavored, here and below: a class that is `Equatable` is compared by `==`.
  @_disfavoredOverload public func distinctUntilChanged() -> SameSequence
  where Element: AnyObject {
    distinctInstances { $0 }
  }

  /// Leaves out each object that is the same instance as the one before it, and each nil after a nil.
  ///
  /// - Lifetime: references the last object weakly. Any element after its death counts as distinct, nil
  ///   included.
  /// - SeeAlso: ReactiveX [Distinct](https://reactivex.io/documentation/operators/distinct.html).
  @_disfavoredOverload public func distinctUntilChanged<Object: AnyObject>() -> SameSequence
  where Element == Object? {
    distinctInstances { $0 }
  }

  private func distinctInstances(_ object: @escaping (Element) -> AnyObject?) -> SameSequence {
    distinctUntilChanged(
      { object($0).map(WeakInstance.init) },
      comparer: { $1 == nil ? $0 == nil : $1?.object === $0?.object })
  }

  /// Leaves out each element whose value at `keyPath` equals the value of the previous element.
  ///
  /// - Lifetime: keeps the last value, and an object in it, alive until the next distinct one; the
  ///   element itself is not retained.
  /// - SeeAlso: ReactiveX [Distinct](https://reactivex.io/documentation/operators/distinct.html).
  @inlinable public func distinctUntilChanged<Property: Equatable>(
    at keyPath: KeyPath<Element, Property>
  ) -> SameSequence {
    distinctUntilChanged({ $0[keyPath: keyPath] }, comparer: { $0 == $1 })
  }

  /// Leaves out each element whose key equals the key of the previous element.
  ///
  /// - Errors: an error thrown by `keySelector` ends the output.
  /// - Lifetime: keeps the last key, and an object in it, alive until the next distinct one.
  /// - SeeAlso: ReactiveX [Distinct](https://reactivex.io/documentation/operators/distinct.html).
  @inlinable public func distinctUntilChanged<Key: Equatable>(
    _ keySelector: @escaping (Element) throws(Trait.Failure) -> Key
  ) -> SameSequence {
    distinctUntilChanged(keySelector, comparer: { $0 == $1 })
  }

  /// Leaves out each element for which `comparer`, called with the previous element and this one,
  /// returns true.
  ///
  /// - Errors: an error thrown by `comparer` ends the output.
  /// - Lifetime: keeps the last element, and an object in it, alive until the next distinct one.
  /// - SeeAlso: ReactiveX [Distinct](https://reactivex.io/documentation/operators/distinct.html).
  @inlinable public func distinctUntilChanged(
    _ comparer: @escaping (Element, Element) throws(Trait.Failure) -> Bool
  ) -> SameSequence {
    distinctUntilChanged({ $0 }, comparer: comparer)
  }

  /// Leaves out each element for which `comparer`, called with the previous key and its own, returns
  /// true.
  ///
  /// - Errors: an error thrown by either closure ends the output.
  /// - Lifetime: keeps the last key, and an object in it, alive until the next distinct one.
  /// - SeeAlso: ReactiveX [Distinct](https://reactivex.io/documentation/operators/distinct.html).
  @inlinable public func distinctUntilChanged<Key>(
    _ keySelector: @escaping (Element) throws(Trait.Failure) -> Key,
    comparer: @escaping (Key, Key) throws(Trait.Failure) -> Bool
  ) -> SameSequence {
    let distinct = asObservable().accumulate(from: Key?.none) { latest, element -> Element? in
      let key = try keySelector(element)
      if let previous = latest, try comparer(previous, key) { return nil }
      latest = key
      return element
    }
    return Self._wrap(distinct)
  }
}

/// An object or nil. Distinct from an object that has died.
private struct WeakInstance {
  weak var object: AnyObject?
}
