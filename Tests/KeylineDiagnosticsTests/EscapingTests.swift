import Keyline
import KeylineDiagnostics
import TestSupport
import Testing

@testable import KeylineCore

/// Text from outside the library comes through as text: one function escapes it everywhere.
@Suite struct EscapingTests {
  let recording = RecordingSession()
  static let hostile = "a\u{1B}\"\\\t\n\u{85}\u{2028}\u{202E}\u{2066}é"
  /// The text as a value.
  let literal = #""a\u{1B}\"\\\t\n\u{85}\u{2028}\u{202E}\u{2066}é""#
  /// The text as a part of a sentence.
  static let line = #"a\u{1B}"\\t   \u{202E}\u{2066}é"#

  private final class Titled: ReactiveObject, CustomStringConvertible {
    let description = hostile
  }

  private func withoutPlaces(_ text: String) -> String {
    text.replacing(/\ +\(EscapingTests.swift:[0-9]+\)/, with: "")
  }

  @Test("Strings are the same literal everywhere") func stringsAreTheSameLiteralEverywhere() {
    let memo = Memo()
    let subscription = memo.observe(\.text, options: .new).subscribe()
    let trace = Diagnostics.trace { memo.text = Self.hostile }
    #expect(
      withoutPlaces(trace.description) == """
        set Memo#1.text: "" → \(literal)
          deliver \(literal) to observe(\\.text) → subscribe
        """)
    #expect(
      withoutPlaces(Diagnostics.graph(of: [memo], valuesCutTo: 100).text) == """
        Memo#1
          text = \(literal) → 1
        1  Memo#1.text → observe → subscribe

        """)
    let relay = BehaviorRelay(value: Self.hostile)
    #expect(String(reflecting: relay) == "BehaviorRelay(\(literal), 0 observers)")
    #expect(Diagnostics.graph(of: Titled()).text == "Titled#1 \(literal)\n")
    subscription.dispose()
  }

  @Test(
    "A graph shows nothing of values that are cut to less than one character", arguments: [0, -1])
  func aGraphShowsNothingOfValuesCutToNothing(length: Int) {
    let text = Diagnostics.graph(of: [Memo()], valuesCutTo: length).text
    #expect(text == Diagnostics.graph(of: [Memo()], valuesCutTo: 0).text)
    #expect(text.contains("text = "))
  }

  @Test("Other text is one line") func otherTextIsOneLine() {
    let relay = BehaviorRelay(value: Titled())
    #expect(String(reflecting: relay) == "BehaviorRelay(\(Self.line), 0 observers)")
    let report = Diagnostics.Report(
      category: .misuse, message: Self.hostile, type: "Memo", property: "text",
      callStack: [Self.hostile])
    #expect(report.description == "Keyline: misuse: Memo.text: \(Self.line)\n  \(Self.line)")
  }

  @Test("A report in a trace is one line") func aReportInATraceIsOneLine() async {
    await #expect(processExitsWith: .success) {
      Diagnostics.handler = { _ in }
      let trace = Diagnostics.trace { Diagnostics.report(.misuse, Self.hostile) }
      #expect(trace.description == "report misuse: \(Self.line)")
    }
  }

  @Test("The lines of debug are lines") func theLinesOfDebugAreLines() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) {
      Observable.just(Self.hostile).debug(Self.hostile).subscribe().dispose()
    }
    let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
    let lines: [Substring] = output.split(separator: "\n").filter { $0.contains("->") }
    let line: String = Self.line
    let expected: [String] = [
      "\(line) -> subscribed", "\(line) -> Event next(\(line))",
      "\(line) -> Event completed", "\(line) -> isDisposed",
    ]
    #expect(lines.map(String.init) == expected)
  }
}
