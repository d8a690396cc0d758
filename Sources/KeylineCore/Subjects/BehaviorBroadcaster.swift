/// A broadcaster with a value: its latest element, which new observers receive first.
///
/// The value changes in the same instant in which an emission takes its place in the order, as the
/// buffer of a ``ReplayBroadcaster`` does.
@usableFromInline
final class BehaviorBroadcaster<Element>: Broadcaster<Element>, @unchecked Sendable {
  // Proof of @unchecked: `lock` protects `latest`.
  /// Protects `latest`, and does not contain it: a `Protected<Element>` would have its metadata looked
  /// up at every use in generic code.
  @usableFromInline let lock = Protected<Void>(())
  @usableFromInline var latest: Element

  init(_ value: Element) { latest = value }

  /// The latest element. Inlinable: reading it is specialised in the module of the caller.
  @inlinable var value: Element { lock.withLock { _ in latest } }

  override func next(_ element: Element) {
    // The value that is replaced is released after the lock.
    var released = element
    perform({ self.deliver(element) }) {
      if recordedTermination == nil { lock.withLock { _ in swap(&latest, &released) } }
    }
  }

  override func subscribe(_ observer: AnyObserver<Element>, in context: SubscriptionContext) {
    var first: Element?
    subscribe(
      observer, in: context, recording: { if recordedTermination == nil { first = latest } },
      replaying: { next in if let first, context.isActive { next(first) } })
  }
}
