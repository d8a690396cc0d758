import Keyline

/// What can be undone and done again, in a book: every change of an expense, and of the list.
///
/// A change of the property that was changed last, within a second, belongs to the same step, so that an
/// undo takes back a word and not a letter.
final class History: ReactiveObject {
  private struct Step {
    let key: String
    let undo: () -> Void
    var redo: () -> Void
    var time: Duration
  }

  @Observed private(set) var canUndo = false
  @Observed private(set) var canRedo = false
  /// A step was made, undone or done again.
  let changed = PublishRelay<Void>()

  private var undoable: [Step] = []
  private var redoable: [Step] = []
  private var isReverting = false
  private let bag = DisposeBag()

  init(of book: Book) {
    super.init()
    let lists = book.observeChanges(\.expenses, options: [.initial, .old, .new])
    lists.subscribe(with: self, onNext: { $0.record($1, in: book.expenses) }).disposed(by: bag)
    lists.flatMap { change -> Observable<(Expense, ChangeSet)> in
      let added = change.kind == .removal ? [] : change.new ?? []
      return .merge(
        added.map { expense in
          expense.observeChangeSets().map { [unowned expense] in (expense, $0) }
        })
    }
    .subscribe(
      with: self,
      onNext: { history, change in
        let (expense, set) = change
        history.record(
          Step(
            key: "\(ObjectIdentifier(expense)).\(set.names.joined(separator: ","))",
            // The step retains the expense: it may be back in the list when the step is undone.
            undo: { set.undo(on: expense) }, redo: { set.redo(on: expense) },
            time: MainScheduler.instance.now))
      }
    )
    .disposed(by: bag)
  }

  func undo() {
    guard let step = undoable.popLast() else { return }
    redoable.append(step)
    revert(step.undo)
  }

  func redo() {
    guard let step = redoable.popLast() else { return }
    undoable.append(step)
    revert(step.redo)
  }

  private func revert(_ body: () -> Void) {
    isReverting = true
    batchUpdates(body)
    isReverting = false
    update()
  }

  private func record(_ change: PropertyChange<[Expense]>, in expenses: ObservableArray<Expense>) {
    guard change.kind == .insertion || change.kind == .removal,
      let index = change.indexes?.ranges.first?.lowerBound
    else { return }
    let isInsertion = change.kind == .insertion
    let elements = (isInsertion ? change.new : change.old) ?? []
    let insert = { [weak expenses] in expenses?.insert(contentsOf: elements, at: index) ?? () }
    let remove = { [weak expenses] in
      expenses?.removeSubrange(index..<index + elements.count) ?? ()
    }
    record(
      Step(
        key: "", undo: isInsertion ? remove : insert, redo: isInsertion ? insert : remove,
        time: .zero))
  }

  private func record(_ step: Step) {
    if isReverting { return }
    redoable = []
    if let last = undoable.last, !step.key.isEmpty, last.key == step.key,
      step.time - last.time < .seconds(1)
    {
      undoable[undoable.count - 1].redo = step.redo
      undoable[undoable.count - 1].time = step.time
    } else {
      undoable.append(step)
    }
    update()
  }

  private func update() {
    batchUpdates {
      canUndo = !undoable.isEmpty
      canRedo = !redoable.isEmpty
    }
    changed.accept(())
  }
}
