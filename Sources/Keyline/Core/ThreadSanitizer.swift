#if THREAD_SANITIZER
  import Synchronization

  /// Stands in for the standard library's mutex when the library is checked by ThreadSanitizer:
  /// `swift test --sanitize=thread -Xswiftc -DTHREAD_SANITIZER --filter ConcurrencyTests`.
  ///
  /// On Linux the standard one locks in code that is not instrumented, so that every use of it,
  /// even the textbook one, is reported as a race. Here an atomic in instrumented code orders the
  /// accesses of one holder before those of the next. Not for use without the sanitizer.
  struct Mutex<Value>: ~Copyable, @unchecked Sendable {
    // Proof of @unchecked: the value is accessed under the lock only.
    private let lock = Synchronization.Mutex<Void>(())
    private let handover = Atomic<Bool>(false)
    private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    init(_ initial: consuming sending Value) { value.initialize(to: initial) }

    deinit {
      value.deinitialize(count: 1)
      value.deallocate()
    }

    borrowing func withLock<Result>(
      _ body: (inout sending Value) -> sending Result
    ) -> sending Result {
      lock.withLock { _ in
        _ = handover.load(ordering: .acquiring)
        defer { handover.store(true, ordering: .releasing) }
        return body(&value.pointee)
      }
    }
  }
#endif
