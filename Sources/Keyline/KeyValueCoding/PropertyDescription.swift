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

extension PropertyObservable {
  /// The properties known by name: stored and registered ones, those of superclasses first.
  ///
  /// - Complexity: found once per class; O(properties) afterwards.
  public static var properties: [PropertyDescription] {
    PropertyTable.of(self).properties.map(\.description)
  }
}
