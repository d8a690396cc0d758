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
    let source = asObservable()
    return Source { downstream, context in
      let upstream = SubscriptionContext()
      let subscription = scheduler.schedule(()) { _ in
        context.add(
          Disposables.create {
            // Ended at once, so that a source that never pauses does not keep its thread.
            guard upstream.end() else { return }
            _ = scheduler.schedule(()) { _ in
              upstream.tearDown()
              return Disposables.create()
            }
          })
        if upstream.isActive {
          source.run(in: upstream, next: downstream.next, terminate: downstream.terminate)
        }
        return Disposables.create()
      }
      context.add(subscription)
    }
  }

  /// Subscribes to the source when `dueTime` has passed.
  ///
  /// - Timing: on `scheduler`. Elements pass on the thread that emits them.
  /// - SeeAlso: ReactiveX [Delay](https://reactivex.io/documentation/operators/delay.html).
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
    let source = asObservable()
    return Source { downstream, context in
      context.add(
        scheduler.scheduleRelative((), dueTime: dueTime) { _ in
          if context.isActive { source.run(downstream, in: context) }
          return Disposables.create()
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
    let source = asObservable()
    return Source { downstream, context in
      let delay = Delay(downstream, context, dueTime, scheduler)
      source.run(
        in: context.child(), next: { delay.pass(.next($0)) },
        terminate: { delay.pass(Event(termination: $0)) })
    }
  }
}

private final class Delay<Element> {
  private let junction: Junction
  private let downstream: AnyObserver<Element>
  private let dueTime: Duration
  private let scheduler: any SchedulerType
  private let timer = SerialDisposable()
  /// What waits, and the time it is due.
  private var waiting = Fifo<(event: Event<Element>, due: Duration)>()
  private var isScheduled = false

  init(
    _ downstream: AnyObserver<Element>, _ context: SubscriptionContext, _ dueTime: Duration,
    _ scheduler: any SchedulerType
  ) {
    junction = Junction(context)
    context.add(timer)
    (self.downstream, self.dueTime, self.scheduler) = (downstream, dueTime, scheduler)
  }

  func pass(_ event: Event<Element>) {
    if case .error(let error) = event { return junction.pass(error, to: downstream.terminate) }
    junction.pass((event, scheduler.now + dueTime)) { item in
      self.waiting.append(item)
      if !self.isScheduled { self.schedule(in: self.dueTime) }
    }
  }

  private func schedule(in remaining: Duration) {
    isScheduled = true
    // Held before it is scheduled: the action may run, and schedule the next, before that returns.
    let step = SingleAssignmentDisposable()
    timer.disposable = step
    step.setDisposable(
      scheduler.scheduleRelative((), dueTime: remaining) { _ in
        self.junction.pass((), to: self.deliver)
        return Disposables.create()
      })
  }

  private func deliver() {
    isScheduled = false
    if let (event, _) = waiting.popFirst() { downstream.on(event) }
    guard junction.context.isActive, let next = waiting.first else { return }
    schedule(in: max(.zero, next.due - scheduler.now))
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
    let source = asObservable()
    return Source { downstream, context in
      let upstream = context.child()
      let timeout = Timeout(downstream, context, dueTime, scheduler) {
        upstream.dispose()
        // Inside the turn, but past the junction: what it says need not wait for the turn's end.
        other.run(downstream, in: context)
      }
      let junction = timeout.junction
      timeout.arm()
      guard upstream.isActive else { return }
      source.run(
        in: upstream,
        next: { junction.pass($0, to: timeout.next) },
        terminate: { junction.pass($0, to: timeout.terminate) })
    }
  }
}

private final class Timeout<Element> {
  let junction: Junction
  private let downstream: AnyObserver<Element>
  private let dueTime: Duration
  private let scheduler: any SchedulerType
  private let switchOver: () -> Void
  private let timer = SerialDisposable()
  /// The number of elements; timers of earlier ones mean nothing.
  private var generation = 0
  private var hasSwitched = false

  init(
    _ downstream: AnyObserver<Element>, _ context: SubscriptionContext, _ dueTime: Duration,
    _ scheduler: any SchedulerType, switchOver: @escaping () -> Void
  ) {
    junction = Junction(context)
    context.add(timer)
    (self.downstream, self.dueTime) = (downstream, dueTime)
    (self.scheduler, self.switchOver) = (scheduler, switchOver)
  }

  func arm() {
    timer.disposable = scheduler.scheduleRelative(generation, dueTime: dueTime) { generation in
      self.junction.pass(generation, to: self.expire)
      return Disposables.create()
    }
  }

  private func expire(_ generation: Int) {
    guard generation == self.generation, !hasSwitched else { return }
    hasSwitched = true
    switchOver()
  }

  func next(_ element: Element) {
    guard !hasSwitched else { return }
    generation += 1
    downstream.next(element)
    if junction.context.isActive { arm() }
  }

  func terminate(_ error: (any Error)?) {
    if !hasSwitched { downstream.terminate(error) }
  }
}
