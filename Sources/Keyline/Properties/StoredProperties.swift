/// Stored properties, found by reflection: the one place that relies on how the runtime describes
/// the fields of a class, and on how the compiler names a wrapper's storage (an underscore before
/// the property's name).
enum StoredProperties {
  /// The name of the property that `node` belongs to.
  static func name(of node: DependencyNode, in owner: AnyObject) -> String? {
    guard let registry = (owner as? any PropertyObservable)?.properties else { return nil }
    guard let storage = registry.storage(of: node) else { return registry.name(of: node) }
    // Proof of Unmanaged: an address only, compared with that of a field.
    let offset = storage - UnsafeRawPointer(Unmanaged.passUnretained(owner).toOpaque())
    var name: String?
    forEachField(of: type(of: owner), unwrapped: true) {
      guard $1 == offset else { return false }
      name = self.name(ofWrapper: $2)
      return true
    }
    return name
  }

  /// The name of the property whose wrapper has that label: `_name`, or `` `_raw name` ``, in which
  /// the compiler makes spaces no-break spaces.
  static func name(ofWrapper label: UnsafePointer<CChar>) -> String {
    let name = String(cString: label)
    guard name.first == "`" else { return String(name.dropFirst()) }
    return String(name.dropFirst(2).dropLast().map { $0 == "\u{A0}" ? " " : $0 })
  }

  /// What the runtime distinguishes computed components of key paths by; nil for anything but a key
  /// path to one property that has accessors.
  ///
  /// It is that of the declaration: the same for `\Subclass.name` as for `\Class.name`, another one
  /// for an override. Key paths of two roots are never equal, and this is how an inherited property
  /// is known.
  ///
  /// - Parameter isSingle: whether the path is known to have one component.
  static func declaration(of keyPath: AnyKeyPath, isSingle: Bool = false) -> UInt? {
    guard MemoryLayout<Int>.size == 8 else { return nil }
    // Proof of unsafeBitCast: a key path is a native object. After its header of two words come the
    // pointer to a name, the size of what follows, the header of the first component, and, for one
    // with accessors, its identity and its getter. A test pins this.
    let words = unsafeBitCast(keyPath, to: UnsafePointer<UInt>.self)
    let size = words[3] & 0xFF_FFFF
    let component = words[4] & 0xFFFF_FFFF
    // Of the kind "computed", identified by an address that is known, without setter or with one.
    guard component & 0x7F30_000F == 0x0200_0000, isSingle || size == 0x18 || size == 0x20 else {
      return nil
    }
    return words[5]
  }

  /// Whether objects of `type` read the property of `keyPath`, which starts from a superclass, as
  /// that superclass does: false if they override it, or if that cannot be determined.
  ///
  /// The identity of an overridable property is its getter's method descriptor: 32 bits of flags,
  /// and the relative address of the getter. That stands in the method table of the class, at the
  /// place where subclasses have theirs.
  static func isInherited(_ keyPath: AnyKeyPath, by type: AnyClass) -> Bool {
    #if canImport(ObjectiveC)
      return false
    #else
      guard let declaration = declaration(of: keyPath),
        let method = UnsafeRawPointer(bitPattern: declaration),
        let root = Swift.type(of: keyPath).rootType as? AnyClass
      else { return false }
      // Proof: what a declaration is identified by is either a descriptor or a function, and can be
      // read.
      guard method.load(as: UInt32.self) & 0x1F == 0x12 else { return false }
      let getter = method + 4 + Int(method.load(fromByteOffset: 4, as: Int32.self))
      // Proof of unsafeBitCast: a class is a pointer to its metadata, which states its own size,
      // after the address point, at these places. A test pins them.
      let metadata = unsafeBitCast(root, to: UnsafeRawPointer.self)
      let size =
        Int(metadata.load(fromByteOffset: 32, as: UInt32.self))
        - Int(metadata.load(fromByteOffset: 36, as: UInt32.self))
      let methods = metadata.assumingMemoryBound(to: UnsafeRawPointer?.self)
      let place = (0..<size / MemoryLayout<UnsafeRawPointer>.stride).first { methods[$0] == getter }
      let others = unsafeBitCast(type, to: UnsafePointer<UnsafeRawPointer?>.self)
      return place.map { others[$0] == getter } ?? false
    #endif
  }

  /// Calls `body` with every wrapper in objects of `type`, its offset in them, and its name, until
  /// that returns true.
  ///
  /// - Parameters:
  ///   - declaredOnly: whether to leave out what the type inherits.
  ///   - unwrapped: whether a wrapper around one of Keyline's counts as that.
  static func forEachField(
    of type: AnyClass, declaredOnly: Bool = false, unwrapped: Bool = false,
    _ body: (any WrapperStorage.Type, Int, UnsafePointer<CChar>) -> Bool
  ) {
    // Fields of superclasses come first.
    let inherited = declaredOnly ? _getSuperclass(type).map { fieldCount($0) } ?? 0 : 0
    forEach(of: type, from: inherited) { storage, offset, label, _ in
      var storage = storage
      if unwrapped, let outer = storage as? any OuterStorage.Type { storage = outer.inner }
      guard let storage = storage as? any WrapperStorage.Type,
        label.pointee == UInt8(ascii: "_") || label.pointee == UInt8(ascii: "`")
      else { return false }
      return body(storage, offset, label)
    }
  }

  /// The nodes of wrappers, by where these are.
  static func nodes(of registry: PropertyRegistry?) -> [UInt: DependencyNode] {
    Dictionary(
      (registry?.inspected ?? []).compactMap { node, storage in storage.map { ($0, node) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// The value of a field of that type.
  static func load(_ type: Any.Type, of object: AnyObject, at offset: Int) -> Any {
    // Proof of Unmanaged and of the pointer: the runtime describes a field of this type there.
    func load<Value>(_ type: Value.Type) -> Any {
      (Unmanaged.passUnretained(object).toOpaque() + offset).assumingMemoryBound(to: type).pointee
    }
    return _openExistential(type, do: load)
  }

  /// Calls `body` with every field in objects of `type`, its offset in them, its name, and whether
  /// it is strong, until that returns true.
  static func forEach(
    of type: AnyClass, from first: Int = 0,
    _ body: (Any.Type, Int, UnsafePointer<CChar>, _ isStrong: Bool) -> Bool
  ) {
    for index in first..<max(first, fieldCount(type)) {
      var field = FieldMetadata()
      let storage = fieldType(type, index: index, metadata: &field)
      defer { field.release?(field.name) }
      if let label = field.name,
        body(storage, fieldOffset(type, index: index), label, field.isStrong)
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
/// Proof that it may be used as that: the only field of a struct has the address of the struct.
protocol OuterStorage {
  static var inner: Any.Type { get }
}

/// A property wrapper's storage as reflection finds it.
@usableFromInline protocol WrapperStorage {}

extension WrapperStorage {
  /// Where the wrapper is, in an object of a class that has it at `offset`.
  ///
  /// Proof of Unmanaged and of the cast: the runtime describes this storage at the offset.
  static func storage(of object: AnyObject, at offset: Int) -> UnsafeMutablePointer<Self> {
    (Unmanaged.passUnretained(object).toOpaque() + offset).assumingMemoryBound(to: Self.self)
  }
}

extension PropertyStorage {
  /// The value in the wrapper of `object` at `offset`: not tracked.
  static func value(in object: AnyObject, _ offset: Int) -> Any {
    storage(of: object, at: offset).pointee.value
  }
}

extension ReactiveObject {
  /// The properties with their values, as they are stored.
  var inspectedProperties: [Mirror.Child] {
    var properties: [Mirror.Child] = []
    let nodes = StoredProperties.nodes(of: registry)
    StoredProperties.forEach(of: type(of: self)) { field, offset, label, isStrong in
      let type = (field as? any OuterStorage.Type)?.inner ?? field
      if let storage = type as? any PropertyStorage.Type {
        properties.append(
          (StoredProperties.name(ofWrapper: label), storage.value(in: self, offset)))
      } else if type is any DerivedStorage.Type {
        let place = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) + UInt(offset)
        let value = nodes[place]?.derivation?.takeUnretainedValue().cached
        properties.append(
          (StoredProperties.name(ofWrapper: label), value ?? Optional<Any>.none as Any))
      } else if isStrong, type != PropertyRegistry?.self {
        properties.append(
          (String(cString: label), StoredProperties.load(type, of: self, at: offset)))
      }
      return false
    }
    return properties
  }
}

/// The storage of a derived property.
protocol DerivedStorage: WrapperStorage {
  associatedtype Value

  /// The value, brought up to date, and tracked as by the wrapper's own accessor.
  static func read(_ owner: AnyObject, at storage: UnsafeMutablePointer<Self>) -> Value
}

/// The storage of a stored property.
@usableFromInline protocol PropertyStorage<Stored>: WrapperStorage {
  associatedtype Stored

  static var isWeak: Bool { get }

  /// Where the property's node is, once it has been observed.
  var slot: UnsafeMutablePointer<PropertySlot>? { get set }

  /// The value, in its storage: neither tracked nor delivered.
  var value: Stored { get set }

  /// Makes the node of a weak property deliver the death of the object that it refers to.
  static func watch(_ value: Stored, by node: PropertyNode<Stored>)
}

extension PropertyStorage {
  /// The value, tracked as by the wrapper's own accessor.
  static func read(_ owner: some PropertyObservable, at storage: UnsafeMutablePointer<Self>)
    -> Stored
  {
    if isTracking(),
      let made = trackRead(
        owner, storage.pointee.slot, at: UnsafeRawPointer(storage), of: Stored.self, { nil })
    {
      storage.pointee.slot = made
      if let node = made.node(at: UnsafeRawPointer(storage), of: Stored.self) {
        watch(storage.pointee.value, by: node.takeUnretainedValue())
      }
    }
    return storage.pointee.value
  }

  /// Sets the value, observed or not: what the wrapper's own accessor does out of line.
  ///
  /// The address must be that of a wrapper in a living object, whose `slot` has just been read by
  /// an access of its own: that is checked against overlapping ones.
  @inlinable @inline(never)
  static func write(_ newValue: Stored, at storage: UnsafeMutablePointer<Self>) {
    guard let node = storage.pointee.slot?.node(at: storage, of: Stored.self) else {
      storage.pointee.value = newValue
      return
    }
    var value = newValue
    guard node._withUnsafeGuaranteedRef({ $0.willSet(&value) }) else { return }
    // The former value outlives the delivery: observers that receive it find it alive, and an object
    // that dies with it announces its death after what replaced it has been delivered.
    let former = storage.pointee.value
    storage.pointee.value = value
    node._withUnsafeGuaranteedRef {
      watch(value, by: $0)
      $0.didSet(value, replacing: former)
    }
    withExtendedLifetime(former) {}
  }
}
