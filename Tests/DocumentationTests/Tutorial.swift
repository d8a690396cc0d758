import Keyline
import KeylineTest
import Testing

// snippet
final class Person: ReactiveObject {
  @Observed var name: String

  init(_ name: String) {
    self.name = name
    super.init()
  }
}

final class Expense: ReactiveObject {
  @Observed var title: String
  @Observed var cents: Int
  @WeakObserved var payer: Person?
  var label: String { "\(title): \(euros(cents))" }

  init(_ title: String, cents: Int) {
    self.title = title
    self.cents = cents
    super.init()
  }
}

final class Trip: ReactiveObject {
  let travellers = ObservableArray<Person>()
  let expenses = ObservableArray<Expense>()
}

/// The amount as text, such as `12.50 €`.
func euros(_ cents: Int) -> String {
  let rest = abs(cents) % 100
  return "\(cents < 0 ? "-" : "")\(abs(cents) / 100).\(rest < 10 ? "0" : "")\(rest) €"
}
// end

// snippet
final class ExpenseRow: ReactiveObject {
  @Observed var text = ""
  @Observed var payer = ""

  init(_ expense: Expense) {
    super.init()
    expense.bind(\.label, to: self, \.text)
    expense.bind({ $0.payer.name }, to: self, \.payer, whenBroken: .value("nobody"))
  }
}
// end

#sourceLocation(file:"Form.swift",line:2)
// snippet
struct Mistake: Error, CustomStringConvertible {
  let description: String
}

extension BindingConverter where Source == Int, Target == String {
  /// Cents, and their text without the sign: `31.50`.
  static var amount: Self {
    Self(
      forward: { cents in String(euros(cents).dropLast(2)) },
      backward: { text in
        guard let number = Double(text), abs(number) < 1_000_000 else {
          throw Mistake(description: "\(text) is not an amount")
        }
        return Int((number * 100).rounded())
      })
  }
}

final class ExpenseForm: ReactiveObject {
  @Observed var title = ""
  @Observed var amount = ""
  @Observed var problem = ""
  private let bag = DisposeBag()

  init(_ expense: Expense) {
    super.init()
    expense.validate(\.title) { _, title in
      title.isEmpty ? .rejected(Mistake(description: "a title is missing")) : .valid
    }.disposed(by: bag)
    expense.validate(\.cents) { _, cents in cents < 0 ? .coerced(0) : .valid }.disposed(by: bag)

    Observable.merge(observe(\.title, options: .new), observe(\.amount, options: .new))
      .map { _ in "" }.bind(to: self, \.problem)
    let titles = expense.bind(\.title, to: self, \.title, mode: .twoWay)
    let amounts = expense.bind(\.cents, to: self, \.amount, mode: .twoWay, converter: .amount)
    Observable.merge(titles.errors, amounts.errors).map { "\($0)" }.bind(to: self, \.problem)
  }
}
// end
#sourceLocation()

// snippet
final class Budget: ReactiveObject {
  let trip: Trip
  @Observed var limit = 50_000
  @Derived({ (self: Budget) in self.trip.expenses.reduce(0) { $0 + $1.cents } }) var total: Int
  @Derived({ (self: Budget) in self.limit - self.total }) var rest: Int

  init(_ trip: Trip) {
    self.trip = trip
    super.init()
  }
}
// end

// snippet
final class History: ReactiveObject {
  private var steps: [ChangeSet] = []
  private var isUndoing = false
  @Observed private(set) var count = 0

  init(_ expenses: [Expense]) {
    super.init()
    for expense in expenses {
      _ = expense.observeChangeSets().subscribe(onNext: { [weak self] in self?.add($0) })
    }
  }

  func undo() {
    guard let last = steps.popLast() else { return }
    isUndoing = true
    last.undo()
    isUndoing = false
    count = steps.count
  }

  private func add(_ changes: ChangeSet) {
    guard !isUndoing else { return }
    steps.append(changes)
    count = steps.count
  }
}
// end

enum Tutorial: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Tutorial.md"
  static let file = #filePath

  static func run() async throws {
    theModel()
    thePayer()
    theForm()
    totals()
    undo()
  }

  static func theModel() {
    // snippet
    let trip = Trip()
    _ = trip.expenses.changes.subscribe(onNext: { edits in
      for edit in edits { print("added", edit.inserted.count, "removed", edit.removed.count) }
    })

    let hotel = Expense("Hotel", cents: 24_000)
    trip.expenses.append(hotel)
    hotel.observe(\.label) { print($0) }
    hotel.cents = 25_000
    hotel.title = "Hotel, two nights"
    end()
  }

  static func thePayer() {
    // snippet
    let trip = Trip()
    trip.travellers.append(contentsOf: [Person("Ada"), Person("Bea")])
    let taxi = Expense("Taxi", cents: 3_150)
    trip.expenses.append(taxi)

    let row = ExpenseRow(taxi)
    row.observe(\.text, \.payer) { print($0, "paid by", $1) }
    taxi.payer = trip.travellers[0]
    trip.travellers[0].name = "Ada L."
    trip.travellers.removeFirst()  // nothing else retains Ada
    end()
  }

  static func theForm() {
    // snippet
    let taxi = Expense("Taxi", cents: 3_150)
    let form = ExpenseForm(taxi)
    print(form.title, form.amount)

    form.amount = "32.5"
    print(taxi.cents)
    form.amount = "a lot"
    print(taxi.cents, "-", form.problem)
    form.title = ""
    print(taxi.title, "-", form.problem)
    form.amount = "-4"
    print(taxi.cents, "-", form.amount)
    end()
  }

  static func totals() {
    // snippet
    let trip = Trip()
    let budget = Budget(trip)
    budget.observe(\.rest) { print("left:", euros($0)) }

    let hotel = Expense("Hotel", cents: 25_000)
    batchUpdates {
      trip.expenses.append(contentsOf: [hotel, Expense("Taxi", cents: 3_000)])
      budget.limit = 60_000
    }
    hotel.title = "Hotel, two nights"
    hotel.cents = 26_000
    end()
  }

  static func undo() {
    // snippet
    let taxi = Expense("Taxi", cents: 3_000)
    let form = ExpenseForm(taxi)
    let history = History([taxi])
    history.observe(\.count) { print("steps:", $0) }

    form.amount = "31"
    batchUpdates {
      form.title = "Taxi to the airport"
      form.amount = "45"
    }
    print(taxi.label)
    history.undo()
    print(taxi.label, "-", form.title, form.amount)
    history.undo()
    print(taxi.label)
    end()
  }

  struct Checks {
    // snippet
    @MainActor @Test func aFormReleasesItsExpense() {
      let tracker = LifetimeTracker()
      do {
        let taxi = Expense("Taxi", cents: 3_000)
        let form = ExpenseForm(taxi)
        tracker.track(taxi)
        tracker.track(form)
      }
      #expect(tracker.alive == 0)
    }
    // end
  }
}
