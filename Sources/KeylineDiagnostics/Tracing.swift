import Keyline

extension Diagnostics {
  /// Records the operations that `body` causes on this thread.
  ///
  /// ```swift
  /// print(Diagnostics.trace { invoice.rate = 25 })
  /// ```
  /// ```text
  /// set Invoice#1.rate: 20 → 25
  ///   mark Invoice#1.tax, Invoice#1.total
  ///   settle
  ///     evaluate Invoice#1.tax, because Invoice#1.rate changed: 20 → 25
  ///     evaluate Invoice#1.total, because Invoice#1.tax changed: 120 → 125
  ///     deliver 125 to observer 1 of Invoice#1.total
  /// ```
  ///
  /// A set is recorded if its property is observed, or was read by an observed or derived value; other
  /// sets leave no entry. If an outermost set encloses the trace, the values that `body` outdates settle
  /// after the trace and are not part of it. Observers made while ``isRecording`` was on have names, other
  /// observers have numbers in the order of subscription. The entries of a trace inside another trace are
  /// in both.
  ///
  /// - Isolation: other threads are not recorded. A property read by the description of a value is no
  ///   dependency, and a property set by one is not recorded.
  /// - Errors: rethrows an error of `body`, and returns no trace then.
  /// - Complexity: some ten microseconds for each entry. The memory is bounded: of many entries, the last
  ///   10,000 at least are kept.
  public static func trace(_ body: () throws -> Void) rethrows -> Trace {
    try trace { () throws -> Void? in try body() }.trace
  }

  /// Records the operations that `body` causes on this thread, and returns its result, too.
  ///
  /// ```swift
  /// let (total, trace) = Diagnostics.trace { invoice.total }
  /// ```
  public static func trace<Result>(
    _ body: () throws -> Result
  ) rethrows -> (result: Result, trace: Trace) {
    let outer = TraceRecorder.current.value
    defer { TraceRecorder.current.value = outer }
    let recorder = TraceRecorder.start()
    let (start, depth) = (recorder.count, recorder.depth)
    return (try body(), recorder.trace(from: start, depth: depth))
  }

  /// Whether this thread is recorded. Set it to record all the time, for ``currentCause`` and
  /// ``recentTrace`` in a debug session of an application. Off by default; on inside a trace, which
  /// restores the previous value at its end.
  ///
  /// - Complexity: some ten microseconds for each entry, and bounded memory, as for ``trace(_:)->_``.
  public static var isTracing: Bool {
    get { TraceRecorder.current.value != nil }
    set { if newValue { TraceRecorder.start() } else { TraceRecorder.current.value = nil } }
  }

  /// The last entries of this thread, at least 10,000 of many; nil if it is not recorded.
  public static var recentTrace: Trace? { TraceRecorder.current.value?.trace() }

  /// Why the code that reads this is running: the chain of sets, evaluations and deliveries that has
  /// led here. Nil outside of them, and while this thread is not recorded.
  ///
  /// ```swift
  /// _ = invoice.observe(\.total).subscribe(onNext: { _ in
  ///   if let cause = Diagnostics.currentCause { print(cause) }
  /// })
  /// ```
  ///
  /// - Isolation: the cause on the thread that reads the property.
  /// - Complexity: O(steps of the chain), of which the last hundred are kept.
  public static var currentCause: Cause? {
    guard let recorder = TraceRecorder.current.value, let number = recorder.currentNumber
    else { return nil }
    return Cause(of: number, in: recorder.entries)
  }
}
