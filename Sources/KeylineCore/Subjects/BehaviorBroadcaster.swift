/// A broadcaster with a value: its latest element, which new observers receive first.
///
/// The value changes in the same instant in which an emission takes its place in the order, as the
/// buffer of a ``ReplayBroadcaster`` does.
@usableFromInline
final class BehaviorBroadcaster<Element>: Broadcaster<Element> {
  // Used by any thread: the serializer's lock protects the value.
  @usableFromInline var latest: Element

  init(_ value: Element) { latest = value }

  /// The latest element. Inlinable: reading it is specialised in the module of the caller.
  @inlinable var value: Element { serializer.locked { latest } }

  /// The latest element, or the error of the recorded termination.
  @inlinable var outcome: Result<Element, any Error> {
    serializer.locked { recordedTermination?.error.map(Result.failure) ?? .success(latest) }
  }

  override func next(_ element: Element) {
    // The value that is replaced is released after the lock.
    var released = element
    serializer.perform({ self.deliver(element) }) {
      if recordedTermination == nil { swap(&latest, &released) }
      // An observer is counted before its first value is recorded: it receives this one.
      return isObserved
    }
  }

  override func subscribe(_ observer: AnyObserver<Element>, in context: SubscriptionContext) {
    var first: Element?
    subscribe(
      observer, in: context, recording: { if recordedTermination == nil { first = latest } },
      replaying: { next in if let first, context.isActive { next(first) } })
  }
}
