/// Makes a weak reference of a ``PropertyObservable`` class observable, its object's death included.
///
/// ```swift
/// final class Person: ReactiveObject {
///   @WeakObserved var manager: Person?
/// }
/// ```
///
/// Setting it notifies as with ``Observed``; and when the object it refers to dies, observers get
/// nil.
///
/// - Note: death is noticed for objects that are ``PropertyObservable`` or ``LifetimeProviding``; for
///   others, that it cannot be is reported as `unobservableDeath`.
/// - Isolation: nil is delivered on the thread on which the object dies, and so is what the owner sets
///   meanwhile.
/// - Complexity: a read costs what a plain weak reference costs.
@propertyWrapper public struct WeakObserved<Object: AnyObject> {
  @usableFromInline weak var value: Object?
  /// Proof of Unmanaged: the owner's registry keeps the node as long as the owner lives.
  @usableFromInline var node: Unmanaged<PropertyNode<Object?>>?

  @inlinable public init(wrappedValue: Object? = nil) { value = wrappedValue }

  @available(*, unavailable, message: "@WeakObserved belongs in a class that is PropertyObservable")
  public var wrappedValue: Object? {
    get { value }
    set { value = newValue }
  }

  @inlinable
  public static subscript<Owner: PropertyObservable>(
    _enclosingInstance owner: Owner,
    wrapped property: ReferenceWritableKeyPath<Owner, Object?>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Object? {
    @inline(__always) get {
      if _slowPath(isTracking()), let made = trackRead(owner, owner[keyPath: storage].node) {
        owner[keyPath: storage].node = made
        made._withUnsafeGuaranteedRef {
          $0.watch(owner[keyPath: storage].value, identify: { property })
        }
      }
      return owner[keyPath: storage].value
    }
    @inline(__always) set {
      guard let node = owner[keyPath: storage].node else {
        owner[keyPath: storage].value = newValue
        return
      }
      var object = newValue
      guard node._withUnsafeGuaranteedRef({ $0.willSet(&object) }) else { return }
      // Observers who ask for the old object find it alive.
      let former = owner[keyPath: storage].value
      owner[keyPath: storage].value = object
      node._withUnsafeGuaranteedRef {
        $0.watch(object, identify: { property })
        $0.didSet(object, identify: { property })
      }
      withExtendedLifetime(former) {}
    }
  }
}

extension WeakObserved: PropertyStorage {
  static var isWeak: Bool { true }
}
