/// Stored properties, learnt by reflection: the one place that relies on how the runtime describes
/// the fields of a class, and on how the compiler names a wrapper's storage (an underscore before the
/// property's name).
enum StoredProperties {
  /// The wrapped properties that `type` itself declares, in the order of declaration.
  static func declared(by type: AnyClass) -> [any NamedPropertyType] {
    var properties: [any NamedPropertyType] = []
    // Fields of superclasses come first.
    forEachField(of: type, after: _getSuperclass(type).map { fieldCount($0) } ?? 0) {
      properties.append($0.property(named: String(cString: $2 + 1), at: $1, of: type))
      return false
    }
    return properties
  }

  /// The name of the property that `node` belongs to.
  static func name(of node: AnyBroadcaster, in owner: AnyObject) -> String? {
    var name: String?
    search(owner) { storage, address, label in
      guard storage.node(at: address) === node else { return false }
      name = String(cString: label + 1)
      return true
    }
    return name ?? (owner as? any PropertyObservable)?.properties.name(of: node)
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

  private static func search(
    _ owner: AnyObject,
    _ body: (any PropertyStorage.Type, UnsafeMutableRawPointer, UnsafePointer<CChar>) -> Bool
  ) {
    // Proof of Unmanaged: the runtime says that the field is there, in objects of this class.
    let address = Unmanaged.passUnretained(owner).toOpaque()
    forEachField(of: type(of: owner)) { body($0, address + $1, $2) }
  }

  /// Calls `body` with every wrapper in objects of `type`, its offset in them, and its name, until that
  /// returns true.
  private static func forEachField(
    of type: AnyClass, after inherited: Int = 0,
    _ body: (any PropertyStorage.Type, Int, UnsafePointer<CChar>) -> Bool
  ) {
    for index in inherited..<max(inherited, fieldCount(type)) {
      var field = FieldMetadata()
      let storage = fieldType(type, index: index, metadata: &field)
      defer { field.release?(field.name) }
      if let storage = storage as? any PropertyStorage.Type, let label = field.name,
        label.pointee == UInt8(ascii: "_"), body(storage, fieldOffset(type, index: index), label)
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

  static var isWeak: Bool { get }

  /// The property's node, once it has been observed.
  var currentNode: AnyBroadcaster? { get }

  mutating func exchange(_ other: inout Stored)

  /// The wrapper's access to the property.
  static subscript<Owner: PropertyObservable>(
    _enclosingInstance owner: Owner, wrapped property: ReferenceWritableKeyPath<Owner, Stored>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Stored { get set }
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

extension PropertyStorage {
  static var isWeak: Bool { false }

  fileprivate static func property(
    named name: String, at offset: Int, of declaringClass: AnyClass
  ) -> any NamedPropertyType {
    let field = StoredField<Self>(offset: offset)
    return NamedProperty<Stored>(
      description: PropertyDescription(
        name: name, valueType: Stored.self, isWritable: true, isWeak: isWeak,
        declaringClass: declaringClass),
      isStored: true, access: { object, _ in object[property: field] },
      write: { $0[property: field] = $1 })
  }
}

extension WeakObserved {
  static var isWeak: Bool { true }
}

/// Where in an object the storage of a property is.
private struct StoredField<Storage: PropertyStorage>: Hashable {
  let offset: Int
}

extension PropertyObservable {
  /// The storage of a property of this object's class.
  fileprivate subscript<Storage>(storage field: StoredField<Storage>) -> Storage {
    get { address(of: field).pointee }
    set { address(of: field).pointee = newValue }
  }

  private func address<Storage>(of field: StoredField<Storage>) -> UnsafeMutablePointer<Storage> {
    // Proof of Unmanaged: the runtime says that a Storage is there, in objects of this class.
    (Unmanaged.passUnretained(self).toOpaque() + field.offset)
      .assumingMemoryBound(to: Storage.self)
  }

  /// The value of a property, through its wrapper: tracked when read, noticed when written.
  fileprivate subscript<Storage>(property field: StoredField<Storage>) -> Storage.Stored {
    get {
      Storage[
        _enclosingInstance: self, wrapped: \Self[property: field], storage: \Self[storage: field]]
    }
    set {
      Storage[
        _enclosingInstance: self, wrapped: \Self[property: field], storage: \Self[storage: field]] =
        newValue
      // Proof: the node of this storage has this type of values.
      if let node = self[storage: field].currentNode {
        unsafeDowncast(node, to: PropertyNode<Storage.Stored>.self).forget(\Self[property: field])
      }
    }
  }
}
