/// Stored properties, learnt by reflection: the one place that relies on how the runtime describes
/// the fields of a class, and on how the compiler names a wrapper's storage (an underscore before the
/// property's name). It sees storage, not accessors.
enum StoredProperties {
  /// The wrapped properties that `type` itself declares, in the order of declaration.
  static func declared(by type: AnyClass) -> [AnyNamedProperty] {
    let inherited = _getSuperclass(type).map { fieldCount($0) } ?? 0
    let count = fieldCount(type)
    guard inherited < count else { return [] }
    return (inherited..<count).compactMap { index in
      var field = FieldMetadata()
      let storage = fieldType(type, index: index, metadata: &field)
      defer { field.release?(field.name) }
      guard let storage = storage as? any PropertyStorage.Type, let label = field.name,
        label.pointee == UInt8(ascii: "_")
      else { return nil }
      return storage.property(
        named: String(cString: label + 1), at: fieldOffset(type, index: index), of: type)
    }
  }

  /// The name of the property that `node` belongs to.
  static func name(of node: AnyBroadcaster, in owner: AnyObject) -> String? {
    guard let owner = owner as? any PropertyObservable else { return nil }
    return PropertyTable.of(type(of: owner)).properties.first { $0.node(of: owner) === node }?.name
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

  /// The wrapper's access to the property.
  static subscript<Owner: PropertyObservable>(
    _enclosingInstance owner: Owner, wrapped property: ReferenceWritableKeyPath<Owner, Stored>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Stored { get set }
}

extension PropertyStorage {
  static var isWeak: Bool { false }

  fileprivate static func property(
    named name: String, at offset: Int, of declaringClass: AnyClass
  ) -> AnyNamedProperty {
    let field = StoredField<Self>(offset: offset)
    return NamedProperty<Stored>(
      PropertyDescription(
        name: name, valueType: Stored.self, isWritable: true, isWeak: isWeak,
        declaringClass: declaringClass),
      access: { object, _ in object[property: field] },
      write: { $0[property: field] = $1 },
      storedNode: { $0[storage: field].currentNode })
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
    }
  }
}
