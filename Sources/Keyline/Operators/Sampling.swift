// MARK: Debounce

extension ObservableType {
  /// `debounce(_:scheduler:)` for elements of any kind; the caller answers for the threads.
  func debounced(for dueTime: Duration, on scheduler: any SchedulerType) -> Observable<Element> {
    meeting { source, downstream, junction in
      let alarm = Alarm(junction, on: scheduler)
      let pending = Slot<Element>()
      let emit = {
        guard let element = pending.value else { return }
        pending.clear()
        downstream.next(element)
      }
      junction.follow(
        source,
        next: { element in
          pending.store(element)
          alarm.set(after: dueTime, emit)
        },
        terminate: { error in
          if error == nil { emit() }
          downstream.terminate(error)
        })
    }
  }
}

// MARK: Throttle

extension ObservableType {
  /// `throttle(_:latest:scheduler:)` for elements of any kind; the caller answers for the threads.
  func throttled(
    for dueTime: Duration, latest: Bool, on scheduler: any SchedulerType
  ) -> Observable<Element> {
    meeting { source, downstream, junction in
      let alarm = Alarm(junction, on: scheduler)
      let pending = Slot<Element>()
      var lastSent: Duration?
      var isComplete = false
      let send = { (element: Element) in
        pending.clear()
        downstream.next(element)
        lastSent = scheduler.now
      }
      let expire = {
        if let element = pending.value { send(element) }
        if isComplete { downstream.terminate(nil) }
      }
      junction.follow(
        source,
        next: { element in
          let remaining = lastSent.map { $0 + dueTime - scheduler.now } ?? .zero
          guard remaining > .zero else { return send(element) }
          guard latest else { return }
          let isScheduled = pending.isFilled
          pending.store(element)
          if !isScheduled { alarm.set(after: remaining, expire) }
        },
        terminate: {
          if $0 == nil, pending.isFilled { isComplete = true } else { downstream.terminate($0) }
        })
    }
  }
}

// MARK: Sample

extension ObservableType {
  /// Emits, whenever `sampler` emits or completes, the latest element that has come since the last
  /// time, or else `defaultValue`.
  ///
  ///     source  --1--2-----3------|
  ///     sampler ------x--x---x------x
  ///     output  ------2------3------|
  ///
  /// - Timing: the source is subscribed to first. Completes when `sampler` emits or completes after
  ///   the source has; if `sampler` has completed before the source, never.
  /// - Errors: the first error of either side ends the output.
  /// - Lifetime: retains the latest element.
  /// - Parameter defaultValue: emitted when nothing new has come; nothing if it is nil.
  /// - SeeAlso: ReactiveX [Sample](https://reactivex.io/documentation/operators/sample.html).
  public func sample<Sampler: ObservableType>(
    _ sampler: Sampler, defaultValue: Element? = nil
  ) -> Observable<Element> {
    meeting { source, downstream, junction in
      let latest = Slot<Element>()
      var isAtEnd = false
      let take = { (error: (any Error)?) in
        if error == nil, let element = latest.value ?? defaultValue {
          latest.clear()
          downstream.next(element)
        }
        if error != nil || isAtEnd { downstream.terminate(error) }
      }
      junction.follow(
        source, next: latest.store,
        terminate: { if $0 == nil { isAtEnd = true } else { downstream.terminate($0) } })
      junction.follow(sampler.asObservable(), next: { _ in take(nil) }, terminate: take)
    }
  }
}
