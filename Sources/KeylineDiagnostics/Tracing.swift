import Keyline
import KeylineCore

extension Diagnostics {
  /// Records what `body` causes on this thread.
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
  /// Sets are recorded of properties that are observed, or were read by something that is observed or
  /// derived; others pass without a trace. What `body` leaves to an outermost set around the trace
  /// settles after it, and is not part of it. Observers have names as far as ``isRecording`` was on when
  /// they were made, else numbers in the order of subscription. A trace inside another one is recorded
  /// there, too.
  ///
  /// - Isolation: other threads are not recorded. What descriptions of values read is no dependency, and
  ///   what they set is not recorded.
  /// - Errors: that of `body`, in place of the trace.
  /// - Complexity: a few microseconds for each entry. While no thread is recorded, a read or set of a
  ///   property costs nothing more.
  /// - Parameter limit: how many entries are kept inside one: half of them the first, half the last. Of
  ///   a trace in all, the first 20,000 are recorded, a hundred inside each other.
  public static func trace(limit: Int = 100, _ body: () throws -> Void) rethrows -> Trace {
    try trace(limit: limit) { () throws -> Void? in try body() }.trace
  }

  /// Records what `body` causes on this thread, and returns its result, too.
  ///
  /// ```swift
  /// let (total, trace) = Diagnostics.trace { invoice.total }
  /// ```
  public static func trace<Result>(
    limit: Int = 100, _ body: () throws -> Result
  ) rethrows -> (result: Result, trace: Trace) {
    let end = TraceRecorder.start().beginTrace(limit: max(0, limit))
    defer { _ = end() }
    return (try body(), end())
  }

  /// Whether what this thread does is recorded all the time, for ``currentCause``: for a debug session
  /// of an application. Off unless set.
  ///
  /// - Complexity: as that of ``trace(limit:_:)->_``. The memory is bounded: the last 32
  ///   outermost sets are kept.
  public static var isTracing: Bool {
    get { TraceRecorder.installed?.isLasting == true }
    set {
      guard newValue != isTracing else { return }
      let recorder = TraceRecorder.start()
      recorder.isLasting = newValue
      recorder.stopIfUnused()
    }
  }

  /// What this thread has done last, as far as it is recorded; nil if it is not.
  public static var recentTrace: Trace? {
    TraceRecorder.installed?.trace
  }

  /// Why the code that reads this is running: the chain of sets, evaluations and deliveries that has
  /// led here. Nil outside of them, and while this thread is not recorded.
  ///
  /// ```swift
  /// _ = invoice.observe(\.total).subscribe(onNext: { _ in
  ///   if let cause = Diagnostics.currentCause { print(cause) }
  /// })
  /// ```
  ///
  /// - Isolation: that of the thread it is read on.
  /// - Complexity: O(what is recorded of the outermost set), of which a hundred steps are kept.
  public static var currentCause: Cause? {
    TraceRecorder.ofThread.flatMap { $0.trace.cause($0.path) }
  }
}
