import Synchronization

/// Makes a stored property of a ``PropertyObservable`` class observable.
///
/// ```swift
/// final class Person: ReactiveObject {
///   @Observed var name = ""
/// }
/// ```
///
/// `$name` is the sequence of its values, as they are stored: `person.$name.map(\.count)`. It is read-only.
///
/// The value is stored inline, beside one word, which is nil until the property is first observed.
/// Reading and writing an unobserved property costs what a plain one costs, but for a retain where the
/// object is not retained already. In-place mutation stays in place: `list.append(x)` is O(1)
/// amortised, observed or not. Under a rule (`validate`)
/// or an exclusive binding it is O(n): they receive the former value, too, so that the mutation
/// copies it.
///
/// In a class that is not ``PropertyObservable`` the compiler reports, without a line, that the static
/// subscript requires the class to conform; in a struct, that `wrappedValue` is unavailable. A wrapper
/// that is copied or replaced (`_name = other._name`, `_name = Observed(wrappedValue: "")`) keeps the
/// program safe; observers follow again from the next time the property is observed (P8).
///
/// - Note: the accessors are inlined always, and use the key path of the storage only to project: then
///   the optimiser folds it into plain accesses, in every place including key paths that the client
///   makes to the property. The property's own key path is an autoclosure, or it would be made for each
///   access, and released after it, which brackets the read with a retain and a release of the value.
@propertyWrapper public struct Observed<Value> {
  @usableFromInline var value: Value
  /// Nil until the property is first observed. A copied wrapper brings that of another property, which is
  /// known by its place.
  @usableFromInline var node: PropertyNode<Value>?

  /// A property with a first value.
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
        trackRead(of: owner, withUnsafeMutablePointer(to: &owner[keyPath: storage]) { $0 }) {
          property()
        }
      }
      return owner[keyPath: storage].value
    }
    @inline(__always) set {
      // Everything else is out of line: an unobserved property costs nothing more.
      if owner[keyPath: storage].node == nil, !isTracking() {
        owner[keyPath: storage].value = newValue
      } else {
        write(
          newValue, to: owner, withUnsafeMutablePointer(to: &owner[keyPath: storage]) { $0 })
      }
    }
    @inline(__always) _modify {
      // One yield only, so that the optimiser inlines the accessor into its caller.
      var mutation: Mutation<Self>?
      if owner[keyPath: storage].node != nil || isTracking() {
        mutation = Mutation(
          of: owner, withUnsafeMutablePointer(to: &owner[keyPath: storage]) { $0 })
      }
      defer { mutation?.end() }
      yield &owner[keyPath: storage].value
    }
  }

  /// `$name`: the value now, and after every set.
  public static subscript<Owner: PropertyObservable>(
    _enclosingInstance owner: Owner,
    projected property: KeyPath<Owner, PropertySequence<Value>>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> PropertySequence<Value> {
    sequence(of: owner, storage)
  }
}

extension Observed: PropertyStorage {
  @usableFromInline static var isWeak: Bool { false }
  @usableFromInline static func watch(_ value: Value, by node: PropertyNode<Value>) {}
}

/// The storage of a stored property in its object: a wrapper of this library.
///
/// The accessors hand out its address, once, to a function that is out of line. Proof of the pointers:
/// the address of a stored property of a class is stable while the object lives, which the caller keeps
/// alive; what is read and written through it is one field at a time, for no longer than that takes.
@usableFromInline protocol PropertyStorage<Stored>: WrapperStorage {
  associatedtype Stored

  static var isWeak: Bool { get }

  /// The property's node, once it has been observed.
  var node: PropertyNode<Stored>? { get set }

  /// The value: neither tracked nor delivered.
  var value: Stored { get set }

  /// Makes the node of a weak property deliver the death of the object that it refers to.
  static func watch(_ value: Stored, by node: PropertyNode<Stored>)
}

extension PropertyStorage {
  /// The values of the property, as they are stored.
  static func sequence<Owner: PropertyObservable>(
    of owner: Owner, _ storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> PropertySequence<Stored> {
    let path = PropertyPath<Stored>(isProperty: true) { root in
      // Proof of the cast: the path is used with this object only.
      let owner = cast(root, to: Owner.self)
      return read(owner, at: withUnsafeMutablePointer(to: &owner[keyPath: storage]) { $0 })
    }
    return owner.observation(of: path, named: "observe(_:options:)")
  }
}

/// Records the read of a property in the evaluation under way on this thread; makes its node if there is
/// none yet.
///
/// - Parameter property: makes the property's own key path; nil if it is not known. A closure, because
///   the key path would be made for each read otherwise.
@inlinable @inline(never) func trackRead<Storage: PropertyStorage>(
  of owner: some PropertyObservable, _ storage: UnsafeMutablePointer<Storage>,
  _ property: () -> AnyKeyPath?
) {
  if let node = storage.pointee.node, node.wasRead(at: UInt(bitPattern: storage)) { return }
  trackFirstRead(of: owner, storage, property)
}

@inline(never) @usableFromInline func trackFirstRead<Storage: PropertyStorage>(
  of owner: some PropertyObservable, _ storage: UnsafeMutablePointer<Storage>,
  _ property: () -> AnyKeyPath?
) {
  let transaction = Transaction.current
  guard transaction.isEvaluating,
    let node = node(of: owner, storage, isMade: true, property)
  else { return }
  node.owner.use(in: transaction)
  transaction.didRead(node)
}

/// The node of a property.
///
/// - Parameter isMade: whether it is made if there is none.
func node<Storage: PropertyStorage>(
  of owner: some PropertyObservable, _ storage: UnsafeMutablePointer<Storage>, isMade: Bool,
  _ property: () -> AnyKeyPath?
) -> PropertyNode<Storage.Stored>? {
  let place = UInt(bitPattern: storage)
  if let node = storage.pointee.node, node.isNode(at: place) {
    if node.keyPath == nil { node.keyPath = property() }
    return node
  }
  // New, copied or replaced.
  if let stale = storage.pointee.node { stale.reportExchange(of: owner, at: place) }
  storage.pointee.node = nil
  guard let object = PropertyRegistry.contents(of: owner) else { return nil }
  var found = object.node(at: place) as? PropertyNode<Storage.Stored>
  if found == nil, isMade {
    let made = PropertyNode<Storage.Stored>(owner: object, place: place) {
      // Proof of the pointer: the object is that of the wrapper, and alive.
      withExtendedLifetime($0) { storage.pointee.value }
    }
    made.isWeak = Storage.isWeak
    made.keyPath = property()
    object.add(made)
    found = made
  }
  guard let found else { return nil }
  storage.pointee.node = found
  Storage.watch(storage.pointee.value, by: found)
  return found
}

/// Sets a property that is observed, or while something is being evaluated.
///
/// Inlinable, so that it is specialised for the type of the value: generic code would look up metadata at
/// each step.
@inlinable @inline(never) func write<Storage: PropertyStorage>(
  _ newValue: Storage.Stored, to owner: some PropertyObservable,
  _ storage: UnsafeMutablePointer<Storage>
) {
  guard let node = storage.pointee.node,
    node.isNode(at: UInt(bitPattern: storage))
  else { return writeWithoutNode(newValue, to: owner, storage) }
  var value = newValue
  if node.beginSet(), !node.willSet(&value) { return }
  // The former value outlives the delivery: observers that receive it find it alive, and an object that
  // dies with it announces its death after what replaced it has been delivered.
  let former = storage.pointee.value
  storage.pointee.value = value
  if Storage.isWeak { Storage.watch(value, by: node) }
  node.changed(to: value, from: former, of: owner)
  withExtendedLifetime((former, owner)) {}
}

/// Sets a property whose wrapper is not known to be observed: it is not, or it is a copy.
@inline(never) @usableFromInline func writeWithoutNode<Storage: PropertyStorage>(
  _ newValue: Storage.Stored, to owner: some PropertyObservable,
  _ storage: UnsafeMutablePointer<Storage>
) {
  if node(of: owner, storage, isMade: false, { nil }) != nil {
    return write(newValue, to: owner, storage)
  }
  willWriteUnobserved(owner, at: UInt(bitPattern: storage))
  storage.pointee.value = newValue
}

/// Called before the store of a property that nothing observes: it is an operation on the object (D23), and
/// reported if a rule makes it (D17).
private func willWriteUnobserved(_ owner: some PropertyObservable, at place: UInt) {
  let transaction = Transaction.current
  if RegisteredObject.isMailPending { RegisteredObject.of(owner)?.use(in: transaction) }
  guard transaction.ruleLevel > 0, transaction.isInRule else { return }
  transaction.reportWrite(
    to: StoredProperties.name(at: place &- address(of: owner), in: type(of: owner)),
    of: type(of: owner))
}

/// A mutation in place of an observed property.
@usableFromInline struct Mutation<Storage: PropertyStorage> {
  private let owner: any PropertyObservable
  private let storage: UnsafeMutablePointer<Storage>
  private let node: PropertyNode<Storage.Stored>
  /// The former value, only if it is needed: while it is retained, the mutation copies a collection.
  private let former: Storage.Stored?

  /// What comes before it; nil if the property is not observed.
  @usableFromInline @inline(never)
  init?(of owner: some PropertyObservable, _ storage: UnsafeMutablePointer<Storage>) {
    guard let node = Keyline.node(of: owner, storage, isMade: false, { nil }) else {
      willWriteUnobserved(owner, at: UInt(bitPattern: storage))
      return nil
    }
    self.owner = owner
    self.storage = storage
    self.node = node
    node.owner.use(in: .current)
    former = node.beginMutation() ? storage.pointee.value : nil
  }

  /// What comes after it.
  @usableFromInline @inline(never) func end() {
    let value = storage.pointee.value
    if let former, let validators = node.validators, validators.isObserved {
      // Rules find the former value stored, as with any set.
      storage.pointee.value = former
      var accepted = value
      if node.willSet(&accepted) {
        storage.pointee.value = accepted
        node.endMutation(with: accepted, from: former, of: owner)
      } else {
        node.endMutation(of: owner)
      }
    } else {
      node.endMutation(with: value, from: former, of: owner)
    }
    withExtendedLifetime((former, owner)) {}
  }
}

// MARK: Tracking

/// How many threads are evaluating something, so that reads have to be recorded; and how many objects have
/// deaths in their inboxes, so that operations have to look there.
///
/// Every access to an observable property loads this word: inlined into clients, it has to be a plain
/// variable, and it is the only one of the library.
///
/// Proof of nonisolated(unsafe), of @exclusivity(unchecked) and of the pointer: the word is written
/// atomically, by `countTracking` alone, and a plain load of an aligned word is one move. A thread that
/// evaluates sees its own count; a stale count of other threads costs a look-up.
@exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var trackingCount: Int = 0

/// Whether accesses to properties may be more than that.
@inlinable @inline(__always) func isTracking() -> Bool { trackingCount != 0 }

func countTracking(_ change: Int) {
  withUnsafeMutablePointer(to: &trackingCount) { pointer in
    let word = UnsafeRawPointer(pointer).assumingMemoryBound(to: Atomic<Int>.self)
    _ = word.pointee.wrappingAdd(change, ordering: .relaxed)
  }
}

// MARK: Weak references

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

  /// `$name`: the value now, and after every set.
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
