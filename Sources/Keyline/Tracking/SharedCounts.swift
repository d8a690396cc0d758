import Synchronization

// Two numbers of the whole process, which every read of a property or of a derived value needs.
//
// They are written by atomic operations, and read by plain loads of a word, which is read whole: to
// the optimiser, an atomic load may release anything, and would have a retain and a release around
// every read of a property. A read needs to find what its own thread has written, and what has been
// written before something was handed over to its thread. It does: both are in order before it. Any
// other value will do.

#if THREAD_SANITIZER
  // Atomic loads, of which the sanitizer knows that they are no races.
  private let trackingThreads = Atomic<Int>(0)
  private let weakDeaths = Atomic<Int>(0)

  @usableFromInline func isTracking() -> Bool { trackingThreads.load(ordering: .relaxed) != 0 }

  @usableFromInline func deathsElsewhere() -> Int { weakDeaths.load(ordering: .relaxed) }

  func orderedDeathsElsewhere() -> Int { weakDeaths.load(ordering: .acquiring) }

  func countTrackingThread(_ change: Int) {
    trackingThreads.wrappingAdd(change, ordering: .relaxed)
  }

  func countDeathElsewhere() { weakDeaths.wrappingAdd(1, ordering: .releasing) }
#else
  // Proof of nonisolated(unsafe) and of unchecked: as above.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var trackingThreads = 0
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var weakDeaths = 0

  /// Whether any thread is evaluating something.
  @inlinable @inline(__always) func isTracking() -> Bool { trackingThreads != 0 }

  /// How many referents of weak properties have died on threads that do not evaluate what has read
  /// these.
  @inlinable @inline(__always) func deathsElsewhere() -> Int { weakDeaths }

  /// As `deathsElsewhere()`, before versions are compared: those that a death counted here has
  /// changed are found changed.
  func orderedDeathsElsewhere() -> Int {
    withUnsafeMutablePointer(to: &weakDeaths) { atomic($0).pointee.load(ordering: .acquiring) }
  }

  /// A thread has begun to evaluate something (1), or does so no longer (-1).
  func countTrackingThread(_ change: Int) { add(change, to: &trackingThreads) }

  func countDeathElsewhere() { add(1, to: &weakDeaths) }

  private func add(_ change: Int, to number: inout Int) {
    withUnsafeMutablePointer(to: &number) {
      _ = atomic($0).pointee.wrappingAdd(change, ordering: .releasing)
    }
  }

  /// Proof of the pointer: an atomic integer is laid out as an integer.
  @inline(__always)
  private func atomic(_ number: UnsafeMutablePointer<Int>) -> UnsafePointer<Atomic<Int>> {
    UnsafeRawPointer(number).assumingMemoryBound(to: Atomic<Int>.self)
  }
#endif
