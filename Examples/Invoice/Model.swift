import ExampleSupport
import Keyline

// The model: the lines of an invoice and its amounts. Amounts are derived: computed when they are read,
// cached, and observable like any property. The model depends on no view and no text format.

/// An invoice.
final class Invoice: ReactiveObject {
  let lines = ObservableArray<LineItem>()

  /// The number of the next line. A number is used once only, also when its line is removed.
  private(set) var nextNumber = 1

  /// The sum of all lines, before tax.
  @Derived({ (self: Invoice) in self.lines.reduce(.zero) { $0 + $1.net } }) var net: Money
  /// The tax of all lines, rounded line by line.
  @Derived({ (self: Invoice) in self.lines.reduce(.zero) { $0 + $1.tax } }) var tax: Money
  /// The amount to pay.
  @Derived({ (self: Invoice) in self.net + self.tax }) var total: Money

  init(lines: [LineItem] = []) {
    super.init()
    // One emission, for every observer.
    batchUpdates {
      for line in lines { insert(line, at: self.lines.count) }
    }
  }

  func line(_ number: Int) -> LineItem? { lines.first { $0.number == number } }

  func insert(_ line: LineItem, at index: Int) {
    nextNumber = max(nextNumber, line.number + 1)
    lines.insert(line, at: min(index, lines.count))
  }

  func remove(_ number: Int) { lines.removeAll { $0.number == number } }
}

/// A line of an invoice.
final class LineItem: ReactiveObject, CustomStringConvertible {
  /// The values of a line.
  struct Values: Equatable, CustomStringConvertible {
    var title = ""
    var quantity = 0
    var unitPrice = Money.zero
    var taxRate = Percent.zero

    /// `Desk, 2 × 649.00 + 19 %`.
    var description: String { "\(title), \(quantity) × \(unitPrice) + \(taxRate)" }
  }

  /// Which line it is, for good: it stays the third when the second is removed.
  let number: Int
  @Observed var title: String
  @Observed var quantity: Int
  @Observed var unitPrice: Money
  @Observed var taxRate: Percent

  @Derived({ (self: LineItem) in self.unitPrice * self.quantity }) var net: Money
  @Derived({ (self: LineItem) in self.net.share(self.taxRate) }) var tax: Money
  @Derived({ (self: LineItem) in self.net + self.tax }) var gross: Money

  var description: String { "\(number)" }

  var values: Values {
    Values(title: title, quantity: quantity, unitPrice: unitPrice, taxRate: taxRate)
  }

  init(number: Int, _ values: Values = Values()) {
    self.number = number
    title = values.title
    quantity = values.quantity
    unitPrice = values.unitPrice
    taxRate = values.taxRate
    super.init()
    // These rules hold for every writer: a title is corrected, other values are refused.
    validate(\.title) { _, title in
      let line = Format.oneLine(title)
      return line == title ? .valid : .coerced(line)
    }
    validate(\.quantity) { _, quantity in Self.check(quantity, from: 0, to: 1_000_000) }
    validate(\.unitPrice) { _, price in
      Self.check(price, from: Money(cents: -999_999_999_999), to: Money(cents: 999_999_999_999))
    }
    validate(\.taxRate) { _, rate in Self.check(rate, from: .zero, to: .whole) }
  }

  private static func check<Value: Comparable>(
    _ value: Value, from lowest: Value, to highest: Value
  ) -> Validation<Value> {
    (lowest...highest).contains(value)
      ? .valid
      : .rejected(ValueError.outOfRange("\(value)", from: "\(lowest)", to: "\(highest)"))
  }
}
