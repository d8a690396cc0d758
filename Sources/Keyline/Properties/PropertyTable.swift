import Synchronization

/// The properties of a class, by name: those of its superclass, then the stored ones it declares, then
/// those it registers. Made when somebody first asks, and kept for ever.
final class PropertyTable: @unchecked Sendable {
  // Proof of @unchecked: immutable once made; what the properties capture is immutable, too.
  private(set) var properties: [AnyNamedProperty] = []
  private var indexes: [String: Int] = [:]

  private static let tables = Mutex<[ObjectIdentifier: PropertyTable]>([:])

  static func of(_ type: AnyClass) -> PropertyTable {
    let id = ObjectIdentifier(type)
    if let table = tables.withLock({ $0[id] }) { return table }
    // Made outside of the lock, because `registeredProperties` is foreign. The first one stays.
    let made = PropertyTable(type)
    return tables.withLock { tables in
      let table = tables[id] ?? made
      tables[id] = table
      return table
    }
  }

  private init(_ type: AnyClass) {
    if let superclass = _getSuperclass(type) {
      let inherited = PropertyTable.of(superclass)
      (properties, indexes) = (inherited.properties, inherited.indexes)
    }
    StoredProperties.declared(by: type).forEach(add)
    guard let type = type as? any PropertyObservable.Type else { return }
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

  private func add(_ property: AnyNamedProperty) {
    let name = property.description.name
    if let index = indexes[name] {
      properties[index] = property
    } else {
      indexes[name] = properties.count
      properties.append(property)
    }
  }

  subscript(name: String) -> AnyNamedProperty? { indexes[name].map { properties[$0] } }
}

/// A property as it is reached by name, whatever its type.
class AnyNamedProperty {
  let description: PropertyDescription

  init(_ description: PropertyDescription) { self.description = description }

  var name: String { description.name }

  /// The value `object` has, boxed as what it is: an optional stays one.
  func value(of object: any PropertyObservable) -> Any { () }

  /// - Throws: `readOnly` or `typeMismatch`, with nothing written.
  func set(_ value: Any?, of object: any PropertyObservable) throws {}

  /// The property's node, if it is a stored one that has been observed.
  func node(of object: any PropertyObservable) -> AnyBroadcaster? { nil }
}

/// A property as it is reached by name.
///
/// Objects given to it are of the class whose table it stands in.
final class NamedProperty<Value>: AnyNamedProperty {
  /// As in `PropertyPath`.
  typealias Access = (any PropertyObservable, ((() -> AnyKeyPath) -> Void)?) -> Value

  let access: Access
  private let write: ((any PropertyObservable, Value) -> Void)?
  /// The node, of a stored property.
  let storedNode: ((any PropertyObservable) -> AnyBroadcaster?)?

  init(
    _ description: PropertyDescription, access: @escaping Access,
    write: ((any PropertyObservable, Value) -> Void)?,
    storedNode: ((any PropertyObservable) -> AnyBroadcaster?)? = nil
  ) {
    self.access = access
    self.write = write
    self.storedNode = storedNode
    super.init(description)
  }

  override func value(of object: any PropertyObservable) -> Any { access(object, nil) }

  override func set(_ value: Any?, of object: any PropertyObservable) throws {
    guard let write else { throw PropertyError.readOnly(key: name) }
    guard let exact = Optionals.value(value, as: Value.self) else {
      throw PropertyError.typeMismatch(
        key: name, expected: "\(Value.self)",
        actual: value.map { "\(type(of: $0))" } ?? "nil")
    }
    write(object, exact)
  }

  override func node(of object: any PropertyObservable) -> AnyBroadcaster? { storedNode?(object) }
}
