/// A property that is reached by name through its key path.
///
/// The `@Observed` properties of a class can be reached by name without registration. They are then
/// read and written directly in their storage: a set is delivered like any other, but bypasses a
/// `didSet`, a `private(set)` and an override. Register such properties, and computed ones:
///
/// ```swift
/// class Person: ReactiveObject {
///   @Observed var name = "" { didSet { print("named") } }
///   @Observed var address: Address?
///   var label: String { "\(name), \(address?.city ?? "—")" }
///
///   override class var registeredProperties: [RegisteredProperty] {
///     [RegisteredProperty("name", \Person.name), RegisteredProperty("label", \Person.label)]
///   }
/// }
/// ```
///
/// A `@MainActor` class makes the list in `MainActor.assumeIsolated { … }`, and the first look-up
/// of its properties must then be on the main thread.
public struct RegisteredProperty: @unchecked Sendable {
  // Proof of @unchecked: a key path to a property captures nothing, and does not change.
  let property: any NamedPropertyType

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
    property = NamedProperty(
      name: name, declaringClass: Root.self, path: PropertyPath(keyPath),
      write: writable.map { keyPath in { cast($0, to: Root.self)[keyPath: keyPath] = $1 } })
  }
}

extension PropertyObservable {
  public static var registeredProperties: [RegisteredProperty] { [] }
}
