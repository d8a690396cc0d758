import KeylineCore

/// The description of one property of a class.
///
/// ```swift
/// print(Person.properties.map(\.name))
/// ```
/// ```text
/// ["name", "age", "address", "manager"]
/// ```
public struct PropertyDescription: Sendable {
  /// As it stands in the source, without backticks.
  public let name: String
  /// The type of its values: `Optional<Address>` for an `Address?`.
  public let valueType: Any.Type
  /// Whether it can be written by name.
  public let isWritable: Bool
  /// Whether it is ``WeakObserved``.
  public let isWeak: Bool
  /// The class that declares it, or that the key path registered for it starts from.
  public let declaringClass: AnyClass
}

extension RegisteredProperty {
  /// The property in the table of `type`; nil if the key path does not start from that class.
  func property(of type: any PropertyObservable.Type) -> (any NamedPropertyType)? {
    guard let root = Swift.type(of: keyPath).rootType as? any PropertyObservable.Type else {
      return nil
    }
    return property(of: type, from: root, to: Swift.type(of: keyPath).valueType)
  }

  private func property<Root: PropertyObservable>(
    of type: any PropertyObservable.Type, from root: Root.Type, to value: Any.Type
  ) -> (any NamedPropertyType)? {
    guard type is Root.Type else { return nil }
    func open<Value>(_: Value.Type) -> (any NamedPropertyType)? {
      guard let keyPath = keyPath as? KeyPath<Root, Value> else { return nil }
      let writable = isWritable ? keyPath as? ReferenceWritableKeyPath<Root, Value> : nil
      // Proof of the casts: only objects of `type`, a Root, come to a property of its table.
      return NamedProperty<Value>(
        description: PropertyDescription(
          name: name, valueType: Value.self, isWritable: writable != nil, isWeak: false,
          declaringClass: Root.self),
        path: PropertyPath(keyPath),
        write: writable.map { keyPath in
          { cast($0, to: Root.self)[keyPath: keyPath] = $1 }
        })
    }
    return _openExistential(value, do: open)
  }
}

extension PropertyObservable {
  /// The properties known by name: stored and registered ones, those of superclasses first.
  ///
  /// - Complexity: found once per class; O(properties) afterwards.
  public static var properties: [PropertyDescription] {
    PropertyTable.of(self).properties.map(\.description)
  }
}
