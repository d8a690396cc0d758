import Keyline

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

enum TutorialModel: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/TutorialModel.md"
  static let file = #filePath

  static func run() async throws { theProgram() }

  static func theProgram() {
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
    trip.expenses.removeAll()
    end()
  }
}
