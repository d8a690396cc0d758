import Foundation
import Keyline
import Testing

/// The article about reports has every category, and the words of every message in the sources.
@Suite struct ReportTableTests {
  let article: String

  init() throws {
    let file = LayeringTests.root.appending(
      components: "Sources", "Keyline", "Keyline.docc", "Reports.md")
    article = try String(contentsOf: file, encoding: .utf8).replacing("*", with: "")
  }

  @Test func everyCategoryHasARow() {
    for category in Diagnostics.Category.allCases {
      #expect(article.contains("\n| `\(category.rawValue)` | "), "\(category.rawValue)")
    }
  }

  /// The text between quotation marks of a call of `report`, without its interpolations.
  static func messages(in source: String) -> [[Substring]] {
    let call = /report\(\s*\.[a-zA-Z]+,\s*((?:"(?:[^"\\]|\\.)*"[\s+]*)+)/
    return source.matches(of: call).map { match in
      String(match.output.1).replacing(/"\s*\+\s*"/, with: "").replacing("\"", with: "")
        .split(separator: /\\\((?:[^()]|\([^()]*\))*\)/)
        .map { $0.drop(while: \.isWhitespace) }
    }
  }

  @Test func everyMessageStandsInTheTable() throws {
    let sources = try LayeringTests.files(of: "Keyline").map { $0.lines.joined(separator: "\n") }
    let messages = sources.flatMap(Self.messages)
    #expect(messages.count > 25)
    for fragment in messages.joined() {
      #expect(
        article.contains(fragment.trimmingCharacters(in: .whitespacesAndNewlines)), "\(fragment)")
    }
  }

  /// The scan itself.
  @Test func messagesAreFoundInTheSources() {
    let source = #"""
      Diagnostics.report(
        .misuse, "each of \(Diagnostics.feedbackLimit) deliveries (\(f(x))) has set "
          + "it; ends", type: "\(Self.self)")
      """#
    #expect(Self.messages(in: source) == [["each of ", "deliveries (", ") has set it; ends"]])
  }
}
