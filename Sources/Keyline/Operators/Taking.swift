/// Whether the element that ends a sequence is part of it.
public enum TakeBehavior: Sendable {
  /// It is.
  case inclusive
  /// It is not.
  case exclusive
}

// MARK: By predicate

extension ObservableType {
  /// Emits as long as `predicate` is true, then completes.
  ///
  ///     source                       --1--2--3--1--|
  ///     take(while: { $0 < 3 })      --1--2--|
  ///
  /// - Errors: an error thrown by `predicate` ends the output.
  /// - Parameter behavior: whether the element that ends the sequence is still emitted.
  /// - SeeAlso: ReactiveX [TakeWhile](https://reactivex.io/documentation/operators/takewhile.html).
  public func take(
    while predicate: @escaping (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Observable<Element> {
    lift { downstream in
      var isOpen = true
      return downstream.withNext { element in
        guard isOpen else { return }
        do { isOpen = try predicate(element) } catch { return downstream.terminate(error) }
        let isLast = !isOpen
        if !isLast || behavior == .inclusive { downstream.next(element) }
        if isLast { downstream.terminate(nil) }
      }
    }
  }

  /// Emits until `predicate` is true, then completes.
  ///
  /// - SeeAlso: ``take(while:behavior:)``, the opposite.
  public func take(
    until predicate: @escaping (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Observable<Element> {
    take(while: { try !predicate($0) }, behavior: behavior)
  }

  /// Leaves out elements as long as `predicate` is true, and emits all from then on.
  ///
  ///     source                  --1--2--3--1--|
  ///     skip(while: { $0 < 3 }) --------3--1--|
  ///
  /// - Errors: an error thrown by `predicate` ends the output.
  /// - Parameter predicate: not called any more once it was false.
  /// - SeeAlso: ReactiveX [SkipWhile](https://reactivex.io/documentation/operators/skipwhile.html).
  public func skip(while predicate: @escaping (Element) throws -> Bool) -> Observable<Element> {
    lift { downstream in
      var isSkipping = true
      return downstream.withNext { element in
        if isSkipping {
          do { isSkipping = try predicate(element) } catch { return downstream.terminate(error) }
        }
        if !isSkipping { downstream.next(element) }
      }
    }
  }
}

// MARK: By another

extension ObservableType {
  /// Leaves out what comes before the first element of `other`.
  ///
  ///     source      --1--2--3--4--|
  ///     other       -------x
  ///     skip(until) --------3--4--|
  ///
  /// - Timing: the source is subscribed to first. If it completes before `other` has emitted, the
  ///   output never does.
  /// - Errors: the first error of either side ends the output.
  /// - SeeAlso: ReactiveX [SkipUntil](https://reactivex.io/documentation/operators/skipuntil.html).
  public func skip<Other: ObservableType>(until other: Other) -> Observable<Element> {
    meeting { source, downstream, junction in
      let opener = junction.context.child()
      var isOpen = false
      junction.follow(
        source, next: { if isOpen { downstream.next($0) } },
        terminate: { if $0 != nil || isOpen { downstream.terminate($0) } })
      junction.follow(
        other.asObservable(), in: opener,
        next: { _ in
          isOpen = true
          opener.dispose()
        },
        terminate: downstream.fail)
    }
  }
}

// MARK: By time

extension ObservableType {
  /// `take(for:scheduler:)` for elements of any kind; the caller answers for the threads.
  func taken(for duration: Duration, on scheduler: any SchedulerType) -> Observable<Element> {
    take(until: Observable<Int>.timer(duration, scheduler: scheduler))
  }

  /// Leaves out what comes in the time given.
  ///
  /// - Timing: elements pass on the thread that emits; `scheduler` is the clock.
  /// - SeeAlso: ReactiveX [Skip](https://reactivex.io/documentation/operators/skip.html).
  public func skip(for duration: Duration, scheduler: any SchedulerType) -> Observable<Element> {
    stage { source, downstream, context in
      let gate = BooleanDisposable()
      context.add(scheduler.run(after: duration, gate.dispose))
      source.run(downstream.withNext { if gate.isDisposed { downstream.next($0) } }, in: context)
    }
  }
}

// MARK: By position

extension ObservableType {
  /// Emits the last `count` elements, at completion.
  ///
  ///     source      --1--2--3--|
  ///     takeLast(2) -----------23|
  ///
  /// - Errors: passed on at once, without the elements.
  /// - Lifetime: retains the last `count` elements.
  /// - Parameter count: how many; none if that is not positive.
  /// - SeeAlso: ReactiveX [TakeLast](https://reactivex.io/documentation/operators/takelast.html).
  public func takeLast(_ count: Int) -> Observable<Element> {
    folded(into: Fifo<Element>()) { last, element in
      last.append(element)
      if last.count > count { _ = last.popFirst() }
    } _: {
      $0.elements
    }
  }

  /// Emits the element at `index`, and completes.
  ///
  /// - Errors: `RxError.argumentOutOfRange` if there is none, or `index` is negative.
  /// - Parameter index: counted from 0.
  /// - SeeAlso: ReactiveX [ElementAt](https://reactivex.io/documentation/operators/elementat.html).
  public func element(at index: Int) -> Observable<Element> {
    guard index >= 0 else { return .error(RxError.argumentOutOfRange) }
    return skip(index).take(1).ifEmpty(switchTo: .error(RxError.argumentOutOfRange))
  }

  /// Passes on the only element.
  ///
  /// - Errors: `RxError.noElements` at completion without one, `RxError.moreThanOneElement` when a
  ///   second comes.
  /// - SeeAlso: ReactiveX [First](https://reactivex.io/documentation/operators/first.html).
  public func single() -> Observable<Element> { single { _ in true } }

  /// Passes on the only element for which `predicate` is true.
  ///
  /// - Errors: `RxError.noElements` at completion without one, `RxError.moreThanOneElement` when a
  ///   second comes; an error thrown by `predicate`.
  /// - SeeAlso: ReactiveX [First](https://reactivex.io/documentation/operators/first.html).
  public func single(_ predicate: @escaping (Element) throws -> Bool) -> Observable<Element> {
    filter(predicate).enumerated().map { index, element in
      guard index == 0 else { throw RxError.moreThanOneElement }
      return element
    }.ifEmpty(switchTo: .error(RxError.noElements))
  }

  /// The first element, or nil if there is none; then completion. What `first()` is made of.
  func firstElement() -> Observable<Element?> {
    take(1).map(Optional.some).ifEmpty(default: nil)
  }

  /// Passes on the end only.
  ///
  /// - SeeAlso: ReactiveX
  ///   [IgnoreElements](https://reactivex.io/documentation/operators/ignoreelements.html).
  public func ignoreElements() -> Observable<Never> {
    lift { AnyObserver(next: { _ in }, terminate: $0.terminate) }
  }
}
