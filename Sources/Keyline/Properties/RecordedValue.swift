/// A value that later values are compared with. An object is referenced weakly.
struct RecordedValue<Value> {
  private weak var object: AnyObject?
  /// The value, unless it is an object.
  private let content: Value?

  init(_ value: Value) {
    let object = Optionals.isReference(Value.self) ? Optionals.reference(in: value) : nil
    self.object = object
    content = object == nil ? value : nil
  }

  // The reference is loaded once, because the object may die on any thread.

  /// The value; nil if it is an object that has died.
  var value: Value? { content ?? object.flatMap { Optionals.value(referringTo: $0) } }

  /// Whether `other` is known to be the same value; `areEqual` is ``Equality/of``.
  func isSame(
    as other: Value, _ areEqual: (Value, Value) -> Bool? = Equality<Value>.of
  ) -> Bool {
    if let content { return areEqual(content, other) == true }
    guard let object else { return false }
    return object === Optionals.reference(in: other)
  }
}

/// Whether two values are the same, if that can be determined. The result is nil for values that
/// are neither objects nor `Equatable`, and for a value that does not equal itself, such as a
/// floating-point NaN.
///
/// Objects are compared by identity, because an object that is equal now may change.
enum Equality<Value> {
  /// Look it up once: finding the conformance of a type costs some 1 µs.
  static var of: (Value, Value) -> Bool? {
    if Optionals.isReference(Value.self) {
      return { Optionals.word(of: $0) == Optionals.word(of: $1) }
    }
    guard let type = Value.self as? any Equatable.Type,
      let areEqual = comparison(of: type) as? (Value, Value) -> Bool?
    else { return { _, _ in nil } }
    return areEqual
  }

  private static func comparison<Element: Equatable>(of type: Element.Type) -> Any {
    { (one: Element, other: Element) -> Bool? in one == one ? one == other : nil }
  }
}
