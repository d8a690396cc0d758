import Foundation
import Testing

/// Runs each check under GTK in a process of its own. Needs a display: `xvfb-run swift test`.
@Suite(.serialized) struct DesktopTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  static let products: URL = {
    // The test bundle is beside the executables.
    let path = CommandLine.arguments.first { $0.contains(".xctest") } ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: path).deletingLastPathComponent()
  }()
  static let names = output(of: "Checks", ["list"]).lines

  @Test("GTK", arguments: names) func gtk(name: String) {
    let result = Self.output(
      of: "Checks", [name, Self.folder.appending(path: "Fixtures").path])
    // GTK 4.8 sometimes prints this for an element that moves and keeps its row. The contents and the
    // selection are right, which the checks compare after each change.
    let lines = result.lines.filter {
      !$0.hasSuffix("Duplicate item detected in list. Picking one randomly.")
    }
    #expect(lines == [])
    #expect(result.status == 0)
  }

  @Test("The adapter has at most 600 lines of code") func theAdapterHasAtMost600LinesOfCode() throws
  {
    let sources = Self.folder.appending(path: "../../Sources/KeylineGTK").standardizedFileURL
    let files = try FileManager.default.contentsOfDirectory(
      at: sources, includingPropertiesForKeys: nil)
    let lines = try files.flatMap {
      try String(contentsOf: $0, encoding: .utf8).split(separator: "\n")
    }
    let code = lines.filter { line in
      let text = line.trimmingCharacters(in: .whitespaces)
      return !text.isEmpty && !text.hasPrefix("//")
    }
    #expect((400...600).contains(code.count))
  }

  @Test("There are checks") func thereAreChecks() { #expect(Self.names.count > 25) }

  @Test(
    "Wrong arguments are told",
    arguments: [["a", "b"], ["--script"], ["--nonsense"], ["--script", "/nowhere"]])
  func wrongArgumentsAreTold(arguments: [String]) {
    let result = Self.output(of: "Expenses", arguments)
    #expect(result.status == (arguments.last == "/nowhere" ? 1 : 2))
    #expect(!result.lines.isEmpty)
  }

  @Test("Without a display, the program says so") func withoutADisplayTheProgramSaysSo() {
    let result = Self.output(
      of: "Expenses", [], environment: ["DISPLAY": "", "WAYLAND_DISPLAY": ""])
    #expect(result.status == 1)
    #expect(
      result.lines == ["Expenses: GTK found no display: is DISPLAY or WAYLAND_DISPLAY set?"])
  }

  /// What the program prints, without GTK's remarks on the session it runs in.
  static func output(
    of program: String, _ arguments: [String], environment: [String: String] = [:]
  ) -> (lines: [String], status: Int32) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = products.appending(path: program)
    process.arguments = arguments
    process.standardOutput = pipe
    process.standardError = pipe
    process.environment = ProcessInfo.processInfo.environment
      .merging(["GTK_A11Y": "none", "GSETTINGS_BACKEND": "memory"]) { $1 }
      .merging(environment) { $1 }
    do { try process.run() } catch { return (["\(error)"], -1) }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    return (lines, process.terminationStatus)
  }
}
