/// Evaluates `body` without dependencies: its reads return fresh values, but are not followed.
///
/// ```swift
/// var label: String { "\(name) (\(untracked { counter.value }))" }   // follows the name alone
/// ```
///
/// - Timing: synchronous. Sets inside are ordinary sets.
/// - Note: what `body` reads outside of a rule, `withObservationTracking` registers nevertheless.
/// - Complexity: O(1).
/// - SeeAlso: `untracked` of the signal libraries; `Snapshot.withoutReadObservation` of Compose.
public func untracked<Result>(_ body: () throws -> Result) rethrows -> Result {
  try Transaction.current.untracked(body)
}
