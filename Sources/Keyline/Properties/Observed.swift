/// Makes a stored property of a ``PropertyObservable`` class observable.
///
/// ```swift
/// final class Person: ReactiveObject {
///   @Observed var name = ""
/// }
/// ```
///
/// The value is stored inline, beside one word, which is nil until the property is first observed.
/// Reading and writing an unobserved property costs what a plain one costs, and in-place mutation
/// stays in place: `list.append(x)` is O(1) amortised, observed or not. Under a rule (`validate`)
/// or an exclusive binding it is O(n): they receive the former value, too, so that the mutation
/// copies it.
///
/// In a class that is not ``PropertyObservable`` the compiler reports, without a line, that the static
/// subscript requires the class to conform; in a struct, that `wrappedValue` is unavailable. A wrapper
/// that is copied or replaced (`_name = other._name`, `_name = Observed(wrappedValue: "")`) keeps the
/// program safe; observers follow again from the next time the property is observed.
///
/// - Note: the accessors are inlined always, and use the key path of the storage only to project: then
///   the optimiser folds it into plain accesses, in every place including key paths that the client
///   makes to the property. The property's own key path is an autoclosure, or it would be made for each
///   access, and released after it, which brackets the read with a retain and a release of the value.
@propertyWrapper public struct Observed<Value> {
  @usableFromInline var value: Value
  /// Trivial on purpose: a strong reference would make every access check for exclusivity.
  @usableFromInline var slot: UnsafeMutablePointer<PropertySlot>?

  /// A property with a first value.
  @inlinable public init(wrappedValue: Value) { value = wrappedValue }

  @available(*, unavailable, message: "@Observed belongs in a class that is PropertyObservable")
  public var wrappedValue: Value {
    get { value }
    set { value = newValue }
  }

  @inlinable
  public static subscript<Owner: PropertyObservable>(
    _enclosingInstance owner: Owner,
    wrapped property: @autoclosure () -> ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    @inline(__always) get {
      if _slowPath(isTracking()) {
        let address = withUnsafeMutablePointer(to: &owner[keyPath: storage]) {
          UnsafeRawPointer($0)
        }
        if !trackKnownRead(owner[keyPath: storage].slot, at: address),
          let made = trackRead(
            owner, owner[keyPath: storage].slot, at: address, of: Value.self, { property() })
        {
          owner[keyPath: storage].slot = made
        }
      }
      return owner[keyPath: storage].value
    }
    @inline(__always) set {
      // Everything else is out of line: an unobserved property costs nothing more.
      guard owner[keyPath: storage].slot != nil else {
        owner[keyPath: storage].value = newValue
        return
      }
      Self.write(newValue, at: withUnsafeMutablePointer(to: &owner[keyPath: storage]) { $0 })
      withExtendedLifetime(owner) {}
    }
    @inline(__always) _modify {
      // One yield only, so that the optimiser inlines the accessor into its caller.
      var node: Unmanaged<PropertyNode<Value>>?
      // The registry first: reading it is no access that has to be checked against this one.
      if hasRegistry(owner), let slot = owner[keyPath: storage].slot {
        node = slot.node(
          at: withUnsafeMutablePointer(to: &owner[keyPath: storage]) { UnsafeRawPointer($0) },
          of: Value.self)
      }
      // Only if needed: while the former value is retained, the mutation copies a collection.
      var former: Value?
      if let node, node._withUnsafeGuaranteedRef({ $0.willModify() }) {
        former = owner[keyPath: storage].value
      }
      defer {
        if let node {
          if let former, node._withUnsafeGuaranteedRef({ $0.hasRules }) {
            // Rules find the former value stored, as with any set.
            let value = owner[keyPath: storage].value
            owner[keyPath: storage].value = former
            node._withUnsafeGuaranteedRef { $0.endModify() }
            Self[_enclosingInstance: owner, wrapped: property(), storage: storage] = value
          } else {
            node._withUnsafeGuaranteedRef {
              if let former {
                $0.didModify(owner[keyPath: storage].value, replacing: former)
              } else {
                $0.didModify(owner[keyPath: storage].value)
              }
            }
          }
          withExtendedLifetime(former) {}
        }
      }
      yield &owner[keyPath: storage].value
    }
  }
}

extension Observed: PropertyStorage {
  @usableFromInline static var isWeak: Bool { false }

  @inlinable static func watch(_ value: Value, by node: PropertyNode<Value>) {}
}
