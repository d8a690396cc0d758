import Foundation
import TestSupport

/// A terminal without a window: keys go to the program that runs on it, and pictures come back.
final class FakeTerminal {
  struct Failure: Error { let reason: String }

  private let keyboard: Int32
  private let process = Process()
  private var output: [UInt8] = []

  /// Starts a program on a new terminal of 80 × 24 characters.
  ///
  /// - Parameter input: what stands in for its keyboard, if it is to have none.
  init(_ program: URL, _ arguments: [String], input: Pipe? = nil) throws {
    var (keyboard, line) = (Int32(-1), Int32(-1))
    guard openpty(&keyboard, &line, nil, nil, nil) == 0 else {
      throw Failure(reason: "no terminal: \(errno)")
    }
    self.keyboard = keyboard
    defer { close(line) }
    // Programs that other tests start meanwhile must not keep this terminal open.
    for file in [keyboard, line] { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
    let handle = FileHandle(fileDescriptor: line, closeOnDealloc: false)
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(["TERM": "xterm"]) { $1 }
    if let input { process.standardInput = input } else { process.standardInput = handle }
    process.standardOutput = handle
    process.standardError = handle
    try process.run()
  }

  deinit {
    if process.isRunning { process.terminate() }
    close(keyboard)
  }

  func type(_ keys: String) throws {
    let bytes = Array(keys.utf8)
    guard write(keyboard, bytes, bytes.count) == bytes.count else {
      throw Failure(reason: "not typed: \(errno)")
    }
  }

  /// The lines of the next picture, without colours.
  func picture() throws -> [String] {
    while true {
      let text = String(decoding: output, as: UTF8.self)
      if let picture = text.firstMatch(of: /(?s)\e\[\?2026h(.*?)\e\[\?2026l/) {
        output = Array(text[picture.range.upperBound...].utf8)
        return Self.lines(picture.1)
      }
      guard try readSome() else { throw Failure(reason: "no picture in '\(text)'") }
    }
  }

  /// The lines that come after the pictures, and the exit status.
  func end() throws -> (lines: [String], status: Int32) {
    while try readSome() {}
    process.waitUntilExit()
    let text = String(decoding: output, as: UTF8.self)
    output = []
    let rest = text.replacing(/(?s).*\e\[\?2026l/, with: "")
    return (Self.lines(rest), process.terminationStatus)
  }

  /// A terminal turns each line feed into a return and a line feed, after returns of the program, too.
  private static func lines(_ text: some StringProtocol) -> [String] {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\r" }))
      .replacing(/\e\[[0-9?]*[A-Za-z]/, with: "")
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// False at the end: the program has left the terminal.
  private func readSome() throws -> Bool {
    var request = pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, 60_000) == 1 else { throw Failure(reason: "nothing for a minute") }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    // Of a terminal that has been left, Linux reports an error, other systems the end.
    let count = read(keyboard, &bytes, bytes.count)
    output += bytes.prefix(max(count, 0))
    return count > 0
  }
}
