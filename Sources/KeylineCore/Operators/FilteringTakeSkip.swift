// The filtering operators that take or skip a part of the sequence: by count, by predicate, by
// another sequence, by time.

/// Whether the element that ends a sequence is part of it.
public enum TakeBehavior: Sendable {
  /// It is emitted.
  case inclusive
  /// It is left out.
  case exclusive
}

extension ObservableSequenceType where Trait: MultiElementTrait {
  // MARK: By count

  /// Emits the first `count` elements, and completes with the last of them.
  ///
  ///     source  --1--2--3--4--|
  ///     take(2) --1--2|
  ///
  /// - Timing: a synchronous source is stopped at once, an infinite one too.
  /// - Parameter count: how many; none if that is not positive.
  /// - SeeAlso: ReactiveX [Take](https://reactivex.io/documentation/operators/take.html).
  @inlinable public func take(_ count: Int) -> SameSequence {
    guard count > 0 else { return Self._wrap(.empty()) }
    return Self._wrap(
      asObservable().lift { downstream in
        var remaining = count
        return downstream.withNext { element in
          guard remaining > 0 else { return }
          remaining -= 1
          let isLast = remaining == 0
          downstream.next(element)
          if isLast { downstream.terminate(nil) }
        }
      })
  }

  /// Emits the last `count` elements, at completion.
  ///
  ///     source      --1--2--3--|
  ///     takeLast(2) -----------23|
  ///
  /// - Errors: forwarded at once, without the elements.
  /// - Lifetime: keeps the last `count` elements, and objects in them, alive until completion.
  /// - Parameter count: how many; none if that is not positive.
  /// - SeeAlso: ReactiveX [TakeLast](https://reactivex.io/documentation/operators/takelast.html).
  public func takeLast(_ count: Int) -> SameSequence {
    let last = asObservable().fold(into: Queue<Element>()) { last, element in
      last.append(element)
      if last.count > count { _ = last.popFirst() }
    } _: {
      $0.elements
    }
    return Self._wrap(last)
  }

  /// Leaves out the first `count` elements.
  ///
  ///     source  --1--2--3--4--|
  ///     skip(2) --------3--4--|
  ///
  /// - Parameter count: how many; none if that is not positive.
  /// - SeeAlso: ReactiveX [Skip](https://reactivex.io/documentation/operators/skip.html).
  @inlinable public func skip(_ count: Int) -> SameSequence {
    let rest = asObservable().accumulate(from: count) { remaining, element -> Element? in
      guard remaining > 0 else { return element }
      remaining -= 1
      return nil
    }
    return Self._wrap(rest)
  }

  // MARK: By predicate

  /// Emits as long as `predicate` is true, then completes.
  ///
  ///     source                       --1--2--3--1--|
  ///     take(while: { $0 < 3 })      --1--2--|
  ///
  /// - Errors: an error thrown by `predicate` ends the output.
  /// - Parameter behavior: whether the element that ends the sequence is still emitted.
  /// - SeeAlso: ReactiveX [TakeWhile](https://reactivex.io/documentation/operators/takewhile.html).
  public func take(
    while predicate: @escaping (Element) throws(Trait.Failure) -> Bool,
    behavior: TakeBehavior = .exclusive
  ) -> SameSequence {
    let taken = asObservable().lift { (downstream: AnyObserver<Element>) in
      var isOpen = true
      return downstream.withNext { element in
        guard isOpen else { return }
        do { isOpen = try predicate(element) } catch { return downstream.terminate(error) }
        let isLast = !isOpen
        if !isLast || behavior == .inclusive { downstream.next(element) }
        if isLast { downstream.terminate(nil) }
      }
    }
    return Self._wrap(taken)
  }

  /// Emits until `predicate` is true, then completes.
  ///
  /// - SeeAlso: ``take(while:behavior:)``, the opposite.
  public func take(
    until predicate: @escaping (Element) throws(Trait.Failure) -> Bool,
    behavior: TakeBehavior = .exclusive
  ) -> SameSequence {
    take(while: { (element) throws(Trait.Failure) in try !predicate(element) }, behavior: behavior)
  }

  /// Leaves out elements as long as `predicate` is true, and emits all from then on.
  ///
  ///     source                  --1--2--3--1--|
  ///     skip(while: { $0 < 3 }) --------3--1--|
  ///
  /// - Errors: an error thrown by `predicate` ends the output.
  /// - Parameter predicate: not called any more once it was false.
  /// - SeeAlso: ReactiveX [SkipWhile](https://reactivex.io/documentation/operators/skipwhile.html).
  public func skip(while predicate: @escaping (Element) throws(Trait.Failure) -> Bool)
    -> SameSequence
  {
    let rest = asObservable().accumulate(from: true) { isSkipping, element -> Element? in
      if isSkipping { isSkipping = try predicate(element) }
      return isSkipping ? nil : element
    }
    return Self._wrap(rest)
  }

  // MARK: By another sequence

  /// Emits until `other` emits its first element, then completes.
  ///
  ///     source      --1--2--3--4--|
  ///     other       ----------x
  ///     take(until) --1--2--3-|
  ///
  /// - Timing: `other` is subscribed to first. Its completion is ignored.
  /// - Errors: the first error of either side ends the output. If the output cannot fail, an error of
  ///   `other` goes to ``Hooks/defaultErrorHandler``, and `other` is ignored from then on.
  /// - SeeAlso: ReactiveX [TakeUntil](https://reactivex.io/documentation/operators/takeuntil.html).
  public func take(until other: some ObservableConvertibleType) -> SameSequence {
    let other = other.joined(to: Trait.self)
    return Self._wrap(
      asObservable().serializedStage { source, downstream, upstreams in
        upstreams.subscribe(
          to: other, next: { _ in downstream.terminate(nil) },
          terminate: downstream.terminateOnError)
        upstreams.subscribe(to: source, next: downstream.next, terminate: downstream.terminate)
      })
  }

  /// Leaves out elements before the first element of `other`.
  ///
  ///     source      --1--2--3--4--|
  ///     other       -------x
  ///     skip(until) --------3--4--|
  ///
  /// - Timing: the source is subscribed to first. If it completes before `other` has emitted, the
  ///   subscription is disposed, and the output never terminates.
  /// - Errors: as `take(until:)`.
  /// - SeeAlso: ReactiveX [SkipUntil](https://reactivex.io/documentation/operators/skipuntil.html).
  public func skip(until other: some ObservableConvertibleType) -> SameSequence {
    let opening = other.joined(to: Trait.self).take(1)
    return Self._wrap(
      asObservable().serializedStage { source, downstream, upstreams in
        var isOpen = false
        upstreams.subscribe(
          to: source, next: { if isOpen { downstream.next($0) } },
          terminate: { error in
            if error == nil, !isOpen { return upstreams.context.dispose() }
            downstream.terminate(error)
          })
        upstreams.subscribe(
          to: opening, next: { _ in isOpen = true }, terminate: downstream.terminateOnError)
      })
  }
}

// MARK: By time

extension ObservableSequenceType where Trait: MultiElementTrait & UnscheduledTrait {
  /// Leaves out elements until `duration` has passed.
  ///
  /// - Timing: elements pass on the thread that emits; `scheduler` is the clock.
  /// - SeeAlso: ReactiveX [Skip](https://reactivex.io/documentation/operators/skip.html).
  public func skip(_ duration: Duration, scheduler: any SchedulerType) -> SameSequence {
    let open = asObservable().stage { source, downstream, context in
      let gate = SubscriptionContext(inside: context)
      context.add(scheduler.schedule(after: duration, gate.dispose))
      source.run(downstream.withNext { if !gate.isActive { downstream.next($0) } }, in: context)
    }
    return Self._wrap(open)
  }

  /// Emits until `duration` has passed, then completes.
  ///
  /// - Timing: elements pass on the thread that emits; completes on `scheduler`, where operators such as
  ///   `takeLast` emit elements then.
  /// - SeeAlso: ReactiveX [Take](https://reactivex.io/documentation/operators/take.html).
  public func take(
    for duration: Duration, scheduler: any SchedulerType & ThreadConfinedSchedulerType
  ) -> SameSequence {
    Self._wrap(asObservable().take(until: Observable<Int>.timer(duration, scheduler: scheduler)))
  }
}
