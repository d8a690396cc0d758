/// Mutable storage for at most one value, accessed in turn only.
///
/// The value is in memory of its own: unspecialised code would look up the metadata of an optional
/// at every access.
@usableFromInline final class Box<Value> {
  @usableFromInline let storage = UnsafeMutablePointer<Value>.allocate(capacity: 1)
  // Proof of unchecked: only the owner of the turn accesses it.
  @exclusivity(unchecked) @usableFromInline private(set) var hasValue = false

  @usableFromInline init() {}

  @usableFromInline init(_ value: Value) { store(value) }

  deinit {
    clear()
    storage.deallocate()
  }

  /// The value; there must be one.
  @inlinable @inline(__always) var unwrapped: Value { storage.pointee }

  var value: Value? { hasValue ? unwrapped : nil }

  func store(_ value: Value) {
    if hasValue {
      storage.pointee = value
    } else {
      storage.initialize(to: value)
      hasValue = true
    }
  }

  func clear() {
    guard hasValue else { return }
    hasValue = false
    storage.deinitialize(count: 1)
  }
}
