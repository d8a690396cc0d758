// Casts that the type system cannot express. Each caller states why the object is of the type; debug
// builds check it.

/// `object` as a `Result`: a dynamic cast would look up its class on the path of each delivery.
@inlinable @inline(__always)
func cast<Result: AnyObject>(_ object: AnyObject, to type: Result.Type) -> Result {
  unsafeDowncast(object, to: type)
}

/// `object` as a value of `type`, which is a class.
@inlinable @inline(__always)
func reference<Value>(_ object: AnyObject, as type: Value.Type) -> Value {
  unsafeBitCast(object, to: type)
}

// MARK: Optional types

/// What optional types wrap, for types and values that are not known to be optional.
package enum Optionals {
  /// The type inside `type`, if that is an optional; else the type itself.
  static func wrapped(in type: Any.Type) -> Any.Type {
    (type as? any OptionalType.Type)?.wrapped ?? type
  }

  /// Whether values of `type` are references to objects, or optional ones: of a class, or of a
  /// protocol that only classes conform to.
  ///
  /// Existential types have metadata of kind 0x303, whose next word has its highest bit of 32 clear
  /// if they are for classes only: `any P` then begins with the reference. A test pins this.
  package static func isReference(_ type: Any.Type) -> Bool {
    let type = wrapped(in: type)
    if type is AnyClass { return true }
    // Proof of unsafeBitCast: a metatype is a pointer to metadata, which begins with its kind.
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    guard metadata.load(as: Int.self) == 0x303 else { return false }
    return metadata.load(fromByteOffset: MemoryLayout<Int>.size, as: UInt32.self) >> 31 == 0
  }

  /// The object that `value` refers to. For references and optional ones.
  @inline(__always) static func reference<Value>(in value: Value) -> AnyObject? {
    unretained(in: value)?.takeUnretainedValue()
  }

  /// The object in a value that is one, or that holds one in any number of optionals, nil for none; and how
  /// many of these there are. Nil if the innermost type is no reference.
  static func innermostObject<Value>(in value: Value) -> (object: AnyObject?, depth: Int)? {
    if isReference(Value.self) { return (reference(in: value), 0) }
    guard let type = Value.self as? any OptionalType.Type, isNestedReference(type.wrapped) else {
      return nil
    }
    var content: Any = value
    var depth = 0
    while let optional = content as? any OptionalType {
      guard let inner = optional.content else { return (nil, depth) }
      content = inner
      depth += 1
    }
    return (content as AnyObject, depth)
  }

  private static func isNestedReference(_ type: Any.Type) -> Bool {
    if let optional = type as? any OptionalType.Type { return isNestedReference(optional.wrapped) }
    return isReference(type)
  }

  /// Proof: a reference, and an existential for classes only, begin with the pointer to the object,
  /// which is null for nil.
  @inline(__always) private static func unretained<Value>(
    in value: Value
  ) -> Unmanaged<AnyObject>? {
    let bits =
      MemoryLayout<Value>.size == MemoryLayout<UInt>.size
      ? unsafeBitCast(value, to: UInt.self)
      : withUnsafePointer(to: value) { UnsafeRawPointer($0).load(as: UInt.self) }
    return UnsafeRawPointer(bitPattern: bits).map { .fromOpaque($0) }
  }

  /// A value that is a reference to `object`, or nil; nil if there is no such value.
  static func value<Value>(referringTo object: AnyObject?) -> Value? {
    // Proof of unsafeBitCast: references to objects of a class, and optional ones, are pointers.
    if MemoryLayout<Value>.size == MemoryLayout<AnyObject?>.size,
      wrapped(in: Value.self) is AnyClass
    {
      return unsafeBitCast(object, to: Value.self)
    }
    guard let object else { return value(nil, as: Value.self) }
    return object as? Value
  }

  /// Whether `type` is a collection whose elements are objects.
  package static func isCollectionOfReferences(_ type: Any.Type) -> Bool {
    func element<Elements: Collection>(of type: Elements.Type) -> Any.Type { Elements.Element.self }
    guard let type = wrapped(in: type) as? any Collection.Type else { return false }
    return isReference(element(of: type))
  }

  /// What `value` wraps, if that is an optional; else the value itself.
  package static func content(of value: Any) -> Any? {
    guard let optional = value as? any OptionalType else { return value }
    return optional.content
  }

  /// `value` as a `Value`: itself, or what it wraps as an optional; nil if it is of another type.
  static func value<Value>(_ value: Any?, as type: Value.Type) -> Value? {
    guard let optional = type as? any OptionalType.Type else {
      // A cast would box any value to make an object of it, and nil to make an `Any`.
      guard let value, type != AnyObject.self || Swift.type(of: value) is AnyClass else {
        return nil
      }
      return value as? Value
    }
    // A nested optional must keep its two kinds of nil apart.
    if let value, Swift.type(of: value) == type { return value as? Value }
    guard let wrapping = optional.wrapping(value) else { return nil }
    return wrapping as? Value
  }
}

private protocol OptionalType {
  static var wrapped: Any.Type { get }
  /// An optional of this type that holds `value`; nil if it cannot.
  static func wrapping(_ value: Any?) -> Any?
  var content: Any? { get }
}

extension Optional: OptionalType {
  fileprivate static var wrapped: Any.Type { Wrapped.self }

  fileprivate static func wrapping(_ value: Any?) -> Any? {
    guard let value else { return Self.none as Any }
    return Optionals.value(value, as: Wrapped.self).map { Self.some($0) as Any }
  }

  fileprivate var content: Any? { map { $0 as Any } }
}
