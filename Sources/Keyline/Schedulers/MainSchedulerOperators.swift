// What hops threads asks for `Sendable` elements, except onto the main one: here it takes any.

extension ObservableType {
  /// Subscribes to the source on the main queue; elements may be of any kind.
  ///
  /// - SeeAlso: ReactiveX [SubscribeOn](https://reactivex.io/documentation/operators/subscribeon.html).
  public func subscribe(on scheduler: MainScheduler) -> Observable<Element> {
    subscribed(on: scheduler)
  }

  /// Subscribes to the source on the main queue, when `dueTime` has passed.
  ///
  /// - SeeAlso: ReactiveX [Delay](https://reactivex.io/documentation/operators/delay.html).
  public func delaySubscription(
    _ dueTime: Duration, scheduler: MainScheduler
  ) -> Observable<Element> {
    subscriptionDelayed(by: dueTime, on: scheduler)
  }

  /// Emits everything later, on the main queue.
  ///
  /// - SeeAlso: ReactiveX [Delay](https://reactivex.io/documentation/operators/delay.html).
  public func delay(_ dueTime: Duration, scheduler: MainScheduler) -> Observable<Element> {
    delayed(by: dueTime, on: scheduler)
  }

  /// Fails, on the main queue, when no element has come for `dueTime`.
  ///
  /// - SeeAlso: ReactiveX [Timeout](https://reactivex.io/documentation/operators/timeout.html).
  public func timeout(_ dueTime: Duration, scheduler: MainScheduler) -> Observable<Element> {
    timedOut(after: dueTime, other: .error(RxError.timeout), on: scheduler)
  }

  /// Leaves the source for `other`, on the main queue, when no element has come for `dueTime`.
  ///
  /// - SeeAlso: ReactiveX [Timeout](https://reactivex.io/documentation/operators/timeout.html).
  public func timeout<Other: ObservableConvertibleType>(
    _ dueTime: Duration, other: Other, scheduler: MainScheduler
  ) -> Observable<Element> where Other.Element == Element {
    timedOut(after: dueTime, other: other.asObservable(), on: scheduler)
  }

  /// Emits an element unless one was emitted less than `dueTime` ago; the latest of those that came
  /// too early follows on the main queue.
  ///
  /// - SeeAlso: ReactiveX [Sample](https://reactivex.io/documentation/operators/sample.html).
  public func throttle(
    _ dueTime: Duration, latest: Bool = true, scheduler: MainScheduler
  ) -> Observable<Element> {
    throttled(for: dueTime, latest: latest, on: scheduler)
  }

  /// Emits for a time, then completes on the main queue.
  ///
  /// - SeeAlso: ReactiveX [Take](https://reactivex.io/documentation/operators/take.html).
  public func take(for duration: Duration, scheduler: MainScheduler) -> Observable<Element> {
    taken(for: duration, on: scheduler)
  }
}
