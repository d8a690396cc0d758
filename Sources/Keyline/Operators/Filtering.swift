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

  /// Emits the first `count` elements, and completes with the last of them.
  ///
  ///     source  --1--2--3--4--|
  ///     take(2) --1--2|
  ///
  /// - Timing: a synchronous source is stopped at once, an infinite one too.
  /// - Parameter count: how many; none if that is not positive.
  /// - SeeAlso: ReactiveX [Take](https://reactivex.io/documentation/operators/take.html).
  @inlinable public func take(_ count: Int) -> Observable<Element> {
    guard count > 0 else { return .empty() }
    return lift { downstream in
      var remaining = count
      return downstream.withNext { element in
        guard remaining > 0 else { return }
        remaining -= 1
        let isLast = remaining == 0
        downstream.next(element)
        if isLast { downstream.terminate(nil) }
      }
    }
  }

  /// Leaves out the first `count` elements.
  ///
  ///     source  --1--2--3--4--|
  ///     skip(2) --------3--4--|
  ///
  /// - Parameter count: how many; none if that is not positive.
  /// - SeeAlso: ReactiveX [Skip](https://reactivex.io/documentation/operators/skip.html).
  @inlinable public func skip(_ count: Int) -> Observable<Element> {
    lift { downstream in
      var remaining = count
      return downstream.withNext { element in
        if remaining > 0 { remaining -= 1 } else { downstream.next(element) }
      }
    }
  }

  /// Emits until `other` emits its first element, then completes.
  ///
  ///     source      --1--2--3--4--|
  ///     other       ----------x
  ///     take(until) --1--2--3-|
  ///
  /// - Timing: `other` is subscribed to first. Its completion means nothing.
  /// - Errors: the first error of either side ends the output.
  /// - SeeAlso: ReactiveX [TakeUntil](https://reactivex.io/documentation/operators/takeuntil.html).
  public func take<Other: ObservableType>(until other: Other) -> Observable<Element> {
    meeting { source, downstream, junction in
      junction.follow(
        other.asObservable(), next: { _ in downstream.terminate(nil) }, terminate: downstream.fail)
      junction.follow(source, next: downstream.next, terminate: downstream.terminate)
    }
  }
}

// MARK: Changes only

extension ObservableType {
  /// Leaves out each element that is equal to the one before it.
  ///
  ///     source               --1--1--2--2--1--|
  ///     distinctUntilChanged --1-----2-----1--|
  ///
  /// - Lifetime: retains the latest element.
  /// - SeeAlso: ReactiveX [Distinct](https://reactivex.io/documentation/operators/distinct.html).
  @inlinable public func distinctUntilChanged() -> Observable<Element> where Element: Equatable {
    distinctUntilChanged({ $0 }, comparer: { $0 == $1 })
  }

  /// Leaves out each element whose value at `keyPath` is equal to that of the one before it.
  ///
  /// - Lifetime: retains the latest value.
  /// - SeeAlso: ReactiveX [Distinct](https://reactivex.io/documentation/operators/distinct.html).
  @inlinable public func distinctUntilChanged<Property: Equatable>(
    at keyPath: KeyPath<Element, Property>
  ) -> Observable<Element> {
    distinctUntilChanged({ $0[keyPath: keyPath] }, comparer: { $0 == $1 })
  }

  /// Leaves out each element whose key is equal to that of the one before it.
  ///
  /// - Errors: an error thrown by `keySelector` ends the output.
  /// - Lifetime: retains the latest key.
  /// - SeeAlso: ReactiveX [Distinct](https://reactivex.io/documentation/operators/distinct.html).
  @inlinable public func distinctUntilChanged<Key: Equatable>(
    _ keySelector: @escaping (Element) throws -> Key
  ) -> Observable<Element> {
    distinctUntilChanged(keySelector, comparer: { $0 == $1 })
  }

  /// Leaves out each element that `comparer` finds equal to the one before it.
  ///
  /// - Errors: an error thrown by `comparer` ends the output.
  /// - Lifetime: retains the latest element.
  /// - SeeAlso: ReactiveX [Distinct](https://reactivex.io/documentation/operators/distinct.html).
  @inlinable public func distinctUntilChanged(
    _ comparer: @escaping (Element, Element) throws -> Bool
  ) -> Observable<Element> {
    distinctUntilChanged({ $0 }, comparer: comparer)
  }

  /// Leaves out each element whose key `comparer` finds equal to that of the one before it.
  ///
  /// - Errors: an error thrown by either closure ends the output.
  /// - Lifetime: retains the latest key.
  /// - SeeAlso: ReactiveX [Distinct](https://reactivex.io/documentation/operators/distinct.html).
  @inlinable public func distinctUntilChanged<Key>(
    _ keySelector: @escaping (Element) throws -> Key, comparer: @escaping (Key, Key) throws -> Bool
  ) -> Observable<Element> {
    lift { downstream in
      var latest: Key?
      return downstream.withNext { element in
        downstream.attempt {
          let key = try keySelector(element)
          if let previous = latest, try comparer(previous, key) { return }
          latest = key
          downstream.next(element)
        }
      }
    }
  }
}
