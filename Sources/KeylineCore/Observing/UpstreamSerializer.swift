/// Serialises the upstreams of one operator: their events are handled one at a time, in one order,
/// and not at all once the output has ended.
///
/// Upstreams are run in contexts of their own (`context.child()`), because a termination may have
/// to wait for its turn. An upstream is never subscribed to from inside a turn: the events of a
/// synchronous, infinite source would wait without end for that turn to be over.
@usableFromInline package final class UpstreamSerializer {
  /// The context of the output.
  @usableFromInline let context: SubscriptionContext
  let serializer = Serializer()

  @usableFromInline package init(_ context: SubscriptionContext) { self.context = context }

  /// Calls `handle` with `value` in its turn: at once if the serializer is idle, else on the thread
  /// that owns it.
  package func deliver<Value>(_ value: Value, to handle: @escaping (Value) -> Void) {
    serializer.perform { if self.context.isActive { handle(value) } }
  }

  /// Runs `source`, one of the upstreams, and has its events handled in turn.
  ///
  /// - Parameter upstream: the context to run it in; one of its own unless given.
  @usableFromInline func subscribe<Value>(
    to source: Observable<Value>, in upstream: SubscriptionContext? = nil,
    next: @escaping (Value) -> Void, terminate: @escaping ((any Error)?) -> Void
  ) {
    guard context.isActive else { return }
    source.run(
      in: upstream ?? context.child(), next: { self.deliver($0, to: next) },
      terminate: { self.deliver($0, to: terminate) })
  }
}
