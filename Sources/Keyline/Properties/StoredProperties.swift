/// Stored properties, learnt by reflection: the one place that relies on how the runtime describes
/// the fields of a class, and on how the compiler names a wrapper's storage (an underscore before the
/// property's name).
enum StoredProperties {
  /// The wrapped properties that `type` itself declares, in the order of declaration.
  static func declared(by type: any PropertyObservable.Type) -> [any NamedPropertyType] {
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
    search(owner, for: node) { name = String(cString: $2 + 1) }
    return name ?? (owner as? any PropertyObservable)?.properties.name(of: node)
  }

  /// Exchanges `value` for the one that the property of `node` stores, unnoticed by observers.
  static func exchange<Value>(_ value: inout Value, in owner: AnyObject, for node: AnyBroadcaster) {
    search(owner, for: node) { storage, address, _ in
      (storage as? any PropertyStorage<Value>.Type)?.exchange(&value, at: address)
    }
  }

  /// Calls `body` with the wrapper in `owner` that `node` belongs to, where it is, and its name.
  private static func search(
    _ owner: AnyObject, for node: AnyBroadcaster,
    _ body: (any PropertyStorage.Type, UnsafeMutableRawPointer, UnsafePointer<CChar>) -> Void
  ) {
    // Proof of Unmanaged: the runtime says that the field is there, in objects of this class.
    let address = Unmanaged.passUnretained(owner).toOpaque()
    forEachField(of: type(of: owner), unwrapped: true) { storage, offset, label in
      let isFound = storage.node(at: address + offset) === node
      if isFound { body(storage, address + offset, label) }
      return isFound
    }
  }

  /// Calls `body` with every wrapper in objects of `type`, its offset in them, and its name, until that
  /// returns true.
  ///
  /// - Parameter unwrapped: whether a wrapper around one of Keyline's is to be taken for that.
  private static func forEachField(
    of type: AnyClass, after inherited: Int = 0, unwrapped: Bool = false,
    _ body: (any PropertyStorage.Type, Int, UnsafePointer<CChar>) -> Bool
  ) {
    for index in inherited..<max(inherited, fieldCount(type)) {
      var field = FieldMetadata()
      var storage = fieldType(type, index: index, metadata: &field)
      if unwrapped, let outer = storage as? any OuterStorage.Type { storage = outer.inner }
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

/// A wrapper that consists of another one and of nothing else.
///
/// Proof that it may be taken for that: the only field of a struct stands where the struct does.
protocol OuterStorage {
  static var inner: Any.Type { get }
}

/// A property wrapper's storage as reflection finds it.
protocol PropertyStorage<Stored> {
  associatedtype Stored

  static var isWeak: Bool { get }

  /// The property's node, once it has been observed.
  var node: Unmanaged<PropertyNode<Stored>>? { get }

  /// The value, in its storage: neither tracked nor noticed.
  var value: Stored { get set }

  /// The wrapper's access to the property.
  static subscript<Owner: PropertyObservable>(
    _enclosingInstance owner: Owner, wrapped property: ReferenceWritableKeyPath<Owner, Stored>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Stored { get set }
}

extension PropertyStorage {
  fileprivate static func node(at address: UnsafeMutableRawPointer) -> AnyBroadcaster? {
    address.assumingMemoryBound(to: Self.self).pointee.node?.takeUnretainedValue()
  }

  fileprivate static func exchange(_ value: inout Stored, at address: UnsafeMutableRawPointer) {
    swap(&value, &address.assumingMemoryBound(to: Self.self).pointee.value)
  }

  /// The property whose storage this is, through the wrapper's access: tracked when read, noticed
  /// when written.
  fileprivate static func property<Owner: PropertyObservable>(
    named name: String, at offset: Int, of declaringClass: Owner.Type
  ) -> any NamedPropertyType {
    let storage: ReferenceWritableKeyPath<Owner, Self> = \.[StoredField<Self>(offset: offset)]
    // It names the property without being its own key path: nobody else has it.
    let content = storage.appending(path: \Self.value as WritableKeyPath<Self, Stored>)
    // Proof of the casts: the object is of the declaring class; its node has values of this type.
    return NamedProperty<Stored>(
      description: PropertyDescription(
        name: name, valueType: Stored.self, isWritable: true, isWeak: isWeak,
        declaringClass: Owner.self),
      isStored: true,
      access: { object, _ in
        let owner = unsafeDowncast(object, to: Owner.self)
        return Self[_enclosingInstance: owner, wrapped: content, storage: storage]
      },
      write: { object, value in
        let owner = unsafeDowncast(object, to: Owner.self)
        Self[_enclosingInstance: owner, wrapped: content, storage: storage] = value
        owner[keyPath: storage].node?.takeUnretainedValue().forget(content)
      })
  }
}

/// Where in an object the storage of a property is.
private struct StoredField<Storage: PropertyStorage>: Hashable {
  let offset: Int
}

extension PropertyObservable {
  fileprivate subscript<Storage>(field: StoredField<Storage>) -> Storage {
    get { address(of: field).pointee }
    set { address(of: field).pointee = newValue }
  }

  private func address<Storage>(of field: StoredField<Storage>) -> UnsafeMutablePointer<Storage> {
    // Proof of Unmanaged: the runtime says that a Storage is there, in objects of this class.
    (Unmanaged.passUnretained(self).toOpaque() + field.offset)
      .assumingMemoryBound(to: Storage.self)
  }
}
