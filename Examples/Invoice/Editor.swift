import Keyline
import KeylineDiagnostics

/// The view model: the forms of an invoice's lines, the line that is selected, and the history.
///
///     Invoice ──▶ LineItem ◀─ ─ two-way bindings ─ ─▶ TextField ◀── LineForm ◀── Editor
///        │                                                                        │ │
///        └─ ─ changes ─ ─▶ History ◀──────────────────────────────────────────────┘ │
///     LineItem ◀─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ selected ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─┘
///
/// Dashed arrows keep nothing alive.
final class Editor: ReactiveObject {
  let invoice: Invoice
  let history: History
  /// One for each line, in the order of the lines.
  @Observed private(set) var forms: [LineForm] = []
  /// The line that is selected, until it is removed.
  @WeakObserved var selected: LineItem?

  init(_ invoice: Invoice) {
    self.invoice = invoice
    history = History(of: invoice)
    super.init()
    // The form of a known line stays, with the text typed in it. The form of a removed line dies.
    invoice.observe(\.lines.elements)
      .scan([]) { forms, lines in
        let known = Dictionary(uniqueKeysWithValues: forms.map { ($0.number, $0) })
        return lines.map { known[$0.number] ?? LineForm(of: $0) }
      }
      .bind(to: self, \.forms)
  }

  func form(_ number: Int) -> LineForm? { forms.first { $0.number == number } }

  /// The problems with texts that the model cannot take, from all forms.
  var errors: Observable<String> {
    observe(\.forms).flatMapLatest { forms in Observable.merge(forms.map(\.errors)) }
  }

  /// The changes of an amount, beginning with its current value; nil if the line does not exist. The
  /// changes of a numbered line complete when the line is removed. The changes of the selected line
  /// continue with the next selected line.
  func changes(of amount: Amount) -> Observable<PropertyChange<Money>>? {
    let options: KeyValueObservingOptions = [.initial, .old, .new]
    return switch amount {
    case .net: invoice.observeChanges(\.net, options: options)
    case .tax: invoice.observeChanges(\.tax, options: options)
    case .total: invoice.observeChanges(\.total, options: options)
    case .netOfLine(.number(let number)):
      invoice.line(number)?.observeChanges(\.net, options: options)
    case .grossOfLine(.number(let number)):
      invoice.line(number)?.observeChanges(\.gross, options: options)
    case .netOfLine(.selected): observeChanges(options: options) { $0.selected.net }
    case .grossOfLine(.selected): observeChanges(options: options) { $0.selected.gross }
    }
  }

  /// The cause of the last change of an amount; nil if the trace of this thread has no change of it.
  func cause(of amount: Amount) -> Cause? {
    func cause<Object: PropertyObservable>(
      _ property: KeyPath<Object, Money>, _ object: Object?
    ) -> Cause? {
      guard let object else { return nil }
      // The value is computed when it is read. Unless something observes it, that is here.
      _ = object[keyPath: property]
      return Diagnostics.recentTrace?.why(property, of: object)
    }
    func line(_ name: LineName) -> LineItem? {
      if case .number(let number) = name { invoice.line(number) } else { selected }
    }
    return switch amount {
    case .net: cause(\.net, invoice)
    case .tax: cause(\.tax, invoice)
    case .total: cause(\.total, invoice)
    case .netOfLine(let name): cause(\.net, line(name))
    case .grossOfLine(let name): cause(\.gross, line(name))
    }
  }
}
