// For the check of exclusive access. The compiler makes it for every access to a property of a class
// in the source; an access at an offset has to ask for it.
import KeylineAccess

/// Stored properties, found by reflection. Only this type relies on the compiler's name for the
/// storage of a wrapper: the name of the property with an underscore before it.
enum StoredProperties {
  /// The name of the property whose wrapper is at `offset` in objects of `type`.
  static func name(at offset: UInt, in type: AnyClass) -> String? {
    wrappers(of: type).first { UInt(bitPattern: $0.offset) == offset }?.name
  }

  /// The name of the property whose wrapper has the label `label`: `_name`, or `` `_raw name` ``,
  /// in which the compiler replaces spaces by no-break spaces.
  static func name(ofWrapper label: UnsafePointer<CChar>) -> String {
    let name = String(cString: label)
    guard name.first == "`" else { return String(name.dropFirst()) }
    return String(name.dropFirst(2).dropLast().map { $0 == "\u{A0}" ? " " : $0 })
  }

  /// The wrappers in objects of `type`, each with its offset and the name of its property.
  ///
  /// - Parameter declaredOnly: whether to skip inherited fields.
  static func wrappers(
    of type: AnyClass, declaredOnly: Bool = false
  ) -> [(storage: any NodeStorage.Type, offset: Int, name: String)] {
    var wrappers: [(storage: any NodeStorage.Type, offset: Int, name: String)] = []
    // Fields of superclasses come first.
    let inherited = declaredOnly ? _getSuperclass(type).map { reflectedCount($0) } ?? 0 : 0
    Reflection.forEachField(of: type, from: inherited) { storage, offset, label, _, _ in
      if let storage = storage as? any NodeStorage.Type,
        label.pointee == UInt8(ascii: "_") || label.pointee == UInt8(ascii: "`")
      {
        wrappers.append((storage, offset, name(ofWrapper: label)))
      }
    }
    return wrappers
  }

  /// The value of the field of type `type` at `offset`.
  static func load(_ type: Any.Type, of object: AnyObject, at offset: Int) -> Any {
    // Proof of the pointer: the runtime describes a field of this type there.
    func load<Value>(_ type: Value.Type) -> Any {
      Reflection.address(of: object, at: offset).assumingMemoryBound(to: type).pointee
    }
    return _openExistential(type, do: load)
  }
}

// MARK: Reflection

/// The stored fields of classes and structs, as described by the runtime.
package enum Reflection {
  /// Calls `body` with every field in values of `type`, a class or a struct, its offset, its name, and
  /// whether it is strong. The type of a field that cannot be copied is given
  /// as `Void`. A module built with `-disable-reflection-metadata` has no such metadata: its properties
  /// then have no names.
  package static func forEachField(
    of type: Any.Type, from first: Int = 0,
    _ body: (Any.Type, Int, UnsafePointer<CChar>, _ isStrong: Bool, _ isConstant: Bool) -> Void
  ) {
    for index in first..<max(first, reflectedCount(type)) {
      var field = FieldMetadata()
      let storage = reflectedType(type, index: index, metadata: &field)
      defer { field.release?(field.name) }
      if let label = field.name {
        body(storage, reflectedOffset(type, index: index), label, field.isStrong, !field.isVariable)
      }
    }
  }

  /// The address of the stored field at `offset` in `object`, for one access.
  ///
  /// Traps during an in-place mutation of the field, as an access in the source does (P1). A read is
  /// checked even if the caller writes: only in-place mutations last longer than an instruction, so
  /// that both conflict with the same accesses.
  ///
  /// Proof of Unmanaged: the caller keeps the object alive. The check uses the address only, and not
  /// the type.
  @inline(__always) static func address(
    of object: AnyObject, at offset: Int
  ) -> UnsafeMutableRawPointer {
    let address = Unmanaged.passUnretained(object).toOpaque() + offset
    checkExclusiveAccess(at: address)
    return address
  }
}

// The functions behind the standard library's Mirror. Proof of @_silgen_name: the runtime exports
// these three functions, with these types, for the standard library on every platform; they are
// private only in that no header declares them.
@_silgen_name("swift_reflectionMirror_recursiveCount")
private func reflectedCount(_ type: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func reflectedType(
  _ type: Any.Type, index: Int, metadata: UnsafeMutablePointer<FieldMetadata>
) -> Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func reflectedOffset(_ type: Any.Type, index: Int) -> Int

/// The layout that the runtime uses.
private struct FieldMetadata {
  var name: UnsafePointer<CChar>?
  var release: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
  var isStrong = false
  var isVariable = false
}
