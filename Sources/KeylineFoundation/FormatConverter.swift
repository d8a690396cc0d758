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
  /// symbol. Numbers may have leading zeros, an exponent, spaces between groups of digits, and the digits
  /// of any script, and need no digit on one side of the decimal separator. The space before a currency or
  /// per cent sign may be an ordinary one. Digits that the type cannot hold, as an integer the last one of
  /// `12e-1`, are rounded or cut off. Dates are read as Foundation reads them: `1970-02-30` is a day in
  /// March.
  ///
  /// - Errors: `BindingError.notConvertible` for any other text (`12abc`, `+5`, and `1,5` where the comma
  ///   groups), for an integer with a decimal separator, and for a number that is infinite or too large;
  ///   the source keeps its value.
  public static func format<Format: ParseableFormatStyle>(_ format: Format) -> Self
  where Format.FormatInput == Source, Format.FormatOutput == String {
    let strategy = format.parseStrategy
    let reader = [strategy, format as Any].lazy
      .compactMap { $0 as? any CustomConsumingRegexComponent }.first
    let separator = (Mirror(reflecting: format).descendant("locale") as? Locale)?.decimalSeparator
    let read = { (text: String) throws -> Source? in
      let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
      // Parsing cuts a fraction off an integer, makes an integer of "NaN", and makes infinity of a number
      // that is too large.
      let isInteger = Source.self is any BinaryInteger.Type
      let isOther = !text.contains(where: \.isNumber) || separator.map(text.contains) == true
      let value = isInteger && isOther ? nil : try? strategy.parse(text)
      let isInfinite = (value as? any FloatingPoint)?.isFinite == false
      // It also accepts a text of which only the beginning is in the format.
      let spellings = [text, text.replacing(" ", with: "\u{a0}")]
      let isWhole = reader.map { style in spellings.contains { $0.trimmingPrefix(style).isEmpty } }
      let isInFormat = isWhole != false || value.map(format.format) == text
      return try required(isInFormat && !isInfinite ? value : nil, of: text)
    }
    return Self(forward: { format.format($0) }, backward: read, name: "format")
  }
}

extension BindingConverter where Source == Decimal, Target == String {
  /// Converts between text and a decimal number, with a point and without grouping, in any locale:
  /// `12`, `-0.5`. The text has the form that `.decimal` reads for the standard library's numbers; digits
  /// beyond the 38 of a `Decimal` are cut off. Any other text is an error: with space, or a number that is
  /// too large or too small.
  public static var decimal: Self {
    // Parsing alone accepts a text of which only the beginning is a number.
    let isNumber = { (try? BindingConverter<Double, String>.decimal.backward($0)) != nil }
    return Self(
      forward: { $0.description },
      backward: { try required(isNumber($0) ? Decimal(string: $0) : nil, of: $0) })
  }
}
