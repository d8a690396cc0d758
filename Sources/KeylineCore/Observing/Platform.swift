#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(WASILibc)
  import WASILibc
#elseif canImport(WinSDK)
  import WinSDK
  import CRT
#endif

// The differences between the C libraries of the platforms, in one place.

/// Writes a line to standard error.
func writeToStandardError(_ line: String) {
  var line = line + "\n"
  line.withUTF8 { bytes in
    #if canImport(WinSDK)
      _ = _write(2, bytes.baseAddress, UInt32(bytes.count))
    #else
      _ = write(2, bytes.baseAddress, bytes.count)
    #endif
  }
}

/// A reference to an object that belongs to the current thread, nil at first. It is released when
/// the thread ends.
@usableFromInline package struct ThreadLocal<Object: AnyObject>: Sendable {
  // Proof of Unmanaged: the only writer is the setter, which retains the object that it stores; the
  // end of the thread releases this object.
  @usableFromInline let key = ThreadKey()

  package init() {}

  @inlinable package var value: Object? {
    get { withValue { $0 } }
    nonmutating set {
      let former = key.pointer
      key.pointer = newValue.map { Unmanaged.passRetained($0).toOpaque() }
      if let former { Unmanaged<Object>.fromOpaque(former).release() }
    }
  }

  /// Calls `body` with the object; nil if there is no object. The object is not retained for the call,
  /// so `body` must not replace it, directly or indirectly.
  @inlinable @inline(__always)
  package func withValue<Result>(_ body: (Object) -> Result) -> Result? {
    guard let pointer = key.pointer else { return nil }
    // Proof of the borrowed reference: the storage of the thread retains the object meanwhile.
    return Unmanaged<Object>.fromOpaque(pointer)._withUnsafeGuaranteedRef(body)
  }
}

/// A retained object in the platform's thread-local storage, nil at first.
@usableFromInline struct ThreadKey: Sendable {
  init() {
    #if canImport(WinSDK)
      // Without a free index, which is reported as the largest one, the pointer stays nil.
      key = FlsAlloc { release($0) }
    #elseif !os(WASI)
      var key = pthread_key_t()
      self.key = pthread_key_create(&key) { release($0) } == 0 ? key : nil
    #endif
  }

  #if canImport(WinSDK)
    private let key: DWORD

    @usableFromInline var pointer: UnsafeMutableRawPointer? {
      get { FlsGetValue(key) }
      nonmutating set { FlsSetValue(key, newValue) }
    }

  #elseif os(WASI)
    // One thread, which never ends.
    private final class Storage { nonisolated(unsafe) var pointer: UnsafeMutableRawPointer? }
    private let storage = Storage()

    @usableFromInline var pointer: UnsafeMutableRawPointer? {
      get { storage.pointer }
      nonmutating set { storage.pointer = newValue }
    }
  #else
    /// Nil if the process is out of keys, of which it has at least 128: then the pointer stays nil.
    private let key: pthread_key_t?

    @usableFromInline var pointer: UnsafeMutableRawPointer? {
      get { key.flatMap { pthread_getspecific($0) } }
      nonmutating set { if let key { pthread_setspecific(key, newValue) } }
    }
  #endif
}

/// Releases the object of a thread that ends. Whether the pointer is declared optional differs between
/// platforms; it is not nil.
private func release(_ object: UnsafeMutableRawPointer?) {
  if let object { Unmanaged<AnyObject>.fromOpaque(object).release() }
}
