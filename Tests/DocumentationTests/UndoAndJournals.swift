import Keyline
import KeylineTest

enum UndoAndJournals: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/UndoAndJournals.md"
  static let file = #filePath

  static func run() async throws {
    changeSets()
    undoAndRedo()
    aDirtyFlagAndAutosave()
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
}
