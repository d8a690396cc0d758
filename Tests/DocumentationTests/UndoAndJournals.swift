import Keyline
import KeylineTest

enum UndoAndJournals: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/UndoAndJournals.md"
  static let file = #filePath

  static func run() async throws {
    changeSets()
    undoAndRedo()
    aDirtyFlagAndAutosave()
    aCoalescedUndo()
    undoOfAList()
  }

  // snippet
  final class Document: ReactiveObject {
    @Observed var title = "Untitled"
    @Observed var pages = 1
    @Observed var author: String?
  }
  // end

  static func changeSets() {
    // snippet
    let document = Document()
    _ = document.observeChangeSets().subscribe(onNext: { changes in
      for change in changes { print(change.name, change.old ?? "nil", "→", change.new ?? "nil") }
    })
    document.title = "Laws"
    document.title = "Laws"
    batchUpdates {
      document.pages = 12
      document.author = "Ada"
    }
    end()
  }

  // snippet
  final class History {
    private var undone: [ChangeSet] = []
    private var done: [ChangeSet] = []
    private var isReplaying = false
    private let bag = DisposeBag()

    init(_ document: Document) {
      document.observeChangeSets().subscribe(onNext: { [weak self] changes in
        guard let self, !isReplaying else { return }
        done.append(changes)
        undone = []
      }).disposed(by: bag)
    }

    func undo() {
      guard let last = done.popLast() else { return }
      replay { last.undo() }
      undone.append(last)
    }

    func redo() {
      guard let last = undone.popLast() else { return }
      replay { last.redo() }
      done.append(last)
    }

    private func replay(_ change: () -> Void) {
      isReplaying = true
      change()
      isReplaying = false
    }
  }
  // end

  static func undoAndRedo() {
    // snippet
    let document = Document()
    let history = History(document)
    batchUpdates {
      document.title = "Laws"
      document.pages = 12
    }
    document.pages = 13
    history.undo()
    print(document.title, document.pages)
    history.undo()
    print(document.title, document.pages)
    history.redo()
    print(document.title, document.pages)
    end()
  }

  static func aDirtyFlagAndAutosave() {
    // snippet
    let scheduler = TestScheduler(initialClock: 0)
    let document = Document()
    let isDirty = BehaviorRelay(value: false)
    let changes = document.observeChangeSets()
    _ = changes.map { _ in true }.bind(to: isDirty)
    _ = changes.debounce(.seconds(2), scheduler: scheduler).subscribe(onNext: { [weak document] _ in
      print("saved:", document?.title ?? "nothing")
      isDirty.accept(false)
    })
    document.title = "L"
    document.title = "Laws"
    print("dirty:", isDirty.value)
    scheduler.start()
    print("dirty:", isDirty.value)
    end()
  }

  static func aCoalescedUndo() {
    // snippet
    let clock = TestScheduler(initialClock: 0)
    let document = Document()
    var steps: [[ChangeSet]] = []
    _ = document.observeChangeSets().buffer(timeSpan: .seconds(5), count: 100, scheduler: clock)
      .filter { !$0.isEmpty }
      .subscribe(onNext: { steps.append($0) })
    for (second, title) in ["L", "La", "Laws"].enumerated() {
      clock.scheduleAt(second + 1) { document.title = title }
    }
    clock.advanceTo(6)
    for change in steps[0].reversed() { change.undo() }
    print(steps.count, document.title)
    end()
  }

  static func undoOfAList() {
    // snippet
    func undo(_ edit: ArrayEdit<String>, in array: ObservableArray<String>) {
      if case .move(_, let source, let destination) = edit {
        array.move(from: destination, to: source)
      } else {
        array.replaceSubrange(edit.insertedRange, with: edit.removed)
      }
    }

    let names: ObservableArray = ["Ada", "Bea", "Cleo"]
    var done: [[ArrayEdit<String>]] = []
    let journal = names.changes.subscribe(onNext: { done.append($0) })
    names.move(from: 2, to: 0)
    names.removeAll { $0.count == 3 }
    journal.dispose()
    print(names)
    for edits in done.reversed() {
      batchUpdates { for edit in edits.reversed() { undo(edit, in: names) } }
      print(names)
    }
    end()
  }
}
