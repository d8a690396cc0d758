import Keyline

#sourceLocation(file:"Budget.swift",line:2)
// snippet
final class Budget: ReactiveObject {
  let trip: Trip
  @Observed var limit = 50_000
  @Derived({ (self: Budget) in self.trip.expenses.reduce(0) { $0 + $1.cents } }) var total: Int
  @Derived({ (self: Budget) in self.limit - self.total }) var rest: Int
  @Derived({ (self: Budget) in self.total / max(1, self.trip.travellers.count) }) var share: Int
  @Derived({ (self: Budget) in
    self.trip.travellers.map { person in
      let paid = self.trip.expenses.reduce(0) { $0 + ($1.payer === person ? $1.cents : 0) }
      return "\(person.name) \(euros(paid - self.share))"
    }.joined(separator: ", ")
  }) var balances: String

  init(_ trip: Trip) {
    self.trip = trip
    super.init()
  }
}
// end
#sourceLocation()

enum TutorialTotals: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/TutorialTotals.md"
  static let file = #filePath

  static func run() async throws { theProgram() }

  static func theProgram() {
    // snippet
    let trip = Trip()
    trip.travellers.append(contentsOf: [Person("Ada"), Person("Bea")])
    let budget = Budget(trip)
    budget.observe(\.rest) { print("left:", euros($0)) }
    budget.observe(\.balances) { print($0) }

    let hotel = Expense("Hotel", cents: 25_000)
    let taxi = Expense("Taxi", cents: 3_000)
    batchUpdates {
      trip.expenses.append(contentsOf: [hotel, taxi])
      hotel.payer = trip.travellers[0]
      taxi.payer = trip.travellers[1]
    }
    taxi.payer = trip.travellers[0]
    end()
    // snippet
    budget.limit = 60_000
    trip.travellers[1].name = "Bea M."
    end()
  }
}
