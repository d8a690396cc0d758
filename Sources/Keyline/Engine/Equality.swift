/// The comparisons made so far, by the type of the values: finding the conformance of a type costs
/// some 1 µs.
private let comparisons = Protected<[ObjectIdentifier: AnyObject]>([:])

/// Whether two values are the same, if that can be determined. The result is nil for values that
/// are neither objects nor `Equatable`, and for a value that does not equal itself, such as a
/// floating-point NaN.
///
/// Objects are compared by identity, because an object that is equal now may change; also those in
/// arrays, sets, dictionaries and optionals.
@usableFromInline final class Equality<Value> {
  @usableFromInline let compare: (Value, Value) -> Bool?
  /// Whether the values are objects, or nil.
  @usableFromInline let isReference = Optionals.isReference(Value.self)

  private init() {
    if isReference {
      compare = { Optionals.word(of: $0) == Optionals.word(of: $1) }
    } else {
      let found =
        (Value.self as? any Container.Type).flatMap { $0.holdsObjects ? $0.comparison : nil }
        ?? (Value.self as? any Equatable.Type).map { Self.comparison(of: $0) }
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

/// A type of the standard library whose values contain others.
protocol Container<Content> {
  associatedtype Content
  associatedtype Contents: Collection<Content>
  var contents: Contents { get }
  func hasSameKeys(as other: Self) -> Bool
}

extension Container {
  /// Whether values of the type contain objects, also in containers among the contents.
  static var holdsObjects: Bool {
    Optionals.isReference(Content.self)
      || (Content.self as? any Container.Type)?.holdsObjects == true
  }

  /// Whether two values have the same contents in the same order; copies keep the order of the original.
  fileprivate static var comparison: Any {
    { (one: Self, other: Self) -> Bool? in
      let areEqual = Equality<Content>.of
      return one.contents.count == other.contents.count && one.hasSameKeys(as: other)
        && one.contents.elementsEqual(other.contents) { areEqual($0, $1) == true }
    }
  }

  func hasSameKeys(as other: Self) -> Bool { true }
}

extension Array: Container { var contents: Self { self } }
extension ArraySlice: Container { var contents: Self { self } }
extension Set: Container { var contents: Self { self } }
extension Optional: Container { var contents: [Wrapped] { [self].compactMap(\.self) } }
extension Dictionary: Container {
  var contents: Values { values }
  func hasSameKeys(as other: Self) -> Bool { keys.elementsEqual(other.keys) }
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
