/// Runs sources one after the other: each starts when the one before has ended *and has left the
/// stack*, so that any number of synchronous ones may follow each other.
///
/// Their elements do not pass through here: there is nothing an endless one could keep waiting.
///
/// Not generic: what is run many times should not look up metadata each time.
final class Succession {
  private let serializer = Serializer()
  private let current = SerialDisposable()

  /// - Parameter context: ends the source that runs.
  init(in context: SubscriptionContext) { context.add(current) }

  /// Runs `source` in a context of its own, in its turn.
  func run<Element>(
    _ source: Observable<Element>, next: @escaping (Element) -> Void,
    terminate: @escaping ((any Error)?) -> Void
  ) {
    serializer.run {
      let context = SubscriptionContext()
      self.current.disposable = context
      if context.isActive { source.run(in: context, next: next, terminate: terminate) }
    }
  }
}
