import Synchronization

/// The properties of a class, by name: those of its superclass, then the stored ones it declares, then
/// those it registers. Made when somebody first asks, and kept for ever.
final class PropertyTable: @unchecked Sendable {
  // Proof of @unchecked: immutable once made; what the properties capture is immutable, too.
  private(set) var properties: [any NamedPropertyType] = []
  private var indexes: [String: Int] = [:]

  private static let tables = Mutex<[ObjectIdentifier: PropertyTable]>([:])

  static func of(_ type: AnyClass) -> PropertyTable {
    let id = ObjectIdentifier(type)
    if let table = tables.withLock({ $0[id] }) { return table }
    // Made outside of the lock, because `registeredProperties` is foreign; one made twice says the same.
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
    StoredProperties.declared(by: type).forEach(add)
    for registered in type.registeredProperties {
      if let property = registered.property(type) {
        add(property)
      } else {
        Diagnostics.report(
          .misuse, "its key path starts from another class; the registration is ignored",
          type: "\(type)", property: registered.name)
      }
    }
  }

  private func add(_ property: any NamedPropertyType) {
    let name = property.description.name
    if let index = indexes[name] {
      properties[index] = property
    } else {
      indexes[name] = properties.count
      properties.append(property)
    }
  }

  subscript(name: String) -> (any NamedPropertyType)? { indexes[name].map { properties[$0] } }
}

/// A property as it is reached by name. Objects given to it are of the class in whose table it stands.
struct NamedProperty<Value>: NamedPropertyType {
  let description: PropertyDescription
  let isStored: Bool
  let access: (any PropertyObservable, ((() -> AnyKeyPath) -> Void)?) -> Value
  let write: ((any PropertyObservable, Value) -> Void)?
}

/// A property as it is reached by name, whatever its type.
protocol NamedPropertyType {
  associatedtype Value

  var description: PropertyDescription { get }
  /// Whether it is read and written in its storage.
  var isStored: Bool { get }
  /// As in `PropertyPath`.
  var access: (any PropertyObservable, ((() -> AnyKeyPath) -> Void)?) -> Value { get }
  var write: ((any PropertyObservable, Value) -> Void)? { get }
}

extension NamedPropertyType {
  /// The value `object` has, boxed as what it is: an optional stays one.
  func value(of object: any PropertyObservable) -> Any { access(object, nil) }

  /// - Throws: `readOnly` or `typeMismatch`, with nothing written.
  func set(_ value: Any?, of object: any PropertyObservable) throws {
    guard let write else { throw PropertyError.readOnly(key: description.name) }
    guard let exact = Optionals.value(value, as: Value.self) else {
      throw mismatch(value.map { type(of: $0) })
    }
    write(object, exact)
  }

  func mismatch(_ actual: Any.Type?) -> PropertyError {
    .typeMismatch(
      key: description.name, expected: "\(Value.self)", actual: actual.map { "\($0)" } ?? "nil")
  }

  /// The values of `object`.
  ///
  /// - Throws: `typeMismatch` if they are no `Result`.
  func observe<Object: PropertyObservable, Result>(
    _ object: Object, as type: Result.Type, _ options: KeyValueObservingOptions
  ) throws -> Observable<Result> {
    let values = object.observation(of: path(from: Object.self), options)
    return try values as? Observable<Result> ?? values.map(conversion(to: type, for: type))
  }

  /// Follows the property of `object` as a hop of a chain, until `context` ends, or hands it over.
  ///
  /// - Throws: `typeMismatch` if its values are no `Result`.
  func follow<Object: PropertyObservable, Result>(
    _ object: Object, _ index: Int, _ cause: ChangeCause, _ downstream: ChainObserver<Result>,
    in context: SubscriptionContext
  ) throws {
    let wanted = Optionals.wrapped(in: Result.self)
    if let leaf = downstream.leaf {
      let reference = PropertyReference(object, path(from: Object.self), write: write)
      guard let exact = reference as? PropertyReference<Result> else { throw mismatch(wanted) }
      return leaf(exact)
    }
    let convert = try conversion(to: Result.self, for: wanted)
    let hop = ChainHop<Object, Value>(
      path(from: Object.self), index,
      ChainObserver(
        next: { value, cause in if context.isActive { downstream.next(convert(value), cause) } },
        broken: { cause in if context.isActive { downstream.broken(cause) } },
        prior: downstream.prior),
      ChainHop<Object, Value>.Attachment.self)
    context.push(hop)
    hop.follow(object, cause)
  }

  private func path<Root: PropertyObservable>(from root: Root.Type) -> PropertyPath<Root, Value> {
    var path = PropertyPath<Root, Value> { access($0, $1) }
    path.isProperty = isStored
    return path
  }

  /// What makes a `Result` of a value: the value itself, in an optional, or as `Any`.
  ///
  /// No optional is lost or taken for another: types are compared, values are not cast.
  ///
  /// - Throws: `typeMismatch` if there is none, which names the type that was `wanted`.
  func conversion<Result>(to type: Result.Type, for wanted: Any.Type) throws -> (Value) -> Result {
    let same: (Value) -> Value = { $0 }
    let optional: (Value) -> Value? = { $0 }
    let any: (Value) -> Any = { $0 }
    for conversion in [same, optional, any] as [Any] {
      if let conversion = conversion as? (Value) -> Result { return conversion }
    }
    throw mismatch(wanted)
  }

  func requireConversion<Result>(to type: Result.Type, for wanted: Any.Type) throws {
    _ = try conversion(to: type, for: wanted)
  }
}
