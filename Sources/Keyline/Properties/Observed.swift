import KeylineCore

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
      var mutation: Mutation<Self>?
      // The registry first: reading it is no access that has to be checked against this one.
      if hasRegistry(owner), owner[keyPath: storage].slot != nil {
        mutation = Mutation(
          at: withUnsafeMutablePointer(to: &owner[keyPath: storage]) { $0 }, of: owner)
      }
      defer { mutation?.end() }
      yield &owner[keyPath: storage].value
    }
  }
}

/// A mutation in place of an observed property. Out of line: an unobserved one costs nothing more.
@usableFromInline struct Mutation<Storage: PropertyStorage> {
  /// Retained here, and only if the property is observed: else each mutation would retain it.
  @usableFromInline let owner: AnyObject
  /// The wrapper, in the owner.
  @usableFromInline let storage: UnsafeMutablePointer<Storage>
  @usableFromInline let node: Unmanaged<PropertyNode<Storage.Stored>>
  /// The former value, only if it is needed: while it is retained, the mutation copies a collection.
  @usableFromInline let former: Storage.Stored?

  /// What comes before it; nil if the property is not observed.
  ///
  /// The address must be one for ``PropertyStorage/write(_:at:)``.
  @inlinable @inline(never)
  init?(at storage: UnsafeMutablePointer<Storage>, of owner: AnyObject) {
    guard let node = storage.pointee.slot?.node(at: storage, of: Storage.Stored.self) else {
      return nil
    }
    self.owner = owner
    self.storage = storage
    self.node = node
    former = node._withUnsafeGuaranteedRef { $0.willModify() } ? storage.pointee.value : nil
  }

  /// What comes after it.
  @inlinable @inline(never) func end() {
    node._withUnsafeGuaranteedRef { node in
      guard let former else { return node.didModify(storage.pointee.value) }
      let value = storage.pointee.value
      guard node.hasRules else { return node.didModify(value, replacing: former) }
      // Rules find the former value stored, as with any set.
      storage.pointee.value = former
      node.endModify()
      Storage.write(value, at: storage)
    }
    withExtendedLifetime((owner, former)) {}
  }
}

extension Observed: PropertyStorage {
  @usableFromInline static var isWeak: Bool { false }

  @inlinable static func watch(_ value: Value, by node: PropertyNode<Value>) {}
}
