/// Stored properties, learnt by reflection: the one place that relies on how the runtime describes
/// the fields of a class, and on how the compiler names a wrapper's storage (an underscore before the
/// property's name).
enum StoredProperties {
  /// The name of the property that `node` belongs to.
  static func name(of node: AnyBroadcaster, in owner: AnyObject) -> String? {
    var name: String?
    search(owner) { storage, address, label in
      guard storage.node(at: address) === node else { return false }
      name = String(cString: label + 1)
      return true
    }
    return name
  }

  /// Exchanges `value` for the one that the property of `node` stores, unnoticed by observers.
  static func exchange<Value>(
    _ value: inout Value, in owner: AnyObject, for node: AnyBroadcaster
  ) {
    search(owner) { storage, address, _ in
      guard storage.node(at: address) === node else { return false }
      storage.exchange(&value, at: address)
      return true
    }
  }

  /// Calls `body` with every wrapper in `owner`, where it is, and its name, until that returns true.
  private static func search(
    _ owner: AnyObject,
    _ body: (any PropertyStorage.Type, UnsafeMutableRawPointer, UnsafePointer<CChar>) -> Bool
  ) {
    let type: AnyClass = Swift.type(of: owner)
    for index in 0..<fieldCount(type) {
      var field = FieldMetadata()
      let storage = fieldType(type, index: index, metadata: &field)
      defer { field.release?(field.name) }
      // Proof of Unmanaged: the runtime says that the field is there, in objects of this class.
      if let storage = storage as? any PropertyStorage.Type, let label = field.name,
        body(
          storage, Unmanaged.passUnretained(owner).toOpaque() + fieldOffset(type, index: index),
          label)
      {
        return
      }
    }
  }
}

// What the standard library's Mirror is made of.
// Proof of @_silgen_name: the runtime exports these three, with these types, for the standard library
// on every platform; their interface is private only in that it is not declared.
@_silgen_name("swift_reflectionMirror_recursiveCount")
private func fieldCount(_ type: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func fieldType(
  _ type: Any.Type, index: Int, metadata: UnsafeMutablePointer<FieldMetadata>
) -> Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func fieldOffset(_ type: Any.Type, index: Int) -> Int

/// As the runtime lays it out.
private struct FieldMetadata {
  var name: UnsafePointer<CChar>?
  var release: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
  var isStrong = false
  var isVariable = false
}

/// A property wrapper's storage as reflection finds it.
protocol PropertyStorage<Stored> {
  associatedtype Stored

  /// The property's node, once it has been observed.
  var currentNode: AnyBroadcaster? { get }

  mutating func exchange(_ other: inout Stored)
}

extension PropertyStorage {
  fileprivate static func node(at address: UnsafeMutableRawPointer) -> AnyBroadcaster? {
    address.assumingMemoryBound(to: Self.self).pointee.currentNode
  }

  fileprivate static func exchange<Value>(
    _ value: inout Value, at address: UnsafeMutableRawPointer
  ) {
    guard var other = value as? Stored else { return }
    address.assumingMemoryBound(to: Self.self).pointee.exchange(&other)
    if let former = other as? Value { value = former }
  }
}
