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
/// - Isolation: nil is delivered on the thread on which the object dies, and so is what the owner
///   sets meanwhile. What is *computed* from the property is evaluated there only if that thread
///   has evaluated it last; else with the next change of anything it reads.
/// - Complexity: a read costs what a plain weak reference costs.
@propertyWrapper public struct WeakObserved<Object: AnyObject> {
  @usableFromInline weak var value: Object?
  @usableFromInline var slot: UnsafeMutablePointer<PropertySlot>?

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
        let address = withUnsafeMutablePointer(to: &owner[keyPath: storage]) {
          UnsafeRawPointer($0)
        }
        if let made = trackRead(
          owner, owner[keyPath: storage].slot, at: address, of: Object?.self, { property() })
        {
          owner[keyPath: storage].slot = made
          made.node(at: address, of: Object?.self)?
            ._withUnsafeGuaranteedRef { $0.watch(owner[keyPath: storage].value) }
        }
      }
      return owner[keyPath: storage].value
    }
    @inline(__always) set {
      guard owner[keyPath: storage].slot != nil else {
        owner[keyPath: storage].value = newValue
        return
      }
      Self.write(newValue, at: withUnsafeMutablePointer(to: &owner[keyPath: storage]) { $0 })
      withExtendedLifetime(owner) {}
    }
  }
}

extension WeakObserved: PropertyStorage {
  @usableFromInline static var isWeak: Bool { true }

  @inlinable static func watch(_ value: Object?, by node: PropertyNode<Object?>) {
    node.watch(value)
  }
}
