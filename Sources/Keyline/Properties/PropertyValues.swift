import KeylineCore

extension PropertyObservable {
  /// The value of `keyPath` now, and after every change, as an asynchronous sequence.
  ///
  /// ```swift
  /// for await name in person.values(of: \.name).prefix(1) { print(name) }
  /// let sizes = window.values(of: \.size, buffering: .bufferingNewest(1))
  /// for await size in sizes.prefix(1) { await layOut(size) }
  /// ```
  /// ```text
  /// Ada
  /// ```
  ///
  /// - Timing: observes at once, not when the loop begins. What changes while the loop is busy
  ///   waits for it, according to `buffering`.
  /// - Lifetime: does not retain the object. Ends, after what was waiting, when that dies or when
  ///   the task of the loop is cancelled; observing ends with the loop. For one task at a time.
  /// - Parameters:
  ///   - keyPath: as for `observe(_:options:)`.
  ///   - buffering: `.unbounded` loses nothing; `.bufferingNewest(_:)` and
  ///     `.bufferingOldest(_:)` buffer that many values.
  public func values<Value: Sendable>(
    of keyPath: KeyPath<Self, Value>,
    buffering: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded,
    file: StaticString = #fileID, line: UInt = #line
  ) -> AsyncStream<Value> {
    observe(keyPath).unfailingValues(buffering: buffering, at: CallSite(file, line))
  }
}
