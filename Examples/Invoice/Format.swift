/// How texts read on a screen. Pure functions.
enum Format {
  /// What stands for a value there is none of.
  static let absent = "—"

  /// `text`, or what stands for none.
  static func some(_ text: String) -> String { text.isEmpty ? absent : text }

  /// `text` without white space at its ends.
  static func trimmed(_ text: some StringProtocol) -> Substring {
    let start = text.drop { $0.isWhitespace }
    let end = start.lastIndex { !$0.isWhitespace }
    return Substring(end.map { start[...$0] } ?? "")
  }

  /// `text` in one line: every run of white space is one blank, and there is none at the ends.
  static func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// `text` without characters that would move the cursor, break the line or colour the screen.
  static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator: "?"
          default: scalar
          }
        }))
  }

  /// `text` with spaces before it, `width` characters in all; longer text stays as it is.
  static func right(_ text: String, width: Int) -> String {
    String(repeating: " ", count: max(width - text.count, 0)) + text
  }

  /// `text` with spaces behind it, `width` characters in all; longer text stays as it is.
  static func left(_ text: String, width: Int) -> String {
    text + String(repeating: " ", count: max(width - text.count, 0))
  }
}
