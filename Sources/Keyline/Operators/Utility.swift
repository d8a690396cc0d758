import Synchronization

extension ObservableType {
  /// Calls the handlers as events pass, and changes nothing.
  ///
  /// - Timing: `onNext`, `onError`, `onCompleted` before the event is passed on, `after…` when that
  ///   has returned; `onSubscribe` before and `onSubscribed` after the source is subscribed to;
  ///   `onDispose` last, when the subscription ends, by termination or disposal.
  /// - Errors: an error thrown by a handler ends the output.
  /// - SeeAlso: ReactiveX [Do](https://reactivex.io/documentation/operators/do.html).
  public func `do`(
    onNext: ((Element) throws -> Void)? = nil,
    afterNext: ((Element) throws -> Void)? = nil,
    onError: ((any Error) throws -> Void)? = nil,
    afterError: ((any Error) throws -> Void)? = nil,
    onCompleted: (() throws -> Void)? = nil,
    afterCompleted: (() throws -> Void)? = nil,
    onSubscribe: (() -> Void)? = nil,
    onSubscribed: (() -> Void)? = nil,
    onDispose: (() -> Void)? = nil
  ) -> Observable<Element> {
    let source = asObservable()
    return Source { downstream, context in
      onSubscribe?()
      let upstream = context.child()
      if let onDispose { upstream.add(Disposables.create(with: onDispose)) }
      // Ended first and torn down last: `onDispose` comes after what is done after the termination.
      let fail = { (error: any Error) in
        guard upstream.end() else { return }
        downstream.terminate(error)
        upstream.tearDown()
      }
      let observer = AnyObserver<Element>(
        next: { element in
          do {
            try onNext?(element)
            downstream.next(element)
            try afterNext?(element)
          } catch { fail(error) }
        },
        terminate: { error in
          guard upstream.end() else { return }
          do {
            if let error { try onError?(error) } else { try onCompleted?() }
            downstream.terminate(error)
            if let error { try afterError?(error) } else { try afterCompleted?() }
          } catch { downstream.terminate(error) }
          upstream.tearDown()
        }
      )
      source.run(observer, in: upstream)
      onSubscribed?()
    }
  }

  /// Prints what happens, and changes nothing.
  ///
  ///     Model.swift:12 (load()) -> subscribed
  ///     Model.swift:12 (load()) -> Event next(1)
  ///     Model.swift:12 (load()) -> Event completed
  ///     Model.swift:12 (load()) -> isDisposed
  ///
  /// A line has no time of day, unlike RxSwift's: the library knows no calendar.
  ///
  /// - Parameters:
  ///   - identifier: what lines begin with, instead of the place in the source.
  ///   - trimOutput: whether to leave out the folders of the file and the middle of long events.
  /// - SeeAlso: ReactiveX [Do](https://reactivex.io/documentation/operators/do.html).
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file,
    line: UInt = #line, function: String = #function
  ) -> Observable<Element> {
    let file = trimOutput ? file.split { $0 == "/" || $0 == "\\" }.last.map(String.init) : file
    let place = identifier ?? "\(file ?? ""):\(line) (\(function))"
    return debug(longestEvent: trimOutput ? 40 : .max) { print("\(place) -> \($0)") }
  }

  /// `debug(_:trimOutput:file:line:function:)`, telling `log`.
  func debug(
    longestEvent limit: Int, to log: @escaping (String) -> Void
  ) -> Observable<Element> {
    let source = asObservable()
    let describe = { (event: Event<Element>) in
      let text = event.debugDescription
      let isLong = text.count > limit
      log("Event " + (isLong ? "\(text.prefix(limit / 2))...\(text.suffix(limit / 2))" : text))
    }
    return Source { downstream, context in
      log("subscribed")
      // Added before what says so: one says that it has been disposed before those above it do.
      let upstream = context.child()
      context.add(Disposables.create { log("isDisposed") })
      let observer = AnyObserver<Element>(
        next: { element in
          describe(.next(element))
          downstream.next(element)
        },
        terminate: { error in
          guard upstream.end() else { return }
          describe(Event(termination: error))
          downstream.terminate(error)
          upstream.tearDown()
        }
      )
      source.run(observer, in: upstream)
    }
  }
}

// MARK: Changing threads

extension ObservableType {
  /// Passes every event on through `scheduler`, in order.
  ///
  /// - Timing: one scheduled action per event, errors included; elements wait in a queue without
  ///   bound.
  /// - Lifetime: what waits is dropped on disposal.
  /// - Complexity: O(1) per event.
  /// - SeeAlso: ReactiveX [ObserveOn](https://reactivex.io/documentation/operators/observeon.html).
  // Proof of the attribute: without it the overload for the main scheduler would be ambiguous.
  @_disfavoredOverload
  public func observe(on scheduler: any ImmediateSchedulerType) -> Observable<Element>
  where Element: Sendable {
    handedOver(to: scheduler)
  }

  /// `observe(on:)` for elements of any kind; the caller answers for the threads.
  func handedOver(to scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    Handover.output(of: asObservable(), on: scheduler)
  }
}

/// A queue between two threads: at any time at most one action is scheduled to take from it.
private final class Handover<Element>: @unchecked Sendable {
  // Proof of @unchecked: `waiting` is touched under its mutex, `taken` by the one action that is
  // scheduled, which also calls the observer; the rest is immutable.
  private let downstream: AnyObserver<Element>
  private let scheduler: any ImmediateSchedulerType
  private let context: SubscriptionContext
  private let action = SerialDisposable()
  private let waiting = Mutex(Unchecked(Waiting()))
  /// Latest first.
  private var taken: [Event<Element>] = []

  private struct Waiting {
    var events: [Event<Element>] = []
    var isScheduled = false
  }

  static func output(
    of source: Observable<Element>, on scheduler: any ImmediateSchedulerType
  ) -> Observable<Element> {
    Source { downstream, context in
      let handover = Handover(downstream, context, scheduler)
      context.add(handover.action)
      source.run(
        in: context.child(),
        next: { handover.pass(.next($0)) },
        terminate: { handover.pass(Event(termination: $0)) }
      )
    }
  }

  private init(
    _ downstream: AnyObserver<Element>, _ context: SubscriptionContext,
    _ scheduler: any ImmediateSchedulerType
  ) {
    self.downstream = downstream
    self.context = context
    self.scheduler = scheduler
  }

  private func pass(_ event: Event<Element>) {
    let event = Unchecked(event)
    let mustSchedule = waiting.withLock { waiting in
      waiting.value.events.append(event.value)
      defer { waiting.value.isScheduled = true }
      return !waiting.value.isScheduled
    }
    if mustSchedule { schedule() }
  }

  private func schedule() {
    // Held before it is scheduled: the action may run, and schedule the next, before that returns.
    let step = SingleAssignmentDisposable()
    action.disposable = step
    step.setDisposable(
      scheduler.schedule(()) { _ in
        self.deliver()
        return Disposables.create()
      })
  }

  private func deliver() {
    if taken.isEmpty { taken = takeAll().reversed() }
    guard context.isActive, let event = taken.popLast() else { return taken = [] }
    downstream.on(event)
    if !taken.isEmpty || mustGoOn() { schedule() }
  }

  private func takeAll() -> [Event<Element>] {
    let events = waiting.withLock { waiting in
      defer { waiting.value.events = [] }
      return Unchecked(waiting.value.events)
    }
    return events.value
  }

  private func mustGoOn() -> Bool {
    waiting.withLock { waiting in
      waiting.value.isScheduled = !waiting.value.events.isEmpty
      return waiting.value.isScheduled
    }
  }
}
