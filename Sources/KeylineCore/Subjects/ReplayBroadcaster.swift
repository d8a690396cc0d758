/// A broadcaster that replays the elements of a buffer to new observers.
///
/// The buffer changes in the same instant in which an emission takes its place in the order: so its
/// latest element is the last one delivered when producers are quiet (C5), and the change is
/// visible everywhere as soon as `next(_:)` is called, also if the delivery has to wait for the
/// current one (C6).
///
/// - Complexity: per element, the buffer's above the ``Broadcaster``'s own; O(elements in the buffer)
///   to subscribe.
@usableFromInline
final class ReplayBroadcaster<Element>: Broadcaster<Element> {
  // Used by any thread: the serializer's lock protects the buffer.
  private var buffer = Queue<Element>()
  private let capacity: Int
  private let awaitsCompletion: Bool

  /// - Parameters:
  ///   - capacity: how many elements are buffered; the oldest is evicted first.
  ///   - awaitsCompletion: whether elements are emitted on completion only, and replayed to observers
  ///     that subscribe later.
  init(capacity: Int, awaitsCompletion: Bool = false) {
    self.capacity = capacity
    self.awaitsCompletion = awaitsCompletion
  }

  override func next(_ element: Element) {
    // The evicted element is released after the lock.
    var evicted: Element?
    serializer.perform({ self.deliver(element) }) {
      guard recordedTermination == nil else { return false }
      buffer.append(element)
      if buffer.count > capacity { evicted = buffer.popFirst() }
      // An observer is counted before the elements for it are recorded: it receives this one, too.
      return isObserved && !awaitsCompletion
    }
    withExtendedLifetime(evicted) {}
  }

  /// Delivers the termination, preceded by the element that is emitted on completion.
  override func deliver(termination error: (any Error)?) {
    if awaitsCompletion {
      if serializer.locked({ recordedTermination?.error }) != nil { clear() }
      serializer.locked { buffer.elements.last }.map(deliver)
    }
    super.deliver(termination: error)
  }

  override func subscribe(_ observer: AnyObserver<Element>, in context: SubscriptionContext) {
    var replayed: [Element] = []
    let record = {
      let isReplaying = !self.awaitsCompletion || self.recordedTermination?.isCompleted == true
      if isReplaying { replayed = self.buffer.elements }
    }
    subscribe(
      observer, in: context, recording: record,
      replaying: { next in for element in replayed where context.isActive { next(element) } })
  }

  override func disposeAll() {
    super.disposeAll()
    clear()
  }

  /// Releases the elements of the buffer.
  private func clear() { _ = serializer.locked { exchange(&buffer, with: Queue()) } }
}
