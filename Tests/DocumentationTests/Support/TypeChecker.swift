import Foundation
import Testing

/// The compiler, for programs that must not compile: each is a file of one module, which is checked with
/// the modules that the tests are linked with.
enum TypeChecker {
  /// The errors and warnings in each of `files`, by its name, without the names of groups of messages.
  /// Errors without a place have the empty name.
  static func messages(
    in files: [String: String], flags: [String] = []
  ) throws -> [String: [String]] {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "programs-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let names = files.keys.sorted()
    for name in names {
      try Data(files[name]!.utf8).write(to: folder.appending(path: "\(name).swift"))
    }
    let log = folder.appending(path: "log")
    try Data().write(to: log)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      try [
        "swiftc", "-typecheck", "-wmo", "-swift-version", "6", "-parse-as-library",
        "-diagnostic-style=llvm", "-target", SymbolGraph.target,
        "-I", #require(SymbolGraph.modules).path(percentEncoded: false),
      ] + flags + names.map { folder.appending(path: "\($0).swift").path(percentEncoded: false) }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = try FileHandle(forWritingTo: log)
    try process.run()
    process.waitUntilExit()
    var messages: [String: [String]] = [:]
    for line in try String(contentsOf: log, encoding: .utf8).split(separator: "\n") {
      let pattern =
        /(?:.*\/(\w+)\.swift:\d+|<unknown>):\d+(?::\d+)?: (?:error|warning): (.*?)(?: \[#[\w-]+\])?/
      guard let match = line.wholeMatch(of: pattern) else { continue }
      messages[match.output.1.map(String.init) ?? "", default: []].append(String(match.output.2))
    }
    try #require(!messages.isEmpty || process.terminationStatus == 0)
    return messages
  }
}
