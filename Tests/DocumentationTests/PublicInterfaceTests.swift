import Foundation
import Testing

/// The public declarations of the modules: each symbol is documented, and no symbol is added or
/// removed unnoticed.
///
/// The lists are in PublicInterface. `KEYLINE_RECORD=1 swift test --filter PublicInterface`
/// writes them anew.
@Suite(.enabled(if: SymbolGraph.canBeExtracted)) struct PublicInterfaceTests {
  static let modules = [
    "KeylineCore", "Keyline", "KeylineDiagnostics", "KeylineFoundation", "KeylineTest",
  ]

  @Test("Every symbol is documented", arguments: modules) func everySymbolIsDocumented(
    module: String
  ) throws {
    let symbols = try SymbolGraph.symbols(of: module)
    #expect(symbols.count > 10)
    #expect(symbols.filter { !$0.isDocumented }.map(\.line) == [])
  }

  @Test("The list of symbols equals the recorded list", arguments: modules)
  func theListOfSymbolsIsThatOfTheFixture(module: String) throws {
    let file = Package.root.appending(
      components: "Tests", "DocumentationTests", "PublicInterface", "\(module).txt")
    let lines = try SymbolGraph.symbols(of: module).map(\.line).sorted()
    if ProcessInfo.processInfo.environment["KEYLINE_RECORD"] != nil {
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
    }
    let pinned = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(
      String.init)
    let difference = lines.difference(from: pinned)
    #expect(difference.insertions.map(\.line) == [], "new")
    #expect(difference.removals.map(\.line) == [], "gone")
  }
}

extension CollectionDifference<String>.Change {
  fileprivate var line: String {
    switch self {
    case .insert(_, let line, _), .remove(_, let line, _): line
    }
  }
}

/// The compiler's own list of what a module declares.
struct SymbolGraph: Decodable {
  struct Symbol: Decodable {
    struct Fragment: Decodable { let spelling: String }
    struct Comment: Decodable {}

    let pathComponents: [String]
    let declarationFragments: [Fragment]
    let docComment: Comment?

    /// Protocol requirements pass their documentation on.
    var isDocumented: Bool { docComment != nil }

    /// `PropertyBinding: var isActive: Bool { get }`.
    var line: String {
      let declaration = declarationFragments.map(\.spelling).joined()
      let text = declaration.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      return pathComponents.dropLast().joined(separator: ".") + ": " + text
    }
  }

  let symbols: [Symbol]

  /// Where the compiler has put the modules that the tests are linked with.
  static var modules: URL? {
    var directory = URL(filePath: CommandLine.arguments[0]).standardizedFileURL
    for _ in 0..<4 {
      directory.deleteLastPathComponent()
      let modules = directory.appending(path: "Modules")
      if FileManager.default.fileExists(atPath: modules.path(percentEncoded: false)) {
        return modules
      }
    }
    return nil
  }

  static var canBeExtracted: Bool {
    guard modules != nil, let status = try? run(["--help"]) else { return false }
    // Not found.
    return status != 127
  }

  private static func run(_ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["swift", "symbolgraph-extract"] + arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  static func symbols(of module: String) throws -> [Symbol] {
    let output = FileManager.default.temporaryDirectory
      .appending(path: "symbols-\(module)-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: output) }
    let status = try run([
      "-module-name", module, "-I", #require(modules).path(percentEncoded: false),
      "-target", target, "-minimum-access-level", "public", "-skip-synthesized-members",
      "-output-dir", output.path(percentEncoded: false),
    ])
    #expect(status == 0)
    // Extensions of other modules' types are in files of their own.
    return try FileManager.default.contentsOfDirectory(at: output, includingPropertiesForKeys: nil)
      .flatMap { try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: $0)).symbols }
  }

  #if arch(arm64)
    private static let architecture = "aarch64"
  #else
    private static let architecture = "x86_64"
  #endif

  #if os(Linux)
    static let target = "\(architecture)-unknown-linux-gnu"
  #else
    static let target = "\(architecture)-apple-macosx15.0"
  #endif
}
