import Keyline
import TestSupport
import Testing

@testable import Invoice

@Suite("Invoice: money")
struct InvoiceMoneyTests {
  @Test(
    "Amounts are read and written",
    arguments: [
      ("0", "0.00"), ("12", "12.00"), ("12.5", "12.50"), ("+12.05", "12.05"), ("-0.05", "-0.05"),
      ("-0", "0.00"), ("007", "7.00"), ("9999999999.99", "9999999999.99"),
    ])
  func amountsAreReadAndWritten(text: String, written: String) throws {
    let money = try #require(try BindingConverter.money.backward(text))
    #expect(try BindingConverter.money.forward(money) == written)
  }

  @Test(
    "Other texts are no amounts",
    arguments: [
      "", " ", " 1", "1 ", "-", "+", ".", ".5", "5.", "1.234", "1,50", "1 000", "1e3", "--1", "+-1",
      "0x10", "١",
      "1.-5", "NaN", "12 €", String(repeating: "9", count: 40),
    ])
  func otherTextsAreNoAmounts(text: String) {
    #expect(throws: ValueError.notAnAmount(text)) { try BindingConverter.money.backward(text) }
    #expect(throws: ValueError.notAPercentage(text)) { try BindingConverter.percent.backward(text) }
  }

  @Test(
    "Percentages",
    arguments: [
      ("19", "19 %"), ("19%", "19 %"), ("7.5 %", "7.5 %"), ("7.50", "7.5 %"), ("0.05", "0.05 %"),
      ("100", "100 %"), ("-1", "-1 %"), ("0", "0 %"),
    ])
  func percentages(text: String, written: String) throws {
    let percent = try #require(try BindingConverter.percent.backward(text))
    #expect(try BindingConverter.percent.forward(percent) == written)
  }

  @Test("Every amount survives its text") func everyAmountSurvivesItsText() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix(seed: seed)
    for _ in 1...500 {
      let digits = Int128(1) << Int128.random(in: 0...100, using: &random)
      let money = Money(cents: .random(in: -digits...digits, using: &random))
      #expect(try BindingConverter.money.backward("\(money)") == money, "seed \(seed)")
    }
    for cents in [Int128.min, .max] {
      #expect(try BindingConverter.money.backward("\(Money(cents: cents))")?.cents == cents)
    }
  }

  static let shares: [(cents: Int128, rate: Int128, tax: Int128)] = [
    (50, 1900, 10), (-50, 1900, -10), (49, 1900, 9), (1, 5000, 1), (-1, 5000, -1), (1, 4999, 0),
    (-1, 4999, 0), (3, 5000, 2), (0, 1900, 0), (1, 10_000, 1), (7, 0, 0),
  ]

  @Test("Half a cent is rounded away from zero", arguments: shares)
  func halfACentIsRoundedAwayFromZero(cents: Int128, rate: Int128, tax: Int128) {
    #expect(Money(cents: cents).share(Percent(hundredths: rate)).cents == tax)
  }

  @Test("The largest invoice is exact") func theLargestInvoiceIsExact() throws {
    let lines = try (1...1_000).map { number in
      try LineItem(number: number, typing: ["", "1000000", "9999999999.99", "100"])
    }
    let invoice = Invoice(lines: lines)
    #expect("\(lines[0].net)" == "9999999999990000.00")
    #expect("\(invoice.net)" == "9999999999990000000.00")
    #expect("\(invoice.total)" == "19999999999980000000.00")
    for line in lines { line.unitPrice = Money(cents: -999_999_999_999) }
    #expect("\(invoice.total)" == "-19999999999980000000.00")
  }
}
