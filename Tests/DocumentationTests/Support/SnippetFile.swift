import Foundation
import Keyline

/// The Swift file with the snippets of a page. Its types and functions stand in one enumeration, so
/// that each page can have a `Person` of its own.
@MainActor protocol SnippetFile: SendableMetatype {
  /// The page, or a folder whose source files are pages, relative to the package.
  static var page: String { get }
  /// `#filePath`.
  static var file: String { get }
  /// Runs all snippets, in order.
  static func run() async throws
}

/// Ends a snippet: everything printed since the last call is its output.
func end(file: String = #fileID, line: Int = #line) {
  print("\(Output.separator)\(line)")
}

/// Discards everything printed since the last snippet.
func discardOutput() { print("\(Output.separator)0") }

/// The printed output of the snippets of a file.
struct Output {
  fileprivate static let separator = "\u{1E}"

  /// The output of each snippet, by the line of its call of `end()`.
  private(set) var ofRun: [Int: [String]] = [:]
  init(_ text: String) {
    var rest: [String] = []
    for line in text.components(separatedBy: "\n") {
      guard let separator = line.range(of: Self.separator) else {
        rest.append(line.withoutTrailingSpaces)
        continue
      }
      if separator.lowerBound > line.startIndex {
        rest.append(String(line[..<separator.lowerBound]).withoutTrailingSpaces)
      }
      ofRun[Int(line[separator.upperBound...]) ?? 0] = Self.withoutLastBlankLines(rest)
      rest = []
    }
  }

  /// A description of several lines may end with a line break.
  static func withoutLastBlankLines(_ lines: [String]) -> [String] {
    Array(lines.prefix((lines.lastIndex { $0 != "" } ?? -1) + 1))
  }
}

extension SnippetFile {
  /// Runs the snippets in a process of their own: reports are printed, as a debug build prints them
  /// on standard error.
  static func runAlone() async throws {
    Diagnostics.handler = { print($0) }
    try await run()
  }
}
