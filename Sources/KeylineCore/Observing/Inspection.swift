/// A type that describes itself by its name and its state: `BehaviorRelay(3, 2 observers)`.
///
/// `debugDescription` is public because `CustomDebugStringConvertible` is.
package protocol Inspectable: CustomDebugStringConvertible {
  /// The name before the parentheses; empty for a state that needs none.
  var inspectedName: String { get }
  /// The parts of the state, shown in the parentheses.
  var inspection: [String] { get }
}

extension Inspectable {
  package var inspectedName: String { String("\(type(of: self))".prefix { $0 != "<" }) }

  public var debugDescription: String {
    let parts = inspection.joined(separator: ", ")
    return parts.isEmpty ? inspectedName : "\(inspectedName)(\(parts))"
  }
}

extension String {
  /// A value in text form, in one line.
  package init(inspecting value: Any) {
    self = (value as? String)?.literal ?? "\(value)".inOneLine
  }

  /// `2 observers`.
  package static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  /// The text in one line. Characters that a terminal, a file format or a reader may misunderstand are
  /// escaped as in a Swift literal: `\u{1B}`. Line breaks are spaces.
  package var inOneLine: String { escaped(asLiteral: false) }

  /// The text as a Swift literal in one line, quotation marks included.
  package var literal: String { "\"\(escaped(asLiteral: true))\"" }

  /// The form in which graphs, traces, reports and debug descriptions write a text of the program.
  private func escaped(asLiteral isLiteral: Bool) -> String {
    unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "\t": text += "\\t"
      case "\n" where isLiteral: text += "\\n"
      case "\r" where isLiteral: text += "\\r"
      case "\"" where isLiteral, "\\" where isLiteral: text += "\\\(scalar)"
      case _ where !isLiteral && Character(scalar).isNewline: text += " "
      case _ where scalar.needsEscape:
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether it controls something, breaks the line, changes the direction of the text, or is no
  /// character.
  fileprivate var needsEscape: Bool {
    properties.generalCategory == .control || properties.isBidiControl
      || Character(self).isNewline || value & 0xFFFE == 0xFFFE
      || (0xFDD0...0xFDEF).contains(value)
  }
}

extension Observable: Inspectable {}
