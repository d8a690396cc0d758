import Synchronization

/// The meeting point of threads: puts messages in one order and has them handled one at a time.
///
/// Whoever finds it idle becomes its *owner* and handles its own message at once, then whatever has
/// been queued meanwhile; whoever finds it owned leaves the message and goes on. So no lock is held
/// while a message is handled (law 3), messages are handled in one order (law 5), and a message
/// sent from inside a handler waits for that handler to return (law 6): no recursion, no stack
/// growth.
///
///     idle ──enter()──▶ owned ──leave()──▶ idle
///                        │  ▲
///         post(message)  ▼  │  the owner takes the queue
///                       queued
///
/// - Complexity: two atomic operations per message when nobody interferes; the lock is taken only
///   to queue and to take the queue.
@usableFromInline
struct Serializer<Message>: ~Copyable {
  private let state = Atomic<State>(.idle)
  // Proof of Unchecked: the queue is touched under the mutex only.
  private let queue = Mutex<Unchecked<[Message]>>(Unchecked([]))

  private enum State: UInt8, AtomicRepresentable {
    case idle, owned, queued
  }

  @usableFromInline
  init() {}

  /// Whether nobody owns it now. Sequentially consistent against `enter()` and `leave(_:)`.
  var isIdle: Bool { state.load(ordering: .sequentiallyConsistent) == .idle }

  /// Becomes the owner, if there is none. The owner must `leave(_:)`.
  func enter() -> Bool {
    state.compareExchange(
      expected: .idle, desired: .owned, ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// Ends the ownership, after handling what has been queued meanwhile.
  func leave(_ handle: (Message) -> Void) {
    while !state.compareExchange(
      expected: .owned, desired: .idle, ordering: .sequentiallyConsistent
    ).exchanged {
      let batch = queue.withLock { queue in
        state.store(.owned, ordering: .sequentiallyConsistent)
        defer { queue.value = [] }
        return queue
      }
      for message in batch.value { handle(message) }
    }
  }

  /// Has `message` handled in its turn: by the caller if nobody owns the serializer, else by the
  /// owner.
  func send(_ message: Message, _ handle: (Message) -> Void) {
    guard enter() || claim(orQueue: { message }, recording: {}).isOwner else { return }
    handle(message)
    leave(handle)
  }

  /// Fixes the place of `message` in the order, and runs `recording` in the same instant as seen by
  /// everyone who does likewise.
  ///
  /// Both closures run under the lock: they may neither call foreign code nor let go of the last
  /// reference to a foreign object.
  ///
  /// - Returns: `isOwner`: the caller owns the serializer now, must handle its message itself, and
  ///   `leave(_:)`. Otherwise what `message` returned has been queued for the owner.
  func claim<Result>(
    orQueue message: () -> Message, recording: () -> Result
  ) -> (isOwner: Bool, result: Result) {
    // Proof of Unchecked: the outcome is carried out of the lock on one thread.
    let outcome = queue.withLock { queue -> Unchecked<(isOwner: Bool, result: Result)> in
      let result = recording()
      repeat {
        if enter() { return Unchecked((true, result)) }
      } while !markQueued()
      queue.value.append(message())
      return Unchecked((false, result))
    }
    return outcome.value
  }

  /// Tells the owner that there is something in the queue; false if there is no owner any more.
  private func markQueued() -> Bool {
    let (exchanged, original) = state.compareExchange(
      expected: .owned, desired: .queued, ordering: .sequentiallyConsistent)
    return exchanged || original == .queued
  }

  /// Reads or writes what `recording` closures keep.
  func locked<Result>(_ body: () -> Result) -> Result {
    queue.withLock { _ in Unchecked(body()) }.value
  }
}

/// An observer that may be fed by several threads, and from inside itself: it passes events on one
/// at a time, in one order.
final class SerializedObserver<Element> {
  private let serializer = Serializer<Event<Element>>()
  private let downstream: AnyObserver<Element>

  init(_ downstream: AnyObserver<Element>) { self.downstream = downstream }

  func next(_ element: Element) {
    if serializer.enter() {
      downstream.next(element)
      serializer.leave(downstream.on)
    } else {
      serializer.send(.next(element), downstream.on)
    }
  }

  func terminate(_ error: (any Error)?) {
    serializer.send(Event(termination: error), downstream.on)
  }

  /// Holds back everything until `resume()`. For a caller that knows that nobody feeds it yet.
  func hold() { _ = serializer.enter() }

  /// Passes on what was held back, and holds no more.
  func resume() { serializer.leave(downstream.on) }
}
