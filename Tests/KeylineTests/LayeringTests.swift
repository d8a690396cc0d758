import Foundation
import Testing

/// The rules of the layout: which folder may depend on which, what each may import, how large files
/// may be.
@Suite struct LayeringTests {
  /// Later folders depend on earlier ones, never the other way round.
  static let layers = [
    "Core", "Subjects", "Operators", "Schedulers", "Traits", "Tracking", "Properties", "Chains",
    "KeyValueCoding", "Collections", "Bindings", "Interop", "Diagnostics",
  ]
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  static let libraries = ["Keyline", "KeylineFoundation", "KeylineTest"]

  struct SourceFile {
    let path: String
    let layer: Int?
    let lines: [Substring]

    /// Lines that are neither blank nor comment.
    var code: [Substring] {
      lines.filter { line in
        let text = line.drop { $0 == " " }
        return !text.isEmpty && !text.hasPrefix("//")
      }
    }

    /// What stands in the code outside comments and strings, as words.
    var words: Set<Substring> {
      var words: Set<Substring> = []
      for line in code {
        // Every other piece between quotation marks is a string.
        for (index, piece) in line.split(separator: "\"", omittingEmptySubsequences: false)
          .enumerated() where index.isMultiple(of: 2)
        {
          words.formUnion(piece.split { !$0.isLetter && !$0.isNumber && $0 != "_" })
        }
      }
      return words
    }

    /// Types declared at the top level.
    var declaredTypes: [Substring] {
      code.compactMap { line in
        line.firstMatch(
          of:
            /^(?:@[A-Za-z]+(?:\([^)]*\))? )*(?:(?:public|open|final|package|internal) )*(?:class|struct|enum|protocol|actor|typealias) ([A-Za-z_][A-Za-z0-9_]*)/
        )?.output.1
      }
    }

    var imports: [Substring] {
      code.compactMap { line in
        line.firstMatch(
          of:
            /^ *(?:@[A-Za-z]+ )*(?:public |internal )?import (?:class |struct |func |enum )?([A-Za-z]+)/
        )?
        .output.1
      }
    }
  }

  static func files(of library: String) throws -> [SourceFile] {
    let folder = root.appending(components: "Sources", library)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
    return try paths.filter { $0.hasSuffix(".swift") }.map { path in
      let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
      return SourceFile(
        path: "\(library)/\(path)",
        layer: layers.firstIndex(of: String(path.prefix { $0 != "/" })),
        lines: text.split(separator: "\n", omittingEmptySubsequences: false))
    }
  }

  @Test func noArrowPointsBack() throws {
    let files = try Self.files(of: "Keyline")
    #expect(files.count > 20)
    #expect(files.filter { $0.layer == nil }.map(\.path) == [])
    var owners: [Substring: Int] = [:]
    for file in files {
      for type in file.declaredTypes {
        owners[type] = min(owners[type] ?? .max, file.layer ?? .max)
      }
    }
    #expect(owners.count > 40)
    let violations = files.flatMap { file in
      file.words.sorted().compactMap { word -> String? in
        guard let layer = file.layer, let owner = owners[word], owner > layer else { return nil }
        return "\(file.path) mentions \(word) of \(Self.layers[owner])"
      }
    }
    #expect(violations == [])
  }

  @Test func noFoundationAndDispatchOnlyInSchedulers() throws {
    let violations = try Self.files(of: "Keyline").flatMap { file in
      file.imports.compactMap { module -> String? in
        let isAllowed =
          switch module {
          case "Foundation", "FoundationEssentials": false
          case "Dispatch": file.layer == Self.layers.firstIndex(of: "Schedulers")
          default: true
          }
        return isAllowed ? nil : "\(file.path) imports \(module)"
      }
    }
    #expect(violations == [])
  }

  @Test func filesAndLibrariesStayCompact() throws {
    let files = try Self.libraries.flatMap(Self.files(of:))
    #expect(files.filter { $0.lines.count > 400 }.map(\.path) == [])
    #expect(files.reduce(0) { $0 + $1.code.count } < 15_330)
  }
}
