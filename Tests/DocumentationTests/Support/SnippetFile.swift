import Foundation
import Keyline
import Testing

/// A Swift file with the code of a page. Its types and functions stand in one enumeration, so that
/// each page can have a `Person` of its own.
@MainActor protocol SnippetFile: SendableMetatype {
  /// The page, or a folder whose source files are pages, relative to the package.
  static var page: String { get }
  /// Runs all blocks, in order.
  static func run() async throws
}

extension SnippetFile {
  /// Runs the blocks in a process of their own: reports are printed, as a debug build prints them
  /// on standard error.
  static func runAlone() async throws {
    Diagnostics.handler = { print($0) }
    try await run()
  }
}

/// A page, and its blocks with the output that they show. `allPages`, which is written together with
/// the Swift files, has them all.
struct Page: Sendable, CustomTestStringConvertible {
  struct Block {
    let name: String
    /// The line of the page.
    let place: String
    /// The empty string if the page shows none.
    let output: String
  }

  let snippets: any SnippetFile.Type
  let blocks: [Block]

  var name: String { String(describing: snippets) }

  var testDescription: String { name }

  init(_ snippets: any SnippetFile.Type, _ blocks: [Block]) {
    self.snippets = snippets
    self.blocks = blocks
  }

  /// One line for each block that does not print what the page shows.
  func mistakes(in output: Output) -> [String] {
    blocks.compactMap { block in
      let printed = output.ofRun[block.name] ?? ""
      let shown = Output.withoutLastBlankLines(block.output)
      return printed == shown ? nil : "\(block.place) prints\n\(printed)"
    }
  }
}

/// Ends a block: everything printed since the last call is its output.
func end(_ name: String) { print("\(Output.separator)\(name)") }

/// Discards everything printed since the last block.
func discardOutput() { end("") }

/// The printed output of the blocks of a page.
struct Output {
  fileprivate static let separator = "\u{1E}"

  /// The output of each block, by its name.
  private(set) var ofRun: [String: String] = [:]

  init(_ text: String) {
    var rest: [Substring] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let parts = line.split(separator: Self.separator, omittingEmptySubsequences: false)
      if parts.count == 1 || parts[0] != "" { rest.append(parts[0]) }
      guard parts.count > 1 else { continue }
      ofRun[String(parts[1])] = Self.withoutLastBlankLines(rest.joined(separator: "\n"))
      rest = []
    }
  }

  /// A description of several lines may end with a line break.
  static func withoutLastBlankLines(_ text: String) -> String {
    text.replacing(#/ +$/#.anchorsMatchLineEndings(), with: "").replacing(/\n+$/, with: "")
  }
}
