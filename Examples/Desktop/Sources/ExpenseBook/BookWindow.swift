import CGtk
import Foundation
import KeylineGTK

/// The window of a book: a list, and a form for the expense that is selected in it.
public final class BookWindow {
  let book = Book()
  let history: UndoHistory
  let file: BookFile

  let undo = Button("Undo")
  let redo = Button("Redo")
  let filter = Entry(placeholder: "Filter")
  let sortByTitle = Button("What")
  let sortByAmount = Button("Amount")
  let list: ListView<Expense>
  let form = Form()
  let add = Button("Add")
  let remove = Button("Remove")
  let summary = Label()
  let status = Label()
  public let window = Window("Expenses", width: 760, height: 420)
  private let bag = DisposeBag()

  /// The fields of an expense.
  final class Form {
    let title = Entry()
    let amount = Entry(placeholder: "12.50")
    let category = DropDown(Expense.Category.allCases.map { $0.rawValue.capitalized })
    let isPaid = CheckButton("Paid")
    let share = Scale(0...100, step: 5)
    let own = Label()
    let problem = Label()
    let grid = Grid()

    init() {
      problem[style: "error"] = true
      problem.set("wrap", true)
      problem.set("max-width-chars", 24)
      share.expandsHorizontally = true
      let rows: [(String, [Widget])] = [
        ("What", [title]), ("Amount", [amount, problem]), ("Category", [category]),
        ("", [isPaid]), ("Your share", [share, own]),
      ]
      var row = 0
      for (name, widgets) in rows {
        grid.attach(Label(name), column: 0, row: row)
        for widget in widgets {
          grid.attach(widget, column: 1, row: row)
          row += 1
        }
      }
    }
  }

  /// - Parameter url: where the book is kept; nil for a book that is not kept.
  public init(at url: URL? = nil) {
    file = BookFile(book, at: url)
    // An undo takes back a word and not a letter.
    history = UndoHistory(book.expenses, coalescing: .seconds(1))
    file.write(after: history.observe(\.canUndo, options: .new), on: MainScheduler.instance)
    list = ListView(book.visible, makeRow: Self.row)
    layOut()
    bindForm()
    bindList()
    bindButtons()
  }

  /// A row of the list: it follows its expense until it is scrolled away.
  private static func row(of expense: Expense) -> Widget {
    let (title, amount) = (Label(), Label())
    title.expandsHorizontally = true
    expense.bind(\.title, to: title, \.text)
    expense.bind(\.amount, to: amount, \.text, converter: BindingConverter { "\($0)" })
    expense.bind(\.isPaid, to: amount, \.[style: "dim-label"])
    return Box(.row, [title, amount])
  }

  private func layOut() {
    let space = Label()
    space.expandsHorizontally = true
    sortByTitle.expandsHorizontally = true
    let left = Box(.column, [Box(.row, [sortByTitle, sortByAmount]), Scroller(list)])
    left.expandsHorizontally = true
    let right = Box(.column, [form.grid, Box(.row, [add, remove])])
    status[style: "dim-label"] = true
    summary.expandsHorizontally = true
    window.child = Box(
      .column, margin: 12,
      [
        Box(.row, [undo, redo, space, filter]),
        Box(.row, spacing: 18, [left, right]),
        Box(.row, [summary, status]),
      ])
  }

  private func bindForm() {
    let form = form
    book.bind(
      { $0.selected.title }, to: form.title, \.text, mode: .twoWay, converter: .identity,
      whenBroken: .value(""))
    // A text that is typed anew has no problem until the binding, which comes next, finds one.
    form.amount.observe(\.text).map { _ in "" }.bind(to: form.problem, \.text)
    let amount = book.bind(
      { $0.selected.amount }, to: form.amount, \.text, mode: .twoWay, converter: .money,
      whenBroken: .value(""))
    book.bind(
      { $0.selected.category }, to: form.category, \.selected, mode: .twoWay, converter: .position,
      whenBroken: .value(nil))
    book.bind(
      { $0.selected.isPaid }, to: form.isPaid, \.isActive, mode: .twoWay, converter: .identity,
      whenBroken: .value(false))
    book.bind(
      { $0.selected.share }, to: form.share, \.value, mode: .twoWay, converter: .identity,
      whenBroken: .value(100))
    book.bind(
      { $0.selected.own }, to: form.own, \.text, converter: BindingConverter { "\($0)" },
      whenBroken: .value(""))
    amount.errors.map { "\($0)" }.bind(to: form.problem, \.text)
    book.bind(\.hasSelection, to: form.grid, \.isSensitive)
    book.bind(\.hasSelection, to: remove, \.isSensitive)
  }

  private func bindList() {
    filter.rx.text.asDriver().debounce(.milliseconds(150)).distinctUntilChanged()
      .drive(with: self, onNext: { $0.book.filter = $1 }).disposed(by: bag)
    for (button, order) in [(sortByTitle, Book.Order.title), (sortByAmount, .amount)] {
      button.rx.clicked.subscribe(with: self, onNext: { window, _ in window.book.sort(by: order) })
        .disposed(by: bag)
      Observable.tracking { [weak book] in book?.title(of: order) ?? "" }.bind(to: button, \.label)
    }
    // The selection by object: the position changes with the order and the filter.
    list.observe(\.selected, options: .new)
      .subscribe(
        with: self,
        onNext: { window, _ in
          if let expense = window.list.selectedElement { window.book.selected = expense }
        }
      )
      .disposed(by: bag)
    Observable.tracking { [weak book] in
      book?.selected.flatMap { selected in book?.visible.firstIndex { $0 === selected } }
    }
    .bind(to: list, \.selected)
    book.bind(\.summary, to: summary, \.text)
    file.bind(\.status, to: status, \.text)
  }

  private func bindButtons() {
    history.bind(\.canUndo, to: undo, \.isSensitive)
    history.bind(\.canRedo, to: redo, \.isSensitive)
    let actions: [(Button, (BookWindow) -> Void)] = [
      (undo, { $0.history.undo() }), (redo, { $0.history.redo() }), (add, { $0.book.add() }),
      (remove, { $0.book.removeSelected() }),
    ]
    for (button, action) in actions {
      button.rx.clicked.subscribe(with: self, onNext: { window, _ in action(window) })
        .disposed(by: bag)
    }
  }
}
