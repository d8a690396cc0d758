import KeylineCore

/// A weak reference that leaves the object its inline reference counts.
///
/// The language's `weak` moves the counts of an object to a side table, for good: from then on
/// every retain and release of it takes the slow path. This keeps the memory of the object instead,
/// as `unowned` does, and asks the runtime to retain the object unless it is dying. So it is for
/// references that are released soon after their object.
///
/// Where that function of the runtime is unavailable, or objects may not be Swift's, it is `weak`.
///
/// - Isolation: the object may die on another thread at any moment.
/// - Complexity: half the cost of `weak` for each use.
struct WeakReference<Object: AnyObject> {
  // Proof of unowned: never read, so that it cannot trap; it keeps the memory of the object.
  private unowned let memory: Object?
  private let address: UnsafeMutableRawPointer
  private let retain: Runtime.RetainUnlessDying?
  private weak var object: Object?

  init(_ object: Object, retain: Runtime.RetainUnlessDying? = Runtime.retainUnlessDying) {
    self.retain = retain
    address = Unmanaged.passUnretained(object).toOpaque()
    memory = retain == nil ? nil : object
    self.object = retain == nil ? object : nil
  }

  /// Whether `other`, which is alive, is the object.
  @inline(__always) func refers(to other: Unmanaged<Object>) -> Bool { address == other.toOpaque() }

  /// The object if it is at `address`: for a caller that knows that one to be in its deinit.
  func dying(at other: UnsafeRawPointer?) -> Unmanaged<Object>? {
    // Proof of Unmanaged: the memory of the object is kept, and the caller knows what is in it.
    UnsafeRawPointer(address) == other ? Unmanaged<Object>.fromOpaque(address) : nil
  }

  /// The object, retained for the caller; nil if it is dying or dead.
  @inline(__always) func retained() -> Unmanaged<Object>? {
    guard let retain else { return object.map(Unmanaged.passRetained) }
    // Proof of Unmanaged: the address is that of an object, whose retain has just been granted.
    return retain(address).map { _ in Unmanaged<Object>.fromOpaque(address) }
  }

  /// Calls `body` with the object, which is retained meanwhile; not if it is dying or dead.
  ///
  /// - Returns: whether it was called.
  @discardableResult @inline(__always)
  func withObject(_ body: (Object) -> Void) -> Bool {
    guard let retain else {
      guard let object else { return false }
      body(object)
      return true
    }
    guard retain(address) != nil else { return false }
    // Proof of Unmanaged: the address is that of an object, whose retain has just been granted.
    let object = Unmanaged<Object>.fromOpaque(address)
    object._withUnsafeGuaranteedRef(body)
    object.release()
    return true
  }
}
