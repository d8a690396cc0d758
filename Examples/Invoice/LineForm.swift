import Keyline

// The view model: texts that the user edits. Each text is bound both ways to a property of the model;
// the form needs no other code. It keeps no object of the model alive.

/// The texts typed for one line.
final class LineForm: ReactiveObject {
  let number: Int
  let description = TextField("description")
  let quantity = TextField("quantity")
  let price = TextField("price")
  let tax = TextField("tax")

  init(of line: LineItem) {
    number = line.number
    super.init()
    description.edit(\.title, of: line, .identity)
    quantity.edit(\.quantity, of: line, .decimal.then(.trimmed))
    price.edit(\.unitPrice, of: line, .money.then(.trimmed))
    tax.edit(\.taxRate, of: line, .percent.then(.trimmed))
  }

  /// In the order of the columns of a file.
  var fields: [TextField] { [description, quantity, price, tax] }

  func field(_ name: String) -> TextField? { fields.first { $0.name == name } }

  /// Emits a message for each text that the model cannot take: `3.price: 'abc' is not an amount`.
  var errors: Observable<String> {
    let number = number
    return .merge(
      fields.map { field in
        let name = field.name
        return field.observe(\.problem, options: .new)
          .compactMap { $0.map { "\(number).\(name): \($0)" } }
      })
  }
}

/// A text that stands for a property of a line.
final class TextField: ReactiveObject, CustomStringConvertible {
  let name: String
  /// The typed text. It stays unchanged while the model cannot take it.
  @Observed var text = ""
  /// Why the model has not taken the text; nil if it has.
  @Observed private(set) var problem: String?

  var description: String { name }

  init(_ name: String) { self.name = name }

  /// Binds the text and `property` of `line`, until either dies.
  func edit<Value>(
    _ property: ReferenceWritableKeyPath<LineItem, Value>, of line: LineItem,
    _ converter: BindingConverter<Value, String>
  ) {
    // A text that is typed anew has no problem until the binding, which comes next, finds one.
    observe(\.text).map { _ in nil }.bind(to: self, \.problem)
    line.bind(property, to: self, \.text, mode: .twoWay, converter: converter)
      .errors.map(ValueError.words).bind(to: self, \.problem)
  }
}
