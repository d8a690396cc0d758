extension ObservableType {
  /// A sequence made by hand: `subscribe` gets each observer and says how to stop feeding it.
  ///
  /// ```swift
  /// let answers = Observable<Int>.create { observer in
  ///   observer.onNext(42)
  ///   observer.onCompleted()
  ///   return Disposables.create()
  /// }
  /// ```
  ///
  /// - Errors: whatever `observer` is sent after a termination is ignored.
  /// - Lifetime: the disposable returned is disposed at termination or disposal.
  /// - Parameter subscribe: called once per subscription. It must feed its observer serially.
  /// - SeeAlso: ReactiveX [Create](https://reactivex.io/documentation/operators/create.html).
  public static func create(
    _ subscribe: @escaping (AnyObserver<Element>) -> any Disposable
  ) -> Observable<Element> {
    Source { observer, context in
      let source = context.child()
      source.add(
        subscribe(
          AnyObserver(
            next: { element in if source.isActive { observer.next(element) } },
            terminate: { error in
              guard source.end() else { return }
              source.tearDown()
              observer.terminate(error)
            }
          )
        )
      )
    }
  }

  /// One element, then completion.
  ///
  /// - SeeAlso: ReactiveX [Just](https://reactivex.io/documentation/operators/just.html).
  @inlinable
  public static func just(_ element: Element) -> Observable<Element> {
    Source { observer, _ in
      observer.next(element)
      observer.terminate(nil)
    }
  }

  /// Completion, at once.
  ///
  /// - SeeAlso: ReactiveX [Empty](https://reactivex.io/documentation/operators/empty-never-throw.html).
  public static func empty() -> Observable<Element> {
    Source { observer, _ in observer.terminate(nil) }
  }

  /// Nothing, for ever.
  ///
  /// - SeeAlso: ReactiveX [Never](https://reactivex.io/documentation/operators/empty-never-throw.html).
  public static func never() -> Observable<Element> {
    Source { _, _ in }
  }

  /// An error, at once.
  ///
  /// - SeeAlso: ReactiveX [Throw](https://reactivex.io/documentation/operators/empty-never-throw.html).
  public static func error(_ error: any Error) -> Observable<Element> {
    Source { observer, _ in observer.terminate(error) }
  }

  /// The elements given, in order, then completion.
  ///
  /// - Timing: synchronous, inside `subscribe`.
  /// - SeeAlso: ReactiveX [From](https://reactivex.io/documentation/operators/from.html).
  public static func of(_ elements: Element...) -> Observable<Element> { from(elements) }

  /// The elements of a Swift sequence, in order, then completion.
  ///
  /// - Timing: synchronous, inside `subscribe`; the sequence may be infinite if something
  ///   downstream ends the subscription.
  /// - SeeAlso: ReactiveX [From](https://reactivex.io/documentation/operators/from.html).
  public static func from<Elements: Sequence>(_ elements: Elements) -> Observable<Element>
  where Elements.Element == Element {
    Source { observer, context in
      for element in elements {
        guard context.isActive else { return }
        observer.next(element)
      }
      observer.terminate(nil)
    }
  }
}

extension ObservableType where Element: FixedWidthInteger & Sendable {
  /// Counts up from 0, one element per `period`, the first after one period. Never ends.
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
    Source { observer, context in
      context.add(
        scheduler.schedulePeriodic(0 as Element, startAfter: period, period: period) { count in
          if context.isActive { observer.next(count) }
          return count &+ 1
        }
      )
    }
  }
}
