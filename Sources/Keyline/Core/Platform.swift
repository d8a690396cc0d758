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

/// A text stream onto standard error.
struct StandardError: TextOutputStream {
  mutating func write(_ string: String) {
    var string = string
    string.withUTF8 { bytes in
      #if canImport(WinSDK)
        _ = _write(2, bytes.baseAddress, UInt32(bytes.count))
      #else
        _ = unistdWrite(2, bytes.baseAddress, bytes.count)
      #endif
    }
  }
}

#if !canImport(WinSDK)
  private func unistdWrite(_ file: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int {
    write(file, bytes, count)
  }
#endif

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
