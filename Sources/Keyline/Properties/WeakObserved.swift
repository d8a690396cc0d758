import KeylineCore

/// Makes a weak reference of a ``PropertyObservable`` class observable, its object's death
/// included.
///
/// ```swift
/// final class Person: ReactiveObject {
///   @WeakObserved var manager: Person?
/// }
/// ```
///
/// A set is delivered as with ``Observed``; when the object it refers to dies, nil is delivered.
///
/// - Note: death is noticed for objects that are ``PropertyObservable`` or ``LifetimeProviding``;
///   for others, that it cannot be is reported as `unobservableDeath`.
/// - Isolation: nil is delivered on the thread on which the object dies, if that is the one that used the
///   owner of the property last. Else reads are nil at once, and observers, and what is computed from the
///   property, follow with the next operation on the owner.
/// - Complexity: a read costs what a plain weak reference costs.
@propertyWrapper public struct WeakObserved<Object: AnyObject> {
  @usableFromInline weak var value: Object?
  @usableFromInline var node: PropertyNode<Object?>?

  /// A property that refers to `wrappedValue`, weakly.
  @inlinable public init(wrappedValue: Object? = nil) { value = wrappedValue }

  @available(*, unavailable, message: "@WeakObserved belongs in a class that is PropertyObservable")
  public var wrappedValue: Object? {
    get { value }
    set { value = newValue }
  }

  @inlinable
  public static subscript<Owner: PropertyObservable>(
    _enclosingInstance owner: Owner,
    wrapped property: @autoclosure () -> ReferenceWritableKeyPath<Owner, Object?>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Object? {
    @inline(__always) get {
      if _slowPath(isTracking()) {
        trackRead(of: owner, withUnsafeMutablePointer(to: &owner[keyPath: storage]) { $0 }) {
          property()
        }
      }
      return owner[keyPath: storage].value
    }
    @inline(__always) set {
      if owner[keyPath: storage].node == nil, !isTracking() {
        owner[keyPath: storage].value = newValue
      } else {
        write(
          newValue, to: owner, withUnsafeMutablePointer(to: &owner[keyPath: storage]) { $0 })
      }
    }
  }
}

extension WeakObserved: PropertyStorage {
  @usableFromInline static var isWeak: Bool { true }
  @usableFromInline static func watch(_ value: Object?, by node: PropertyNode<Object?>) {
    node.watch(value)
  }
}
