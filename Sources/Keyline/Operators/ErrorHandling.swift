extension ObservableType {
  /// Goes on with what `handler` makes of an error, instead of failing.
  ///
  ///     source     --1--2--x
  ///     handler's          --7--|
  ///     output     --1--2----7--|
  ///
  /// - Timing: the new source is subscribed to when the old one has been left, on the thread that
  ///   failed.
  /// - Errors: an error thrown by `handler`, or of its source, ends the output.
  /// - SeeAlso: ReactiveX [Catch](https://reactivex.io/documentation/operators/catch.html).
  public func `catch`(
    _ handler: @escaping (any Error) throws -> Observable<Element>
  ) -> Observable<Element> {
    stage { source, downstream, context in
      source.run(
        in: context.child(), next: downstream.next,
        terminate: { error in
          guard let error else { return downstream.terminate(nil) }
          downstream.attempt {
            let successor = try handler(error)
            if context.isActive { successor.run(downstream, in: context) }
          }
        })
    }
  }

  /// Goes on with the next of `sequence` whenever a source fails; fails with the last one.
  ///
  ///     a      --1--x
  ///     b           --2--3--|
  ///     output --1----2--3--|
  ///
  /// - Timing: a source is subscribed to when the one before has failed and has been left; any
  ///   number may fail synchronously without growing the stack. No sources: completes at once.
  /// - Parameter sequence: asked for a source when it is needed; it may be infinite.
  /// - SeeAlso: ReactiveX [Catch](https://reactivex.io/documentation/operators/catch.html).
  public static func `catch`<Sources: Sequence>(sequence: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    .following(sequence) { $0 != nil }
  }
}

extension FallibleType {
  /// Emits `element` and completes, instead of failing.
  ///
  /// - SeeAlso: ReactiveX [Catch](https://reactivex.io/documentation/operators/catch.html).
  public func catchAndReturn(_ element: Element) -> Kept {
    Self.keeping(asObservable().catch { _ in .just(element) })
  }

  /// Subscribes anew whenever the source fails, until it completes.
  ///
  ///     source --1--x  --1--2--|
  ///     output --1-------1--2--|
  ///
  /// - Timing: at once, on the thread that failed; a source that fails synchronously does not grow
  ///   the stack.
  /// - SeeAlso: ReactiveX [Retry](https://reactivex.io/documentation/operators/retry.html).
  public func retry() -> Kept { retry(.max) }

  /// Subscribes anew when the source fails, `maxAttemptCount` times in all; then fails as it did.
  ///
  /// - Parameter maxAttemptCount: subscriptions, the first one included. If that is not positive,
  ///   the source is never subscribed to, and the output completes at once.
  /// - SeeAlso: ReactiveX [Retry](https://reactivex.io/documentation/operators/retry.html).
  public func retry(_ maxAttemptCount: Int) -> Kept {
    let attempts = Swift.repeatElement(asObservable(), count: max(0, maxAttemptCount))
    return Self.keeping(.catch(sequence: attempts))
  }
}

extension Observable {
  /// The elements of one source after the other, as long as `goesOn` is true of how each has ended;
  /// ends as the last one did.
  static func following<Sources: Sequence>(
    _ sources: Sources, while goesOn: @escaping ((any Error)?) -> Bool
  ) -> Observable<Element> where Sources.Element == Observable<Element> {
    Source { downstream, context in
      let succession = Succession(in: context)
      var remaining = sources.makeIterator()
      func follow(_ error: (any Error)?) {
        guard let source = remaining.next() else { return downstream.terminate(error) }
        succession.run(
          source, next: downstream.next,
          terminate: { if goesOn($0) { follow($0) } else { downstream.terminate($0) } })
      }
      follow(nil)
    }
  }
}

// MARK: Retrying on request

extension FallibleType {
  /// Subscribes anew, after a failure, when the trigger made by `notificationHandler` says so.
  ///
  ///     source    --1--x      --1--2--|
  ///     errors    -----e
  ///     trigger   ---------t
  ///     output    --1-----------1--2--|
  ///
  /// - Timing: `notificationHandler` is called, and its trigger subscribed to, before the source. An
  ///   element of the trigger counts while the source is down, and then once.
  /// - Errors: the trigger's end becomes the output's, when the source is down or as soon as it is.
  /// - Parameter notificationHandler: gets the source's errors.
  /// - SeeAlso: ReactiveX [Retry](https://reactivex.io/documentation/operators/retry.html).
  public func retry<Trigger: ObservableType>(
    when notificationHandler: @escaping (Observable<any Error>) -> Trigger
  ) -> Kept {
    Self.keeping(asObservable().retried(notificationHandler))
  }

  /// As `retry(when:)`, for errors of one type: any other ends the output.
  public func retry<Trigger: ObservableType, Failure: Error>(
    when notificationHandler: @escaping (Observable<Failure>) -> Trigger
  ) -> Kept {
    Self.keeping(asObservable().retried(notificationHandler))
  }
}

extension Observable {
  fileprivate func retried<Trigger: ObservableType, Failure>(
    _ notificationHandler: @escaping (Observable<Failure>) -> Trigger
  ) -> Observable<Element> {
    // They meet in what they say of their ends. The source's elements need no turn.
    meeting { source, downstream, junction in
      let succession = Succession(in: junction.context)
      let errors = PublishSubject<Failure>()
      var isDown = false
      /// The termination of a trigger that ended while the source was up.
      var triggerEnd: (any Error)??
      let fail = { (error: any Error) in
        guard let failure = error as? Failure else { return downstream.terminate(error) }
        if let triggerEnd { return downstream.terminate(triggerEnd) }
        isDown = true
        errors.onNext(failure)
      }
      let start = {
        isDown = false
        succession.run(
          source, next: downstream.next,
          terminate: { error in
            guard let error else { return downstream.terminate(nil) }
            junction.pass(error, to: fail)
          })
      }
      junction.follow(
        notificationHandler(errors).asObservable(), next: { _ in if isDown { start() } },
        terminate: { error in
          if isDown { downstream.terminate(error) } else { triggerEnd = .some(error) }
        })
      if junction.context.isActive { start() }
    }
  }
}
