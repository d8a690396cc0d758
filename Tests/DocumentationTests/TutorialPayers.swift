import Keyline

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

enum TutorialPayers: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/TutorialPayers.md"
  static let file = #filePath

  static func run() async throws { theProgram() }

  static func theProgram() {
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
    // snippet
    let museum = Expense("Museum", cents: 4_000)
    museum.observeChanges {
      $0.payer.name
    } onNext: { change in
      print(change.new ?? "nobody", change.cause)
    }
    museum.payer = trip.travellers[0]
    trip.travellers[0].name = "Bea M."
    museum.payer = nil
    end()
  }
}
