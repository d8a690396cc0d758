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
    // Forms of known lines stay, with what is typed in them; those of lines that have gone, die.
    invoice.observe(\.lines.elements)
      .scan([]) { forms, lines in
        let known = Dictionary(uniqueKeysWithValues: forms.map { ($0.number, $0) })
        return lines.map { known[$0.number] ?? LineForm(of: $0) }
      }
      .bind(to: self, \.forms)
  }

  func form(_ number: Int) -> LineForm? { forms.first { $0.number == number } }

  /// What is typed and cannot be taken, in whatever form.
  var errors: Observable<String> {
    observe(\.forms).flatMapLatest { forms in Observable.merge(forms.map(\.errors)) }
  }

  /// The changes of an amount; nil if there is none of that name. The first is what it is now; those of
  /// a line complete when it is removed, those of the selected line go on with the next.
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

  /// What has led to the last change of an amount, as far as this thread is traced; nil if nothing has.
  func cause(of amount: Amount) -> Cause? {
    func cause<Object: PropertyObservable>(
      _ property: KeyPath<Object, Money>, _ object: Object?
    ) -> Cause? {
      guard let object else { return nil }
      // It is computed when it is read: here, if nobody watches it.
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
