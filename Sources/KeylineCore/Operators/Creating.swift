extension ObservableType {
  /// A sequence defined by a closure: `subscribe` feeds each observer and returns a disposable that
  /// stops it.
  ///
  /// ```swift
  /// let answers = Observable<Int>.create { observer in
  ///   observer.onNext(42)
  ///   observer.onCompleted()
  ///   return Disposables.create()
  /// }
  /// ```
  ///
  /// - Timing: events that several threads feed to an observer are passed on one at a time, in one
  ///   order; an event fed inside another follows it.
  /// - Errors: events after a termination are ignored.
  /// - Lifetime: the disposable returned is disposed on disposal, or with the termination. An
  ///   observer that is kept after that retains nothing.
  /// - Parameter subscribe: called once per subscription. Its observer is `Sendable` if the elements
  ///   are.
  /// - SeeAlso: ReactiveX [Create](https://reactivex.io/documentation/operators/create.html).
  public static func create(
    _ subscribe: @escaping (AnyObserver<Element>) -> any Disposable
  ) -> Observable<Element> {
    _Source(serializing: subscribe)
  }

  /// One element, then completion.
  ///
  /// - SeeAlso: ReactiveX [Just](https://reactivex.io/documentation/operators/just.html).
  @inlinable public static func just(_ element: Element) -> Observable<Element> {
    _Source { observer, _ in
      observer.next(element)
      observer.terminate(nil)
    }
  }

  /// The observable that `observableFactory` returns for a resource, which is disposed with it.
  ///
  /// - Timing: the resource is disposed after the source, when the termination has been delivered and
  ///   `onDisposed` has run, or on disposal, before `onDisposed`.
  /// - Errors: an error thrown by either closure ends the output.
  /// - Parameters:
  ///   - resourceFactory: called once per subscription.
  ///   - observableFactory: called once per resource.
  /// - SeeAlso: ReactiveX [Using](https://reactivex.io/documentation/operators/using.html).
  public static func using<Resource: Disposable>(
    _ resourceFactory: @escaping () throws -> Resource,
    observableFactory: @escaping (Resource) throws -> Observable<Element>
  ) -> Observable<Element> {
    Observable.deferred {
      let resource = try resourceFactory()
      return .deferred { try observableFactory(resource) }.do(onDispose: resource.dispose)
    }.named()
  }
}

extension ObservableSequenceType {
  /// Completes at once.
  ///
  /// - SeeAlso: ReactiveX
  ///   [Empty](https://reactivex.io/documentation/operators/empty-never-throw.html).
  public static func empty() -> SameSequence where Trait.Filtered == Trait {
    _wrap(Trait.start(_Source { observer, _ in observer.terminate(nil) }))
  }

  /// Never emits or terminates.
  ///
  /// - SeeAlso: ReactiveX
  ///   [Never](https://reactivex.io/documentation/operators/empty-never-throw.html).
  public static func never() -> SameSequence { _wrap(_Source { _, _ in }) }

  /// The sequence that `factory` returns, called for every subscription.
  ///
  /// - Errors: an error thrown by `factory` ends the output.
  /// - SeeAlso: ReactiveX [Defer](https://reactivex.io/documentation/operators/defer.html).
  public static func deferred(
    _ factory: @escaping () throws(Trait.Failure) -> SameSequence
  ) -> SameSequence where SameSequence: ObservableConvertibleType<Element> {
    let source = _Source<Element> { observer, context in
      observer.attempt { try factory().asObservable().run(observer, in: context) }
    }
    return _wrap(source)
  }

  /// Fails at once.
  ///
  /// - SeeAlso: ReactiveX
  ///   [Throw](https://reactivex.io/documentation/operators/empty-never-throw.html).
  public static func error(_ error: any Error) -> SameSequence where Trait.Failure == any Error {
    _wrap(_Source { observer, _ in observer.terminate(error) })
  }
}

// MARK: Timers

// Elements may hop threads though their type is not required to be `Sendable`: an integer is a value,
// and each is made for one observer.

extension ObservableType where Element: FixedWidthInteger {
  /// Counts up from 0, one element per `period`, the first after one period. Never completes.
  ///
  ///     period 2s   ----0---1---2---3---
  ///
  /// - Timing: on `scheduler`. A count that overflows starts again from the lowest value.
  /// - Parameters:
  ///   - period: the time between two elements.
  ///   - scheduler: where, and by whose clock.
  /// - SeeAlso: ReactiveX [Interval](https://reactivex.io/documentation/operators/interval.html).
  public static func interval(
    _ period: Duration, scheduler: any SchedulerType
  ) -> Observable<Element> {
    timer(period, period: period, scheduler: scheduler)
  }

  /// 0 after `dueTime`; then completion or, with a period, 1, 2, … without end.
  ///
  ///     timer(2s)             ----0|
  ///     timer(2s, period: 1s) ----0-1-2-3---
  ///
  /// - Timing: on `scheduler`. A count that overflows starts again from the lowest value.
  /// - Parameters:
  ///   - dueTime: the time before the first element.
  ///   - period: the time between two elements; nil for one element only.
  ///   - scheduler: where, and by whose clock.
  /// - SeeAlso: ReactiveX [Timer](https://reactivex.io/documentation/operators/timer.html).
  public static func timer(
    _ dueTime: Duration, period: Duration? = nil, scheduler: any SchedulerType
  ) -> Observable<Element> {
    guard let period else {
      let element = Observable<Element>.just(0)
      return element.delaySubscription(dueTime, scheduler: scheduler.unsafelyConfined).named()
    }
    return _Source { observer, context in
      context.add(
        scheduler.schedulePeriodic(0 as Element, startAfter: dueTime, period: period) { count in
          if context.isActive { observer.next(count) }
          return count &+ 1
        })
    }
  }
}
