// Casts that the type system cannot express. Each caller states why the object has the type; debug
// builds check it.

/// `object` as a `Result`. A dynamic cast would look up the class in every delivery.
@inlinable @inline(__always)
func cast<Result: AnyObject>(_ object: AnyObject, to type: Result.Type) -> Result {
  unsafeDowncast(object, to: type)
}

/// `object` as a value of `type`, which must be a class.
@inlinable @inline(__always)
func reference<Value>(_ object: AnyObject, as type: Value.Type) -> Value {
  unsafeBitCast(object, to: type)
}

// MARK: Optional types

/// Inspects optional types, and values whose type is not known to be optional.
package enum Optionals {
  /// The type that `type` wraps if it is an optional; otherwise `type` itself.
  static func wrapped(in type: Any.Type) -> Any.Type {
    (type as? any OptionalType.Type)?.wrapped ?? type
  }

  /// Whether values of `type` are references to objects, or optional references: `type` is a class,
  /// or a protocol that only classes conform to.
  ///
  /// Existential types have metadata of kind 0x303. If only classes conform to the protocol, the
  /// highest bit of the next 32-bit word is clear, and a value of type `any P` begins with the
  /// reference. A test pins this.
  package static func isReference(_ type: Any.Type) -> Bool {
    let type = wrapped(in: type)
    if type is AnyClass { return true }
    // Proof of unsafeBitCast: a metatype is a pointer to metadata, which begins with its kind.
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    guard metadata.load(as: Int.self) == 0x303 else { return false }
    return metadata.load(fromByteOffset: MemoryLayout<Int>.size, as: UInt32.self) >> 31 == 0
  }

  /// The object that `value` refers to. `Value` must be a reference or an optional reference.
  @inline(__always) static func reference<Value>(in value: Value) -> AnyObject? {
    // Proof of Unmanaged: the word is the address of an object, which `value` retains.
    UnsafeRawPointer(bitPattern: word(of: value)).map {
      Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Finds the object in a value that is a reference or wraps one in any number of optionals.
  /// Returns the object, nil if there is none, and the number of optionals opened; returns nil if
  /// the innermost type is not a reference.
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

  /// The first word of a reference, or optional reference: the address of the object, or 0.
  ///
  /// Proof: a reference, and an existential for classes only, begin with the pointer to the object,
  /// which is null for nil.
  @inline(__always) static func word<Value>(of value: Value) -> UInt {
    MemoryLayout<Value>.size == MemoryLayout<UInt>.size
      ? unsafeBitCast(value, to: UInt.self)
      : withUnsafePointer(to: value) { UnsafeRawPointer($0).load(as: UInt.self) }
  }

  /// A `Value` that refers to `object`; nil if there is none.
  static func value<Value>(referringTo object: AnyObject) -> Value? {
    // Proof of unsafeBitCast: references to objects of a class, and optional ones, are pointers.
    if MemoryLayout<Value>.size == MemoryLayout<AnyObject>.size,
      wrapped(in: Value.self) is AnyClass
    {
      return unsafeBitCast(object, to: Value.self)
    }
    return object as? Value
  }

  /// Whether `type` is a collection whose elements are objects.
  package static func isCollectionOfReferences(_ type: Any.Type) -> Bool {
    func element<Elements: Collection>(of type: Elements.Type) -> Any.Type { Elements.Element.self }
    guard let type = wrapped(in: type) as? any Collection.Type else { return false }
    return isReference(element(of: type))
  }

  /// The value that `value` wraps if it is an optional; otherwise `value` itself.
  package static func content(of value: Any) -> Any? {
    guard let optional = value as? any OptionalType else { return value }
    return optional.content
  }

  /// `value` as a `Value`, wrapped or unwrapped if necessary; nil if the types do not match.
  static func value<Value>(_ value: Any?, as type: Value.Type) -> Value? {
    guard let optional = type as? any OptionalType.Type else {
      // A cast to `AnyObject` would box any value, and a cast to `Any` would accept nil.
      guard let value, type != AnyObject.self || Swift.type(of: value) is AnyClass else {
        return nil
      }
      return value as? Value
    }
    // For a nested optional, the two kinds of nil must stay distinct.
    if let value, Swift.type(of: value) == type { return value as? Value }
    guard let wrapping = optional.wrapping(value) else { return nil }
    return wrapping as? Value
  }
}

private protocol OptionalType {
  static var wrapped: Any.Type { get }
  /// An optional of this type that holds `value`; nil if the types do not match.
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
