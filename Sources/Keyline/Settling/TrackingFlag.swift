import Synchronization

/// How many threads are evaluating something, so that reads have to be recorded; and how many objects have
/// deaths in their inboxes, so that operations have to look there.
///
/// Every access to an observable property loads this word: inlined into clients, it has to be a plain
/// variable, and it is the only one of the library.
///
/// Proof of nonisolated(unsafe), of @exclusivity(unchecked) and of the pointer: the word is written
/// atomically, by `countTracking` alone, and a plain load of an aligned word is one move. A thread that
/// evaluates sees its own count; a stale count of other threads costs a look-up.
@exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var trackingCount: Int = 0

/// Whether accesses to properties may be more than that.
@inlinable @inline(__always) func isTracking() -> Bool { trackingCount != 0 }

func countTracking(_ change: Int) {
  withUnsafeMutablePointer(to: &trackingCount) { pointer in
    let word = UnsafeRawPointer(pointer).assumingMemoryBound(to: Atomic<Int>.self)
    _ = word.pointee.wrappingAdd(change, ordering: .relaxed)
  }
}
