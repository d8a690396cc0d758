/// A broadcaster with a value: its latest element, which new observers receive first.
///
/// The value changes in the same instant in which an emission takes its place in the order, as the
/// buffer of a ``ReplayBroadcaster`` does.
@usableFromInline
final class BehaviorBroadcaster<Element>: Broadcaster<Element> {
  // Used by any thread: the serializer's lock protects the value.
  private var latest: Element

  init(_ value: Element) { latest = value }

  // The lock is inlinable: generic code would look up metadata for its result. The state is not: in other
  // modules each access would be checked to be exclusive.

  /// The latest element.
  @inlinable var value: Element { serializer.locked { recordedValue } }

  /// The latest element, or the error of the recorded termination.
  @inlinable var outcome: Result<Element, any Error> {
    serializer.locked { recordedError.map(Result.failure) ?? .success(recordedValue) }
  }

  /// Under the serializer's lock.
  @usableFromInline var recordedValue: Element { latest }

  /// Under the serializer's lock.
  @usableFromInline var recordedError: (any Error)? { recordedTermination?.error }

  override func next(_ element: Element) {
    // The value that is replaced is released after the lock.
    var released = element
    serializer.perform({ self.deliver(element) }) {
      if recordedTermination == nil { released = exchange(&latest, with: element) }
      // An observer is counted before its first value is recorded: it receives this one.
      return isObserved
    }
    _ = consume released
  }

  override func subscribe(_ observer: AnyObserver<Element>, in context: SubscriptionContext) {
    var first: Element?
    subscribe(
      observer, in: context, recording: { if recordedTermination == nil { first = latest } },
      replaying: { next in if let first, context.isActive { next(first) } })
  }
}
