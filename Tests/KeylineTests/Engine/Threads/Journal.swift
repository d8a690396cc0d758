import Foundation
import TestSupport
import Testing

/// How long tests of threads run that go on until their time is up: `KEYLINE_THREADS_SECONDS`, or briefly.
enum ThreadTime {
  private static let seconds = RandomPrograms.number("KEYLINE_THREADS_SECONDS")

  /// Of the random test: see ``ThreadProgramConcurrencyTests``.
  static var limit: Duration { seconds.map { .seconds($0) } ?? .seconds(1) }

  /// Of the tests that do the same again and again, each.
  static var ofRepetition: Duration { seconds == nil ? .milliseconds(500) : .seconds(1) }

  /// The rounds of a test that does not look at the clock: `brief` if no time has been given.
  static func rounds(_ full: Int, brief: Int) -> Int { seconds == nil ? brief : full }
}

/// What the process of an exit test leaves behind: the last line that it wrote, and everything that was
/// written to standard error, which is the text of a crash, or of a sanitizer.
struct Journal: Codable, Sendable {
  private var path = NSTemporaryDirectory() + "keyline-\(UUID().uuidString)"

  private var errors: String { path + "-errors" }

  /// Called in the process: standard error is written to a file from now on.
  func begin() { dup2(open(errors, O_CREAT | O_WRONLY | O_APPEND, 0o600), STDERR_FILENO) }

  /// Runs `body` again and again, each time with the number of the round in the line: 3,000 times in an
  /// optimised build, but not longer than ``ThreadTime/ofRepetition``.
  func repeated(_ body: (Int) -> Void) {
    begin()
    let start = ContinuousClock.now
    for round in 0..<rounds(150, optimised: 3_000)
    where start.duration(to: .now) < ThreadTime.ofRepetition {
      replace(by: "round \(round)\n")
      body(round)
    }
  }

  /// Replaces the line.
  func replace(by line: String) {
    let file = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0o600)
    _ = line.withCString { write(file, $0, strlen($0)) }
    close(file)
  }

  /// Called in the test, with the result of its `#expect`: records the contents if the process has
  /// failed, or the thread sanitizer has reported anything, and removes the files.
  func finish(after result: ExitTest.Result?, sourceLocation: SourceLocation = #_sourceLocation) {
    let texts = [path, errors].map { path in
      // A text that is cut off may not be valid UTF-8.
      FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
    if result == nil || texts[1].contains("ThreadSanitizer") {
      Issue.record("\(texts.joined(separator: "\n"))", sourceLocation: sourceLocation)
    }
    for file in [path, errors] { unlink(file) }
  }
}
