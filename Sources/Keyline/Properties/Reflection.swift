/// The stored fields of classes, as the runtime describes them.
enum Reflection {
  /// How many fields objects of `type` have, with those of superclasses.
  static func fieldCount(of type: AnyClass) -> Int {
    reflectedCount(type)
  }

  /// Calls `body` with every field in objects of `type`, its offset in them, its name, and whether
  /// it is strong, until that returns true. A module that is built with
  /// `-disable-reflection-metadata` has none: its properties have no names then.
  static func forEachField(
    of type: AnyClass, from first: Int = 0,
    _ body: (Any.Type, Int, UnsafePointer<CChar>, _ isStrong: Bool) -> Bool
  ) {
    for index in first..<max(first, fieldCount(of: type)) {
      var field = FieldMetadata()
      let storage = reflectedType(type, index: index, metadata: &field)
      defer { field.release?(field.name) }
      if let label = field.name,
        body(storage, reflectedOffset(type, index: index), label, field.isStrong)
      {
        return
      }
    }
  }
}

// What the standard library's Mirror is made of. Proof of @_silgen_name: the runtime exports these
// three, with these types, for the standard library on every platform; their interface is private
// only in that it is not declared.
@_silgen_name("swift_reflectionMirror_recursiveCount")
private func reflectedCount(_ type: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func reflectedType(
  _ type: Any.Type, index: Int, metadata: UnsafeMutablePointer<FieldMetadata>
) -> Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func reflectedOffset(_ type: Any.Type, index: Int) -> Int

/// As the runtime lays it out.
private struct FieldMetadata {
  var name: UnsafePointer<CChar>?
  var release: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
  var isStrong = false
  var isVariable = false
}
