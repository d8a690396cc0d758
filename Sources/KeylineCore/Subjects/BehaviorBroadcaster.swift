import Synchronization

/// A broadcaster with a value: its latest element, which new observers receive first.
///
/// The value changes in the same instant in which an emission takes its place in the order, as the
/// buffer of a ``ReplayBroadcaster`` does.
@usableFromInline
final class BehaviorBroadcaster<Element>: Broadcaster<Element>, @unchecked Sendable {
  // Proof of @unchecked: `lock` protects `latest`; the serializer's lock protects the other variables.
  /// Protects `latest`, and does not contain it: a `Protected<Element>` would have its metadata looked
  /// up at every use in generic code.
  @usableFromInline let lock = Protected<Void>(())
  @usableFromInline var latest: Element
  /// Whether it has neither failed nor been disposed.
  @usableFromInline let isReadable = Atomic<Bool>(true)
  // Both: under the serializer's lock.
  private var isTerminated = false
  private var error: (any Error)?

  init(_ value: Element) {
    latest = value
    super.init()
  }

  /// The latest element. Inlinable: reading it is specialised in the module of the caller.
  @inlinable var value: Element { lock.withLock { _ in latest } }

  /// The error that ended the sequence, if one did.
  var failure: (any Error)? { serializer.locked { error } }

  override func next(_ element: Element) {
    // The value that is replaced is released after the lock.
    var released = element
    perform({ self.deliver(element) }) {
      if !isTerminated { lock.withLock { _ in swap(&latest, &released) } }
    }
  }

  override func terminate(_ error: (any Error)?) {
    perform({ self.deliver(termination: error) }) {
      guard !isTerminated else { return }
      isTerminated = true
      self.error = error
      if error != nil { isReadable.store(false, ordering: .releasing) }
    }
  }

  override func subscribe(_ observer: AnyObserver<Element>, in context: SubscriptionContext) {
    var first: Element?
    subscribe(
      observer, in: context, recording: { if !isTerminated { first = latest } },
      replaying: { next in if let first, context.isActive { next(first) } })
  }

  override func dispose() {
    serializer.locked { isTerminated = true }
    isReadable.store(false, ordering: .releasing)
    super.dispose()
  }
}
