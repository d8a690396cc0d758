/// Runs sources one after the other: each starts when the one before has ended *and has returned*,
/// so that any number of synchronous sources may follow each other without growing the stack.
///
/// Elements do not pass through the serializer: an endless source blocks nothing.
///
/// Not generic: code that runs often should not look up metadata each time.
final class SerialSubscription {
  private let serializer = Serializer()
  private let current = SerialDisposable()
  private let outer: SubscriptionContext

  /// - Parameter context: ends the current source.
  init(in context: SubscriptionContext) {
    outer = context
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
