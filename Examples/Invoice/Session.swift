import ExampleSupport
import Keyline
import KeylineDiagnostics

/// Carries out commands and shows their results.
///
/// The session sets texts of forms and properties of the model. Bindings and observers do the rest:
/// they update totals, correct or refuse texts, and show changes.
final class Session: ExampleSession {
  private(set) var isOpen = true

  private let editor: Editor
  private let write: (String) -> Void
  private var watches: [Amount: any Disposable] = [:]
  private let bag = DisposeBag()

  /// - Parameter write: shows output, one or more lines at a time.
  init(_ invoice: Invoice, write: @escaping (String) -> Void) {
    editor = Editor(invoice)
    self.write = write
    editor.history.edits
      .subscribe(with: self, onNext: { $0.show($1.lines) })
      .disposed(by: bag)
    editor.errors
      .subscribe(with: self, onNext: { $0.show("error: \($1)") })
      .disposed(by: bag)
    // A weak property: nil as soon as the line that is selected is gone.
    editor.observeChanges { $0.selected }
      .subscribe(
        with: self,
        onNext: { session, change in
          session.show("selected \(Format.some(change.new?.number)) (\(change.cause.words))")
        }
      )
      .disposed(by: bag)
  }

  deinit { for watch in watches.values { watch.dispose() } }

  func perform(_ command: Command) throws(CommandError) {
    switch command {
    case .show: show(Table(of: editor.invoice).lines)
    case .showLine(let name): show(Table(of: try form(name)).lines)
    case .set(let name, let field, let text): try set(name, field, to: text)
    case .add(let row): try add(row)
    case .remove(let name): editor.invoice.remove(try form(name).number)
    case .select(let name): editor.selected = editor.invoice.line(try form(name).number)
    case .undo: if !editor.history.undo() { throw CommandError("there is nothing to undo") }
    case .redo: if !editor.history.redo() { throw CommandError("there is nothing to redo") }
    case .watch(let amount): try watch(amount)
    case .unwatch(let amount):
      guard let watch = watches.removeValue(forKey: amount) else {
        throw CommandError("\(amount) is not watched")
      }
      watch.dispose()
    case .graph(let file): try graph(in: file)
    case .why(let amount):
      guard let cause = editor.cause(of: amount) else {
        throw CommandError("\(amount) has not changed lately")
      }
      show(cause.steps.map(\.description))
    case .help: show(Command.helpText.split(separator: "\n").map(String.init))
    case .quit: isOpen = false
    }
  }

  private func set(_ name: LineName, _ field: String, to text: String) throws(CommandError) {
    let form = try form(name)
    guard let field = form.field(field) else {
      let names = form.fields.map(\.name).joined(separator: ", ")
      throw CommandError("\(form.number).\(field): no such field; there are \(names)")
    }
    // The binding does the rest: it carries the text to the model, and the model's value back.
    field.text = text
  }

  private func add(_ text: String) throws(CommandError) {
    let number = editor.invoice.nextNumber
    do {
      let rows = try CSV.rows(of: Array(text.utf8))
      let line = try LineItem(number: number, typing: rows.first?.fields ?? [])
      editor.invoice.insert(line, at: editor.invoice.lines.count)
    } catch let error as FieldError {
      let subject = error.field.map { "\(number).\($0)" } ?? "\(number)"
      throw CommandError("\(subject): \(error.reason)")
    } catch {
      throw CommandError("\(number): \(error)")
    }
  }

  private func form(_ name: LineName) throws(CommandError) -> LineForm {
    switch name {
    case .number(let number):
      if let form = editor.form(number) { return form }
      throw CommandError("there is no line \(number)")
    case .selected:
      if let form = editor.selected.flatMap({ editor.form($0.number) }) { return form }
      throw CommandError("no line is selected")
    }
  }

  private func watch(_ amount: Amount) throws(CommandError) {
    guard watches[amount] == nil else { throw CommandError("\(amount) is watched already") }
    guard let changes = editor.changes(of: amount) else {
      throw CommandError("\(amount): there is no such line")
    }
    watches[amount] = changes.subscribe(
      with: self,
      onNext: { $0.tell(of: amount, $1) },
      onCompleted: { session in
        session.watches[amount] = nil
        session.show("\(amount) \(Format.absent) (line gone)")
      })
  }

  private func tell(of amount: Amount, _ change: PropertyChange<Money>) {
    if change.cause == .initial {
      show("\(amount) \(Format.some(change.new))")
    } else if change.old != change.new {
      let cause = change.cause == .set ? "" : " (\(change.cause.words))"
      show("\(amount) \(Format.change(change.old, change.new))\(cause)")
    }
  }

  private func graph(in file: String?) throws(CommandError) {
    let graph = Diagnostics.graph(of: editor.invoice, editor)
    guard let file else { return show(graph.text.split(separator: "\n").map(String.init)) }
    guard let contents = graph.contents(ofFile: file) else {
      throw CommandError("'\(file)' does not end in .dot or .txt")
    }
    do { try File.write(contents, to: file) } catch { throw CommandError("\(error)") }
  }

  func show(_ line: String) { show([line]) }

  private func show(_ lines: [String]) {
    write(Format.printable(lines: lines))
  }
}
