import KeylineCore
import Synchronization

/// Where a property's wrapper finds its node: a cell of memory that is never deallocated (P8).
///
///     wrapper at address A ──▶ slot (A, node) ──▶ node ◀── registry of the object
///
/// A wrapper is a struct, which a program may copy (`_name = other._name`), replace, save, and put
/// back at the same address later. So the reference alone proves nothing: a slot is valid for the
/// one wrapper whose address it stores, and the registry clears that when its object dies. A
/// wrapper that is a copy finds the address of another; one whose object has died finds none;
/// either is treated as a wrapper that has not been observed yet.
///
/// Proof that reading a slot is safe: its memory remains a slot for ever, and is reused for others;
/// the address is atomic; behind the address of a wrapper in a living object is that object's own
/// node, of the wrapper's type. The address of an object is stored by its own thread only: whoever
/// finds it in `owner`, whatever others write there, reads what that thread has written.
///
/// - Complexity: one comparison per observed write. As many slots stay allocated, of 32 bytes each,
///   64 for derived properties, and side by side, as properties have ever been observed at the same
///   time.
@usableFromInline struct PropertySlot: ~Copyable {
  /// The address of the wrapper; 0 while the slot is free.
  @usableFromInline let storage = Atomic<UInt>(0)
  @usableFromInline var node: Unmanaged<DependencyNode>?
  /// The address of the object that has the wrapper; while the slot is free, that of the next free
  /// one.
  private let link = Atomic<UInt>(0)
  /// The address of the object, where reading it is no atomic operation.
  @usableFromInline private(set) var owner: UInt = 0

  private init() {}

  /// Whether it is that of a wrapper in `owner`, which is alive.
  ///
  /// That suffices for a derived property, whose wrapper cannot be written: a copy from another
  /// property of the object has that one's rule, too.
  @inline(__always) func isSlot(in owner: AnyObject) -> Bool {
    link.load(ordering: .relaxed) == UInt(bitPattern: Unmanaged.passUnretained(owner).toOpaque())
  }

  /// Whether the evaluation under way on this thread has read the property already. For a slot that
  /// is a property's.
  ///
  /// Proof of unsafelyUnwrapped: that has a node.
  @inlinable @inline(__always) var isRecorded: Bool {
    node.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.evaluation == latestEvaluation() }
  }

  /// Records a read in the evaluation under way on this thread, if there is one.
  ///
  /// - Returns: false if it has to be known first which property it is.
  @inline(__always) func recordRead() -> Bool {
    guard let evaluation = ThreadScope.ofThread.pointee.evaluation else { return true }
    guard let node else { return false }
    return node._withUnsafeGuaranteedRef { node in
      guard node.isIdentified else { return false }
      evaluation.pointee.append(node)
      return true
    }
  }

  /// The address of the wrapper; 0 while the slot is free.
  var address: UInt { storage.load(ordering: .relaxed) }

  /// The first free ones: of stored properties, and of derived ones.
  private static let free = Protected<[UnsafeMutablePointer<PropertySlot>?]>([nil, nil])

  private static func list(of node: DependencyNode) -> Int { node.derivation == nil ? 0 : 1 }

  /// A slot for the wrapper at `storage`.
  static func make(
    for node: DependencyNode, at storage: UnsafeRawPointer, in owner: UnsafeRawPointer
  ) -> UnsafeMutablePointer<PropertySlot> {
    let list = list(of: node)
    let slot = free.withLock { free in
      let first = free[list] ?? allocate(isDerived: list == 1)
      free[list] = UnsafeMutablePointer(
        bitPattern: first.pointee.link.load(ordering: .relaxed))
      return first
    }
    slot.pointee.node = .passUnretained(node)
    slot.pointee.owner = UInt(bitPattern: owner)
    node.derivation?._withUnsafeGuaranteedRef {
      slot.clean.initialize(to: CleanValue(node.valueType))
      $0.clean = slot.clean
    }
    slot.pointee.link.store(UInt(bitPattern: owner), ordering: .relaxed)
    slot.pointee.storage.store(UInt(bitPattern: storage), ordering: .relaxed)
    return slot
  }

  /// - Returns: the first of a block of free slots. What is made in a row is read in a row, and then
  ///   shares lines of the cache; none is in two.
  private static func allocate(isDerived: Bool) -> UnsafeMutablePointer<PropertySlot> {
    let count = 64
    let stride = isDerived ? 2 : 1
    let block = UnsafeMutableRawPointer.allocate(
      byteCount: count * stride * MemoryLayout<PropertySlot>.stride, alignment: 64
    ).assumingMemoryBound(to: PropertySlot.self)
    for index in 0..<count {
      let slot = block + index * stride
      slot.initialize(to: PropertySlot())
      if isDerived { slot.clean.initialize(to: CleanValue(ObjectIdentifier(Never.self))) }
      let next = index + 1 < count ? slot + stride : nil
      slot.pointee.link.store(UInt(bitPattern: next), ordering: .relaxed)
    }
    return block
  }

  /// Ends what the slot of `node` stands for.
  static func recycle(_ slot: UnsafeMutablePointer<PropertySlot>, of node: DependencyNode) {
    let list = list(of: node)
    slot.pointee.storage.store(0, ordering: .relaxed)
    slot.pointee.node = nil
    slot.pointee.owner = 0
    if list == 1 { slot.clean.pointee.invalidate() }
    let slot = Unchecked(slot)
    free.withLock { free in
      slot.value.pointee.link.store(UInt(bitPattern: free[list]), ordering: .relaxed)
      free[list] = slot.value
    }
  }
}

extension UnsafeMutablePointer<PropertySlot> {
  /// The value of a derived property, which stands behind its slot: a clean read needs nothing else.
  @inlinable @inline(__always) var clean: UnsafeMutablePointer<CleanValue> {
    UnsafeMutableRawPointer(self + 1).assumingMemoryBound(to: CleanValue.self)
  }

  /// The node of the wrapper at `storage`; nil if the slot is another's.
  @inlinable @inline(__always)
  func node<Value>(
    at storage: UnsafeRawPointer, of value: Value.Type
  ) -> Unmanaged<PropertyNode<Value>>? {
    guard pointee.storage.load(ordering: .relaxed) == UInt(bitPattern: storage),
      let node = pointee.node
    else { return nil }
    // Proof: a wrapper of this value type has put a node of its own type there.
    return Unmanaged<PropertyNode<Value>>.fromOpaque(node.toOpaque())
  }
}
