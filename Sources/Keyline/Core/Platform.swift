#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(WinSDK)
  import WinSDK
  import CRT
#endif

// What the C libraries of the platforms name differently, in one place.

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

/// A thread-local pointer, nil at first.
struct ThreadLocal: Sendable {
  /// - Parameter destroy: called with the pointer of a thread that ends, if it is not nil. The
  ///   pointee is the user's to manage otherwise.
  init(destroy: (@convention(c) (UnsafeMutableRawPointer) -> Void)? = nil) {
    #if canImport(WinSDK)
      // Proof of unsafeBitCast: the callback is called for pointers that are not nil.
      key = FlsAlloc(unsafeBitCast(destroy, to: PFLS_CALLBACK_FUNCTION?.self))
    #else
      var key = pthread_key_t()
      // Proof of unsafeBitCast: whether the argument is declared optional differs between
      // platforms.
      typealias Destructor = @convention(c) (UnsafeMutableRawPointer?) -> Void
      #if canImport(Darwin)
        self.key = pthread_key_create(&key, destroy) == 0 ? key : nil
      #else
        let destructor = unsafeBitCast(destroy, to: Destructor?.self)
        self.key = pthread_key_create(&key, destructor) == 0 ? key : nil
      #endif
    #endif
  }

  #if canImport(WinSDK)
    private let key: DWORD

    var pointer: UnsafeMutableRawPointer? {
      get { FlsGetValue(key) }
      nonmutating set { FlsSetValue(key, newValue) }
    }

    /// The key, as a number that is never 0.
    var number: UInt { UInt(key) + 1 }

    /// The pointer of the key with that number.
    @inline(__always) static func pointer(number: UInt) -> UnsafeMutableRawPointer? {
      FlsGetValue(DWORD(truncatingIfNeeded: number &- 1))
    }
  #else
    /// Nil if the process is out of keys, of which it has at least 128: then the pointer stays nil.
    private let key: pthread_key_t?

    var pointer: UnsafeMutableRawPointer? {
      get { key.flatMap { pthread_getspecific($0) } }
      nonmutating set { if let key { pthread_setspecific(key, newValue) } }
    }

    /// The key, as a number that is never 0; 0 if there is none.
    var number: UInt { key.map { UInt($0) + 1 } ?? 0 }

    /// The pointer of the key with that number.
    @inline(__always) static func pointer(number: UInt) -> UnsafeMutableRawPointer? {
      pthread_getspecific(pthread_key_t(truncatingIfNeeded: number &- 1))
    }
  #endif
}

/// Where it is called, innermost frame first: the text of the C library, or nothing.
func callStack() -> [String] {
  typealias Backtrace =
    @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int32) -> Int32
  typealias Symbols =
    @convention(c) (UnsafePointer<UnsafeMutableRawPointer?>, Int32) ->
    UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  guard let backtrace = loadedFunction("backtrace"),
    let symbols = loadedFunction("backtrace_symbols")
  else { return [] }
  var frames = [UnsafeMutableRawPointer?](repeating: nil, count: 64)
  // Proof of unsafeBitCast: these are the types that the manual of either function states.
  let count = unsafeBitCast(backtrace, to: Backtrace.self)(&frames, 64)
  guard let lines = unsafeBitCast(symbols, to: Symbols.self)(frames, count) else { return [] }
  defer { free(lines) }
  return (0..<Int(count)).compactMap { lines[$0].map { String(cString: $0) } }
}

/// Retains an object and returns it; nil if it is dying, or dead while its memory is kept.
typealias RetainUnlessDying = @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?

/// The runtime's own; nil where it is unavailable, or an object may be another language's.
let retainUnlessDying: RetainUnlessDying? = {
  #if canImport(ObjectiveC)
    return nil
  #else
    // Proof of unsafeBitCast: the runtime declares it so. By name, because the declaration is not
    // public.
    return loadedFunction("swift_tryRetain").map { unsafeBitCast($0, to: RetainUnlessDying.self) }
  #endif
}()

/// Looks a function up by name, in the program and what it has loaded: some C libraries lack it,
/// others do not expose it to Swift.
private func loadedFunction(_ name: String) -> UnsafeMutableRawPointer? {
  #if canImport(WinSDK)
    return nil
  #else
    return dlsym(dlopen(nil, RTLD_NOW), name)
  #endif
}
