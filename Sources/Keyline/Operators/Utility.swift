extension ObservableType {
  /// Calls the handlers as events pass, and changes nothing.
  ///
  /// - Timing: `onNext`, `onError`, `onCompleted` before the event is passed on, `after…` when that
  ///   has returned; `onSubscribe` before and `onSubscribed` after the source is subscribed to;
  ///   `onDispose` last, when the subscription ends, by termination or disposal.
  /// - Errors: an error thrown by a handler ends the output.
  /// - SeeAlso: ReactiveX [Do](https://reactivex.io/documentation/operators/do.html).
  public func `do`(
    onNext: ((Element) throws -> Void)? = nil, afterNext: ((Element) throws -> Void)? = nil,
    onError: ((any Error) throws -> Void)? = nil, afterError: ((any Error) throws -> Void)? = nil,
    onCompleted: (() throws -> Void)? = nil, afterCompleted: (() throws -> Void)? = nil,
    onSubscribe: (() -> Void)? = nil, onSubscribed: (() -> Void)? = nil,
    onDispose: (() -> Void)? = nil
  ) -> Observable<Element> {
    stage { source, downstream, context in
      onSubscribe?()
      let upstream = context.child()
      if let onDispose { upstream.add(Disposables.create(with: onDispose)) }
      // Ended first and torn down last: `onDispose` comes after what is done after the termination.
      func end(_ body: () throws -> Void) {
        guard upstream.end() else { return }
        do { try body() } catch { downstream.terminate(error) }
        upstream.tearDown()
      }
      let observer = AnyObserver<Element>(
        next: { element in
          do {
            try onNext?(element)
            downstream.next(element)
            try afterNext?(element)
          } catch { end { throw error } }
        },
        terminate: { error in
          end {
            if let error { try onError?(error) } else { try onCompleted?() }
            downstream.terminate(error)
            if let error { try afterError?(error) } else { try afterCompleted?() }
          }
        })
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
  func debug(longestEvent limit: Int, to log: @escaping (String) -> Void) -> Observable<Element> {
    let describe = { (event: Event<Element>) in
      let text = event.debugDescription
      let isLong = text.count > limit
      log("Event " + (isLong ? "\(text.prefix(limit / 2))...\(text.suffix(limit / 2))" : text))
    }
    let source = self.do(
      onNext: { describe(.next($0)) }, onError: { describe(.error($0)) },
      onCompleted: { describe(.completed) })
    return Source { downstream, context in
      log("subscribed")
      // Added before what says so: one says that it has been disposed before those above it do.
      let upstream = context.child()
      context.add(Disposables.create { log("isDisposed") })
      source.run(downstream, in: upstream)
    }
  }
}

// MARK: Changing threads

extension ObservableType {
  /// `observe(on:)` for elements of any kind; the caller answers for the threads.
  func handedOver(to scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    stage { source, downstream, context in
      let action = SerialDisposable()
      context.add(action)
      // The event under way stays in line until it has been delivered: who finds nobody waiting
      // schedules, so that at any time at most one action is scheduled.
      let waiting = Protected(Fifo<Event<Element>>())
      func deliver() {
        guard context.isActive, let event = waiting.withLock({ $0.first }) else { return }
        downstream.on(event)
        let (_, isLast) = waiting.withLock { ($0.popFirst(), $0.isEmpty) }
        if !isLast { schedule() }
      }
      func schedule() { action.hold { scheduler.run(deliver) } }
      func pass(_ event: Event<Element>) {
        let isFirst = waiting.withLock { waiting in
          defer { waiting.append(event) }
          return waiting.isEmpty
        }
        if isFirst { schedule() }
      }
      source.run(
        in: context.child(), next: { pass(.next($0)) },
        terminate: { pass(Event(termination: $0)) })
    }
  }
}
