import Keyline
import KeylineDiagnostics
import KeylineTest
import Testing

enum TutorialChecks: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/TutorialChecks.md"
  static let file = #filePath

  static func run() async throws { theProgram() }

  static func theProgram() {
    #sourceLocation(file:"main.swift",line:3)
    // snippet
    Diagnostics.isRecording = true
    let trip = Trip()
    let taxi = Expense("Taxi", cents: 3_000)
    trip.expenses.append(taxi)
    let form = ExpenseForm(taxi)
    let budget = Budget(trip)
    budget.observe(\.rest) { _ in }

    let trace = Diagnostics.trace { form.amount = "45" }
    print(trace.why(\.rest, of: budget)!)
    #sourceLocation()
    end()
    // snippet
    print(Diagnostics.graph(of: taxi))
    end()
    Diagnostics.isRecording = false
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

    // snippet
    @MainActor @Test func theBudgetIsSettledOnceForEachBatch() {
      let trip = Trip()
      let budget = Budget(trip)
      var totals: [Int] = []
      budget.observe(\.total) { totals.append($0) }
      batchUpdates {
        trip.expenses.append(Expense("Hotel", cents: 25_000))
        trip.expenses.append(Expense("Taxi", cents: 3_000))
      }
      #expect(totals == [0, 28_000])
    }
    // end
  }
}
