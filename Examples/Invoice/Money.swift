/// An amount of money: whole cents, never a floating-point number.
///
/// Cents are counted up to 10³⁸. The rules of ``LineItem`` keep a line below 10¹⁹, so that no invoice
/// that fits into a machine can overflow.
struct Money: Hashable, Comparable {
  var cents: Int128

  static let zero = Money(cents: 0)

  static func < (one: Money, other: Money) -> Bool { one.cents < other.cents }
  static func + (one: Money, other: Money) -> Money { Money(cents: one.cents + other.cents) }
  static func * (price: Money, quantity: Int) -> Money {
    Money(cents: price.cents * Int128(quantity))
  }

  /// `rate` of this, rounded to the nearest cent, and half a cent away from zero: 19 % of 0.50 is
  /// 0.10, and of -0.50 it is -0.10.
  func share(_ rate: Percent) -> Money {
    let product = cents * rate.hundredths
    return Money(cents: (product + product.signum() * 5_000) / 10_000)
  }
}

extension Money: CustomStringConvertible {
  /// `1234.50`, `-0.05`.
  var description: String { Hundredths.text(cents) }
}

/// A percentage: whole hundredths of a percent.
struct Percent: Hashable, Comparable {
  var hundredths: Int128

  static let zero = Percent(hundredths: 0)
  /// All of it.
  static let whole = Percent(hundredths: 10_000)

  static func < (one: Percent, other: Percent) -> Bool { one.hundredths < other.hundredths }
}

extension Percent: CustomStringConvertible {
  /// `19 %`, `7.5 %`.
  var description: String {
    var text = Hundredths.text(hundredths)
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return "\(text) %"
  }
}

/// Decimal numbers with two places, as texts.
enum Hundredths {
  /// `-5` is `-0.05`.
  static func text(_ number: Int128) -> String {
    let (whole, fraction) = number.magnitude.quotientAndRemainder(dividingBy: 100)
    return "\(number < 0 ? "-" : "")\(whole).\(fraction < 10 ? "0" : "")\(fraction)"
  }

  /// Parses `12`, `+12.5` and `-12.50`; nil for any other form, and for numbers beyond 10³⁸.
  static func parse(_ text: some StringProtocol) -> Int128? {
    let sign = text.first == "-" ? "-" : ""
    let number = sign.isEmpty && text.first != "+" ? text[...] : text.dropFirst()
    let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first, !whole.isEmpty else { return nil }
    let fraction = parts.count > 1 ? parts[1] : "00"
    let digits = "\(whole)\(fraction)"
    guard (1...2).contains(fraction.count), digits.utf8.allSatisfy(isDigit) else { return nil }
    return Int128(sign + digits + (fraction.count == 1 ? "0" : ""))
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
