import Observation

// The storage of properties in their objects, and how observed properties are read and set.

/// The storage of a stored property. The accessors pass its address once, to an out-of-line function.
/// Nothing keeps the address from one call to the next. Proof of the pointers: the address of a stored property of a
/// class is stable while the object lives, and the caller keeps the object alive; making the pointer
/// traps during an in-place mutation; each access through the pointer reads or writes one field, and
/// lasts no longer than that takes.
@usableFromInline protocol PropertyStorage<Value>: NodeStorage where Made == PropertyNode<Value> {
  /// The value. Reading it records nothing, and writing it delivers nothing.
  var value: Value { get set }
}

/// Records the read of a property in the evaluation under way on this thread, and makes the node of
/// the property if there is none yet.
///
/// - Parameter property: makes the property's own key path; returns nil if the key path is not
///   known. A closure, because otherwise each read would make the key path.
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
  guard transaction.isEvaluating, let node = node(of: owner, storage, property) else { return }
  node.owner.use(in: transaction)
  transaction.didRead(node)
}

/// The storage of a property in its object: one of this library's wrappers.
@usableFromInline protocol NodeStorage<Value> {
  associatedtype Value
  associatedtype Made: Node
  static var isWeak: Bool { get }

  /// The node of the property; nil until the property is first observed.
  var node: Made? { get set }

  /// Makes the node of the wrapper at `place`.
  func makeNode(of object: RegisteredObject, at place: UInt) -> Made

  /// Makes the node of a weak property deliver nil when the referenced object dies.
  func watch(by node: Made)

  /// Reads the value as the wrapper's own accessor does, and records the read.
  static func read(
    _ owner: some PropertyObservable, at storage: UnsafeMutablePointer<Self>
  ) -> Value

  /// Sets the value as the wrapper's own accessor does; nil if the property is read-only.
  static var set: ((Value, any PropertyObservable, UnsafeMutablePointer<Self>) -> Void)? { get }
}

extension NodeStorage {
  @usableFromInline static var isWeak: Bool { false }
  @usableFromInline func watch(by node: Made) {}

  /// The address of the wrapper in `object`, whose class stores it at `offset`; for one access.
  ///
  /// Proof of the cast: the runtime describes this storage at the offset.
  static func storage(of object: AnyObject, at offset: Int) -> UnsafeMutablePointer<Self> {
    Reflection.address(of: object, at: offset).assumingMemoryBound(to: Self.self)
  }
}

/// The node of a property.
///
/// - Parameter isMade: whether to make the node if there is none.
func node<Storage: NodeStorage>(
  of owner: some PropertyObservable, _ storage: UnsafeMutablePointer<Storage>, isMade: Bool = true,
  _ property: () -> AnyKeyPath?
) -> Storage.Made? {
  let place = UInt(bitPattern: storage)
  if let node = storage.pointee.node, node.isValid(for: owner, at: place, property) { return node }
  storage.pointee.node = nil
  // Without a node to make, nothing is registered: a thread that evaluates something must not cost
  // the objects of other threads a registry and a weak reference.
  let existing =
    isMade ? PropertyRegistry.contents(of: owner) : RegisteredObject.existing(of: owner)
  guard let object = existing, object.type == type(of: owner) else { return nil }
  let former = object.node(at: place)
  // Another derived property at the same place had another rule.
  var found = former?.isDerived == true ? nil : former as? Storage.Made
  if found == nil, isMade {
    // A copy of the wrapper that was here may still be in use.
    former?.place = 0
    if let former, !former.isObserved, former.dependents.isEmpty { _ = former.markEnded() }
    let made = storage.pointee.makeNode(of: object, at: place)
    made.keyPath = property()
    object.add(made)
    found = made
  }
  guard let found else { return nil }
  storage.pointee.node = found
  storage.pointee.watch(by: found)
  return found
}

extension PropertyStorage {
  /// The stored values of the property, as a sequence.
  static func sequence<Owner: PropertyObservable>(
    of owner: Owner, _ storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> PropertySequence<Value> {
    let path = PropertyPath<Value>(isProperty: true) { root in
      // Proof of the cast: the path is used with this object only.
      let owner = cast(root, to: Owner.self)
      return read(owner, at: stableAddress(of: &owner[keyPath: storage]))
    }
    return owner.observation(of: path, named: "observe(_:options:)")
  }

  @usableFromInline static func read(
    _ owner: some PropertyObservable, at storage: UnsafeMutablePointer<Self>
  ) -> Value {
    if isTracking() { trackRead(of: owner, storage) { nil } }
    return storage.pointee.value
  }

  @usableFromInline
  static var set: ((Value, any PropertyObservable, UnsafeMutablePointer<Self>) -> Void)? {
    { Keyline.write($0, to: $1, $2) }
  }

  @usableFromInline func makeNode(of object: RegisteredObject, at place: UInt) -> Made {
    let made = StoredNode<Self>(owner: object, place: place)
    if Self.isWeak { made.state.insert(.weak) }
    return made
  }
}

/// The node of a stored property, which reads the value from the object.
private final class StoredNode<Storage: PropertyStorage>: PropertyNode<Storage.Value>,
  @unchecked Sendable
{
  // Proof of @unchecked: as for its superclass.

  /// The value where no mutation of it can be under way, as at the end of a batch.
  override func currentValue(of owner: AnyObject, in transaction: Transaction) -> Storage.Value? {
    // Proof of the pointer: a node is only made for a place in the object at which its class has this
    // storage; the caller keeps the object alive.
    (Unmanaged.passUnretained(owner).toOpaque() + Int(place &- self.owner.identity))
      .assumingMemoryBound(to: Storage.self).pointee.value
  }
}

/// Sets a property that is observed, or any property while something is being evaluated.
///
/// Inlinable, so that it is specialised for the type of the value: generic code would look up
/// metadata at each step.
@inlinable @inline(never) func write<Storage: PropertyStorage>(
  _ newValue: Storage.Value, to owner: some PropertyObservable,
  _ storage: UnsafeMutablePointer<Storage>
) {
  guard let node = storage.pointee.node,
    node.isNode(at: UInt(bitPattern: storage))
  else { return writeWithoutNode(newValue, to: owner, storage) }
  var value = newValue
  if node.prepareSet(), !node.willSet(&value) { return }
  // The former value outlives the delivery. Observers that refer to it find it alive, and an object
  // that dies with it announces its death after the new value has been delivered.
  let former = storage.pointee.value
  storage.pointee.value = value
  let isDead = Storage.isWeak && node.hasLost(former)
  if Storage.isWeak { storage.pointee.watch(by: node) }
  node.changed(to: value, from: isDead ? nil : former, of: owner)
  withExtendedLifetime((former, owner)) {}
}

/// Sets a property whose wrapper has no valid node: the property is unobserved, or the wrapper is a
/// copy.
@inline(never) @usableFromInline func writeWithoutNode<Storage: PropertyStorage>(
  _ newValue: Storage.Value, to owner: some PropertyObservable,
  _ storage: UnsafeMutablePointer<Storage>
) {
  if node(of: owner, storage, isMade: false, { nil }) != nil {
    return write(newValue, to: owner, storage)
  }
  willWriteUnobserved(owner, at: UInt(bitPattern: storage))
  withExtendedLifetime(storage.pointee.value) { storage.pointee.value = newValue }
}

/// An in-place mutation of an observed property.
@usableFromInline struct Mutation<Storage: PropertyStorage> {
  private let owner: any PropertyObservable
  private let node: PropertyNode<Storage.Value>
  /// The former value, only if the mutation needs it: while it is retained, mutating a collection
  /// copies it.
  private let former: Storage.Value?

  /// Begins the mutation; returns nil if the property is not observed.
  @usableFromInline @inline(never)
  init?(of owner: some PropertyObservable, _ storage: UnsafeMutablePointer<Storage>) {
    guard let node = Keyline.node(of: owner, storage, isMade: false, { nil }) else {
      willWriteUnobserved(owner, at: UInt(bitPattern: storage))
      return nil
    }
    self.owner = owner
    self.node = node
    let transaction = Transaction.current
    node.owner.use(in: transaction)
    // Opens the transaction, so that computed values are evaluated after the access has ended.
    transaction.depth += 1
    let isValidated = node.validators?.areNeeded == true
    if !isValidated, Transaction.areAnnouncementsWanted { transaction.announce(node) }
    // Comparing a collection would need a copy of it.
    let isCompared =
      Optionals.isReference(Storage.Value.self)
      || transaction.batch.level > 0 && !(Storage.Value.self is any Collection.Type)
    former = isValidated || isCompared ? storage.pointee.value : nil
  }

  /// Ends the mutation and delivers the change.
  @usableFromInline @inline(never) func end() {
    let storage = Storage.storage(of: owner, at: Int(node.place &- address(of: owner)))
    var value: Storage.Value? = storage.pointee.value
    if let former, var accepted = value, node.validators?.areNeeded == true {
      // As with any set, rules find the former value stored.
      storage.pointee.value = former
      value = node.willSet(&accepted) ? accepted : nil
      if let value { storage.pointee.value = value }
    }
    let transaction = Transaction.current
    if let value {
      // The change opens the transaction again, and settles in place of the mutation.
      transaction.depth -= 1
      node.changed(to: value, from: former, of: owner)
    } else {
      transaction.close(for: owner, node)
    }
    withExtendedLifetime((former, owner)) {}
  }
}

// MARK: Derived properties

extension Derived: NodeStorage {
  @usableFromInline
  func makeNode(of object: RegisteredObject, at place: UInt) -> ComputedNode<Value> {
    let node = ComputedNode<Value>(owner: object, place: place, .derived, rule: rule)
    if object.type is any Observation.Observable.Type { node.registerReads() }
    return node
  }

  @usableFromInline static func read(
    _ owner: some PropertyObservable, at storage: UnsafeMutablePointer<Self>
  ) -> Value {
    // Proof of the cast: the storage belongs to a wrapper in the owner, whose class is Owner.
    read(of: cast(owner, to: Owner.self), storage) { nil }
  }

  @usableFromInline
  static var set: ((Value, any PropertyObservable, UnsafeMutablePointer<Self>) -> Void)? { nil }

  /// Brings the value up to date and records the read in the evaluation under way.
  @inlinable @inline(never) static func read(
    of owner: Owner, _ storage: UnsafeMutablePointer<Self>, _ property: () -> AnyKeyPath?
  ) -> Value {
    if let node = storage.pointee.node, node.isNode(at: UInt(bitPattern: storage)),
      node.keyPath != nil
    {
      return node.read(of: owner)
    }
    return registeredNode(of: owner, storage, property).read(of: owner)
  }

  // Returns before the rule is evaluated, so that a row of rules takes little of the stack.
  @usableFromInline static func registeredNode(
    of owner: Owner, _ storage: UnsafeMutablePointer<Self>, _ property: () -> AnyKeyPath?
  ) -> ComputedNode<Value> {
    // An object that cannot be observed, which has been reported, gets a node for this read.
    Keyline.node(of: owner, storage, property)
      ?? storage.pointee.makeNode(of: RegisteredObject(owner), at: 0)
  }
}
