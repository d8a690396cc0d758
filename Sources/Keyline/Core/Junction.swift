/// Where the upstreams of one operator meet: what they say is handled one at a time, in one order,
/// and nothing once the output has ended.
///
/// Upstreams are run in contexts of their own (`context.child()`), because a termination may have to
/// wait for its turn. They are never subscribed to from inside a turn: one that is synchronous and
/// infinite would keep what it says to itself.
@usableFromInline
final class Junction {
  /// The context of the output.
  @usableFromInline
  let context: SubscriptionContext
  private let serializer = Serializer<() -> Void>()

  @usableFromInline
  init(_ context: SubscriptionContext) { self.context = context }

  /// Has `handle` called with `value` in its turn: at once if nobody has it, else by the one who has.
  func pass<Value>(_ value: Value, to handle: @escaping (Value) -> Void) {
    guard serializer.enter() else { return queue(value, for: handle) }
    if context.isActive { handle(value) }
    serializer.leave { work in work() }
  }

  @inline(never)
  private func queue<Value>(_ value: Value, for handle: @escaping (Value) -> Void) {
    let handleInTurn = { [context] in if context.isActive { handle(value) } }
    serializer.send(handleInTurn) { work in work() }
  }
}

/// A place for one value, touched in turn only.
@usableFromInline
final class Slot<Value> {
  // Proof of unchecked: whoever has the turn is alone.
  @exclusivity(unchecked)
  @usableFromInline
  var value: Value?

  @usableFromInline
  init(_ value: Value? = nil) { self.value = value }
}
