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
  /// The property by name, of a type of KeyValueCoding.
  let property: Any
}

extension PropertyObservable { public static var registeredProperties: [RegisteredProperty] { [] } }
