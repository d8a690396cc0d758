extension ObservableSequenceType where Trait.Failure == any Error {
  /// Continues with the sequence that `handler` returns for an error, instead of failing.
  ///
  ///     source     --1--2--x
  ///     handler's          --7--|
  ///     output     --1--2----7--|
  ///
  /// - Timing: the new source is subscribed to when the failed one has been released, on the thread
  ///   that failed.
  /// - Errors: an error thrown by `handler`, or of its source, ends the output.
  /// - SeeAlso: ReactiveX [Catch](https://reactivex.io/documentation/operators/catch.html).
  public func `catch`(
    _ handler: @escaping (any Error) throws -> SameSequence
  ) -> SameSequence where SameSequence: ObservableConvertibleType<Element> {
    let caught = asObservable().stage { source, downstream, context in
      source.run(
        in: context.child(), next: downstream.next,
        terminate: { error in
          guard let error else { return downstream.terminate(nil) }
          downstream.attempt {
            let successor = try handler(error).asObservable()
            if context.isActive { successor.run(downstream, in: context) }
          }
        })
    }
    return Self._wrap(caught)
  }

  /// Emits `element` and completes, instead of failing.
  ///
  /// - SeeAlso: ReactiveX [Catch](https://reactivex.io/documentation/operators/catch.html).
  public func catchAndReturn(_ element: Element) -> SameSequence {
    Self._wrap(asObservable().catch { _ in .just(element) })
  }

  /// Subscribes anew when the source fails, `maxAttemptCount` times in all; then fails as it did.
  ///
  ///     source --1--x  --1--2--|
  ///     output --1-------1--2--|
  ///
  /// - Timing: at once, on the thread that failed; a source that fails synchronously does not grow
  ///   the stack.
  /// - Parameter maxAttemptCount: the number of subscriptions, the first one included; without a limit
  ///   by default. If it is not positive, the source is never subscribed to, and the output completes
  ///   at once.
  /// - SeeAlso: ReactiveX [Retry](https://reactivex.io/documentation/operators/retry.html).
  public func retry(_ maxAttemptCount: Int = .max) -> SameSequence {
    let attempts = Swift.repeatElement(asObservable(), count: max(0, maxAttemptCount))
    return Self._wrap(.catch(sequence: attempts))
  }

  /// Subscribes anew, after a failure, when the trigger returned by `notificationHandler` emits.
  ///
  ///     source    --1--x      --1--2--|
  ///     errors    -----e
  ///     trigger   ---------t
  ///     output    --1-----------1--2--|
  ///
  /// - Timing: `notificationHandler` is called, and its trigger subscribed to, before the source.
  ///   An element of the trigger counts once the source has failed, and then once.
  /// - Errors: the trigger's termination becomes the output's, once the source has failed.
  /// - Parameter notificationHandler: receives the source's errors.
  /// - SeeAlso: ReactiveX [Retry](https://reactivex.io/documentation/operators/retry.html).
  public func retry<Trigger: ObservableType>(
    when notificationHandler: @escaping (Observable<any Error>) -> Trigger
  ) -> SameSequence { Self._wrap(resubscribe(when: notificationHandler)) }

  /// As `retry(when:)`, for errors of one type: any other ends the output.
  public func retry<Trigger: ObservableType, Failure: Error>(
    when notificationHandler: @escaping (Observable<Failure>) -> Trigger
  ) -> SameSequence {
    Self._wrap(resubscribe(when: notificationHandler))
  }

  private func resubscribe<Trigger: ObservableType, Failure>(
    when notificationHandler: @escaping (Observable<Failure>) -> Trigger
  ) -> Observable<Element> {
    // Terminations and the trigger's elements are serialised. The source's elements need no turn.
    asObservable().serializedStage { source, downstream, upstreams in
      let subscription = SerialSubscription(in: upstreams.context)
      let errors = PublishSubject<Failure>()
      var isDown = false
      /// The termination of a trigger that ended before the source had failed.
      var triggerEnd: (any Error)??
      let fail = { (error: any Error) in
        guard let failure = error as? Failure else { return downstream.terminate(error) }
        if let triggerEnd { return downstream.terminate(triggerEnd) }
        isDown = true
        errors.onNext(failure)
      }
      let start = {
        isDown = false
        subscription.run(
          source, next: downstream.next,
          terminate: { error in
            guard let error else { return downstream.terminate(nil) }
            upstreams.deliver(error, to: fail)
          })
      }
      upstreams.subscribe(
        to: notificationHandler(errors).asObservable(), next: { _ in if isDown { start() } },
        terminate: { error in
          if isDown { downstream.terminate(error) } else { triggerEnd = .some(error) }
        })
      if upstreams.context.isActive { start() }
    }
  }
}

extension ObservableType {
  /// Continues with the next of `sequence` whenever a source fails; fails with the last one.
  ///
  ///     a      --1--x
  ///     b           --2--3--|
  ///     output --1----2--3--|
  ///
  /// - Timing: a source is subscribed to when the one before has failed and been released; any
  ///   number may fail synchronously without growing the stack. Without sources, completes at once.
  /// - SeeAlso: ReactiveX [Catch](https://reactivex.io/documentation/operators/catch.html).
  public static func `catch`(sequence: [Observable<Element>]) -> Observable<Element> {
    .catch(sequence: sequence.consumed)
  }

  /// Continues with the next of `sequence` whenever a source fails; fails with the last one.
  ///
  /// - Parameter sequence: iterated lazily, one source at a time; may be infinite.
  /// - SeeAlso: `catch(sequence:)` of an array, for timing.
  public static func `catch`<Sources: Sequence>(sequence: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    concat(sequence, named: #function, while: { $0 != nil })
  }
}
