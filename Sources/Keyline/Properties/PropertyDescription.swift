/// What a class says of one of its properties.
///
/// ```swift
/// Person.properties.map(\.name)   // ["name", "address", "manager"]
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

/// A property that is to be reached by name through its key path.
///
/// The `@Observed` properties of a class are known by name without being registered. They are read
/// and written in their storage then, which their observers notice as any set, but a `didSet`, a
/// `private(set)` or an override does not. Register them, and computed properties:
///
/// ```swift
/// class Person: ReactiveObject {
///   @Observed var name = "" { didSet { … } }
///   var label: String { "\(name), \(address?.city ?? "—")" }
///
///   override class var registeredProperties: [RegisteredProperty] {
///     [RegisteredProperty("name", \Person.name), RegisteredProperty("label", \Person.label)]
///   }
/// }
/// ```
///
/// A `@MainActor` class makes the list in `MainActor.assumeIsolated { … }`, and is then to be asked for
/// its properties on the main thread first.
public struct RegisteredProperty: @unchecked Sendable {
  // Proof of @unchecked: what `property` captures, a key path and a name, does not change.
  /// What `type` makes of it: nil if the key path does not start from that class.
  let property: (_ type: AnyClass) -> (any NamedPropertyType)?
  let name: String

  /// - Parameters:
  ///   - name: shadows the stored or inherited property of the same name.
  ///   - keyPath: starts from the class that registers it, or from a superclass.
  ///   - isWritable: false to refuse what the key path would allow. One that cannot be written
  ///     through is read-only in any case.
  public init<Root: PropertyObservable, Value>(
    _ name: String, _ keyPath: KeyPath<Root, Value>, isWritable: Bool = true
  ) {
    let writable = isWritable ? keyPath as? ReferenceWritableKeyPath<Root, Value> : nil
    self.name = name
    property = { type in
      guard type is Root.Type else { return nil }
      // Proof of the casts: only objects of `type`, a Root, come to a property of its table.
      return NamedProperty<Value>(
        description: PropertyDescription(
          name: name, valueType: Value.self, isWritable: writable != nil, isWeak: false,
          declaringClass: Root.self),
        isStored: false,
        access: { object, identify in
          identify?({ keyPath })
          return unsafeDowncast(object, to: Root.self)[keyPath: keyPath]
        },
        write: writable.map { keyPath in
          { unsafeDowncast($0, to: Root.self)[keyPath: keyPath] = $1 }
        })
    }
  }
}

extension PropertyObservable {
  /// The properties known by name: stored and registered ones, those of superclasses first.
  ///
  /// - Complexity: learnt once per class; O(properties) afterwards.
  public static var properties: [PropertyDescription] {
    PropertyTable.of(self).properties.map(\.description)
  }

  public static var registeredProperties: [RegisteredProperty] { [] }
}
