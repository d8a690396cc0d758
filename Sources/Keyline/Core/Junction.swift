/// Where the upstreams of one operator meet: what they say is handled one at a time, in one order,
/// and nothing once the output has ended.
///
/// Upstreams are run in contexts of their own (`context.child()`), because a termination may have to
/// wait for its turn. They are never subscribed to from inside a turn: one that is synchronous and
/// infinite would keep what it says to itself.
@usableFromInline final class Junction {
  /// The context of the output.
  @usableFromInline let context: SubscriptionContext
  let serializer = Serializer()

  @usableFromInline init(_ context: SubscriptionContext) { self.context = context }

  /// Has `handle` called with `value` in its turn: at once if nobody has it, else by the one who has.
  func pass<Value>(_ value: Value, to handle: @escaping (Value) -> Void) {
    serializer.run { if self.context.isActive { handle(value) } }
  }

  /// Runs `source`, one of the upstreams, and has what it says handled in turn.
  ///
  /// - Parameter upstream: the context to run it in; one of its own unless given.
  @usableFromInline func follow<Value>(
    _ source: Observable<Value>, in upstream: SubscriptionContext? = nil,
    next: @escaping (Value) -> Void, terminate: @escaping ((any Error)?) -> Void
  ) {
    guard context.isActive else { return }
    source.run(
      in: upstream ?? context.child(), next: { self.pass($0, to: next) },
      terminate: { self.pass($0, to: terminate) })
  }
}

/// A place for one value, touched in turn only.
///
/// The value is in memory of its own: unspecialised code would look up the metadata of an optional
/// each time it touched one.
@usableFromInline final class Slot<Value> {
  @usableFromInline let storage = UnsafeMutablePointer<Value>.allocate(capacity: 1)
  // Proof of unchecked: whoever has the turn is alone.
  @exclusivity(unchecked) @usableFromInline private(set) var isFilled = false

  @usableFromInline init() {}

  @usableFromInline init(_ value: Value) { store(value) }

  deinit { clear(); storage.deallocate() }

  /// The value. For those who know that there is one.
  @inlinable var filled: Value { storage.pointee }

  var value: Value? { isFilled ? filled : nil }

  func store(_ value: Value) {
    if isFilled {
      storage.pointee = value
    } else {
      storage.initialize(to: value)
      isFilled = true
    }
  }

  func clear() {
    guard isFilled else { return }
    isFilled = false
    storage.deinitialize(count: 1)
  }
}
