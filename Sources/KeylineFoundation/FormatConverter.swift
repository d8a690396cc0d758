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
  /// - Errors: an error that the format throws for a text that it cannot read; the source keeps its
  ///   value.
  public static func format<Format: ParseableFormatStyle>(_ format: Format) -> Self
  where Format.FormatInput == Source, Format.FormatOutput == String {
    let strategy = format.parseStrategy
    return Self(
      forward: { format.format($0) }, backward: { try strategy.parse($0) }, name: "format")
  }
}
