import Synchronization

/// A value behind a mutex.
///
/// The body of `withLock` may neither call foreign code nor release the last reference to a foreign
/// object (C3). Instead it returns the closures to call and the objects to release.
///
/// On Linux the standard mutex locks in code that ThreadSanitizer does not see, so that programs
/// checked by it would be reported for every use. An atomic beside the mutex, two plain moves on
/// x86, shows the order of the holders: the library is compiled the same for the tool and without.
@usableFromInline package struct Protected<Value>: ~Copyable, Sendable {
  // Proof of Unchecked: accessed under the mutex only.
  @usableFromInline let mutex: Mutex<Unchecked<Value>>
  @usableFromInline let handover = Atomic<Bool>(false)

  @inlinable package init(_ value: Value) { mutex = Mutex(Unchecked(value)) }

  @inlinable @inline(__always)
  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    mutex.withLock { value in
      _ = handover.load(ordering: .acquiring)
      defer { handover.store(true, ordering: .releasing) }
      return Unchecked(body(&value.value))
    }.value
  }

  /// Replaces the value and returns the previous one.
  @inlinable package func exchange(_ value: consuming Value) -> Value {
    withLock { swap(&$0, &value) }
    return value
  }
}

/// A value whose protection the type system cannot see. A comment at every use names the lock or owner
/// that protects the value.
@usableFromInline package struct Unchecked<Value>: @unchecked Sendable {
  // Proof: a bare box; every use names the lock or owner that serialises its value.
  @usableFromInline package var value: Value

  @usableFromInline package init(_ value: Value) { self.value = value }
}
