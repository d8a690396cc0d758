extension ObservableConvertibleType where Element: Sendable {
  /// The elements as an asynchronous sequence.
  ///
  /// ```swift
  /// for try await price in prices.values { print(price) }
  /// ```
  /// ```text
  /// 3
  /// 4
  /// ```
  ///
  /// - Timing: subscribes at once, not when the loop begins, so no element in between is lost;
  ///   elements wait in a buffer without bound.
  /// - Errors: an error is thrown out of the loop. When its task is cancelled, or the subscription
  ///   ends without a termination because its subject died, the loop throws `CancellationError`
  ///   after the elements in the buffer, unless the sequence had terminated before. The death of a
  ///   subject is not forwarded by operators with several sources other than `take(until:)`,
  ///   `skip(until:)` and `withLatestFrom`, by operators that flatten, group, retry, delay, share or
  ///   change the scheduler, or by drivers, signals and the traits of controls; ``Relay`` lists them
  ///   all.
  /// - Lifetime: the subscription ends when the loop has been through all elements, when its task is
  ///   cancelled, or when the sequence is released: after a `break`, `for try await x in prices.values`
  ///   releases it, but a sequence in a variable stays subscribed until the variable goes. The sequence
  ///   is for one task at a time.
  public var values: AsyncThrowingStream<Element, any Error> {
    AsyncThrowingStream { continuation in
      let subscription = asObservable().subscribe(
        AnyObserver(
          next: { continuation.yield($0) }, terminate: { continuation.finish(throwing: $0) }),
        // Without effect after a termination: a stream finishes once.
        onDisposed: { continuation.finish(throwing: CancellationError()) }, at: nil)
      continuation.onTermination = { _ in
        subscription.dispose()
        // In case a termination is being delivered that a cancellation overtakes.
        continuation.finish(throwing: CancellationError())
      }
    }
  }

  /// `values` of a sequence that cannot fail.
  ///
  /// - Parameters:
  ///   - buffering: which elements wait for the loop.
  ///   - call: the place of the call, for traces.
  package func unfailingValues(
    buffering: AsyncStream<Element>.Continuation.BufferingPolicy = .unbounded,
    at call: CallSite? = nil
  ) -> AsyncStream<Element> {
    AsyncStream(bufferingPolicy: buffering) { continuation in
      let subscription = asObservable().subscribe(
        AnyObserver(next: { continuation.yield($0) }, terminate: { _ in continuation.finish() }),
        onDisposed: { continuation.finish() }, at: call)
      continuation.onTermination = { _ in subscription.dispose() }
    }
  }

  /// Waits for the first element; nil if the sequence completes without one.
  ///
  /// - Errors: throws the sequence's error, or `CancellationError` if the task is cancelled, or the
  ///   subscription ends, before the sequence has terminated.
  nonisolated(nonsending) func firstValue() async throws -> Element? {
    for try await element in values { return element }
    return nil
  }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// The elements of this asynchronous sequence; each subscription iterates it in a task of its
  /// own.
  ///
  /// - Timing: on the threads of that task.
  /// - Errors: an error thrown by the sequence ends the output.
  /// - Lifetime: the task is cancelled with the subscription, whose observer is released at once,
  ///   whether the sequence responds to cancellation or not.
  /// - Parameters:
  ///   - detached: whether the task is detached from the context of the subscription.
  ///   - priority: the priority of the task; if nil, the task inherits the priority of the context of
  ///     the subscription.
  public func asObservable(
    detached: Bool = false, priority: TaskPriority? = nil
  ) -> Observable<Element> {
    Observable.fromTask(detached: detached, priority: priority) { emit in
      for try await element in self {
        // Not after `emit`: the loop must call `next()` once more, so that the sequence can respond to
        // the cancellation.
        if Task.isCancelled { return }
        emit(element)
      }
    }
  }
}

extension Observable where Element: Sendable {
  /// The elements that `body` emits in a task, one per subscription; completes when it returns.
  ///
  /// - Parameter body: receives a function that emits an element.
  static func fromTask(
    detached: Bool, priority: TaskPriority?,
    _ body: @escaping @Sendable (_ emit: (Element) -> Void) async throws -> Void
  ) -> Observable<Element> {
    create { observer in
      let work = { @Sendable in
        do {
          try await body(observer.next)
          observer.terminate(nil)
        } catch { observer.terminate(error) }
      }
      let task =
        detached
        ? Task.detached(priority: priority, operation: work)
        : Task(priority: priority, operation: work)
      return Disposables.create(with: task.cancel)
    }.named()
  }
}
