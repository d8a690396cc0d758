/// How texts read on a screen. Pure functions; examples add their own.
public enum Format {
  /// The placeholder for a missing value.
  public static let absent = "—"

  /// The text of `value`, or the placeholder if the value is nil or its text empty.
  public static func some<Value>(_ value: Value?) -> String {
    guard let text = value.map({ "\($0)" }), !text.isEmpty else { return absent }
    return text
  }

  /// The old and the new value: `2 → 12`.
  public static func change<Value>(_ old: Value?, _ new: Value?) -> String {
    "\(some(old)) → \(some(new))"
  }

  /// `text` without white space at its ends.
  public static func trimmed(_ text: some StringProtocol) -> Substring {
    let start = text.drop { $0.isWhitespace }
    let end = start.lastIndex { !$0.isWhitespace }
    return Substring(end.map { start[...$0] } ?? "")
  }

  /// `text` in one line: every run of white space is one blank, and there is none at the ends.
  public static func oneLine(_ text: some StringProtocol) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// The first word of `text`, and the text after the white space that follows the word.
  public static func firstWord(of text: Substring) -> (word: Substring, rest: Substring) {
    let word = text.prefix { !$0.isWhitespace }
    return (word, text[word.endIndex...].drop { $0.isWhitespace })
  }

  /// A time since the beginning: `  530 ms`.
  public static func time(_ time: Duration) -> String {
    right("\(Int((time / .milliseconds(1)).rounded())) ms", width: 8)
  }

  /// `text` without characters that would move the cursor, break the line or colour the screen.
  public static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator: "?"
          default: scalar
          }
        }))
  }

  /// `lines` as text, each of them printable.
  public static func printable(lines: [String]) -> String {
    lines.map { printable($0) + "\n" }.joined()
  }

  /// `text` with spaces before it, `width` characters in all; longer text stays as it is.
  public static func right(_ text: String, width: Int) -> String {
    String(repeating: " ", count: max(width - text.count, 0)) + text
  }

  /// `text` with spaces behind it, `width` characters in all; longer text stays as it is.
  public static func left(_ text: String, width: Int) -> String {
    text + String(repeating: " ", count: max(width - text.count, 0))
  }
}
