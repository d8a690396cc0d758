import Foundation
import Keyline
import Testing

/// The article about reports has every category, and the words of every message in the sources.
@Suite struct ReportTableTests {
  let article: String

  init() throws {
    let file = Package.root.appending(
      components: "Sources", "Keyline", "Keyline.docc", "Reports.md")
    article = try String(contentsOf: file, encoding: .utf8).replacing("*", with: "")
  }

  @Test("Every category has a row") func everyCategoryHasARow() {
    for category in Diagnostics.Category.allCases {
      #expect(article.contains("\n| `\(category.rawValue)` | "), "\(category.rawValue)")
    }
  }

  /// The texts between quotation marks, without interpolations, in calls of `report` and in
  /// arguments for them: `errorMessage`, or its default, or the constant `message`.
  static func messages(in source: String) -> [[Substring]] {
    let text =
      #/
      (?: report\(\s*\.[a-zA-Z]+,
        | errorMessage(?: :(?: [^",()=] | \(\) )*= | : | \s*\?\? )
        | let\smessage\s= )
      \s* ( "(?: [^"\\] | \\. )*" (?: \s*\+\s* "(?: [^"\\] | \\. )*" )* )
      /#
    return source.matches(of: text).map { match in
      String(match.output.1).replacing(/"\s*\+\s*"/, with: "").replacing("\"", with: "")
        .split(separator: /\\\((?:[^()]|\([^()]*\))*\)/)
        .map { $0.drop(while: \.isWhitespace) }
    }
  }

  @Test("Every message stands in the table") func everyMessageStandsInTheTable() throws {
    let sources = try ["KeylineCore", "Keyline", "KeylineDiagnostics"].flatMap(
      BudgetTests.files(of:)
    ).map {
      $0.lines.joined(separator: "\n")
    }
    let messages = sources.flatMap(Self.messages)
    // The scan finds them all.
    #expect(messages.count >= 28)
    for fragment in messages.joined() {
      #expect(
        article.contains(fragment.trimmingCharacters(in: .whitespacesAndNewlines)), "\(fragment)")
    }
  }

  /// A report whose text is somewhere else would be missed.
  @Test("Every report is scanned") func everyReportIsScanned() throws {
    let sources = try ["KeylineCore", "Keyline", "KeylineDiagnostics"].flatMap(
      BudgetTests.files(of:)
    ).map {
      $0.lines.joined(separator: "\n")
    }
    let others = /report\(\s*\.[a-zA-Z]+,\s*([^"\s][a-zA-Z]*)/
    let names = Set(sources.flatMap { $0.matches(of: others) }.map(\.output.1))
    #expect(names == ["message", "errorMessage"])
  }

  /// The scan itself.
  @Test("Messages are found in the sources") func messagesAreFoundInTheSources() {
    let source = #"""
      Diagnostics.report(
        .misuse, "each of \(Diagnostics.feedbackLimit) deliveries (\(f(x))) has set "
          + "it; ends", type: "\(Self.self)")
      func ensure(errorMessage: @autoclosure () -> String = "by default") {
        Diagnostics.report(.misuse, errorMessage())
      }
      ensure(errorMessage: "as an argument")
      ensure(errorMessage: given ?? other)
      ensure(errorMessage: errorMessage ?? "in its place")
      let message = "of \(name) first"
      Diagnostics.report(.misuse, message)
      """#
    let messages: [[Substring]] = [
      ["each of ", "deliveries (", ") has set it; ends"],
      ["by default"], ["as an argument"], ["in its place"], ["of ", "first"],
    ]
    #expect(Self.messages(in: source) == messages)
  }
}
