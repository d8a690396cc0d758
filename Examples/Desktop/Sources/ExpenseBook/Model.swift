import Foundation
import Keyline

// The model: expenses, the view of them that is on the screen, and their sums. It has no window.

/// One expense, of which a share is one's own.
public final class Expense: ReactiveObject {
  /// What a file keeps of an expense.
  struct Values: Codable, Equatable {
    var title = ""
    var cents = 0
    var category = Category.other
    var isPaid = false
    var share = 100.0
  }

  enum Category: String, Codable, CaseIterable { case travel, food, housing, other }

  @Observed var title: String
  @Observed var amount: Money
  @Observed var category: Category
  @Observed var isPaid: Bool
  /// In percent.
  @Observed var share: Double

  @Derived({ (self: Expense) in self.amount.share(self.share) }) var own: Money

  init(_ values: Values = Values()) {
    title = values.title
    amount = Money(cents: values.cents)
    category = values.category
    isPaid = values.isPaid
    share = values.share
    super.init()
    validate(\.amount) { _, amount in
      (0...100_000_000).contains(amount.cents) ? .valid : .rejected(ExpenseError.outOfRange(amount))
    }
    validate(\.title) { _, title in
      title.contains(where: \.isNewline)
        ? .coerced(title.split(whereSeparator: \.isNewline).joined(separator: " ")) : .valid
    }
  }

  var values: Values {
    Values(title: title, cents: amount.cents, category: category, isPaid: isPaid, share: share)
  }
}

/// Whole cents.
struct Money: Hashable, Comparable, CustomStringConvertible {
  var cents: Int

  static func < (one: Money, other: Money) -> Bool { one.cents < other.cents }
  static func + (one: Money, other: Money) -> Money { Money(cents: one.cents + other.cents) }

  /// `percent` per cent of it, rounded to the nearest cent.
  func share(_ percent: Double) -> Money {
    Money(cents: Int((Double(cents) * percent / 100).rounded()))
  }

  /// `1234.50`.
  var description: String {
    let (whole, fraction) = cents.quotientAndRemainder(dividingBy: 100)
    return "\(whole).\(fraction < 10 ? "0" : "")\(fraction)"
  }

  /// Reads `12`, `12.5` and `12.50`.
  init?(_ text: String) {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count > 1 ? parts[1] : "00"
    guard let whole = parts.first, !whole.isEmpty, (1...2).contains(fraction.count),
      "\(whole)\(fraction)".utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let cents = Int("\(whole)\(fraction)\(fraction.count == 1 ? "0" : "")")
    else { return nil }
    self.cents = cents
  }

  init(cents: Int) { self.cents = cents }
}

/// Why a text is not taken.
enum ExpenseError: Error, Equatable, CustomStringConvertible {
  case notAnAmount(String)
  case outOfRange(Money)

  var description: String {
    switch self {
    case .notAnAmount(let text): "“\(text)” is not an amount such as 12.50"
    case .outOfRange(let amount): "\(amount) is more than 1000000.00"
    }
  }
}

extension BindingConverter where Source == Money, Target == String {
  /// An amount and its text; the user may leave out the cents.
  static var money: Self {
    Self(
      forward: { "\($0)" },
      backward: { text in
        guard let money = Money(text.trimmingCharacters(in: .whitespaces)) else {
          throw ExpenseError.notAnAmount(text)
        }
        return money
      })
  }
}

extension BindingConverter where Source == Expense.Category, Target == Int? {
  /// A category and its position in the list of categories.
  static var position: Self {
    Self(
      forward: { .some(Expense.Category.allCases.firstIndex(of: $0)) },
      backward: { $0.map { Expense.Category.allCases[$0] } })
  }
}

/// All expenses, and what of them is on the screen.
public final class Book: ReactiveObject {
  enum Order: String { case title, amount }

  let expenses = ObservableArray<Expense>()
  /// A part of the titles that are shown.
  @Observed var filter = ""
  @Observed var order: Order?
  @Observed var isDescending = false
  /// The expense in the form, until it is removed.
  @WeakObserved var selected: Expense?
  @Derived({ (self: Book) in self.selected != nil }) var hasSelection: Bool

  /// The expenses on the screen. The list on the screen retains this view, which may outlive the book.
  private(set) lazy var visible = expenses.filtered { [weak self] expense in
    self?.isShown(expense) == true
  }.sorted { [weak self] one, other in
    self?.isInOrder(one, other) == true
  }

  private func isShown(_ expense: Expense) -> Bool {
    filter.isEmpty || expense.title.localizedCaseInsensitiveContains(filter)
  }

  private func isInOrder(_ one: Expense, _ other: Expense) -> Bool {
    let (first, second) = isDescending ? (other, one) : (one, other)
    return switch order {
    case .title: first.title < second.title
    case .amount: first.amount < second.amount
    case nil: false
    }
  }

  @Derived({ (self: Book) in self.visible.reduce(Money(cents: 0)) { $0 + $1.amount } })
  var shown: Money
  @Derived({ (self: Book) in self.visible.reduce(Money(cents: 0)) { $0 + $1.own } }) var own: Money
  @Derived({ (self: Book) in
    "\(self.visible.count) of \(self.expenses.count) expenses, \(self.shown), of which \(self.own) is yours"
  })
  var summary: String

  /// Sorts by `order`, or, if it does already, the other way round.
  func sort(by order: Order) {
    batchUpdates {
      isDescending = self.order == order && !isDescending
      self.order = order
    }
  }

  func title(of order: Order) -> String {
    let name = order == .title ? "What" : "Amount"
    return self.order == order ? "\(name) \(isDescending ? "▼" : "▲")" : name
  }

  /// Adds an expense, and shows it in the form.
  func add() {
    batchUpdates {
      let expense = Expense(Expense.Values(title: "New expense"))
      expenses.append(expense)
      selected = expense
    }
  }

  func removeSelected() {
    guard let selected else { return }
    batchUpdates {
      self.selected = nil
      expenses.removeAll { $0 === selected }
    }
  }
}
