/// The comparisons made so far, by the type of the values: finding the conformance of a type costs
/// some 1 µs.
private let comparisons = Protected<[ObjectIdentifier: AnyObject]>([:])

/// Whether two values are the same, if that can be determined. The result is nil for values that
/// are neither objects nor `Equatable`, and for a value that does not equal itself, such as a
/// floating-point NaN.
///
/// Objects are compared by identity, because an object that is equal now may change.
final class Equality<Value> {
  private let compare: (Value, Value) -> Bool?

  private init() {
    if Optionals.isReference(Value.self) {
      compare = { Optionals.word(of: $0) == Optionals.word(of: $1) }
    } else {
      let found = (Value.self as? any Equatable.Type).map { Self.comparison(of: $0) }
      compare = found as? (Value, Value) -> Bool? ?? { _, _ in nil }
    }
  }

  static var of: Equality {
    let type = ObjectIdentifier(Value.self)
    // Proof of the cast: it was made below, for this type.
    if let known = comparisons.withLock({ $0[type] }) { return cast(known, to: Equality.self) }
    let made = Equality()
    comparisons.withLock { $0[type] = made }
    return made
  }

  func callAsFunction(_ one: Value, _ other: Value) -> Bool? { compare(one, other) }

  /// Remembers a value, and returns whether other values are known to be the same. An object is
  /// remembered without being retained.
  static var remembering: (Value) -> (Value) -> Bool {
    let (isReference, areEqual) = (Optionals.isReference(Value.self), of)
    return { value in
      guard isReference, let object = Optionals.reference(in: value) else {
        return { areEqual(value, $0) == true }
      }
      return { [weak object] other in
        // Loaded once, because the object may die on any thread.
        guard let object else { return false }
        return object === Optionals.reference(in: other)
      }
    }
  }

  private static func comparison<Element: Equatable>(of type: Element.Type) -> Any {
    { (one: Element, other: Element) -> Bool? in one == one ? one == other : nil }
  }
}
