import Synchronization

/// A broadcaster with a value: its latest element, which new observers receive first.
///
/// The value changes in the same instant in which an emission takes its place in the order, as the
/// buffer of a ``ReplayBroadcaster`` does.
@usableFromInline
final class BehaviorBroadcaster<Element>: Broadcaster<Element>,
  @unchecked Sendable
{
  // Proof of @unchecked: what it adds is behind the serializer's lock.
  /// Written under the serializer's lock; locked apart, so that reading it is specialised in the
  /// module of the caller.
  @usableFromInline let latest: Latest<Element>
  /// Whether it has neither failed nor been disposed.
  @usableFromInline let isReadable = Atomic<Bool>(true)
  // Both: under the serializer's lock.
  private var isTerminated = false
  private var error: (any Error)?

  init(_ value: Element) {
    latest = Latest(value)
    super.init()
  }

  /// The error that ended the sequence, if one did.
  var failure: (any Error)? { serializer.locked { error } }

  override func next(_ element: Element) {
    // The value that is replaced is released after the lock.
    var released = element
    perform({ self.deliver(element) }) { if !isTerminated { latest.swap(with: &released) } }
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
      observer, in: context, recording: { if !isTerminated { first = latest.value } },
      replaying: { next in if let first, context.isActive { next(first) } })
  }

  override func dispose() {
    serializer.locked { isTerminated = true }
    isReadable.store(false, ordering: .releasing)
    super.dispose()
  }
}

/// A value behind a lock, as an object: in the module of its user its type is known.
@usableFromInline final class Latest<Value>: @unchecked Sendable {
  // Proof of @unchecked: the value is accessed under the lock only. That does not contain it: where
  // the type of the value is not known, its metadata would have to be looked up to lock it.
  @usableFromInline let lock = Protected<Void>(())
  @usableFromInline var stored: Value

  init(_ value: Value) { stored = value }

  @inlinable @inline(__always) var value: Value { lock.withLock { _ in stored } }

  func swap(with other: inout Value) { lock.withLock { _ in Swift.swap(&stored, &other) } }
}
