/// A type that describes itself by its name and its state: `BehaviorRelay(3, 2 observers)`.
///
/// The members are public because those of the two protocols are.
protocol Inspectable: CustomDebugStringConvertible, CustomReflectable {
  /// What stands before the parentheses; empty for a state that speaks for itself.
  var inspectedName: String { get }
  /// The state: what stands in the parentheses, and in the mirror.
  var inspection: [InspectedPart] { get }
}

/// One part of a state.
struct InspectedPart {
  var label: String?
  let value: Any
  /// What is written for it.
  let text: String

  init(_ label: String? = nil, value: Any) {
    self.label = label
    self.value = value
    text = value is String ? String(reflecting: value) : "\(value)"
  }

  /// A part in words.
  init(_ words: String) {
    value = words
    text = words
  }

  /// `2 observers`.
  static func count(_ count: Int, _ noun: String) -> InspectedPart {
    InspectedPart("\(count) \(noun)\(count == 1 ? "" : "s")")
  }
}

extension Inspectable {
  var inspectedName: String { String("\(type(of: self))".prefix { $0 != "<" }) }

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
  /// The text in one line, with what a terminal or a file format may not take as in a Swift literal:
  /// `\u{1B}`.
  var inOneLine: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      let isNoncharacter =
        scalar.value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(scalar.value)
      if Character(scalar).isNewline {
        text += " "
      } else if isNoncharacter || scalar.properties.generalCategory == .control {
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }
}

// MARK: Disposables

extension Inspectable where Self: Cancelable {
  var inspection: [InspectedPart] { [InspectedPart(isDisposed ? "disposed" : "active")] }
}

extension ActionDisposable: Inspectable {}
extension BooleanDisposable: Inspectable {}
extension RefCountDisposable: Inspectable {}
extension ScheduledAction: Inspectable {}
extension ScheduledDisposable: Inspectable {}
extension SerialDisposable: Inspectable {}
extension SingleAssignmentDisposable: Inspectable {}

extension CompositeDisposable: Inspectable {
  var inspection: [InspectedPart] {
    isDisposed ? [InspectedPart("disposed")] : [.count(count, "disposable")]
  }
}

extension DisposeBag: Inspectable {
  var inspection: [InspectedPart] { [.count(contents.withLock(\.count), "disposable")] }
}

extension SubscriptionContext: CustomDebugStringConvertible {
  /// `Subscription(observe → subscribe (Form.swift:12), active)`.
  @usableFromInline final var debugDescription: String { "Subscription(\(state))" }

  final var state: String {
    let path = Records.path(from: number).map { "\($0.description), " }
    return (path ?? "") + (isActive ? "active" : "disposed")
  }
}
