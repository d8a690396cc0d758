// For the check of exclusive access. The compiler makes it for every access to a property of a class
// in the source; an access at an offset has to ask for it.
import Builtin
import Synchronization

/// Stored properties, found by reflection. Only this type relies on the compiler's name for the
/// storage of a wrapper: the name of the property with an underscore before it.
enum StoredProperties {
  /// The name of the property whose wrapper is at `offset` in objects of `type`.
  static func name(at offset: UInt, in type: AnyClass) -> String? {
    var name: String?
    forEachField(of: type, unwrapped: true) {
      guard UInt(bitPattern: $1) == offset else { return false }
      name = self.name(ofWrapper: $2)
      return true
    }
    return name
  }

  /// The name of the property whose wrapper has the label `label`: `_name`, or `` `_raw name` ``,
  /// in which the compiler replaces spaces by no-break spaces.
  static func name(ofWrapper label: UnsafePointer<CChar>) -> String {
    let name = String(cString: label)
    guard name.first == "`" else { return String(name.dropFirst()) }
    return String(name.dropFirst(2).dropLast().map { $0 == "\u{A0}" ? " " : $0 })
  }

  /// Calls `body` with the type of every wrapper in objects of `type`, its offset, and its label,
  /// until `body` returns true.
  ///
  /// - Parameters:
  ///   - declaredOnly: whether to skip inherited fields.
  ///   - unwrapped: whether a wrapper around one of Keyline's wrappers counts as the inner one.
  static func forEachField(
    of type: AnyClass, declaredOnly: Bool = false, unwrapped: Bool = false,
    _ body: (any WrapperStorage.Type, Int, UnsafePointer<CChar>) -> Bool
  ) {
    // Fields of superclasses come first.
    let inherited =
      declaredOnly ? _getSuperclass(type).map { reflectedCount($0) } ?? 0 : 0
    Reflection.forEachField(of: type, from: inherited) { storage, offset, label, _ in
      var storage = storage
      if unwrapped, let outer = storage as? any OuterStorage.Type { storage = outer.inner }
      guard let storage = storage as? any WrapperStorage.Type,
        label.pointee == UInt8(ascii: "_") || label.pointee == UInt8(ascii: "`")
      else { return false }
      return body(storage, offset, label)
    }
  }

  /// The value of the field of type `type` at `offset`.
  static func load(_ type: Any.Type, of object: AnyObject, at offset: Int) -> Any {
    // Proof of the pointer: the runtime describes a field of this type there.
    func load<Value>(_ type: Value.Type) -> Any {
      Reflection.address(of: object, at: offset).assumingMemoryBound(to: type).pointee
    }
    return _openExistential(type, do: load)
  }
}

/// A wrapper whose only field is another wrapper.
///
/// Proof that it may be used as the inner one: the only field of a struct has the address of the
/// struct.
protocol OuterStorage {
  static var inner: Any.Type { get }
}

/// The storage of a property wrapper, as reflection finds it.
@usableFromInline protocol WrapperStorage {}

extension WrapperStorage {
  /// The address of the wrapper in `object`, whose class stores it at `offset`; for one access.
  ///
  /// Proof of the cast: the runtime describes this storage at the offset.
  static func storage(of object: AnyObject, at offset: Int) -> UnsafeMutablePointer<Self> {
    Reflection.address(of: object, at: offset).assumingMemoryBound(to: Self.self)
  }
}

extension PropertyStorage {
  static var storedType: Any.Type { Stored.self }

  /// The value in the wrapper at `offset` in `object`; reading it records nothing.
  static func value(in object: AnyObject, _ offset: Int) -> Any {
    storage(of: object, at: offset).pointee.value
  }
}

extension PropertyStorage {
  /// Reads the value like the wrapper's own accessor, and records the read.
  static func read(_ owner: some PropertyObservable, at storage: UnsafeMutablePointer<Self>)
    -> Stored
  {
    if isTracking() { trackRead(of: owner, storage) { nil } }
    return storage.pointee.value
  }
}

// MARK: Reflection

/// The stored fields of classes, as described by the runtime.
enum Reflection {
  /// Calls `body` with every field in objects of `type`, its offset, its name, and whether it is
  /// strong, until `body` returns true. A module built with `-disable-reflection-metadata` has no
  /// such metadata: its properties then have no names.
  static func forEachField(
    of type: AnyClass, from first: Int = 0,
    _ body: (Any.Type, Int, UnsafePointer<CChar>, _ isStrong: Bool) -> Bool
  ) {
    for index in first..<max(first, reflectedCount(type)) {
      var field = FieldMetadata()
      let storage = reflectedType(type, index: index, metadata: &field)
      defer { field.release?(field.name) }
      if let label = field.name,
        body(storage, reflectedOffset(type, index: index), label, field.isStrong)
      {
        return
      }
    }
  }

  /// The address of the stored field at `offset` in `object`, for one access.
  ///
  /// Traps during an in-place mutation of the field, as an access in the source does (P1). A read is
  /// checked even if the caller writes: only in-place mutations last longer than an instruction, so
  /// that both conflict with the same accesses.
  ///
  /// Proof of Unmanaged: the caller keeps the object alive. The check uses the address only, and not
  /// the type.
  @inline(__always) static func address(
    of object: AnyObject, at offset: Int
  ) -> UnsafeMutableRawPointer {
    let address = Unmanaged.passUnretained(object).toOpaque() + offset
    Builtin.performInstantaneousReadAccess(address._rawValue, UInt8.self)
    return address
  }
}

// The functions behind the standard library's Mirror. Proof of @_silgen_name: the runtime exports
// these three functions, with these types, for the standard library on every platform; they are
// private only in that no header declares them.
@_silgen_name("swift_reflectionMirror_recursiveCount")
private func reflectedCount(_ type: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func reflectedType(
  _ type: Any.Type, index: Int, metadata: UnsafeMutablePointer<FieldMetadata>
) -> Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func reflectedOffset(_ type: Any.Type, index: Int) -> Int

/// The layout that the runtime uses.
private struct FieldMetadata {
  var name: UnsafePointer<CChar>?
  var release: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
  var isStrong = false
  var isVariable = false
}

/// The storage of a stored property in its object: one of this library's wrappers.
///
/// The accessors pass the address of the storage once, to an out-of-line function. Nothing keeps the
/// address from one call to the next. Proof of the pointers: the address of a stored property of a
/// class is stable while the object lives, and the caller keeps the object alive; making the pointer
/// traps during an in-place mutation; each access through the pointer reads or writes one field, and
/// lasts no longer than that takes.
@usableFromInline protocol PropertyStorage<Stored>: WrapperStorage {
  associatedtype Stored

  static var isWeak: Bool { get }

  /// The node of the property; nil until the property is first observed.
  var node: PropertyNode<Stored>? { get set }

  /// The value. Reading it records nothing, and writing it delivers nothing.
  var value: Stored { get set }

  /// Makes the node of a weak property deliver nil when the referenced object dies.
  static func watch(_ value: Stored, by node: PropertyNode<Stored>)
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
  guard transaction.isEvaluating,
    let node = node(of: owner, storage, isMade: true, property)
  else { return }
  node.owner.use(in: transaction)
  transaction.didRead(node)
}

/// The node of a property.
///
/// - Parameter isMade: whether to make the node if there is none.
func node<Storage: PropertyStorage>(
  of owner: some PropertyObservable, _ storage: UnsafeMutablePointer<Storage>, isMade: Bool,
  _ property: () -> AnyKeyPath?
) -> PropertyNode<Storage.Stored>? {
  let place = UInt(bitPattern: storage)
  if let node = storage.pointee.node, node.isValid(for: owner, at: place, property) { return node }
  storage.pointee.node = nil
  // Without a node to make, nothing is registered: a thread that evaluates something must not cost
  // the objects of other threads a registry and a weak reference.
  let existing =
    isMade ? PropertyRegistry.contents(of: owner) : RegisteredObject.existing(of: owner)
  guard let object = existing, object.type == type(of: owner) else { return nil }
  var found = object.node(at: place) as? PropertyNode<Storage.Stored>
  if found == nil, isMade {
    let made = StoredNode<Storage>(owner: object, place: place)
    if Storage.isWeak { made.state.insert(.weak) }
    made.keyPath = property()
    object.add(made)
    found = made
  }
  guard let found else { return nil }
  storage.pointee.node = found
  Storage.watch(storage.pointee.value, by: found)
  return found
}

/// The node of a stored property, which reads the value from the object.
private final class StoredNode<Storage: PropertyStorage>: PropertyNode<Storage.Stored>,
  @unchecked Sendable
{
  // Proof of @unchecked: as for its superclass.

  override func currentValue(of owner: AnyObject, in transaction: Transaction) -> Storage.Stored? {
    // Before a subscription, the property has been read through its accessor.
    Storage.value(of: self, in: owner)
  }
}

extension PropertyStorage {
  /// The value where no mutation of it can be under way: at the end of a batch, for instance.
  @inlinable @inline(__always) static func value(of node: Node, in owner: AnyObject) -> Stored {
    // Proof of the pointer: a node is only made for a place in the object at which its class has this
    // storage; the caller keeps the object alive.
    (Unmanaged.passUnretained(owner).toOpaque() + Int(node.place &- node.owner.identity))
      .assumingMemoryBound(to: Self.self).pointee.value
  }
}

/// Sets a property that is observed, or any property while something is being evaluated.
///
/// Inlinable, so that it is specialised for the type of the value: generic code would look up
/// metadata at each step.
@inlinable @inline(never) func write<Storage: PropertyStorage>(
  _ newValue: Storage.Stored, to owner: some PropertyObservable,
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
  if Storage.isWeak { Storage.watch(value, by: node) }
  node.changed(
    to: value, from: isDead ? nil : former, of: owner,
    collected: { PropertyNode.deliverCollected($0, Storage.value(of: $0, in: $1), in: $2) })
  withExtendedLifetime((former, owner)) {}
}

/// Sets a property whose wrapper has no valid node: the property is unobserved, or the wrapper is a
/// copy.
@inline(never) @usableFromInline func writeWithoutNode<Storage: PropertyStorage>(
  _ newValue: Storage.Stored, to owner: some PropertyObservable,
  _ storage: UnsafeMutablePointer<Storage>
) {
  if node(of: owner, storage, isMade: false, { nil }) != nil {
    return write(newValue, to: owner, storage)
  }
  willWriteUnobserved(owner, at: UInt(bitPattern: storage))
  withExtendedLifetime(storage.pointee.value) { storage.pointee.value = newValue }
}

/// Called before a set of an unobserved property. The set counts as an operation on the object
/// (D23), and is reported if a rule makes it (D17).
private func willWriteUnobserved(_ owner: some PropertyObservable, at place: UInt) {
  let transaction = Transaction.current
  guard transaction.evaluation.ruleLevel > 0, transaction.isInRule else { return }
  transaction.reportWrite(
    to: StoredProperties.name(at: place &- address(of: owner), in: type(of: owner)),
    of: type(of: owner))
}

/// An in-place mutation of an observed property.
@usableFromInline struct Mutation<Storage: PropertyStorage> {
  private let owner: any PropertyObservable
  private let node: PropertyNode<Storage.Stored>
  /// The former value, only if the mutation needs it: while it is retained, mutating a collection
  /// copies it.
  private let former: Storage.Stored?

  /// Begins the mutation; returns nil if the property is not observed.
  @usableFromInline @inline(never)
  init?(of owner: some PropertyObservable, _ storage: UnsafeMutablePointer<Storage>) {
    guard let node = Keyline.node(of: owner, storage, isMade: false, { nil }) else {
      willWriteUnobserved(owner, at: UInt(bitPattern: storage))
      return nil
    }
    self.owner = owner
    self.node = node
    node.owner.use(in: .current)
    former = node.beginMutation() ? storage.pointee.value : nil
  }

  /// Ends the mutation and delivers the change.
  @usableFromInline @inline(never) func end() {
    let storage = Storage.storage(of: owner, at: Int(node.place &- address(of: owner)))
    var value: Storage.Stored? = storage.pointee.value
    if let former, var accepted = value, let validators = node.validators, validators.isObserved {
      // As with any set, rules find the former value stored.
      storage.pointee.value = former
      value = node.willSet(&accepted) ? accepted : nil
      if let value { storage.pointee.value = value }
    }
    node.endMutation(with: value, from: former, of: owner)
    withExtendedLifetime((former, owner)) {}
  }
}

// MARK: Tracking

/// The number of threads that are evaluating something, so that reads must be recorded, plus the
/// number of objects with a death in their inbox, so that operations must deliver it.
///
/// Every access to an observable property loads this word. The accesses are inlined into clients,
/// so that the word must be a plain variable; it is the only global variable of this kind in the
/// library.
///
/// Proof of nonisolated(unsafe), of @exclusivity(unchecked) and of the pointer: only
/// `countTracking` writes the word, atomically, and a plain load of an aligned word is one move. A
/// thread that evaluates sees its own count; a stale count of another thread costs a look-up.
@exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var trackingCount: Int = 0

/// Whether an access to a property may have to do more than load or store the value.
@inlinable @inline(__always) func isTracking() -> Bool { trackingCount != 0 }

func countTracking(_ change: Int) {
  withUnsafeMutablePointer(to: &trackingCount) { pointer in
    let word = UnsafeRawPointer(pointer).assumingMemoryBound(to: Atomic<Int>.self)
    _ = word.pointee.wrappingAdd(change, ordering: .relaxed)
  }
}
