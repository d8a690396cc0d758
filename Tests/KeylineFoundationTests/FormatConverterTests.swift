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
