/// Makes a stored property of a ``PropertyObservable`` class observable.
///
/// ```swift
/// final class Person: ReactiveObject {
///   @Observed var name = ""
/// }
/// ```
///
/// `$name` is the sequence of the stored values: `person.$name.map(\.count)`. It is read-only.
///
/// The value is stored inline, beside one word, which is nil until the property is first observed.
/// Reading or writing an unobserved property costs as much as a plain property, plus a retain where
/// the object is not retained already. In-place mutation stays in place: `list.append(x)` is O(1)
/// amortised, observed or not. Under a rule (`validate`) or an exclusive binding it is O(n): both
/// also receive the former value, so that the mutation copies it.
///
/// In a class that is not ``PropertyObservable`` the compiler reports, without a line, that the
/// static subscript requires the class to conform; in a struct it reports that `wrappedValue` is
/// unavailable. A wrapper that is copied or replaced (`_name = other._name`, `_name =
/// Observed(wrappedValue: "")`) keeps the program safe; existing observers receive values again
/// once the property is observed again (P8).
///
/// - Note: the accessors are always inlined, and use the key path of the storage only to project.
///   The optimiser then folds that key path into plain accesses everywhere, including key paths
///   that the client makes to the property. The property's own key path is an autoclosure:
///   otherwise each access would make and release it, with a retain and a release of the value
///   around the read.
@propertyWrapper public struct Observed<Value> {
  @usableFromInline var value: Value
  /// Nil until the property is first observed. In a copied wrapper this is the node of another
  /// property; the node's `place` shows that.
  @usableFromInline var node: PropertyNode<Value>?

  /// A property with an initial value.
  @inlinable public init(wrappedValue: Value) { value = wrappedValue }

  @available(*, unavailable, message: "@Observed belongs in a class that is PropertyObservable")
  public var wrappedValue: Value {
    get { value }
    set { value = newValue }
  }

  @available(*, unavailable, message: "@Observed belongs in a class that is PropertyObservable")
  public var projectedValue: PropertySequence<Value> { fatalError("unavailable") }

  @inlinable
  public static subscript<Owner: PropertyObservable>(
    _enclosingInstance owner: Owner,
    wrapped property: @autoclosure () -> ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    @inline(__always) get {
      if _slowPath(isTracking()) {
        trackRead(of: owner, stableAddress(of: &owner[keyPath: storage])) { property() }
      }
      return owner[keyPath: storage].value
    }
    @inline(__always) set {
      // Everything else is out of line, so that an unobserved property costs nothing more.
      if owner[keyPath: storage].node == nil, !isTracking() {
        // The former value is released after the access: a death may lead to a read of the property.
        var value = newValue
        swap(&owner[keyPath: storage].value, &value)
      } else {
        write(newValue, to: owner, stableAddress(of: &owner[keyPath: storage]))
      }
    }
    @inline(__always) _modify {
      // One yield only, so that the optimiser inlines the accessor into its caller.
      var mutation: Mutation<Self>?
      if owner[keyPath: storage].node != nil || isTracking() {
        mutation = Mutation(of: owner, stableAddress(of: &owner[keyPath: storage]))
      }
      defer { mutation?.end() }
      yield &owner[keyPath: storage].value
    }
  }

  /// `$name`: the current value, and the value after every set.
  public static subscript<Owner: PropertyObservable>(
    _enclosingInstance owner: Owner, projected property: KeyPath<Owner, PropertySequence<Value>>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> PropertySequence<Value> { sequence(of: owner, storage) }
}

extension Observed: PropertyStorage {}

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
        trackRead(of: owner, stableAddress(of: &owner[keyPath: storage])) { property() }
      }
      return owner[keyPath: storage].value
    }
    @inline(__always) set {
      if owner[keyPath: storage].node == nil, !isTracking() {
        owner[keyPath: storage].value = newValue
      } else {
        write(newValue, to: owner, stableAddress(of: &owner[keyPath: storage]))
      }
    }
  }

  /// `$name`: the current value, and the value after every set.
  public static subscript<Owner: PropertyObservable>(
    _enclosingInstance owner: Owner, projected property: KeyPath<Owner, PropertySequence<Object?>>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> PropertySequence<Object?> { sequence(of: owner, storage) }
}

extension WeakObserved: WeakStorage {}

/// The storage of a weak property.
@usableFromInline protocol WeakStorage: PropertyStorage where Value == Object? {
  associatedtype Object: AnyObject
}

extension WeakStorage {
  @usableFromInline static var isWeak: Bool { true }
  @usableFromInline func watch(by node: PropertyNode<Object?>) { node.watch(value) }
}
