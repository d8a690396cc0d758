extension ObservableType {
  /// Subscribes to the source on `scheduler`, and leaves it there.
  ///
  /// - Timing: one scheduled action to subscribe, one to leave upon disposal; a source that
  ///   terminates is left at once. Elements pass on the thread that emits them.
  /// - SeeAlso: ReactiveX [SubscribeOn](https://reactivex.io/documentation/operators/subscribeon.html).
  // Proof of the attribute: without it the overload for the main scheduler would be ambiguous.
  @_disfavoredOverload
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element>
  where Element: Sendable {
    subscribed(on: scheduler)
  }

  /// `subscribe(on:)` for elements of any kind; the caller answers for the threads.
  func subscribed(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    stage { source, downstream, context in
      let upstream = SubscriptionContext()
      context.add(
        scheduler.run {
          context.add(
            Disposables.create {
              // Ended at once, so that a source that never pauses does not keep its thread.
              if upstream.end() { _ = scheduler.run(upstream.tearDown) }
            })
          if upstream.isActive {
            source.run(in: upstream, next: downstream.next, terminate: downstream.terminate)
          }
        })
    }
  }

  // Proof of the attribute: without it the overload for the main scheduler would be ambiguous.
  @_disfavoredOverload
  public func delaySubscription(
    _ dueTime: Duration, scheduler: any SchedulerType
  ) -> Observable<Element> where Element: Sendable {
    subscriptionDelayed(by: dueTime, on: scheduler)
  }

  /// `delaySubscription(_:scheduler:)` for elements of any kind; the caller answers for the threads.
  func subscriptionDelayed(
    by dueTime: Duration, on scheduler: any SchedulerType
  ) -> Observable<Element> {
    stage { source, downstream, context in
      context.add(
        scheduler.run(after: dueTime) {
          if context.isActive { source.run(downstream, in: context) }
        })
    }
  }
}

// MARK: Delay

extension ObservableType {
  /// Emits everything later, at the same distances.
  ///
  ///     source   -1-2---3-|
  ///     delay(3) ----1-2---3-|
  ///
  /// - Timing: on `scheduler`, one scheduled action per element or completion.
  /// - Errors: passed on at once, on the thread that fails; what waits is dropped.
  /// - Lifetime: retains what waits.
  /// - SeeAlso: ReactiveX [Delay](https://reactivex.io/documentation/operators/delay.html).
  // Proof of the attribute: without it the overload for the main scheduler would be ambiguous.
  @_disfavoredOverload
  public func delay(
    _ dueTime: Duration, scheduler: any SchedulerType
  ) -> Observable<Element> where Element: Sendable {
    delayed(by: dueTime, on: scheduler)
  }

  /// `delay(_:scheduler:)` for elements of any kind; the caller answers for the threads.
  func delayed(by dueTime: Duration, on scheduler: any SchedulerType) -> Observable<Element> {
    meeting { source, downstream, junction in
      let alarm = Alarm(junction, on: scheduler)
      var waiting = Fifo<(event: Event<Element>, due: Duration)>()
      func deliver() {
        if let (event, _) = waiting.popFirst() { downstream.on(event) }
        guard junction.context.isActive, let next = waiting.first else { return }
        alarm.set(after: max(.zero, next.due - scheduler.now), deliver)
      }
      let hold = { (event: Event<Element>) in
        junction.pass((event, scheduler.now + dueTime)) { item in
          let isFirst = waiting.isEmpty
          waiting.append(item)
          if isFirst { alarm.set(after: dueTime, deliver) }
        }
      }
      source.run(
        in: junction.context.child(), next: { hold(.next($0)) },
        terminate: { error in
          if error == nil {
            hold(.completed)
          } else {
            junction.pass(error, to: downstream.terminate)
          }
        })
    }
  }
}

// MARK: Timeout

extension ObservableType {
  /// Fails with `RxError.timeout` when no element has come for `dueTime`.
  ///
  ///     source     -1--2-------3--|
  ///     timeout(5) -1--2----x
  ///
  /// - SeeAlso: ``timeout(_:other:scheduler:)``.
  // Proof of the attribute: without it the overload for the main scheduler would be ambiguous.
  @_disfavoredOverload
  public func timeout(
    _ dueTime: Duration, scheduler: any SchedulerType
  ) -> Observable<Element> where Element: Sendable {
    timedOut(after: dueTime, other: .error(RxError.timeout), on: scheduler)
  }

  /// Leaves the source for `other` when no element has come for `dueTime`.
  ///
  ///     source     -1--2-------3--|
  ///     other               7--8--|
  ///     timeout(5) -1--2----7--8--|
  ///
  /// - Timing: the time runs from the subscription, and anew from each element when that has been
  ///   passed on. `other` is subscribed to on `scheduler`, without a time limit.
  /// - Errors: those of the source, and of `other`, end the output.
  /// - SeeAlso: ReactiveX [Timeout](https://reactivex.io/documentation/operators/timeout.html).
  // Proof of the attribute: without it the overload for the main scheduler would be ambiguous.
  @_disfavoredOverload
  public func timeout<Other: ObservableConvertibleType>(
    _ dueTime: Duration, other: Other, scheduler: any SchedulerType
  ) -> Observable<Element> where Other.Element == Element, Element: Sendable {
    timedOut(after: dueTime, other: other.asObservable(), on: scheduler)
  }

  /// `timeout(_:other:scheduler:)` for elements of any kind; the caller answers for the threads.
  func timedOut(
    after dueTime: Duration, other: Observable<Element>, on scheduler: any SchedulerType
  ) -> Observable<Element> {
    meeting { source, downstream, junction in
      let alarm = Alarm(junction, on: scheduler)
      let upstream = junction.context.child()
      var hasSwitched = false
      let arm = {
        alarm.set(after: dueTime) {
          hasSwitched = true
          upstream.dispose()
          // Inside the turn, but past the junction: what it says need not wait for the turn's end.
          other.run(downstream, in: junction.context)
        }
      }
      arm()
      guard upstream.isActive else { return }
      junction.follow(
        source, in: upstream,
        next: { element in
          guard !hasSwitched else { return }
          downstream.next(element)
          if junction.context.isActive { arm() }
        },
        terminate: { if !hasSwitched { downstream.terminate($0) } })
    }
  }
}
