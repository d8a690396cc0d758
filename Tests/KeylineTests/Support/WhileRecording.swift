import Keyline
import Synchronization

private let recordings = Mutex(0)

/// Calls `body` with `Diagnostics.isRecording` on. Tests run in parallel: it is off when the last one
/// has returned.
func whileRecording<Result>(_ body: () throws -> Result) rethrows -> Result {
  recordings.withLock {
    $0 += 1
    Diagnostics.isRecording = true
  }
  defer {
    recordings.withLock {
      $0 -= 1
      Diagnostics.isRecording = $0 > 0
    }
  }
  return try body()
}
