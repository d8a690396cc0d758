import KeylineCore
import Synchronization

// Two numbers of the whole process, which every read of a property or of a derived value needs: in
// one word, so that a read of a derived value compares both at once.
//
//     deaths elsewhere | threads that evaluate
//
// The word is written by atomic operations, and read by plain loads, which read it whole: to
// the optimiser, an atomic load may release anything, and would have a retain and a release around
// every read of a property. A read needs to find what its own thread has written, and what has been
// written before something was handed over to its thread. It does: both are in order before it. Any
// other value will do.

// ThreadSanitizer takes the loads for races; a suppression names this file.

// Proof of nonisolated(unsafe) and of unchecked: as above.
@exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var counts: UInt = 0

/// Both numbers.
@inlinable @inline(__always) func sharedCounts() -> UInt { counts }

/// As `deathsElsewhere()`, before versions are compared: those that a death counted here has
/// changed are found changed.
func orderedDeathsElsewhere() -> UInt {
  withUnsafeMutablePointer(to: &counts) {
    deaths(in: atomic($0).pointee.load(ordering: .acquiring))
  }
}

private func add(_ change: UInt) {
  withUnsafeMutablePointer(to: &counts) {
    _ = atomic($0).pointee.wrappingAdd(change, ordering: .releasing)
  }
}

@exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var latest = noEvaluation

/// The number of the evaluation that has begun last, or goes on after that, on whatever thread.
///
/// Numbers differ between threads, and a thread finds the number it has stored, or what another
/// one has stored later: if this is the number of the evaluation that has read a property last,
/// that one is under way on this thread.
@inlinable @inline(__always) func latestEvaluation() -> UInt { latest }

@inline(__always) func setLatestEvaluation(_ number: UInt) { latest = number }

/// Proof of the pointer: an atomic integer is laid out as an integer.
@inline(__always)
private func atomic(_ number: UnsafeMutablePointer<UInt>) -> UnsafePointer<Atomic<UInt>> {
  UnsafeRawPointer(number).assumingMemoryBound(to: Atomic<UInt>.self)
}

/// No number of an evaluation, and nothing else that is stored in its place.
let noEvaluation = UInt.max

/// One death. Deaths overflow out of the word, and threads do not reach it.
@inlinable @inline(__always) var oneDeath: UInt { 1 << (UInt.bitWidth / 2) }

@inlinable @inline(__always) func deaths(in counts: UInt) -> UInt { counts & ~(oneDeath - 1) }

/// Whether any thread is evaluating something.
@inlinable @inline(__always) func isTracking() -> Bool { sharedCounts() & (oneDeath - 1) != 0 }

/// How many referents of weak properties have died on threads that do not evaluate what has read
/// these, times `oneDeath`.
@inlinable @inline(__always) func deathsElsewhere() -> UInt { deaths(in: sharedCounts()) }

/// A thread has begun to evaluate something, or does so no longer.
func beginTrackingThread() { add(1) }
func endTrackingThread() { add(0 &- 1) }

func countDeathElsewhere() { add(oneDeath) }

/// The value of a derived property, while nothing that its own thread has set can have made it
/// outdated.
@usableFromInline struct CleanValue {
  /// The value itself, if it is a word: then a read needs no further line of the cache. First, so
  /// that its address is that of the whole.
  fileprivate var word: UInt = 0
  /// Where the value is. Nil, or where a former one was, while there is none.
  @usableFromInline fileprivate(set) var value: UnsafeRawPointer?
  /// How many deaths elsewhere it takes into account; `none` while there is no value.
  @usableFromInline fileprivate(set) var deaths = CleanValue.none
  @usableFromInline let type: ObjectIdentifier

  init(_ type: ObjectIdentifier) { self.type = type }

  /// No number of deaths, and more threads than there are.
  private static let none = UInt.max

  mutating func invalidate() { deaths = Self.none }
}

extension UnsafeMutablePointer<CleanValue> {
  @inline(__always)
  func publish(_ value: UnsafeRawPointer, isWord: Bool, deaths: UInt) {
    if isWord { pointee.word = value.loadUnaligned(as: UInt.self) }
    pointee.value = isWord ? UnsafeRawPointer(self) : value
    pointee.deaths = deaths
  }
}
