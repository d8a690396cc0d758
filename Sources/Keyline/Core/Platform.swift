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

// What the C library of each platform calls differently, in one place.

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

/// A pointer that every thread has its own of, nil at first. The pointee is the user's to manage.
struct ThreadLocal: Sendable {
  #if canImport(WinSDK)
    private let key: DWORD = FlsAlloc(nil)

    var pointer: UnsafeMutableRawPointer? {
      get { FlsGetValue(key) }
      nonmutating set { FlsSetValue(key, newValue) }
    }
  #else
    /// Nil if the process is out of keys, of which it has at least 128: then the pointer stays nil.
    private let key: pthread_key_t? = {
      var key = pthread_key_t()
      return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    var pointer: UnsafeMutableRawPointer? {
      get { key.flatMap { pthread_getspecific($0) } }
      nonmutating set { if let key { pthread_setspecific(key, newValue) } }
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

/// The runtime's own; nil where it is not to be had, or an object may be another language's.
let retainUnlessDying: RetainUnlessDying? = {
  #if canImport(ObjectiveC)
    return nil
  #else
    // Proof of unsafeBitCast: the runtime declares it so. By name, because the compiler keeps the
    // declaration to itself.
    return loadedFunction("swift_tryRetain").map { unsafeBitCast($0, to: RetainUnlessDying.self) }
  #endif
}()

/// Looks a function up by name, in the program and what it has loaded: some C libraries lack it,
/// others do not show it to Swift.
private func loadedFunction(_ name: String) -> UnsafeMutableRawPointer? {
  #if canImport(WinSDK)
    return nil
  #else
    return dlsym(dlopen(nil, RTLD_NOW), name)
  #endif
}
