import Keyline

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

enum TutorialUndo: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/TutorialUndo.md"
  static let file = #filePath

  static func run() async throws { theProgram() }

  static func theProgram() {
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
}
