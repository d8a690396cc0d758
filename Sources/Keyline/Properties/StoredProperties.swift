import KeylineCore

/// Stored properties, found by reflection: the one place that relies on how the compiler names a
/// wrapper's storage (an underscore before the property's name).
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
    let inherited = declaredOnly ? _getSuperclass(type).map { Runtime.fieldCount(of: $0) } ?? 0 : 0
    Runtime.forEachField(of: type, from: inherited) { storage, offset, label, _ in
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
    Runtime.forEachField(of: type(of: self)) { field, offset, label, isStrong in
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
