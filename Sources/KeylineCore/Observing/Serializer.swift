import Synchronization

/// The meeting point of threads: performs work one piece at a time, in one order.
///
/// A caller that finds the serializer idle becomes its *owner*: it does its own work at once, then
/// the work that others have queued meanwhile. A caller that finds the serializer owned queues its
/// work and returns. So no lock is held during work (C3), all work is done in one order (C5), and
/// work sent from inside other work waits until that work returns (C6): no recursion, no stack growth.
///
///     idle ──enter()──▶ owned ──leave()──▶ idle
///                        │  ▲
///         perform(work)  ▼  │  the owner takes the queue
///                       queued
///
/// The serializer is not generic, and queues closures: in generic code a queue of elements would look
/// up metadata at every turn, which costs more than all the rest.
///
/// - Complexity: two atomic operations per piece of work without contention, and no allocation; the
///   lock is taken only to queue and to take the queue.
@usableFromInline struct Serializer: ~Copyable {
  private let state = Atomic<State>(.idle)
  @usableFromInline let queue = Protected<[() -> Void]>([])

  enum State: UInt8, AtomicRepresentable {
    case idle, owned, queued
  }

  /// Becomes the owner, if there is none. The owner must `leave()`.
  @inline(__always)
  func enter() -> Bool {
    state.compareExchange(
      expected: .idle, desired: .owned, ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// Does the work that has been queued meanwhile, then ends the ownership.
  @inline(__always)
  func leave() {
    while !state.compareExchange(
      expected: .owned, desired: .idle, ordering: .sequentiallyConsistent
    ).exchanged { performQueued() }
  }

  @inline(never) private func performQueued() {
    let batch = queue.withLock { queue in
      state.store(.owned, ordering: .sequentiallyConsistent)
      return exchange(&queue, with: [])
    }
    for work in batch { work() }
  }

  /// Does `work` in its turn: at once if the serializer is idle, else it is left to the owner.
  ///
  /// - Parameter work: an autoclosure around the closure, so that this is made only if it must
  ///   wait.
  @inline(__always)
  func perform(_ work: @autoclosure () -> () -> Void) {
    guard enter() else { return perform(work(), recording: { true }) }
    work()()
    leave()
  }

  /// Does `work` in its turn, whose place is fixed atomically with `recording`, as in
  /// `claim(orQueue:recording:)`.
  @inline(never)
  func perform(_ work: @autoclosure () -> () -> Void, recording: () -> Bool) {
    guard claim(orQueue: work, recording: recording) else { return }
    work()()
    leave()
  }

  /// Fixes the place of a piece of work in the order, and runs `recording`, atomically with respect
  /// to other claims.
  ///
  /// Both closures run under the lock: they may neither call foreign code nor release the last
  /// reference to a foreign object.
  ///
  /// - Parameter recording: returns whether there is work to do.
  /// - Returns: whether the caller owns the serializer now, must do its work itself, and `leave()`.
  ///   Otherwise the closure that `work` returned has been queued for the owner, if there is work to do.
  @inline(__always)
  func claim(orQueue work: () -> () -> Void, recording: () -> Bool) -> Bool {
    queue.withLock { recording() && enter(orAppend: work, to: &$0) }
  }

  /// Becomes the owner or, if there is one, appends to the queue the closure that `work` returns.
  @inline(__always)
  private func enter(orAppend work: () -> () -> Void, to queue: inout [() -> Void]) -> Bool {
    if state.exchange(.queued, ordering: .sequentiallyConsistent) == .idle {
      // Only the holder of the lock queues work, so that nothing has been queued meanwhile.
      state.store(.owned, ordering: .sequentiallyConsistent)
      return true
    }
    queue.append(work())
    return false
  }

  /// Reads or writes the state that `recording` closures store, under the same conditions.
  @inlinable func locked<Result>(_ body: () -> Result) -> Result { queue.withLock { _ in body() } }

  /// Does `work` in an instant of its own or, if there is an owner, leaves it to the owner.
  ///
  /// - Parameter work: without an owner it runs under the lock, as `recording` does, so that nothing is
  ///   queued meanwhile.
  func performInstantly(_ work: @autoclosure () -> () -> Void) {
    queue.withLock { queue in
      guard enter(orAppend: work, to: &queue) else { return }
      work()()
      // No other thread can have changed the state: a thread that finds the serializer owned needs
      // the lock to queue.
      state.store(.idle, ordering: .sequentiallyConsistent)
    }
  }
}

/// An observer that may be fed by several threads, and from inside itself: it passes events on one
/// at a time, in one order, until its context has ended. Disposing it releases the observer downstream.
final class SerializedObserver<Element>: Disposable, @unchecked Sendable {
  // Proof of @unchecked: the observer is accessed in the turns of the serializer.
  private let serializer = Serializer()
  private var downstream: AnyObserver<Element>?
  private let context: SubscriptionContext

  init(_ downstream: AnyObserver<Element>, _ context: SubscriptionContext) {
    self.downstream = downstream
    self.context = context
  }

  func next(_ element: Element) {
    serializer.perform { if self.context.isActive { self.downstream?.next(element) } }
  }

  /// A termination ends the context: no event follows.
  func terminate(_ error: (any Error)?) {
    serializer.perform { if self.context.isActive { self.downstream?.terminate(error) } }
  }

  func dispose() { serializer.perform { self.downstream = nil } }

  /// Holds back everything until `resume()`. To be called before anything feeds it.
  func hold() { _ = serializer.enter() }

  /// Passes on the events that were held back, and holds back no more.
  func resume() { serializer.leave() }
}
