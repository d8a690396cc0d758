import Synchronization

/// A value behind a mutex, of any kind but a closure that is read again and again: each access from
/// here would wrap it once more. A struct around the closure helps.
///
/// The body of `withLock` may neither call foreign code nor release the last reference to a foreign
/// object (C3): it returns what has to be called or released.
struct Protected<Value>: ~Copyable {
  // Proof of Unchecked: accessed under the mutex only.
  private let mutex: Mutex<Unchecked<Value>>

  init(_ value: Value) { mutex = Mutex(Unchecked(value)) }

  @inline(__always)
  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    mutex.withLock { Unchecked(body(&$0.value)) }.value
  }

  /// Replaces the value and returns the previous one.
  func exchange(_ value: Value) -> Value {
    withLock { current in
      defer { current = value }
      return current
    }
  }
}

/// A value whose protection the type system cannot see; every use names what protects it.
@usableFromInline struct Unchecked<Value>: @unchecked Sendable {
  // Proof: a bare box; every use names the lock or owner that serialises its value.
  @usableFromInline var value: Value

  @usableFromInline init(_ value: Value) { self.value = value }
}
