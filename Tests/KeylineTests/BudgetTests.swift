import Foundation
import Testing

/// The budgets of the library: how large its modules and files are, how many files are not in safe
/// Swift, and what its modules import. A limit is not raised.
@Suite struct BudgetTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The most code lines of each module.
  static let modules: KeyValuePairs = [
    "KeylineCore": 5_000,
    // With the engine as it is until K12: from then on 4,500, and 900 for KeylineDiagnostics.
    "Keyline": 9_940,
    "KeylineFoundation": 160,
    "KeylineTest": 440,
  ]

  struct SourceFile {
    let path: String
    let lines: [Substring]

    /// Lines that are neither blank nor comment.
    var code: [Substring] {
      lines.filter { line in
        let text = line.drop { $0 == " " }
        return !text.isEmpty && !text.hasPrefix("//")
      }
    }

    var imports: [Substring] {
      code.compactMap { line in
        line.firstMatch(
          of:
            /^ *(?:@[A-Za-z_]+ )*(?:public |internal )?import (?:class |struct |func |enum )?([A-Za-z]+)/
        )?
        .output.1
      }
    }

    /// Whether something in it is not checked by the compiler or at run time.
    var isUnsafe: Bool {
      code.contains {
        $0.contains(
          /Unsafe(Mutable)?(Raw)?(Buffer)?Pointer|Unmanaged|unowned\(unsafe\)|unsafeBitCast/)
          || $0.contains(
            /unsafeDowncast|@exclusivity\(unchecked\)|_withUnsafeGuaranteedRef|@_effects|@_silgen_name/
          )
      }
    }
  }

  static func files(of module: String) throws -> [SourceFile] {
    let folder = root.appending(components: "Sources", module)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
    return try paths.filter { $0.hasSuffix(".swift") }.map { path in
      let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
      return SourceFile(
        path: "\(module)/\(path)",
        lines: text.split(separator: "\n", omittingEmptySubsequences: false))
    }
  }

  @Test(arguments: modules.map(\.key)) func modulesStayCompact(module: String) throws {
    let files = try Self.files(of: module)
    #expect(!files.isEmpty)
    let limit = try #require(Self.modules.first { $0.key == module }?.value)
    #expect(files.reduce(0) { $0 + $1.code.count } <= limit)
    #expect(files.filter { $0.lines.count > 400 }.map(\.path) == [])
  }

  /// The core's are named; the engine's are counted until K12.
  @Test func unsafeCodeStaysWhereItIsAllowed() throws {
    #expect(
      try Self.files(of: "KeylineCore").filter(\.isUnsafe).map(\.path) == [
        "KeylineCore/Observing/Platform.swift"
      ])
    #expect(try Self.files(of: "Keyline").filter(\.isUnsafe).count <= 54)
    #expect(
      try Self.files(of: "KeylineFoundation").filter(\.isUnsafe).map(\.path) == [
        "KeylineFoundation/URLSession.swift"
      ])
    #expect(try Self.files(of: "KeylineTest").filter(\.isUnsafe).map(\.path) == [])
  }

  @Test func noFoundationAndDispatchOnlyInSchedulers() throws {
    let violations = try ["KeylineCore", "Keyline"].flatMap(Self.files(of:)).flatMap { file in
      file.imports.compactMap { module -> String? in
        let isAllowed =
          switch module {
          case "Foundation", "FoundationEssentials": false
          case "Dispatch": file.path.hasPrefix("KeylineCore/Schedulers/")
          default: true
          }
        return isAllowed ? nil : "\(file.path) imports \(module)"
      }
    }
    #expect(violations == [])
  }
}
