/// A value that later values are compared with. Objects are referenced weakly.
struct RecordedValue<Value> {
  private var value: Value?
  private let object: RecordedObject

  /// The number of optionals around the object.
  private let depth: Int

  init(_ value: Value) {
    if let (object, depth) = Optionals.innermostObject(in: value) {
      self.object = RecordedObject(object)
      self.depth = depth
    } else {
      object = RecordedObject()
      depth = 0
      self.value = value
    }
  }

  /// Whether `other` is known to be the same value.
  func isSame(as other: Value) -> Bool {
    guard object.isEmpty else {
      guard let (other, depth) = Optionals.innermostObject(in: other) else { return false }
      return self.depth == depth && object.refers(to: other)
    }
    return value.map { Equality<Value>.of($0, other) == true } ?? false
  }
}

/// An object, or nil, recorded without being retained.
struct RecordedObject {
  private weak var object: AnyObject?
  private let isNil: Bool
  /// Whether nothing has been recorded.
  let isEmpty: Bool

  init() {
    isNil = false
    isEmpty = true
  }

  init(_ object: AnyObject?) {
    self.object = object
    isNil = object == nil
    isEmpty = false
  }

  func refers(to other: AnyObject?) -> Bool {
    guard let other else { return isNil }
    return object === other
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
      return { Optionals.reference(in: $0) === Optionals.reference(in: $1) }
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
