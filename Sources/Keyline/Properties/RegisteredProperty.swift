/// A property that is to be reached by name through its key path.
///
/// The `@Observed` properties of a class are known by name without being registered. They are then
/// read and written in their storage, which is delivered as any set, but bypasses a `didSet`, a
/// `private(set)` and an override. Register them, and computed properties:
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
/// A `@MainActor` class makes the list in `MainActor.assumeIsolated { … }`, and its properties must
/// then be first looked up on the main thread.
public struct RegisteredProperty: @unchecked Sendable {
  // Proof of @unchecked: a key path to a property captures nothing, and does not change.
  let property: any NamedPropertyType

  /// - Parameters:
  ///   - name: shadows the stored or inherited property of the same name.
  ///   - keyPath: starts from the class that registers it, or from a superclass.
  ///   - isWritable: false to refuse writes that the key path would allow. One that cannot be
  ///     written through is read-only in any case.
  public init<Root: PropertyObservable, Value>(
    _ name: String, _ keyPath: KeyPath<Root, Value>, isWritable: Bool = true
  ) {
    let writable = isWritable ? keyPath as? ReferenceWritableKeyPath<Root, Value> : nil
    // Proof of the cast: only objects of the class, a Root, come to a property of its table.
    property = NamedProperty(
      name: name, declaringClass: Root.self, path: PropertyPath(keyPath),
      write: writable.map { keyPath in { cast($0, to: Root.self)[keyPath: keyPath] = $1 } })
  }
}

extension PropertyObservable {
  public static var registeredProperties: [RegisteredProperty] { [] }
}
