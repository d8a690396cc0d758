import KeylineCore

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
  let scope = ThreadScope.ofThread
  let outer = scope.pointee.evaluation
  scope.pointee.evaluation = nil
  defer { scope.pointee.evaluation = outer }
  return try body()
}
