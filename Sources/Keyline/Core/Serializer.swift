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
/// In generic code a call of a generic type's method looks up that type's metadata, which costs more
/// than all the rest: so the short members are always inlined, and the long ones never.
///
/// - Complexity: two atomic operations per message when nobody interferes; the lock is taken only
///   to queue and to take the queue.
@usableFromInline
struct Serializer<Message>: ~Copyable {
  private let state = Atomic<SerializerState>(.idle)
  /// Made when it is first needed, and of no generic type, so that the lock costs no look-up.
  // Proof of Unchecked: the queue is touched under the mutex only.
  private let queue = Mutex<Unchecked<AnyObject?>>(Unchecked(nil))

  @inline(__always)
  init() {}

  /// Whether nobody owns it now. Sequentially consistent against `enter()` and `leave(_:)`.
  @inline(__always)
  var isIdle: Bool { state.load(ordering: .sequentiallyConsistent) == .idle }

  /// Becomes the owner, if there is none. The owner must `leave(_:)`.
  @inline(__always)
  func enter() -> Bool {
    state.compareExchange(
      expected: .idle, desired: .owned, ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// Ends the ownership, after handling what has been queued meanwhile.
  @inline(__always)
  func leave(_ handle: (Message) -> Void) {
    if !tryLeave() { drain(handle) }
  }

  /// Ends the ownership, unless there is something in the queue.
  @inline(__always)
  func tryLeave() -> Bool {
    state.compareExchange(
      expected: .owned, desired: .idle, ordering: .sequentiallyConsistent
    ).exchanged
  }

  @inline(never)
  private func drain(_ handle: (Message) -> Void) {
    repeat {
      let batch = queue.withLock { queue in
        state.store(.owned, ordering: .sequentiallyConsistent)
        return Unchecked(messages(&queue.value).take())
      }
      for message in batch.value { handle(message) }
    } while !tryLeave()
  }

  /// Does `work` at once if nobody owns the serializer, else has `message`, which stands for it,
  /// handled in its turn.
  ///
  /// - Parameter message: made out of line, where making it costs the fast path nothing.
  @inline(__always)
  func run(
    _ work: () -> Void, orQueue message: @autoclosure () -> Message, _ handle: (Message) -> Void
  ) {
    guard enter() else { return queue(message, handle) }
    work()
    leave(handle)
  }

  @inline(never)
  private func queue(_ message: () -> Message, _ handle: (Message) -> Void) {
    let message = message()
    guard claim(orQueue: { message }, recording: {}) else { return }
    handle(message)
    leave(handle)
  }

  /// Has `message` handled in its turn: by the caller if nobody owns the serializer, else by the
  /// owner.
  func send(_ message: Message, _ handle: (Message) -> Void) { queue({ message }, handle) }

  /// Fixes the place of a message in the order, and runs `recording` in the same instant as seen by
  /// everyone who does likewise.
  ///
  /// Both closures run under the lock: they may neither call foreign code nor let go of the last
  /// reference to a foreign object.
  ///
  /// - Returns: whether the caller owns the serializer now, must handle its message itself, and
  ///   `leave(_:)`. Otherwise what `message` returned has been queued for the owner.
  @inline(__always)
  func claim(orQueue message: () -> Message, recording: () -> Void) -> Bool {
    queue.withLock { queue in
      recording()
      return enter() || append(message, to: &queue.value)
    }
  }

  /// Returns whether there was no owner any more, and the caller is it now.
  @inline(never)
  private func append(_ message: () -> Message, to queue: inout AnyObject?) -> Bool {
    while !markQueued() {
      if enter() { return true }
    }
    messages(&queue).all.append(message())
    return false
  }

  private func messages(_ queue: inout AnyObject?) -> Messages<Message> {
    // Proof: nothing else is ever put there.
    if let queue { return unsafeDowncast(queue, to: Messages<Message>.self) }
    let messages = Messages<Message>()
    queue = messages
    return messages
  }

  /// Tells the owner that there is something in the queue; false if there is no owner any more.
  private func markQueued() -> Bool {
    let (exchanged, original) = state.compareExchange(
      expected: .owned, desired: .queued, ordering: .sequentiallyConsistent)
    return exchanged || original == .queued
  }

  /// Reads or writes what `recording` closures keep.
  @inline(__always)
  func locked<Result>(_ body: () -> Result) -> Result {
    queue.withLock { _ in Unchecked(body()) }.value
  }
}

private enum SerializerState: UInt8, AtomicRepresentable {
  case idle, owned, queued
}

private final class Messages<Message> {
  var all: [Message] = []

  func take() -> [Message] {
    defer { all = [] }
    return all
  }
}

/// An observer that may be fed by several threads, and from inside itself: it passes events on one
/// at a time, in one order.
final class SerializedObserver<Element> {
  private let serializer = Serializer<Event<Element>>()
  private let downstream: AnyObserver<Element>

  init(_ downstream: AnyObserver<Element>) { self.downstream = downstream }

  func next(_ element: Element) {
    serializer.run({ downstream.next(element) }, orQueue: .next(element), downstream.on)
  }

  func terminate(_ error: (any Error)?) {
    serializer.run(
      { downstream.terminate(error) }, orQueue: Event(termination: error), downstream.on)
  }

  /// Holds back everything until `resume()`. For a caller that knows that nobody feeds it yet.
  func hold() { _ = serializer.enter() }

  /// Passes on what was held back, and holds no more.
  func resume() { serializer.leave(downstream.on) }
}
