import Synchronization

/// Runs sources one after the other: each starts when the one before has ended *and has returned*,
/// so that any number of synchronous sources may follow each other without growing the stack.
///
/// Elements do not pass through the serializer: an endless source blocks nothing.
///
/// Not generic: code that runs often should not look up metadata each time.
final class SerialSubscription {
  private let serializer = Serializer()
  private let current = SerialDisposable()
  /// The number of the context's record.
  private let outer: UInt32

  /// - Parameter context: ends the current source.
  init(in context: SubscriptionContext) {
    outer = context.number
    context.add(current)
  }

  /// Runs `source` in a context of its own, in its turn.
  func run<Element>(
    _ source: Observable<Element>, next: @escaping (Element) -> Void,
    terminate: @escaping ((any Error)?) -> Void
  ) {
    serializer.perform {
      let context = SubscriptionContext(inside: self.outer)
      self.current.disposable = context
      if context.isActive { source.run(in: context, next: next, terminate: terminate) }
    }
  }
}

/// One context after the other: each is disposed by the next one, and the last with the whole.
final class CurrentContext: Teardown, @unchecked Sendable {
  // Proof of @unchecked: synchronised.
  private let current = Protected<SubscriptionContext?>(nil)
  /// Whether there may be one: asked without a lock.
  private let isTaken = Atomic<Bool>(false)

  func replace(by other: SubscriptionContext?) {
    isTaken.store(other != nil, ordering: .releasing)
    current.exchange(other)?.dispose()
  }

  /// Disposes the last one. For the caller of `replace(by:)`.
  func leave() { if isTaken.load(ordering: .acquiring) { replace(by: nil) } }

  override func dispose() { replace(by: nil) }
}
