/// Makes a weak reference in a ``PropertyObservable`` class observable, including the death of the
/// referenced object.
///
/// ```swift
/// final class Person: ReactiveObject {
///   @WeakObserved var manager: Person?
/// }
/// ```
///
/// Sets are delivered as with ``Observed``; nil is delivered when the referenced object dies.
///
/// - Note: Keyline notices the death of objects that are ``PropertyObservable`` or
///   ``LifetimeProviding``; any other object is reported as `unobservableDeath`.
/// - Isolation: nil is delivered on the thread on which the object dies, if that thread used the
///   owner of the property last. Otherwise reads return nil at once, and the next operation on the
///   owner delivers nil to observers and updates computed values.
/// - Complexity: a read costs as much as a plain weak reference.
@propertyWrapper public struct WeakObserved<Object: AnyObject> {
  @usableFromInline weak var value: Object?
  @usableFromInline var node: PropertyNode<Object?>?

  /// A property that weakly refers to `wrappedValue`.
  @inlinable public init(wrappedValue: Object? = nil) { value = wrappedValue }

  @available(*, unavailable, message: "@WeakObserved belongs in a class that is PropertyObservable")
  public var wrappedValue: Object? {
    get { value }
    set { value = newValue }
  }

  @available(*, unavailable, message: "@WeakObserved belongs in a class that is PropertyObservable")
  public var projectedValue: PropertySequence<Object?> { fatalError("unavailable") }

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

  /// `$name`: the current value, and the value after every set.
  public static subscript<Owner: PropertyObservable>(
    _enclosingInstance owner: Owner,
    projected property: KeyPath<Owner, PropertySequence<Object?>>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> PropertySequence<Object?> {
    sequence(of: owner, storage)
  }
}

extension WeakObserved: PropertyStorage {
  @usableFromInline static var isWeak: Bool { true }
  @usableFromInline static func watch(_ value: Object?, by node: PropertyNode<Object?>) {
    node.watch(value)
  }
}
