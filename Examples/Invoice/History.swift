import Keyline

/// One effective change of the model, and how to take it back.
struct Edit {
  /// What changed: `3.quantity`.
  let subject: String
  let old: String
  let new: String
  /// Why it changed.
  var cause: String
  /// Sets the model to what it was, through the same properties.
  let revert: (Invoice) -> Void

  /// A line like `3.quantity 2 → 12 (set)`.
  var words: String { "\(subject) \(old) → \(new) (\(cause))" }
}

/// What has been changed, to be taken back and made again.
///
/// It observes the model and nothing else: it does not matter who changes it, and undoing is a change
/// like any other, whose own reversal is the way to redo it. It keeps values, never lines.
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
    .merge(
      edits(of: \.title, "description"), edits(of: \.quantity, "quantity"),
      edits(of: \.unitPrice, "price"), edits(of: \.taxRate, "tax"))
  }

  private func edits<Value: Equatable>(
    of property: ReferenceWritableKeyPath<LineItem, Value>, _ name: String
  ) -> Observable<Edit> {
    let number = number
    return observeChanges(property).compactMap { change in
      guard let (old, new) = change.difference else { return nil }
      return Edit(
        subject: "\(number).\(name)", old: Format.some("\(old)"), new: Format.some("\(new)"),
        cause: change.cause.words,
        revert: { $0.line(number)?[keyPath: property] = old })
    }
  }
}

extension PropertyChange where Value: Equatable {
  /// The values before and after; nil if they are equal, or if there is only one.
  var difference: (old: Value, new: Value)? {
    guard let old, let new, old != new else { return nil }
    return (old, new)
  }
}

extension PropertyChange<[LineItem]> {
  /// The lines that were not there before.
  fileprivate var added: [LineItem] { (new ?? []).without(old ?? []) }

  /// The one line that has come or gone; nil for the lines there are at first.
  fileprivate var edit: Edit? {
    guard let old, let new else { return nil }
    if let line = new.without(old).first {
      let number = line.number
      return Edit(
        subject: "\(number)", old: Format.absent, new: "\(line.values)", cause: "added",
        revert: { $0.remove(number) })
    }
    guard let line = old.without(new).first, let index = old.firstIndex(where: { $0 === line })
    else { return nil }
    let (number, values) = (line.number, line.values)
    return Edit(
      subject: "\(number)", old: "\(values)", new: Format.absent, cause: "removed",
      revert: { $0.insert(LineItem(number: number, values), at: index) })
  }
}

extension [LineItem] {
  fileprivate func without(_ others: [LineItem]) -> [LineItem] {
    let known = Set(others.map(ObjectIdentifier.init))
    return filter { !known.contains(ObjectIdentifier($0)) }
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
