import Foundation
import Keyline

extension BindingConverter where Target == String {
  /// A value and its text in a format that can be read, too: numbers, percentages, currencies, dates, in
  /// the format's locale.
  ///
  /// ```swift
  /// let german = Locale(identifier: "de_DE")
  /// model.bind(
  ///   \.price, to: form, \.priceText, mode: .twoWay,
  ///   converter: .format(.number.precision(.fractionLength(2)).locale(german)))
  /// model.price = 1234.5
  /// print(form.priceText)
  /// form.priceText = "0,75"
  /// print(model.price)
  /// ```
  /// ```text
  /// 1.234,50
  /// 0.75
  /// ```
  ///
  /// Space around the text is ignored. The whole text must be in the format: a currency needs its
  /// symbol. Dates are read as Foundation reads them: `1970-02-30` is a day in March.
  ///
  /// - Errors: `BindingError.notConvertible` for any other text (`12abc`, and `1,5` where the comma
  ///   groups); the source keeps its value.
  public static func format<Format: ParseableFormatStyle>(_ format: Format) -> Self
  where Format.FormatInput == Source, Format.FormatOutput == String {
    let strategy = format.parseStrategy
    let parts: [Any] = [strategy, format]
    let reader = parts.lazy.compactMap { $0 as? any CustomConsumingRegexComponent }.first
    let read = { (text: String) throws -> Source? in
      let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
      let all = text.startIndex..<text.endIndex
      // Parsing alone accepts a text of which only the beginning is in the format.
      let part = try? reader?.consuming(text, startingAt: all.lowerBound, in: all)
      let isWhole = reader == nil || part?.upperBound == all.upperBound
      return try required(isWhole ? try? strategy.parse(text) : nil, of: text)
    }
    return Self(forward: { format.format($0) }, backward: read, name: "format")
  }
}

extension BindingConverter where Source == Decimal, Target == String {
  /// Converts between text and a decimal number, with a point and without grouping, in any locale:
  /// `12`, `-0.5`. Any other text is an error.
  public static var decimal: Self {
    let number = Decimal.FormatStyle(locale: Locale(identifier: "en_US_POSIX"))
    return .format(number.grouping(.never).precision(.fractionLength(0...38)))
  }
}
