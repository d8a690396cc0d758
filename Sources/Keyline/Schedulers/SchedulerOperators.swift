// The operators that change threads, in both their forms. What hops threads asks for `Sendable`
// elements, except onto the main one: there it takes any.

// Proof of the attributes: without them the forms for the main scheduler would be ambiguous.
extension ReschedulableType where Element: Sendable {
  /// Passes every event on through `scheduler`, in order.
  ///
  /// - Timing: one scheduled action per event, errors included; elements wait in a queue without
  ///   bound.
  /// - Lifetime: what waits is dropped on disposal.
  /// - Complexity: O(1) per event.
  /// - SeeAlso: ReactiveX [ObserveOn](https://reactivex.io/documentation/operators/observeon.html).
  @_disfavoredOverload public func observe(on scheduler: any ImmediateSchedulerType) -> Kept {
    Self.keeping(asObservable().handedOver(to: scheduler))
  }

  /// Subscribes to the source on `scheduler`, and leaves it there.
  ///
  /// - Timing: one scheduled action to subscribe, one to leave upon disposal; a source that
  ///   terminates is left at once. Elements pass on the thread that emits them.
  /// - SeeAlso: ReactiveX [SubscribeOn](https://reactivex.io/documentation/operators/subscribeon.html).
  @_disfavoredOverload public func subscribe(on scheduler: any ImmediateSchedulerType) -> Kept {
    Self.keeping(asObservable().subscribed(on: scheduler))
  }

  /// Subscribes to the source on `scheduler`, when `dueTime` has passed.
  ///
  /// - SeeAlso: ReactiveX [Delay](https://reactivex.io/documentation/operators/delay.html).
  @_disfavoredOverload
  public func delaySubscription(_ dueTime: Duration, scheduler: any SchedulerType) -> Kept {
    Self.keeping(asObservable().subscriptionDelayed(by: dueTime, on: scheduler))
  }

  /// Emits everything later, at the same distances.
  ///
  ///     source   -1-2---3-|
  ///     delay(3) ----1-2---3-|
  ///
  /// - Timing: on `scheduler`, one scheduled action per element or completion.
  /// - Errors: passed on at once, on the thread that fails; what waits is dropped.
  /// - Lifetime: retains what waits.
  /// - SeeAlso: ReactiveX [Delay](https://reactivex.io/documentation/operators/delay.html).
  @_disfavoredOverload
  public func delay(_ dueTime: Duration, scheduler: any SchedulerType) -> Kept {
    Self.keeping(asObservable().delayed(by: dueTime, on: scheduler))
  }
}

extension BindableType where Element: Sendable {
  /// Emits an element once nothing has followed it for `dueTime`; at completion, the one that waits.
  ///
  ///     source          -1-2-3-----4------5|
  ///     debounce(3)     --------3-----4---5|
  ///
  /// - Timing: on `scheduler`; at completion, on the thread that completes.
  /// - Errors: passed on at once; what waits is dropped.
  /// - Lifetime: retains the element that waits.
  /// - SeeAlso: ReactiveX [Debounce](https://reactivex.io/documentation/operators/debounce.html).
  @_disfavoredOverload
  public func debounce(_ dueTime: Duration, scheduler: any SchedulerType) -> Kept {
    Self.keeping(asObservable().debounced(for: dueTime, on: scheduler))
  }

  /// Emits an element at once unless one was emitted less than `dueTime` ago; then the latest of
  /// those that came too early follows when that time is over.
  ///
  ///     source                     -1-2-3-------4--|
  ///     throttle(5)                -1----3------4--|
  ///     throttle(5, latest: false) -1-----------4--|
  ///
  /// - Timing: on the thread that emits, or on `scheduler`. A completion waits for what is due.
  /// - Errors: passed on at once; what waits is dropped.
  /// - Lifetime: retains the element that waits.
  /// - Parameters:
  ///   - dueTime: the least time between two elements.
  ///   - latest: whether an element that came too early is kept at all.
  ///   - scheduler: where, and by whose clock.
  /// - SeeAlso: ReactiveX [Sample](https://reactivex.io/documentation/operators/sample.html).
  @_disfavoredOverload public func throttle(
    _ dueTime: Duration, latest: Bool = true, scheduler: any SchedulerType
  ) -> Kept {
    Self.keeping(asObservable().throttled(for: dueTime, latest: latest, on: scheduler))
  }

  /// Emits for a time, then completes.
  ///
  /// - Timing: completes on `scheduler`.
  /// - SeeAlso: ReactiveX [Take](https://reactivex.io/documentation/operators/take.html).
  @_disfavoredOverload
  public func take(for duration: Duration, scheduler: any SchedulerType) -> Kept {
    Self.keeping(asObservable().taken(for: duration, on: scheduler))
  }
}

extension FallibleType where Element: Sendable {
  /// Fails with `RxError.timeout` when no element has come for `dueTime`.
  ///
  ///     source     -1--2-------3--|
  ///     timeout(5) -1--2----x
  ///
  /// - SeeAlso: `timeout(_:other:scheduler:)`.
  @_disfavoredOverload
  public func timeout(_ dueTime: Duration, scheduler: any SchedulerType) -> Kept {
    Self.keeping(
      asObservable().timedOut(after: dueTime, other: .error(RxError.timeout), on: scheduler))
  }
}

extension ObservableType where Element: Sendable {
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
  @_disfavoredOverload public func timeout<Other: ObservableConvertibleType>(
    _ dueTime: Duration, other: Other, scheduler: any SchedulerType
  ) -> Observable<Element> where Other.Element == Element {
    timedOut(after: dueTime, other: other.asObservable(), on: scheduler)
  }
}

extension ReschedulableType {
  /// Passes every event on through the main queue, in order; elements may be of any kind.
  ///
  /// - Timing: at once when it can be, see ``MainScheduler``.
  /// - SeeAlso: ReactiveX [ObserveOn](https://reactivex.io/documentation/operators/observeon.html).
  public func observe(on scheduler: MainScheduler) -> Kept {
    Self.keeping(asObservable().handedOver(to: scheduler))
  }

  /// Subscribes to the source on the main queue; elements may be of any kind.
  ///
  /// - SeeAlso: ReactiveX [SubscribeOn](https://reactivex.io/documentation/operators/subscribeon.html).
  public func subscribe(on scheduler: MainScheduler) -> Kept {
    Self.keeping(asObservable().subscribed(on: scheduler))
  }

  /// Subscribes to the source on the main queue, when `dueTime` has passed.
  ///
  /// - SeeAlso: ReactiveX [Delay](https://reactivex.io/documentation/operators/delay.html).
  public func delaySubscription(_ dueTime: Duration, scheduler: MainScheduler) -> Kept {
    Self.keeping(asObservable().subscriptionDelayed(by: dueTime, on: scheduler))
  }

  /// Emits everything later, on the main queue.
  ///
  /// - SeeAlso: ReactiveX [Delay](https://reactivex.io/documentation/operators/delay.html).
  public func delay(_ dueTime: Duration, scheduler: MainScheduler) -> Kept {
    Self.keeping(asObservable().delayed(by: dueTime, on: scheduler))
  }
}

extension BindableType {
  /// Emits an element, of any kind, on the main queue once nothing has followed it for `dueTime`.
  ///
  /// - SeeAlso: ReactiveX [Debounce](https://reactivex.io/documentation/operators/debounce.html).
  public func debounce(_ dueTime: Duration, scheduler: MainScheduler) -> Kept {
    Self.keeping(asObservable().debounced(for: dueTime, on: scheduler))
  }

  /// Emits an element unless one was emitted less than `dueTime` ago; the latest of those that came
  /// too early follows on the main queue.
  ///
  /// - SeeAlso: ReactiveX [Sample](https://reactivex.io/documentation/operators/sample.html).
  public func throttle(_ dueTime: Duration, latest: Bool = true, scheduler: MainScheduler) -> Kept {
    Self.keeping(asObservable().throttled(for: dueTime, latest: latest, on: scheduler))
  }

  /// Emits for a time, then completes on the main queue.
  ///
  /// - SeeAlso: ReactiveX [Take](https://reactivex.io/documentation/operators/take.html).
  public func take(for duration: Duration, scheduler: MainScheduler) -> Kept {
    Self.keeping(asObservable().taken(for: duration, on: scheduler))
  }
}

extension FallibleType {
  /// Fails, on the main queue, when no element has come for `dueTime`.
  ///
  /// - SeeAlso: ReactiveX [Timeout](https://reactivex.io/documentation/operators/timeout.html).
  public func timeout(_ dueTime: Duration, scheduler: MainScheduler) -> Kept {
    Self.keeping(
      asObservable().timedOut(after: dueTime, other: .error(RxError.timeout), on: scheduler))
  }
}

extension ObservableType {
  /// Leaves the source for `other`, on the main queue, when no element has come for `dueTime`.
  ///
  /// - SeeAlso: ReactiveX [Timeout](https://reactivex.io/documentation/operators/timeout.html).
  public func timeout<Other: ObservableConvertibleType>(
    _ dueTime: Duration, other: Other, scheduler: MainScheduler
  ) -> Observable<Element> where Other.Element == Element {
    timedOut(after: dueTime, other: other.asObservable(), on: scheduler)
  }
}
