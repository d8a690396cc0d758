/// Makes a stored property of a ``PropertyObservable`` class observable.
///
/// ```swift
/// final class Person: ReactiveObject {
///   @Observed var name = ""
/// }
/// ```
///
/// The value is stored inline, beside one word for the property's node, which is nil until the
/// property is first observed. Reading and writing an unobserved property costs what a plain one
/// costs, and in-place mutation stays in place: `list.append(x)` is O(1) amortised, observed or not.
///
/// - Note: the accessors are inlined always, and use the key paths they are given only to project:
///   then the optimiser folds them into plain accesses, in every place including key paths that the
///   client makes to the property. Anything else costs some 20 ns per access.
@propertyWrapper public struct Observed<Value> {
  @usableFromInline var value: Value
  /// Trivial on purpose: a strong reference would make every access check for exclusivity.
  /// Proof of Unmanaged: the owner's registry keeps the node as long as the owner lives.
  @usableFromInline var node: Unmanaged<PropertyNode<Value>>?

  @inlinable public init(wrappedValue: Value) { value = wrappedValue }

  @available(*, unavailable, message: "@Observed belongs in a class that is PropertyObservable")
  public var wrappedValue: Value {
    get { value }
    set { value = newValue }
  }

  @inlinable
  public static subscript<Owner: PropertyObservable>(
    _enclosingInstance owner: Owner,
    wrapped property: ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    @inline(__always) get {
      if _slowPath(isTracking()), let made = trackRead(owner, owner[keyPath: storage].node) {
        owner[keyPath: storage].node = made
      }
      return owner[keyPath: storage].value
    }
    @inline(__always) set {
      guard let node = owner[keyPath: storage].node else {
        owner[keyPath: storage].value = newValue
        return
      }
      var value = newValue
      guard node._withUnsafeGuaranteedRef({ $0.willSet(&value) }) else { return }
      // The former value outlives the delivery: an object that dies with it announces its death
      // after the observers know what replaced it.
      let former = owner[keyPath: storage].value
      owner[keyPath: storage].value = value
      node._withUnsafeGuaranteedRef { $0.didSet(value, identify: { property }) }
      withExtendedLifetime(former) {}
    }
    @inline(__always) _modify {
      // As above; but a copy of a collection would make the mutation copy it.
      var former: Value?
      if let node = owner[keyPath: storage].node,
        node._withUnsafeGuaranteedRef({ $0.willModify() })
      {
        former = owner[keyPath: storage].value
      }
      defer {
        if let node = owner[keyPath: storage].node {
          if let other = node._withUnsafeGuaranteedRef({
            $0.didModify(owner[keyPath: storage].value, former, identify: { property })
          }) {
            owner[keyPath: storage].value = other
            node._withUnsafeGuaranteedRef { $0.didSettle(other) }
          }
          withExtendedLifetime(former) {}
        }
      }
      yield &owner[keyPath: storage].value
    }
  }
}

extension Observed: PropertyStorage {
  static var isWeak: Bool { false }
}
