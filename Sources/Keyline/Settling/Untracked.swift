/// Evaluates `body` without dependencies: what it reads is fresh, and is not followed.
///
/// ```swift
/// var label: String { "\(name) (\(untracked { counter.value }))" }   // follows the name alone
/// ```
///
/// - Timing: synchronous. Sets inside are sets like any other.
/// - Complexity: O(1).
/// - SeeAlso: `untracked` of the signal libraries; `Snapshot.withoutReadObservation` of Compose.
public func untracked<Result>(_ body: () throws -> Result) rethrows -> Result {
  try Transaction.current.untracked(body)
}
