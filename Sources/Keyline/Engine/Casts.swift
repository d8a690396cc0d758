// Casts that the type system cannot express, and the word that every access loads. Each caller of a cast
// states why the object has the type; debug builds check it.
import Synchronization

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

/// The address of a wrapper in its object; the access ends here.
///
/// Proof of the pointer: see `PropertyStorage`.
@inlinable @inline(__always)
func stableAddress<Storage>(of storage: inout Storage) -> UnsafeMutablePointer<Storage> {
  withUnsafeMutablePointer(to: &storage) { $0 }
}

// MARK: Optional types

/// Inspects optional types, and values whose type is not known to be optional.
@usableFromInline package enum Optionals {
  /// The type that `type` wraps if it is an optional; otherwise `type` itself.
  static func wrapped(in type: Any.Type) -> Any.Type {
    (type as? any OptionalType.Type)?.wrapped ?? type
  }

  /// The type inside all optionals of `type`.
  static func innermost(in type: Any.Type) -> Any.Type {
    // Looking up a conformance takes longer than the test for a class.
    guard !(type is AnyClass), let optional = type as? any OptionalType.Type else { return type }
    return innermost(in: optional.wrapped)
  }

  /// Whether values of `type` are references to objects, with any number of optionals around them:
  /// `type` is a class, or a protocol that only classes conform to.
  ///
  /// Existential types have metadata of kind 0x303; with constraints of associated types, as in
  /// `any P<Int>`, of kind 0x307. If only classes conform, the highest bit of the next 32-bit word
  /// is clear, or the shape that the next word refers to begins with a byte of 1, and a value begins
  /// with the reference. A test pins this.
  @usableFromInline package static func isReference(_ type: Any.Type) -> Bool {
    let type = innermost(in: type)
    if type is AnyClass { return true }
    // Proof of unsafeBitCast: a metatype is a pointer to metadata, which begins with its kind.
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    let next = metadata + MemoryLayout<Int>.size
    switch metadata.load(as: Int.self) {
    case 0x303: return next.load(as: UInt32.self) >> 31 == 0
    case 0x307: return next.load(as: UnsafeRawPointer.self).load(as: UInt32.self) & 0xFF == 1
    default: return false
    }
  }

  /// The object that `value` refers to; nil if there is none. `Value` must be a reference, with any
  /// number of optionals around it.
  @inlinable @inline(__always) static func reference<Value>(in value: Value) -> AnyObject? {
    let word = word(of: value)
    // Proof of Unmanaged: a word above the nils is the address of an object, which `value` retains.
    guard word >= 4096, let object = UnsafeRawPointer(bitPattern: word) else { return nil }
    return Unmanaged<AnyObject>.fromOpaque(object).takeUnretainedValue()
  }

  /// The first word of a reference, with any number of optionals around it. Two references share it
  /// only if they are the same: it is the address of the object or, for nil, a number of its own for
  /// each level of optionals.
  ///
  /// Proof: a reference, and an existential for classes only, begin with the pointer to the object.
  /// The compiler represents the nils of the optionals around it by the lowest addresses, in the
  /// first 4096 bytes, where no platform has objects. A test pins this.
  @inlinable @inline(__always) static func word<Value>(of value: Value) -> UInt {
    MemoryLayout<Value>.size == MemoryLayout<UInt>.size
      ? unsafeBitCast(value, to: UInt.self)
      : withUnsafePointer(to: value) { UnsafeRawPointer($0).load(as: UInt.self) }
  }

  /// A `Value` that refers to `object`; nil if there is none.
  @usableFromInline static func value<Value>(referringTo object: AnyObject) -> Value? {
    object as? Value
  }

  /// The value that `value` wraps if it is an optional; otherwise `value` itself.
  package static func content(of value: Any) -> Any? {
    if let optional = value as? any OptionalType { optional.content } else { value }
  }

  /// The value inside all optionals of `value`; nil if one of them is nil.
  static func innermost(of value: Any) -> Any? {
    if let value = value as? any OptionalType { value.content.flatMap(innermost) } else { value }
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

// MARK: Tracking

/// The number of threads that are evaluating something, so that reads must be recorded, plus the
/// number of objects with a death in their inbox, so that operations must deliver it.
///
/// Every access to an observable property loads this word. The accesses are inlined into clients,
/// so that the word must be a plain variable; it is the only global variable of this kind in the
/// library.
///
/// Proof of nonisolated(unsafe), of @exclusivity(unchecked) and of the pointer: only
/// `countTracking` writes the word, atomically, and a plain load of an aligned word is one move. A
/// thread that evaluates sees its own count; a stale count of another thread costs a look-up.
@exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var trackingCount: Int = 0

/// Whether an access to a property may have to do more than load or store the value.
@inlinable @inline(__always) func isTracking() -> Bool { trackingCount != 0 }

func countTracking(_ change: Int) {
  withUnsafeMutablePointer(to: &trackingCount) { pointer in
    let word = UnsafeRawPointer(pointer).assumingMemoryBound(to: Atomic<Int>.self)
    _ = word.pointee.wrappingAdd(change, ordering: .relaxed)
  }
}
