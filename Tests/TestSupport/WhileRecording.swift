import Keyline
import KeylineDiagnostics

private let recordings = Guarded(0)

/// Keeps `Diagnostics.isRecording` on as long as it lives. Tests run in parallel: it is off when the
/// last one has gone.
package final class RecordingSession: Sendable {
  package init() { Self.count(1) }

  deinit { Self.count(-1) }

  private static func count(_ difference: Int) {
    recordings.withLock {
      $0 += difference
      Diagnostics.isRecording = $0 > 0
    }
  }
}

/// Calls `body` with `Diagnostics.isRecording` on.
package func whileRecording<Result>(_ body: () throws -> Result) rethrows -> Result {
  let session = RecordingSession()
  defer { withExtendedLifetime(session) {} }
  return try body()
}
