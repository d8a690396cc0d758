extension ObservableType {
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
        terminate: {
          if $0 == nil { hold(.completed) } else { junction.pass($0, to: downstream.terminate) }
        })
    }
  }
}

// MARK: Timeout

extension ObservableType {
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
