import KeylineCore
import Synchronization

/// Where a stored property is in each object of one class.
struct PropertyPlace {
  private let type: ObjectIdentifier
  /// The offsets of the wrapper, and of the word in it that refers to its slot.
  private let wrapper: Int
  private let reference: Int

  /// The place of `property`; nil if it cannot be found by it in other objects of the class.
  init?<Value>(of property: PropertyNode<Value>) {
    guard property.derivation == nil, let slot = property.slot else { return nil }
    // Proof of Unmanaged, here and below: an address in an object that the caller retains.
    let address = Unmanaged.passUnretained(property.object).toOpaque()
    type = ObjectIdentifier(Swift.type(of: property.object))
    wrapper = Int(bitPattern: slot.pointee.address) - Int(bitPattern: address)
    // In a wrapper the value comes first, and the reference follows: which is looked at.
    reference = wrapper + (MemoryLayout<Value>.size + 7) & ~7
    guard (address + reference).load(as: UnsafeMutablePointer<PropertySlot>?.self) == slot else {
      return nil
    }
  }

  /// The property of an object; nil if that is of another class, or nothing has observed it yet.
  ///
  /// Proof of the load: in objects of one class the same wrapper is at the same place.
  @inline(__always)
  func property<Value>(of object: AnyObject) -> Unmanaged<PropertyNode<Value>>? {
    guard type == ObjectIdentifier(Swift.type(of: object)) else { return nil }
    let address = Unmanaged.passUnretained(object).toOpaque()
    return (address + reference).load(as: UnsafeMutablePointer<PropertySlot>?.self)?
      .node(at: address + wrapper, of: Value.self)
  }
}

/// The places of properties that have been observed by paths which are plain functions: those of key
/// paths that are literals, in optimised code. By them a property is found without evaluating the
/// path.
///
/// A place, once known, stays for ever, and is not replaced by that of another path: so reading the
/// table takes no lock. Proof that the function and the class determine the property: the function
/// captures nothing; it has been found to lead to a stored property of an object of that class, by the
/// property's own key path, which no class in between overrides.
///
/// - Complexity: O(1); room for some thousands of paths and classes, of which each takes 40 bytes.
///   Those beyond that are evaluated.
enum KnownPlaces {
  private struct Entry {
    let function: UInt
    let place: PropertyPlace
  }

  private static let count = 4096
  // Proof of nonisolated(unsafe): never changed; its elements are atomic.
  nonisolated(unsafe) private static let table: UnsafeMutablePointer<Atomic<UInt>> = {
    let table = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: count)
    for index in 0..<count { (table + index).initialize(to: Atomic(0)) }
    return table
  }()

  /// The address of the function that `access` is; nil if it captures something.
  @inline(__always)
  private static func function<Value>(of access: @escaping PropertyAccess<Value>) -> UInt? {
    // Proof of unsafeBitCast: a closure is its function and what it captures, which is null then. In
    // a struct, because it would be wrapped in another one to be passed by itself.
    let (function, captured) = unsafeBitCast(Access(call: access), to: (UInt, UInt).self)
    return captured == 0 ? function : nil
  }

  private struct Access<Value> { let call: PropertyAccess<Value> }

  @inline(__always)
  private static func cell(_ function: UInt, _ type: AnyClass) -> UnsafeMutablePointer<Atomic<UInt>>
  {
    // Functions and classes are aligned to 16 bytes, and classes are often of like sizes.
    let mixed = (function >> 4) &+ (UInt(bitPattern: ObjectIdentifier(type)) >> 4) &* 31
    return table + Int(truncatingIfNeeded: mixed & UInt(count - 1))
  }

  /// The property of `object` that `access` reads, if that is known.
  @inline(__always)
  static func property<Value>(
    of object: AnyObject, _ access: @escaping PropertyAccess<Value>
  ) -> Unmanaged<PropertyNode<Value>>? {
    guard let function = function(of: access) else { return nil }
    let bits = cell(function, Swift.type(of: object)).pointee.load(ordering: .acquiring)
    guard let entry = UnsafePointer<Entry>(bitPattern: bits), entry.pointee.function == function
    else { return nil }
    return entry.pointee.place.property(of: object)
  }

  /// Remembers that `access` reads `property`, and that alone, in objects of the class.
  @inline(never)
  static func add<Value>(_ property: PropertyNode<Value>, _ access: @escaping PropertyAccess<Value>)
  {
    guard let function = function(of: access) else { return }
    let cell = cell(function, Swift.type(of: property.object))
    guard cell.pointee.load(ordering: .relaxed) == 0, let place = PropertyPlace(of: property) else {
      return
    }
    let entry = UnsafeMutablePointer<Entry>.allocate(capacity: 1)
    entry.initialize(to: Entry(function: function, place: place))
    let isAdded = cell.pointee.compareExchange(
      expected: 0, desired: UInt(bitPattern: entry), ordering: .releasing
    ).exchanged
    if !isAdded { entry.deallocate() }
  }
}
