import KeylineCore
import Synchronization

/// The meeting point of threads: performs work one piece at a time, in one order.
///
/// A caller that finds it idle becomes its *owner*: it does its own work at once, then what has
/// been queued meanwhile. A caller that finds it owned queues its work and returns. So no lock is
/// held during work (C3), all work is done in one order (C5), and work sent from inside work waits
/// for that to return (C6): no recursion, no stack growth.
///
///     idle ──enter()──▶ owned ──leave()──▶ idle
///                        │  ▲
///         perform(work)  ▼  │  the owner takes the queue
///                       queued
///
/// It is not generic, and what waits is a closure: in generic code a queue of elements would look
/// up metadata at every turn, which costs more than all the rest.
///
/// - Complexity: two atomic operations per piece of work without contention, and no allocation; the
///   lock is taken only to queue and to take the queue.
@usableFromInline struct EngineSerializer: ~Copyable {
  private let state = Atomic<State>(.idle)
  private let queue = Protected(WaitingWork())

  enum State: UInt8, AtomicRepresentable {
    case idle, owned, queued
  }

  @inline(__always)
  init() {}

  /// Whether it has no owner now. Sequentially consistent against `enter()` and `leave()`.
  @inline(__always)
  var isIdle: Bool { state.load(ordering: .sequentiallyConsistent) == .idle }

  /// Becomes the owner, if there is none. The owner must `leave()`.
  @inline(__always)
  func enter() -> Bool {
    state.compareExchange(
      expected: .idle, desired: .owned, ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// Ends the ownership, after doing what has been queued meanwhile.
  @inline(__always)
  func leave() {
    if !tryLeave() { drain() }
  }

  /// Ends the ownership, unless there is something in the queue.
  @inline(__always)
  private func tryLeave() -> Bool {
    state.compareExchange(
      expected: .owned, desired: .idle, ordering: .sequentiallyConsistent
    ).exchanged
  }

  @inline(never) private func drain() {
    repeat {
      let batch = queue.withLock { queue in
        state.store(.owned, ordering: .sequentiallyConsistent)
        defer { queue = WaitingWork() }
        return queue
      }
      batch.perform()
    } while !tryLeave()
  }

  /// Does `work` in its turn: at once if the serializer is idle, else it is left to the owner.
  ///
  /// - Parameter work: an autoclosure around the closure, so that this is made only if it must
  ///   wait.
  @inline(__always)
  func perform(_ work: @autoclosure () -> () -> Void) {
    guard enter() else { return send(work) }
    work()()
    leave()
  }

  @inline(never) private func send(_ work: () -> () -> Void) {
    guard claim(orQueue: work, recording: {}) else { return }
    work()()
    leave()
  }

  /// Fixes the place of a piece of work in the order, and runs `recording`, atomically with respect
  /// to other claims.
  ///
  /// Both closures run under the lock: they may neither call foreign code nor release the last
  /// reference to a foreign object.
  ///
  /// - Returns: whether the caller owns the serializer now, must do its work itself, and `leave()`.
  ///   Otherwise what `work` returned has been queued for the owner.
  @inline(__always)
  func claim(orQueue work: () -> () -> Void, recording: () -> Void) -> Bool {
    queue.withLock { queue in
      recording()
      repeat {
        if enter() { return true }
      } while !markQueued()
      queue.append(work())
      return false
    }
  }

  /// Marks the queue as not empty; false if there is no owner any more.
  private func markQueued() -> Bool {
    let (exchanged, original) = state.compareExchange(
      expected: .owned, desired: .queued, ordering: .sequentiallyConsistent)
    return exchanged || original == .queued
  }
}

/// What waits for the owner of a serializer, in order.
// Not private: other files lay the serializer out, and the compiler fails in debug if it is.
struct WaitingWork {
  // One word, for each property that is observed.
  private var pieces: [() -> Void] = []

  mutating func append(_ work: @escaping () -> Void) { pieces.append(work) }

  func perform() { for work in pieces { work() } }
}
