import Foundation
import Testing

/// Runs the built example on a terminal, and presses keys.
@Suite("SystemMonitor: keys")
struct SystemMonitorTerminalTests {
  private static let notice = "A recording, not this machine"

  private func selected(_ lines: [String]) -> String? {
    lines.first { $0.hasPrefix(">") }?.split(separator: " ").dropFirst().first.map(String.init)
  }

  @Test("Arrows select and q ends") func arrowsSelectAndQEnds() throws {
    let terminal = try SystemMonitorProgram.onTerminal("--recorded", "--interval", "3600")
    let first = try terminal.picture()
    #expect(first[0] == Self.notice)
    #expect(first[1] == "SystemMonitor   load 0.77 1.98 3.05   20 processes   sample 1")
    #expect(selected(first) == "14378")
    try terminal.type("\u{1B}[B")
    #expect(selected(try terminal.picture()) == "14348")
    try terminal.type("\u{1B}OB")
    let third = try terminal.picture()
    #expect(selected(third) == "14372")
    #expect(third.contains("selected  swiftc   —   81.9 MiB"))
    try terminal.type("x\u{1B}[C\u{1B}[A")
    #expect(selected(try terminal.picture()) == "14348")
    try terminal.type("q")
    let (lines, status) = try terminal.end()
    #expect(status == 0)
    #expect(lines.first == Self.notice)
    #expect(selected(lines) == "14348")
  }

  @Test("Control d ends") func controlDEnds() throws {
    let terminal = try SystemMonitorProgram.onTerminal("--recorded", "--interval", "3600")
    _ = try terminal.picture()
    try terminal.type("\u{4}")
    #expect(try terminal.end().status == 0)
  }

  /// The program does not read keys from a pipe, and the end of the pipe does not end it.
  @Test("Without a keyboard there are no keys") func withoutAKeyboardThereAreNoKeys() throws {
    let input = Pipe()
    let terminal = try SystemMonitorProgram.onTerminal(
      "--recorded", "--interval", "0.01", "--samples", "3", input: input)
    try input.fileHandleForWriting.write(contentsOf: Data("q".utf8))
    try input.fileHandleForWriting.close()
    let samples = try (1...3).map { _ in try terminal.picture()[1].suffix(8) }
    #expect(samples == ["sample 1", "sample 2", "sample 3"])
    #expect(try terminal.end().status == 0)
  }
}
