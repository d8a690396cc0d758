// The timed filtering operators, and `sample`.

extension ObservableSequenceType where Trait: MultiElementTrait & UnscheduledTrait {
  /// Emits an element once no other has followed it for `dueTime`; at completion, the pending one.
  ///
  ///     source          -1-2-3-----4------5|
  ///     debounce(3)     --------3-----4---5|
  ///
  /// - Timing: on `scheduler`; at completion, on the thread that completes.
  /// - Errors: forwarded at once; a pending element is dropped.
  /// - Lifetime: keeps the pending element, and an object in it, alive until it has been emitted.
  /// - SeeAlso: ReactiveX [Debounce](https://reactivex.io/documentation/operators/debounce.html).
  public func debounce(
    _ dueTime: Duration, scheduler: any SchedulerType & ThreadConfinedSchedulerType
  ) -> SameSequence {
    return Self._wrap(
      asObservable().serializedStage { source, downstream, upstreams in
        let timer = RestartableTimer(upstreams, on: scheduler)
        var pending: Element?
        let emit = { if let element = pending.take() { downstream.next(element) } }
        upstreams.subscribe(
          to: source,
          next: { element in
            pending = element
            timer.restart(after: dueTime, emit)
          },
          terminate: { error in
            if error == nil { emit() }
            downstream.terminate(error)
          })
      })
  }

  /// Emits an element at once unless one was emitted less than `dueTime` ago; the latest element that
  /// came too early follows when that time is over.
  ///
  ///     source                     -1-2-3-------4--|
  ///     throttle(5)                -1----3------4--|
  ///     throttle(5, latest: false) -1-----------4--|
  ///
  /// - Timing: on the thread that emits, or on `scheduler`. A completion waits for a pending
  ///   element.
  /// - Errors: forwarded at once; a pending element is dropped.
  /// - Lifetime: keeps the pending element, and an object in it, alive until it has been emitted.
  /// - Parameters:
  ///   - dueTime: the least time between two elements.
  ///   - latest: whether an element that came too early is retained at all.
  ///   - scheduler: where, and by whose clock.
  /// - SeeAlso: ReactiveX [Sample](https://reactivex.io/documentation/operators/sample.html).
  public func throttle(
    _ dueTime: Duration, latest: Bool = true,
    scheduler: any SchedulerType & ThreadConfinedSchedulerType
  ) -> SameSequence {
    let dueTime = dueTime.saturated
    return Self._wrap(
      asObservable().serializedStage { source, downstream, upstreams in
        let timer = RestartableTimer(upstreams, on: scheduler)
        var pending: Element?
        var lastEmission: Duration?
        var isComplete = false
        let emit = { (element: Element) in
          pending = nil
          downstream.next(element)
          lastEmission = scheduler.now
        }
        let expire = {
          if let element = pending { emit(element) }
          if isComplete { downstream.terminate(nil) }
        }
        upstreams.subscribe(
          to: source,
          next: { element in
            let remaining = lastEmission.map { $0 + dueTime - scheduler.now } ?? .zero
            guard remaining > .zero else { return emit(element) }
            guard latest else { return }
            if exchange(&pending, with: element) == nil { timer.restart(after: remaining, expire) }
          },
          terminate: {
            if $0 == nil, pending != nil { isComplete = true } else { downstream.terminate($0) }
          })
      })
  }
}

extension ObservableType {
  /// Emits, whenever `sampler` emits or completes, the latest element emitted since the last time,
  /// or else `defaultValue`.
  ///
  ///     source  --1--2-----3------|
  ///     sampler ------x--x---x------x
  ///     output  ------2------3------|
  ///
  /// - Timing: the source is subscribed to first. Completes when `sampler` emits or completes after
  ///   the source has; if `sampler` has completed before the source, never.
  /// - Errors: the first error of either side ends the output.
  /// - Lifetime: keeps the latest element, and an object in it, alive until it has been emitted.
  /// - Parameter defaultValue: emitted when there is no new element; if it is nil, nothing is.
  /// - SeeAlso: ReactiveX [Sample](https://reactivex.io/documentation/operators/sample.html).
  public func sample<Sampler: ObservableType>(
    _ sampler: Sampler, defaultValue: Element? = nil
  ) -> Observable<Element> {
    serializedStage { source, downstream, upstreams in
      var latest: Element?
      var isComplete = false
      let emit = { (error: (any Error)?) in
        if error == nil, let element = latest ?? defaultValue {
          latest = nil
          downstream.next(element)
        }
        if error != nil || isComplete { downstream.terminate(error) }
      }
      upstreams.subscribe(
        to: source, next: { latest = $0 },
        terminate: { if $0 == nil { isComplete = true } else { downstream.terminate($0) } })
      upstreams.subscribe(to: sampler.asObservable(), next: { _ in emit(nil) }, terminate: emit)
    }
  }
}
