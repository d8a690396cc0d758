/// A type that describes itself by its name and its state: `BehaviorRelay(3, 2 observers)`.
///
/// The members are public because those of the two protocols are.
package protocol Inspectable: CustomDebugStringConvertible, CustomReflectable {
  /// What stands before the parentheses; empty for a state that speaks for itself.
  var inspectedName: String { get }
  /// The state: what stands in the parentheses, and in the mirror.
  var inspection: [InspectedPart] { get }
}

/// One part of a state.
package struct InspectedPart {
  package var label: String?
  package let value: Any
  /// What is written for it.
  package let text: String

  package init(_ label: String? = nil, value: Any) {
    self.label = label
    self.value = value
    text = (value as? String)?.literal ?? "\(value)".inOneLine
  }

  /// A part in words.
  package init(_ words: String) {
    value = words
    text = words
  }

  /// `2 observers`.
  package static func count(_ count: Int, _ noun: String) -> InspectedPart {
    InspectedPart("\(count) \(noun)\(count == 1 ? "" : "s")")
  }
}

extension Inspectable {
  package var inspectedName: String { String("\(type(of: self))".prefix { $0 != "<" }) }

  public var debugDescription: String {
    let parts = inspection.map { part in (part.label.map { "\($0): " } ?? "") + part.text }
      .joined(separator: ", ")
    return inspectedName.isEmpty ? parts : "\(inspectedName)(\(parts))"
  }

  public var customMirror: Mirror {
    Mirror(
      self, children: inspection.map { ($0.label, $0.value) }, ancestorRepresentation: .suppressed)
  }
}

extension String {
  /// The text in one line, with what a terminal, a file format or a reader may misunderstand as in a
  /// Swift literal: `\u{1B}`. Line breaks are spaces.
  package var inOneLine: String { escaped(asLiteral: false) }

  /// The text as a Swift literal in one line, quotation marks included.
  package var literal: String { "\"\(escaped(asLiteral: true))\"" }

  /// What graphs, traces, reports and debug descriptions write, of text from outside the library.
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

// MARK: Disposables

extension Inspectable where Self: Cancelable {
  package var inspection: [InspectedPart] { [InspectedPart(isDisposed ? "disposed" : "active")] }
}

extension ActionDisposable: Inspectable {}
extension BooleanDisposable: Inspectable {}
extension RefCountDisposable: Inspectable {}
extension ScheduledAction: Inspectable {}
extension ScheduledDisposable: Inspectable {}
extension SerialDisposable: Inspectable {}
extension SingleAssignmentDisposable: Inspectable {}

extension CompositeDisposable: Inspectable {
  package var inspection: [InspectedPart] {
    isDisposed ? [InspectedPart("disposed")] : [.count(count, "disposable")]
  }
}

extension DisposeBag: Inspectable {
  package var inspection: [InspectedPart] { [.count(contents.withLock(\.count), "disposable")] }
}

extension SubscriptionContext: CustomDebugStringConvertible {
  /// `Subscription(observe → subscribe (Form.swift:12), active)`.
  @usableFromInline package final var debugDescription: String { "Subscription(\(state))" }

  package final var state: String {
    let path = Instrumentation.description(of: self).map { "\($0), " }
    return (path ?? "") + (isActive ? "active" : "disposed")
  }
}

extension Observable: Inspectable {}

extension Relay: Inspectable {
  package var inspection: [InspectedPart] { subject.inspection }
}

extension TraitSequence: Inspectable {
  package var inspectedName: String {
    let name = "\(Trait.self)"
    for ending in ["SharingStrategy", "Trait"] where name.hasSuffix(ending) {
      return String(name.dropLast(ending.count))
    }
    return name
  }

  package var inspection: [InspectedPart] { source.inspection }
}
