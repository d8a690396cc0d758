import Foundation

/// The files of this package.
enum Package {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func contents(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  static func contents(ofFile path: String) throws -> String {
    try String(contentsOf: URL(filePath: path), encoding: .utf8)
  }

  /// `path` without what precedes the package in it.
  static func relative(_ path: String) -> String {
    String(path.trimmingPrefix(root.path).trimmingPrefix { $0 == "/" })
  }

  /// The page itself, or the source files in a folder and below, relative to the package.
  static func pages(at path: String) throws -> [String] {
    guard path.hasSuffix(".md") else {
      return try files(in: path).filter { $0.hasSuffix(".swift") }
    }
    return [path]
  }

  /// Every file that may have blocks of code: Markdown files everywhere, and the sources.
  static func allPages() throws -> [String] {
    try files(in: "").filter { $0.hasSuffix(".md") } + pages(at: "Sources")
  }

  private static func files(in folder: String) throws -> [String] {
    let start = folder.isEmpty ? root : root.appending(path: folder)
    return try FileManager.default.contentsOfDirectory(atPath: start.path).sorted()
      .filter { !$0.hasPrefix(".") }
      .flatMap { name in
        let path = folder.isEmpty ? name : "\(folder)/\(name)"
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(
          atPath: root.appending(path: path).path, isDirectory: &isFolder)
        return isFolder.boolValue ? try files(in: path) : [path]
      }
  }
}

extension Substring {
  /// Whether it has one of `words`, byte by byte: much faster than an expression.
  func mentions(_ words: String...) -> Bool {
    words.contains { utf8.firstRange(of: $0.utf8) != nil }
  }
}
