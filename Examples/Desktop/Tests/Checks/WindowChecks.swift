import ExpenseBook
import Foundation
import KeylineGTK

/// The application.
nonisolated(unsafe) let windowChecks = [
  Check(name: "The script prints what the fixture says") {
    let folder = URL(fileURLWithPath: CommandLine.arguments.dropFirst(2).first ?? ".")
    let script = try text(folder.appending(path: "script.txt"))
    let output = folder.appending(path: "script.output.txt")
    let window = BookWindow()
    window.window.present()
    var lines: [String] = []
    try Script(for: window).run(script) { lines.append($0) }
    if ProcessInfo.processInfo.environment["KEYLINE_RECORD"] != nil {
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: output)
    }
    expect(lines, try text(output))
  },
  Check(name: "Runs of the script end alike, and leave nothing behind") {
    let folder = URL(fileURLWithPath: CommandLine.arguments.dropFirst(2).first ?? ".")
    let script = try text(folder.appending(path: "script.txt"))
    var first: [String]?
    let runs = ProcessInfo.processInfo.environment["KEYLINE_RUNS"].flatMap(Int.init) ?? 20
    for run in 0..<runs {
      weak var survivor: BookWindow?
      weak var native: Window?
      var lines: [String] = []
      do {
        let window = BookWindow()
        survivor = window
        native = window.window
        window.window.present()
        try Script(for: window).run(script) { lines.append($0) }
      }
      serve { native == nil }
      expect(survivor == nil)
      if let first { expect(lines, first) }
      first = lines
      if Check.failures > 0 { return print("in run \(run)") }
    }
  },
  Check(name: "A book is kept in its file") {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: url) }
    do {
      let window = BookWindow(at: url)
      window.window.present()
      try Script(for: window).run(
        ["click add", "type title Train", "type amount 12.5", "wait 0.7", "close"]
      ) { _ in }
    }
    let window = BookWindow(at: url)
    window.window.present()
    var lines: [String] = []
    try Script(for: window).run(["select 0", "show", "close"]) { lines.append($0) }
    expect(lines[1], "> Train | 12.50")
  },
  Check(name: "A file that cannot be read is told in the window") {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: url) }
    try Data("[1".utf8).write(to: url)
    let window = BookWindow(at: url)
    window.window.present()
    var lines: [String] = []
    try Script(for: window).run(["show", "close"]) { lines.append($0) }
    expect(lines.contains { $0.hasPrefix("status: Not read: ") })
  },
]

private func text(_ url: URL) throws -> [String] {
  try String(contentsOf: url, encoding: .utf8).split(
    separator: "\n", omittingEmptySubsequences: false
  ).map(String.init).dropLast()
}
