import ExampleSupport
import Keyline

// Converters between the model's values and typed texts. A converter that throws leaves the model
// unchanged, and the binding's `errors` emits the error.

extension BindingConverter where Source == Money, Target == String {
  /// An amount and its text: `1234.50`.
  static var money: Self {
    Self(
      forward: { "\($0)" },
      backward: { text in
        guard let cents = Hundredths.parse(text) else { throw ValueError.notAnAmount(text) }
        return Money(cents: cents)
      })
  }
}

extension BindingConverter where Source == Percent, Target == String {
  /// A percentage and its text: `7.5 %`. The user may leave out the sign.
  static var percent: Self {
    Self(
      forward: { "\($0)" },
      backward: { text in
        let number = text.hasSuffix("%") ? Format.trimmed(text.dropLast()) : text[...]
        guard let hundredths = Hundredths.parse(number) else {
          throw ValueError.notAPercentage(text)
        }
        return Percent(hundredths: hundredths)
      })
  }
}

extension BindingConverter where Source == String, Target == String {
  /// A text, and the same with white space at its ends: to be put behind another converter.
  static var trimmed: Self {
    Self(forward: { $0 }, backward: { String(Format.trimmed($0)) })
  }
}

/// Why a value is not taken: no text for one, or refused by a rule of the model.
enum ValueError: Error, Equatable, CustomStringConvertible {
  case notAWholeNumber(String)
  case notAnAmount(String)
  case notAPercentage(String)
  case outOfRange(String, from: String, to: String)

  var description: String {
    switch self {
    case .notAWholeNumber(let text): "'\(text)' is not a whole number such as 12"
    case .notAnAmount(let text): "'\(text)' is not an amount such as 12.50"
    case .notAPercentage(let text): "'\(text)' is not a percentage such as 7.5 %"
    case .outOfRange(let value, let lowest, let highest):
      "\(value) is not from \(lowest) to \(highest)"
    }
  }

  /// The text for an error of a binding.
  static func words(for error: any Error) -> String {
    // The library's converter for numbers throws this error.
    guard case BindingError.notConvertible(let text, _) = error else { return "\(error)" }
    return "\(notAWholeNumber(text))"
  }
}
