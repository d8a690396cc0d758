import Keyline
import KeylineTest

enum HistoryPage: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/History.md"
  static let file = #filePath

  static func run() async throws {
    changeSets()
    undoAndRedo()
    aDirtyFlagAndAutosave()
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

  static func undoOfAList() {
    do {
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
    do {
      // snippet
      final class Journal {
        private let bag = DisposeBag()
        init(_ document: Document, _ record: @escaping (ChangeSet) -> Void) {
          document.observeChangeSets().subscribe(onNext: record).disposed(by: bag)
        }
      }

      let documents = ObservableArray([Document()])
      var steps: [ChangeSet] = []
      let journals = documents.mapped { Journal($0) { steps.append($0) } }
      let subscription = journals.changes.subscribe()
      let added = Document()
      documents.append(added)
      added.title = "Laws"
      documents[0].pages = 2
      for step in steps.reversed() { step.undo() }
      print(added.title, documents[0].pages)
      subscription.dispose()
      end()
    }
  }
}
