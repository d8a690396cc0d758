/// Describes one property of a class.
///
/// ```swift
/// print(Person.properties.map(\.name))
/// ```
/// ```text
/// ["name", "age", "address", "manager"]
/// ```
public struct PropertyDescription: Sendable {
  /// The name in the source, without backticks.
  public let name: String
  /// The type of the values: `Optional<Address>` for an `Address?`.
  public let valueType: Any.Type
  /// Whether the property can be written by name.
  public let isWritable: Bool
  /// Whether the property is ``WeakObserved``.
  public let isWeak: Bool
  /// The class that declares the property or, for a registered one, the class at which its key path
  /// starts.
  public let declaringClass: AnyClass
}

extension PropertyObservable {
  /// The properties that are reached by name, stored and registered ones; the properties of
  /// superclasses come first.
  ///
  /// - Complexity: determined once per class; O(properties) afterwards.
  public static var properties: [PropertyDescription] {
    PropertyTable.of(self).properties.map(\.description)
  }
}
