extension ObservableSequenceType where Trait.Filtered == Trait {
  /// Calls the handlers as events pass, and changes nothing.
  ///
  /// - Timing: `onNext`, `onError`, `onCompleted` before the event is forwarded, `after…` when that
  ///   has returned; `onSubscribe` before and `onSubscribed` after the source is subscribed to;
  ///   `onDispose` after all of them, when the subscription ends, by termination or disposal, and the
  ///   source has been released.
  /// - Errors: an error thrown by a handler ends the output; one thrown when the output has ended, as by
  ///   `afterCompleted`, goes to ``Hooks/defaultErrorHandler``. The handlers of a sequence that cannot fail
  ///   throw nothing; `onError` and `afterError` are never called.
  /// - SeeAlso: ReactiveX [Do](https://reactivex.io/documentation/operators/do.html).
  public func `do`(
    onNext: ((Element) throws(Trait.Failure) -> Void)? = nil,
    afterNext: ((Element) throws(Trait.Failure) -> Void)? = nil,
    onError: ((Trait.Failure) throws(Trait.Failure) -> Void)? = nil,
    afterError: ((Trait.Failure) throws(Trait.Failure) -> Void)? = nil,
    onCompleted: (() throws(Trait.Failure) -> Void)? = nil,
    afterCompleted: (() throws(Trait.Failure) -> Void)? = nil,
    onSubscribe: (() -> Void)? = nil, onSubscribed: (() -> Void)? = nil,
    onDispose: (() -> Void)? = nil
  ) -> SameSequence {
    let observed = asObservable().stage { source, downstream, context in
      onSubscribe?()
      let isNested = [.inDo, .inNestedDo].contains(context.role)
      let upstream = SubscriptionContext(isNested ? .inNestedDo : .inDo, inside: context)
      context.add(upstream)
      // Disposed by the later of two events: the end of the source, and the return of `onSubscribed`.
      let disposal = onDispose.map { RefCountDisposable(disposable: Disposables.create(with: $0)) }
      if let disposal { upstream.add(disposal.retain()) }
      // Torn down last: `onDispose` is called after the handlers of the termination.
      func end(_ body: () throws -> Void) {
        upstream.end {
          do { try body() } catch {
            if context.isActive { return downstream.terminate(error) }
            Hooks.report(unhandled: error)
          }
        }
      }
      let observer = AnyObserver<Element>(
        next: { element in
          do {
            try onNext?(element)
            downstream.next(element)
            try afterNext?(element)
          } catch { upstream.isActive ? end { throw error } : Hooks.report(unhandled: error) }
        },
        terminate: { error in
          end {
            let failure = error as? Trait.Failure
            if let failure { try onError?(failure) } else { try onCompleted?() }
            downstream.terminate(error)
            if let failure { try afterError?(failure) } else { try afterCompleted?() }
          }
        })
      source.run(observer, in: upstream)
      onSubscribed?()
      disposal?.dispose()
    }
    return Self._wrap(observed)
  }
}

extension ObservableSequenceType {

  /// Prints each event, the subscription and the disposal, and changes nothing.
  ///
  ///     Model.swift:12 (load()) -> subscribed
  ///     Model.swift:12 (load()) -> Event next(1)
  ///     Model.swift:12 (load()) -> Event completed
  ///     Model.swift:12 (load()) -> isDisposed
  ///
  /// A line has no time of day, unlike RxSwift's: the library has no calendar. Control characters are
  /// escaped, and line breaks are spaces.
  ///
  /// - Parameters:
  ///   - identifier: the beginning of each line, instead of the place in the source.
  ///   - trimOutput: whether to leave out the middle of long events.
  /// - SeeAlso: ReactiveX [Do](https://reactivex.io/documentation/operators/do.html).
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file,
    line: UInt = #line, function: String = #function
  ) -> SameSequence {
    let name = file.split { $0 == "/" || $0 == "\\" }.last ?? ""
    let place = (identifier ?? "\(name):\(line) (\(function))").inOneLine
    let limit = trimOutput ? 40 : Int.max
    return Self._wrap(asObservable().debug(longestEvent: limit) { print("\(place) -> \($0)") })
  }
}

extension Observable {

  /// `debug(_:trimOutput:file:line:function:)` with `log` in place of standard output.
  func debug(longestEvent limit: Int, to log: @escaping (String) -> Void) -> Observable<Element> {
    let describe = { (event: Event<Element>) in
      let text = event.debugDescription.inOneLine
      let isLong = text.count > limit
      log("Event " + (isLong ? "\(text.prefix(limit / 2))...\(text.suffix(limit / 2))" : text))
    }
    let source = self.do(
      onNext: { describe(.next($0)) }, onError: { describe(.error($0)) },
      onCompleted: { describe(.completed) })
    return _Source { downstream, context in
      log("subscribed")
      // Added before the entry that logs the disposal, and so disposed after it: the line of this
      // `debug` precedes the lines of the stages above it.
      let upstream = context.child()
      context.add(Disposables.create { log("isDisposed") })
      source.run(downstream, in: upstream)
    }
  }
}

// Here and in other files, an operator with a scheduler takes any elements, and a scheduler that is
// confined to a thread. Its form for any scheduler is in ThreadCrossing.swift.

extension ObservableSequenceType where Trait: UnscheduledTrait {
  // MARK: Changing threads

  /// Forwards every event through `scheduler`, in order.
  ///
  /// - Timing: one scheduled action per event, errors included; elements wait in a queue without
  ///   bound.
  /// - Lifetime: keeps pending elements, and objects in them, alive until they have been delivered or
  ///   the subscription has been disposed.
  /// - Complexity: O(1) per event.
  /// - SeeAlso: ReactiveX [ObserveOn](https://reactivex.io/documentation/operators/observeon.html).
  public func observe(on scheduler: any ThreadConfinedSchedulerType) -> SameSequence {
    let observed = asObservable().stage { source, downstream, context in
      let queue = SchedulerQueue(scheduler, until: context)
      source.run(
        in: context.child(), next: { element in queue.append { downstream.next(element) } },
        terminate: { error in queue.append { downstream.terminate(error) } })
    }
    return Self._wrap(observed)
  }

  /// Subscribes to the source on `scheduler`, and disposes that subscription there.
  ///
  /// - Timing: one scheduled action to subscribe, one to dispose, also after a termination. Elements
  ///   pass on the thread that emits them. A disposal ends all subscriptions to the source at once, so that
  ///   a source that never pauses, and checks them, leaves the thread of `scheduler`; a closure of `create`
  ///   that never returns keeps that thread.
  /// - SeeAlso: ReactiveX [SubscribeOn](https://reactivex.io/documentation/operators/subscribeon.html).
  public func subscribe(on scheduler: any ThreadConfinedSchedulerType) -> SameSequence {
    let subscribed = asObservable().stage { source, downstream, context in
      let upstream = SubscriptionContext(inside: context)
      // Ended at once, so that a source that never pauses does not block its thread.
      func leave(_ deliver: () -> Void) {
        guard upstream.end() else { return }
        deliver()
        let ended = Disposables.end(upstream.takeParts())
        _ = scheduler.schedule { for disposable in ended { disposable.dispose() } }
      }
      context.add(
        scheduler.schedule {
          context.add(Disposables.create { leave {} })
          guard upstream.isActive else { return }
          let observer = AnyObserver<Element>(
            next: { if upstream.isActive { downstream.next($0) } },
            terminate: { error in leave { downstream.terminate(error) } })
          source.run(observer, in: upstream)
        })
    }
    return Self._wrap(subscribed)
  }

  // MARK: Delaying

  /// Subscribes to the source on a scheduler that cannot leave its thread, when `dueTime` has
  /// passed.
  ///
  /// - SeeAlso: ReactiveX [Delay](https://reactivex.io/documentation/operators/delay.html).
  public func delaySubscription(
    _ dueTime: Duration, scheduler: any SchedulerType & ThreadConfinedSchedulerType
  ) -> SameSequence {
    let delayed = asObservable().stage { source, downstream, context in
      context.add(
        scheduler.schedule(after: dueTime) {
          if context.isActive { source.run(downstream, in: context) }
        })
    }
    return Self._wrap(delayed)
  }

  /// Emits every element `dueTime` later, at the same intervals.
  ///
  ///     source   -1-2---3-|
  ///     delay(3) ----1-2---3-|
  ///
  /// - Timing: on `scheduler`, one scheduled action per element or completion.
  /// - Errors: forwarded at once, on the thread that fails; pending elements are dropped.
  /// - Lifetime: keeps pending elements, and objects in them, alive until they have been emitted.
  /// - SeeAlso: ReactiveX [Delay](https://reactivex.io/documentation/operators/delay.html).
  public func delay(
    _ dueTime: Duration, scheduler: any SchedulerType & ThreadConfinedSchedulerType
  ) -> SameSequence {
    let dueTime = dueTime.saturated
    return Self._wrap(
      asObservable().serializedStage { source, downstream, upstreams in
        let timer = RestartableTimer(upstreams, on: scheduler)
        var pending = Queue<(event: Event<Element>, due: Duration)>()
        func deliver() {
          if let (event, _) = pending.popFirst() { downstream.on(event) }
          guard upstreams.context.isActive, let next = pending.first else { return }
          timer.restart(after: max(.zero, next.due - scheduler.now), deliver)
        }
        let enqueue = { (event: Event<Element>) in
          upstreams.deliver((event, scheduler.now + dueTime)) { item in
            let isFirst = pending.isEmpty
            pending.append(item)
            if isFirst { timer.restart(after: dueTime, deliver) }
          }
        }
        source.run(
          in: upstreams.context.child(), next: { enqueue(.next($0)) },
          terminate: { error in
            guard error == nil else { return upstreams.deliver(error, to: downstream.terminate) }
            enqueue(.completed)
          })
      })
  }
}

// MARK: Timeout

extension ObservableSequenceType {
  /// Switches to `other` when no element has been emitted for `dueTime`; by default, fails then with
  /// `RxError.timeout`.
  ///
  ///     source     -1--2-------3--|
  ///     other               7--8--|
  ///     timeout(5) -1--2----7--8--|
  ///
  /// - Timing: the time runs from the subscription, and starts again after each forwarded element.
  ///   `other` is subscribed to on `scheduler`, without a time limit.
  /// - Errors: an error of the source, or of `other`, ends the output.
  /// - SeeAlso: ReactiveX [Timeout](https://reactivex.io/documentation/operators/timeout.html).
  public func timeout(
    _ dueTime: Duration, other: SameSequence = Self.error(RxError.timeout),
    scheduler: any SchedulerType & ThreadConfinedSchedulerType
  ) -> SameSequence
  where Trait.Failure == any Error, SameSequence: ObservableConvertibleType<Element> {
    let other = other.asObservable()
    return Self._wrap(
      asObservable().serializedStage { source, downstream, upstreams in
        let timer = RestartableTimer(upstreams, on: scheduler)
        let upstream = upstreams.context.child()
        var hasSwitched = false
        let restart = {
          timer.restart(after: dueTime) {
            hasSwitched = true
            upstream.dispose()
            // Inside the turn, but not through the serializer, so that the events of `other` do not wait
            // for the end of the turn.
            other.run(downstream, in: upstreams.context)
          }
        }
        restart()
        guard upstream.isActive else { return }
        upstreams.subscribe(
          to: source, in: upstream,
          next: { element in
            guard !hasSwitched else { return }
            downstream.next(element)
            if upstreams.context.isActive { restart() }
          },
          terminate: { if !hasSwitched { downstream.terminate($0) } })
      })
  }

  /// Switches to `other`, of any kind, when no element has been emitted for `dueTime`.
  // Why disfavored, here and in ThreadCrossing.swift: another observable is taken as it is.
  @_disfavoredOverload public func timeout<Other: ObservableConvertibleType>(
    _ dueTime: Duration, other: Other,
    scheduler: any SchedulerType & ThreadConfinedSchedulerType
  ) -> Observable<Element> where Trait == ObservableTrait, Other.Element == Element {
    asObservable().timeout(dueTime, other: other.asObservable(), scheduler: scheduler)
  }
}
