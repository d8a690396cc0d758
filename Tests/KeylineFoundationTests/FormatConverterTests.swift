import Foundation
import Keyline
import KeylineFoundation
import TestSupport
import Testing

/// Values and their texts in the formats of Foundation.
@Suite struct FormatConverterTests {
  final class Model: ReactiveObject {
    @Observed var price = 1234.5
    @Observed var day = Date(timeIntervalSince1970: 0)
    @Observed var count: Int = 7
  }

  final class Form: ReactiveObject {
    @Observed var price = ""
    @Observed var day = ""
    @Observed var count = ""
  }

  let model = Model()
  let form = Form()
  let german = Locale(identifier: "de_DE")

  @Test("A number is written and read in the locale") func aNumberIsWrittenAndReadInTheLocale() {
    let errors = Log<any Error>()
    let binding = model.bind(
      \.price, to: form, \.price, mode: .twoWay,
      converter: .format(.number.precision(.fractionLength(2)).locale(german)))
    errors.follow(binding.errors)
    #expect(form.price == "1.234,50")
    form.price = "99,5"
    #expect(model.price == 99.5)
    form.price = "no number"
    #expect(model.price == 99.5 && form.price == "no number")
    #expect(errors.take().count == 1)
    model.price = 1
    #expect(form.price == "1,00")
  }

  @Test("A currency is read as it is written") func aCurrencyIsReadAsItIsWritten() throws {
    let converter = BindingConverter<Decimal, String>.format(
      Decimal.FormatStyle.Currency(code: "EUR", locale: german))
    let text = try #require(try converter.forward(12.5))
    #expect(text.contains("12,50") && text.contains("€"))
    #expect(try converter.backward(text) == 12.5)
    #expect(try converter.backward("5 €") == 5)
    #expect(throws: BindingError.self) { try converter.backward("5 € more") }
    let percent = BindingConverter<Double, String>.format(.percent.locale(german))
    #expect(try percent.backward("5 %") == 0.05 && percent.backward("5\u{a0}%") == 0.05)
  }

  @Test("A format reads all that it writes, in scientific notation, too")
  func aFormatReadsAllThatItWrites() throws {
    for locale in ["hi_IN", "de_DE", "ar_EG", "fr_FR"] {
      let converter = BindingConverter<Double, String>.format(
        .number.notation(.scientific).precision(.significantDigits(1...12))
          .locale(Locale(identifier: locale)))
      for value in [1.25, -1.25, 1e-20, 123456] {
        #expect(try converter.backward(converter.forward(value) ?? "") == value, "\(locale)")
      }
    }
  }

  @Test("A date is read as it is written") func aDateIsReadAsItIsWritten() throws {
    var style = Date.ISO8601FormatStyle()
    style.timeZone = .gmt
    model.bind(\.day, to: form, \.day, mode: .twoWay, converter: .format(style))
    #expect(form.day == "1970-01-01T00:00:00Z")
    form.day = "2001-01-01T00:00:00Z"
    #expect(model.day == Date(timeIntervalSinceReferenceDate: 0))
  }

  @Test("A whole number goes one way") func aWholeNumberGoesOneWay() {
    model.bind(\.count, to: form, \.count, converter: .format(.number.locale(german)))
    model.count = 1_000_000
    #expect(form.count == "1.000.000")
  }
}

/// Texts that a field must not accept.
@Suite struct StrictConverterTests {
  private let english = Locale(identifier: "en_US")

  @Test(
    "A number in a format is read to its end, or not at all",
    arguments: [
      ("12", 12), (" 12 ", 12), ("1,234.5", 1234.5), ("-3", -3), ("12abc", nil), ("1,5", nil),
      ("5-3", nil), ("1.234,5", nil), ("", nil), ("  ", nil),
    ] as [(String, Decimal?)])
  func formats(text: String, value: Decimal?) {
    let converter = BindingConverter<Decimal, String>.format(.number.locale(english))
    expect(converter, text, value)
  }

  @Test(
    "A decimal number has a point and no grouping, in any locale",
    arguments: [
      ("12", 12), ("-0.50", -0.5),
      ("0.00000000000000000001", Decimal(sign: .plus, exponent: -20, significand: 1)),
      ("1,234", nil), ("12,5", nil),
      ("NaN", nil), ("0x10", nil), ("12 €", nil), ("", nil),
    ] as [(String, Decimal?)])
  func decimals(text: String, value: Decimal?) {
    expect(.decimal, text, value)
  }

  /// A `Decimal` as any other number: see `ConverterTests`.
  @Test(
    "Decimal reads the texts that other numbers read",
    arguments: [
      " 1.5 ", " 7", "7 ", "+5", "007", "1.", ".5", "-.5", "1e3", "1E-7", "-", ".", "e5", "1e",
      "--1",
      "1_000", "inf", "nan", "1.5x", "1,5", "٣", "\n1",
    ])
  func decimalReadsTheTextsThatOtherNumbersRead(text: String) {
    let double = try? BindingConverter<Double, String>.decimal.backward(text)
    let decimal = try? BindingConverter<Decimal, String>.decimal.backward(text)
    #expect(decimal.map { "\($0)" } == double.map { "\(Decimal(string: "\($0)")!)" })
    let float = try? BindingConverter<Float, String>.decimal.backward(text)
    #expect(float == double.map(Float.init))
    let integer = try? BindingConverter<Int, String>.decimal.backward(text)
    let isFraction = text.contains { ".eE".contains($0) }
    #expect(integer == (isFraction ? nil : double.map { Int($0) }))
  }

  @Test("A decimal number is cut to its digits, and refused if it is out of range")
  func aDecimalNumberIsCutToItsDigits() throws {
    let converter = BindingConverter<Decimal, String>.decimal
    let digits = String(repeating: "1234567890", count: 5)
    let whole = try #require(try converter.backward(digits))
    #expect(converter.text(whole).prefix(38) == digits.prefix(38))
    #expect(converter.text(whole).count == 50)
    let fraction = try #require(try converter.backward("0." + digits))
    #expect(converter.text(fraction).hasPrefix("0." + digits.prefix(38)))
    for text in ["1e400", "1e200", "1e-400", "-1e200"] { expect(converter, text, nil) }
    let tiny = Decimal(sign: .plus, exponent: -100, significand: 7)
    #expect(try converter.backward(converter.text(tiny)) == tiny)
  }

  @Test(
    "A whole number in a format has no fraction",
    arguments: [
      ("1.5", nil), ("1.", nil), (".5", nil), ("1.0", nil), ("1,234", 1234), ("+5", nil),
      ("007", 7),
      (" 7 ", 7), ("1E3", 1000), ("99999999999999999999", nil), ("1.5 kg", nil),
      ("nan", nil), (" NaN ", nil), ("-nan", nil), ("", nil),
    ] as [(String, Int?)])
  func aWholeNumberInAFormatHasNoFraction(text: String, value: Int?) {
    let read = try? BindingConverter<Int, String>.format(.number.locale(english)).backward(text)
    #expect(read == value)
    let small = try? BindingConverter<Int8, String>.format(.number.locale(english)).backward(text)
    #expect(small == value.flatMap(Int8.init(exactly:)))
    let percent = IntegerFormatStyle<Int>.Percent(locale: english)
    let part = try? BindingConverter<Int, String>.format(percent).backward(
      text.trimmingCharacters(in: .whitespaces) + "%")
    #expect(part == value)
    let german = IntegerFormatStyle<UInt>(locale: Locale(identifier: "de_DE"))
    #expect(try! BindingConverter<UInt, String>.format(german).backward("1.234") == 1234)
    #expect((try? BindingConverter<UInt, String>.format(german).backward("1,5")) == nil)
  }

  @Test(
    "A number in a format is finite", arguments: ["1e400", "-1E400", "NaN", "∞", "-∞"])
  func aNumberInAFormatIsFinite(text: String) {
    let double = BindingConverter<Double, String>.format(.number.locale(english))
    #expect(throws: BindingError.notConvertible(text: text, type: "Double")) {
      try double.backward(text)
    }
    let float = BindingConverter<Float, String>.format(.number.locale(english))
    #expect(throws: BindingError.self) { try float.backward(text) }
    #expect(throws: BindingError.self) { try float.backward("1e39") }
    let percent = FloatingPointFormatStyle<Double>.Percent(locale: english)
    #expect(throws: BindingError.self) {
      try BindingConverter<Double, String>.format(percent).backward(text + "%")
    }
  }

  @Test("A decimal number is written with all its digits")
  func decimalText() throws {
    let converter = BindingConverter<Decimal, String>.decimal
    let number = try #require(Decimal(string: "1234567.000000000000000001"))
    #expect(try converter.forward(number) == "1234567.000000000000000001")
    #expect(try converter.backward("1234567.000000000000000001") == number)
    #expect(try converter.forward(-0.5) == "-0.5")
  }

  @Test("The error of a long text holds its beginning")
  func theErrorOfALongTextHoldsItsBeginning() {
    let text = String(repeating: "x", count: 500_000)
    let error = BindingError.notConvertible(text: String(text.prefix(200)), type: "Decimal")
    for converter in [.decimal, .format(.number)] as [BindingConverter<Decimal, String>] {
      #expect(throws: error) { try converter.backward(text) }
    }
  }

  private func expect(
    _ converter: BindingConverter<Decimal, String>, _ text: String, _ value: Decimal?
  ) {
    guard let value else {
      let trimmed = text.trimmingCharacters(in: .whitespaces)
      #expect(throws: BindingError.notConvertible(text: trimmed, type: "\(Decimal.self)")) {
        try converter.backward(text)
      }
      return
    }
    #expect((try? converter.backward(text)) == value)
  }
}

extension BindingConverter where Target == String {
  /// The text of `value`; empty if there is none.
  fileprivate func text(_ value: Source) -> String { (try? forward(value) ?? nil) ?? "" }
}
