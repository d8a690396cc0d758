/// What optional types wrap, asked of types and values that are not known to be optional.
enum Optionals {
  /// The type inside `type`, if that is an optional; else the type itself.
  static func wrapped(in type: Any.Type) -> Any.Type {
    (type as? any OptionalType.Type)?.wrapped ?? type
  }

  /// The object that `value` is, or that is inside it. For classes and optional classes only.
  static func object<Value>(in value: Value) -> AnyObject? {
    guard let type = Value.self as? any OptionalType.Type else { return value as AnyObject }
    return type.object(in: value)
  }

  /// Whether `value` is an optional without a value.
  static func isNil<Value>(_ value: Value) -> Bool {
    (Value.self as? any OptionalType.Type)?.isNil(value) ?? false
  }
}

private protocol OptionalType {
  static var wrapped: Any.Type { get }
  static func isNil(_ value: Any) -> Bool
  static func object(in value: Any) -> AnyObject?
}

extension Optional: OptionalType {
  fileprivate static var wrapped: Any.Type { Wrapped.self }

  fileprivate static func isNil(_ value: Any) -> Bool {
    // Proof of the cast: asked of a value of this type only.
    if case .none = value as! Self { true } else { false }
  }

  fileprivate static func object(in value: Any) -> AnyObject? {
    (value as? Wrapped).map { $0 as AnyObject }
  }
}
