/// The comparisons made so far, by the type of the values: finding the conformance of a type costs
/// some 1 µs.
private let comparisons = Protected<[ObjectIdentifier: AnyObject]>([:])

/// Whether two values are the same, if that can be determined. The result is nil for values that
/// are neither objects nor `Equatable`, and for a value that does not equal itself, such as a
/// floating-point NaN.
///
/// Objects are compared by identity, because an object that is equal now may change.
@usableFromInline final class Equality<Value> {
  @usableFromInline let compare: (Value, Value) -> Bool?

  private init() {
    if Optionals.isReference(Value.self) {
      compare = { Optionals.word(of: $0) == Optionals.word(of: $1) }
    } else {
      let found = (Value.self as? any Equatable.Type).map { Self.comparison(of: $0) }
      compare = found as? (Value, Value) -> Bool? ?? { _, _ in nil }
    }
  }

  @usableFromInline static var of: Equality {
    let type = ObjectIdentifier(Value.self)
    // Proof of the cast: it was made below, for this type.
    if let known = comparisons.withLock({ $0[type] }) { return cast(known, to: Equality.self) }
    let made = Equality()
    comparisons.withLock { $0[type] = made }
    return made
  }

  @inlinable func callAsFunction(_ one: Value, _ other: Value) -> Bool? { compare(one, other) }

  private static func comparison<Element: Equatable>(of type: Element.Type) -> Any {
    { (one: Element, other: Element) -> Bool? in one == one ? one == other : nil }
  }
}

/// A value that is remembered, to be compared later. An object is not retained.
@usableFromInline struct Remembered<Value> {
  @usableFromInline var value: Value?
  /// The object, in place of `value`.
  @usableFromInline weak var object: AnyObject?

  /// - Parameter isReference: whether values of the type are objects.
  @inlinable mutating func store(_ value: Value, isReference: Bool) {
    if isReference, let object = Optionals.reference(in: value) {
      self.object = object
    } else {
      self.value = value
    }
  }

  /// The value; nil if none has been stored, or if the object has died. Loads the object once, because
  /// it may die on any thread.
  @inlinable func load() -> Value? { value ?? object.flatMap { Optionals.value(referringTo: $0) } }

  @inlinable mutating func forget(isReference: Bool) {
    value = nil
    if isReference { object = nil }
  }
}
