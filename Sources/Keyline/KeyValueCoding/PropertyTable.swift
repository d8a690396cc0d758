/// The properties of a class by name: first the properties of its superclass, then the stored
/// properties that the class declares, then the ones that it registers. Made on first use, and
/// never released.
final class PropertyTable: @unchecked Sendable {
  // Proof of @unchecked: immutable once made; the properties capture nothing that is mutable.
  private(set) var properties: [any NamedPropertyType] = []
  private var indexes: [String: Int] = [:]
  /// The properties whose changes a change set lists.
  private(set) var recorded: [any NamedPropertyType] = []
  /// The strong constants of objects, with their offsets.
  private(set) var constants: [(type: Any.Type, offset: Int)] = []

  private static let tables = Protected<[ObjectIdentifier: PropertyTable]>([:])

  static func of(_ type: AnyClass) -> PropertyTable {
    let id = ObjectIdentifier(type)
    if let table = tables.withLock({ $0[id] }) { return table }
    // Made outside of the lock, because `registeredProperties` is foreign code (C3). A table that
    // is made twice has the same contents.
    let made = PropertyTable(type)
    tables.withLock { $0[id] = made }
    return made
  }

  private init(_ type: AnyClass) {
    if let superclass = _getSuperclass(type) {
      let inherited = PropertyTable.of(superclass)
      (properties, indexes) = (inherited.properties, inherited.indexes)
    }
    guard let type = type as? any PropertyObservable.Type else { return }
    for wrapper in StoredProperties.wrappers(of: type, declaredOnly: true) {
      add(wrapper.storage.property(named: wrapper.name, at: wrapper.offset, of: type))
    }
    for case let registered as any NamedPropertyType in type.registeredProperties.map(\.property) {
      let root: AnyClass = registered.description.declaringClass
      if sequence(first: type, next: { _getSuperclass($0) }).contains(where: { $0 == root }) {
        add(registered)
      } else {
        Diagnostics.report(
          .misuse, "its key path starts from another class; the registration is ignored",
          type: "\(type)", property: registered.description.name)
      }
    }
    recorded = StoredProperties.wrappers(of: type).compactMap {
      $0.storage is any PropertyStorage.Type ? self[$0.name] : nil
    }
    Reflection.forEachField(of: type) { type, offset, _, isStrong, isConstant in
      if isStrong, isConstant { constants.append((type, offset)) }
    }
  }

  /// Replaces the property of the same name, or appends it.
  private func add(_ property: any NamedPropertyType) {
    if let index = indexes[property.description.name] { return properties[index] = property }
    indexes[property.description.name] = properties.count
    properties.append(property)
  }

  subscript(name: String) -> (any NamedPropertyType)? { indexes[name].map { properties[$0] } }
}

/// A property that is reached by name. It is only used with objects of the class whose table
/// contains it.
struct NamedProperty<Value>: NamedPropertyType {
  let description: PropertyDescription
  let path: PropertyPath<Value>
  let write: ((AnyObject, Value) -> Void)?
}

/// A property that is reached by name, of any type.
protocol NamedPropertyType<Value> {
  associatedtype Value

  var description: PropertyDescription { get }
  /// The path to the property from an object of the class.
  var path: PropertyPath<Value> { get }
  var write: ((AnyObject, Value) -> Void)? { get }
}

extension NamedPropertyType {
  /// The value of `object`, boxed in its own type: an optional value stays an optional.
  func value(of object: AnyObject) -> Any { path.read(object) }

  /// - Throws: `readOnly` or `typeMismatch`; nothing is written then.
  func set(_ value: Any?, of object: AnyObject) throws {
    guard let write else { throw PropertyError.readOnly(key: description.name) }
    guard let exact = Optionals.value(value, as: Value.self) else {
      throw mismatch(value.map { type(of: $0) })
    }
    write(object, exact)
  }

  /// Sets the property of `object`.
  ///
  /// - Parameter isRestoring: whether the value is a former one, which the rules have accepted before.
  /// - Throws: the errors of `set(_:of:)`, and the error with which a rule or an exclusive binding
  ///   refuses the value.
  func offer(_ value: Any?, to object: AnyObject, isRestoring: Bool = false) throws {
    var result = Result<Void, any Error>.success(())
    // A former value of type `Any` may have been nil.
    let value = isRestoring && Value.self == Any.self ? .some(value as Any) : value
    // The refusing rule belongs to this property, or to a property from which this one is computed.
    // The reads are looked up only if there is a rule.
    lazy var reads = Transaction.current.identify(object) { path.read(object) }.search.reads
    let outcome = Transaction.current.write(
      to: { node in node.owner.object === object && reads.contains { $0.node === node } },
      by: object, isRestoring: isRestoring
    ) { result = Result { try set(value, of: object) } }
    try result.get()
    if let error = outcome.error { throw error }
  }

  func mismatch(_ actual: Any.Type?) -> PropertyError {
    .typeMismatch(
      key: description.name, expected: "\(Value.self)", actual: actual.map { "\($0)" } ?? "nil")
  }

  /// The node of the property of `object`, as a hop of a chain.
  func node(of object: AnyObject, in transaction: Transaction) -> Node? {
    path.node(of: object, .hop, in: transaction)
  }

  /// The values of the property of `object`, each as a `Result`.
  func values<Result>(
    of object: some PropertyObservable, as type: Result.Type, _ options: KeyValueObservingOptions
  ) throws -> PropertySequence<Result> {
    let convert = try conversion(to: type, for: type)
    let values = object.observation(of: path, options)
    return PropertySequence("observe(_:_:options:)") { observer, context in
      context.seal()
      values.run(observer.withNext { observer.next(convert($0)) }, in: context)
    }
  }

  /// Reads the value of an object as a `Result`.
  func reader<Result>(as type: Result.Type, for wanted: Any.Type) throws -> (AnyObject) -> Result {
    let convert = try conversion(to: type, for: wanted)
    return { convert(path.read($0)) }
  }

  /// Makes a `Result` of a value: unchanged, wrapped in an optional, or as `Any`; as an `Any?`, what an
  /// optional wraps.
  ///
  /// Types are compared and values are not cast, so that no level of an optional is lost or
  /// confused with another.
  ///
  /// - Throws: `typeMismatch`, naming the type `wanted`, if the values cannot be converted.
  func conversion<Result>(to type: Result.Type, for wanted: Any.Type) throws -> (Value) -> Result {
    let same: (Value) -> Value = { $0 }
    let optional: (Value) -> Value? = { $0 }
    let any: (Value) -> Any = { $0 }
    let content: (Value) -> Any? = Optionals.content
    for conversion in [same, optional, any, content] as [Any] {
      if let conversion = conversion as? (Value) -> Result { return conversion }
    }
    throw mismatch(wanted)
  }
}

extension NodeStorage {
  /// The property with this storage. Reads and writes go directly to the storage: reads are
  /// recorded, and writes are delivered.
  fileprivate static func property<Owner: PropertyObservable>(
    named name: String, at offset: Int, of declaringClass: Owner.Type
  ) -> any NamedPropertyType {
    // Proof of the casts: the table belongs to the class, and is used for objects of the class
    // only.
    NamedProperty(
      description: PropertyDescription(
        name: name, valueType: Value.self, isWritable: set != nil, isWeak: isWeak,
        declaringClass: declaringClass),
      path: PropertyPath(isProperty: true) {
        read(cast($0, to: Owner.self), at: storage(of: $0, at: offset))
      },
      write: set.map { set in
        { set($1, cast($0, to: Owner.self), storage(of: $0, at: offset)) }
      })
  }
}

extension RegisteredProperty {
  /// - Parameters:
  ///   - name: replaces a stored or inherited property of the same name.
  ///   - keyPath: starts at the class that registers it, or at a superclass.
  ///   - isWritable: pass false to refuse writes that the key path would allow. A key path that
  ///     cannot be written through is read-only in any case.
  public init<Root: PropertyObservable, Value>(
    _ name: String, _ keyPath: KeyPath<Root, Value>, isWritable: Bool = true
  ) {
    let writable = isWritable ? keyPath as? ReferenceWritableKeyPath<Root, Value> : nil
    // Proof of the cast: a property of a table is only used with objects of the class, which is a
    // Root.
    self.init(
      property: NamedProperty(
        description: PropertyDescription(
          name: name, valueType: Value.self, isWritable: writable != nil, isWeak: false,
          declaringClass: Root.self),
        path: PropertyPath(keyPath),
        write: writable.map { keyPath in { cast($0, to: Root.self)[keyPath: keyPath] = $1 } }))
  }
}
