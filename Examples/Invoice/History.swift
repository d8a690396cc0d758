import ExampleSupport
import Keyline

/// One step of changes in the model, which can be reverted.
struct Edit {
  /// One text for each change: `3.quantity 2 → 12`.
  let changes: [String]
  /// The cause of the changes.
  var cause: String
  /// Restores the previous values of the model, through the same properties.
  let revert: (Invoice) -> Void

  /// Lines like `3.quantity 2 → 12 (set)`.
  var lines: [String] { changes.map { "\($0) (\(cause))" } }
}

/// The changes of the model, for undo and redo.
///
/// The history observes the model and nothing else, so it records every change alike. An undo is a
/// change like any other; to redo, the history reverts the undo. It records the change sets of lines
/// and the edits of the list as the model emits them. It keeps values, never lines.
final class History {
  private enum Mode { case editing, undoing, redoing }

  /// Every change, as it is made.
  let edits = PublishRelay<Edit>()

  private let invoice: Invoice
  private var mode = Mode.editing
  private var undoable: [Edit] = []
  private var redoable: [Edit] = []
  private let bag = DisposeBag()

  init(of invoice: Invoice) {
    self.invoice = invoice
    let lists = invoice.observeChanges(\.lines, options: [.initial, .old, .new])
    let ofLines = lists.flatMap { list in Observable.merge(list.added.map(\.edits)) }
    let ofLists = lists.compactMap(\.edit)
    Observable.merge(ofLines, ofLists)
      .subscribe(with: self, onNext: { $0.record($1) })
      .disposed(by: bag)
  }

  /// Takes the last change back; false if there is none.
  func undo() -> Bool { revert(undoable.popLast(), .undoing) }

  /// Makes the change again that was taken back last; false if there is none.
  func redo() -> Bool { revert(redoable.popLast(), .redoing) }

  private func revert(_ edit: Edit?, _ mode: Mode) -> Bool {
    guard let edit else { return false }
    self.mode = mode
    edit.revert(invoice)
    self.mode = .editing
    return true
  }

  private func record(_ edit: Edit) {
    var edit = edit
    switch mode {
    case .editing:
      undoable.append(edit)
      redoable.removeAll()
    case .undoing:
      redoable.append(edit)
      edit.cause = "undo"
    case .redoing:
      undoable.append(edit)
      edit.cause = "redo"
    }
    edits.accept(edit)
  }
}

// MARK: - Edits are changes of properties

extension LineItem {
  /// The changes of this line, until it dies. Observing them does not keep it alive.
  fileprivate var edits: Observable<Edit> {
    let number = number
    return observeChangeSets().map { set in
      Edit(
        changes: set.map {
          "\(number).\(fieldName($0.name)) \(Format.change($0.old, $0.new))"
        },
        cause: ChangeCause.set.words,
        // A line that was removed meanwhile, and put back, is another object.
        revert: { $0.line(number).map { set.undo(on: $0) } })
    }
  }
}

/// The name of a property as the user sees it.
private func fieldName(_ property: String) -> String {
  ["title": "description", "unitPrice": "price", "taxRate": "tax"][property] ?? property
}

extension PropertyChange<[LineItem]> {
  /// The lines that were not there before.
  fileprivate var added: [LineItem] { kind == .removal ? [] : new ?? [] }

  /// The one line that has come or gone; nil for the lines there are at first.
  fileprivate var edit: Edit? {
    switch kind {
    case .insertion:
      guard let line = new?.first else { return nil }
      let number = line.number
      return Edit(
        changes: ["\(number) \(Format.change(nil, line.values))"], cause: "added",
        revert: { $0.remove(number) })
    case .removal:
      guard let line = old?.first, let index = indexes?.ranges.first?.lowerBound else { return nil }
      let (number, values) = (line.number, line.values)
      return Edit(
        changes: ["\(number) \(Format.change(values, nil))"], cause: "removed",
        revert: { $0.insert(LineItem(number: number, values), at: index) })
    default: return nil
    }
  }
}

extension ChangeCause {
  /// Why the value at the end of a path is another, in words.
  var words: String {
    switch self {
    case .initial: "now"
    case .set: "set"
    case .hopReplaced: "another line"
    case .hopBecameNil: "no line"
    case .hopDied, .rootDied: "line gone"
    }
  }
}
