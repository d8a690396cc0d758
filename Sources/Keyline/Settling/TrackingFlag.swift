import Synchronization

/// How many threads are evaluating something, so that reads have to be recorded.
///
/// Every read of an observable property loads this word: inlined into clients, it has to be a plain
/// variable, and it is the only one of the library.
///
/// Proof of nonisolated(unsafe), of @exclusivity(unchecked) and of the pointer: the word is written
/// atomically, by `countEvaluatingThread` alone, and a plain load of an aligned word is one move. A
/// thread that evaluates sees its own count; a stale count of other threads costs a look-up.
@exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var evaluatingThreads: Int = 0

/// Whether any thread is evaluating something.
@inlinable @inline(__always) func isTracking() -> Bool { evaluatingThreads != 0 }

func countEvaluatingThread(_ change: Int) {
  withUnsafeMutablePointer(to: &evaluatingThreads) { pointer in
    let word = UnsafeRawPointer(pointer).assumingMemoryBound(to: Atomic<Int>.self)
    _ = word.pointee.wrappingAdd(change, ordering: .relaxed)
  }
}
