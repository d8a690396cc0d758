import Synchronization

/// The state of one `subscribe`: a flag, and the list of disposables that end with the subscription.
///
///     Disposable of the caller ──▶ context ──▶ teardown: timers, inner contexts, places in lists
///                                     ▲
///     stages and sources ─────────────┘  test `isActive`, and `add(_:)` their resources
///
/// A context ends once: by a termination (`end(with:)`, `ending(before:)`) or by `dispose()`. Operators
/// that give their upstream a context of its own use `child()`.
///
/// - Isolation: `Sendable`; every member may be used from any thread.
@usableFromInline package final class SubscriptionContext: Cancelable {
  /// The kind of subscription.
  package enum Role {
    case ordinary
    /// Of a subscription to a source that guards its observer itself.
    case guarded
    /// Of the source of a `do`, or of a `do` directly inside another one.
    case inDo, inNestedDo
  }

  /// Nil once the subscription has been torn down.
  private let teardown = Protected<TeardownList?>(TeardownList())
  @usableFromInline let active = Atomic<Bool>(true)
  let role: Role

  /// - Parameter outer: the context that subscribes to something in this one.
  package init(_ role: Role = .ordinary, inside outer: SubscriptionContext? = nil) {
    self.role = role
    Instrumentation.report(.began(ObjectIdentifier(self), .subscription))
    guard let outer else { return }
    Instrumentation.report(.belongs(ObjectIdentifier(self), to: ObjectIdentifier(outer)))
  }

  deinit { Instrumentation.report(.ended(ObjectIdentifier(self))) }

  // MARK: Ending

  /// Whether elements may still pass. Sequentially consistent against the turns of a broadcaster.
  @inlinable package var isActive: Bool { active.load(ordering: .sequentiallyConsistent) }

  public var isDisposed: Bool { !isActive }

  /// Claims the end of the subscription: true for exactly one caller, which must `tearDown()`.
  func end() -> Bool {
    guard active.exchange(false, ordering: .sequentiallyConsistent) else { return false }
    Instrumentation.report(.ended(ObjectIdentifier(self)))
    return true
  }

  /// Ends the subscription with a termination, unless it has ended.
  func end(with terminate: () -> Void) {
    guard end() else { return }
    terminate()
    tearDown()
  }

  /// Passes a termination to the observer of a source that guards its observers itself: ends the
  /// subscription if that was opened on this source.
  package func finish(_ terminate: ((any Error)?) -> Void, _ error: (any Error)? = nil) {
    if role == .guarded { end { terminate(error) } } else { terminate(error) }
  }

  /// Wraps `terminate`: called by the one termination that ends the subscription, after the
  /// teardown.
  func ending(before terminate: @escaping ((any Error)?) -> Void) -> ((any Error)?) -> Void {
    { error in
      guard self.end() else { return }
      self.tearDown()
      terminate(error)
    }
  }

  /// Ends the subscription and disposes the added disposables.
  @usableFromInline package func dispose() { if claimDisposal() { tearDown() } }

  public func _end() -> [any Disposable] { claimDisposal() ? takeParts() : [] }

  /// Whether the caller, which disposes the subscription, must dispose the added disposables. Between two
  /// `do`s, the source is released first, and the outer `onDispose` is called last, also while the inner
  /// one still delivers the termination.
  private func claimDisposal() -> Bool { end() || role == .inNestedDo }

  // MARK: Teardown

  /// Disposes `disposable` with the subscription; at once if the subscription has been torn down
  /// already.
  @usableFromInline package func add(_ disposable: any Disposable & AnyObject) {
    if teardown.withLock({ $0?.append(disposable) == nil }) { disposable.dispose() }
  }

  /// Does the same with a disposable that need not be an object.
  @usableFromInline package func add(_ disposable: any Disposable) { add(Held(disposable)) }

  /// The added disposables, for the caller that disposes them in place of `tearDown()`.
  func takeParts() -> [any Disposable] { teardown.exchange(nil)?.all ?? [] }

  /// Disposes the added disposables, the latest first: stages add theirs downstream first, and unwind
  /// upstream first. Called once, by the caller whose `end()` was true.
  func tearDown() {
    guard let list = teardown.exchange(nil) else { return }
    guard list.second == nil, list.others.isEmpty else { return Disposables.dispose(list.all) }
    // Most lists have one at most, before which no other is disposed.
    list.first?.dispose()
  }

  /// The disposables that were added and have not been torn down, for inspection.
  package var parts: [any Disposable] { teardown.withLock { $0?.all ?? [] } }

  /// A context that ends with this one, or before it.
  ///
  /// It stays in this context's list until that ends: for upstreams fixed in number. Operators that
  /// subscribe to any number of upstreams keep them in a ``CompositeDisposable``.
  @usableFromInline package func child() -> SubscriptionContext {
    let child = SubscriptionContext(inside: self)
    add(child)
    return child
  }

  // MARK: Instrumentation

  /// Reports that all stages above are details of the last one.
  package func seal() { Instrumentation.report(.sealed(ObjectIdentifier(self))) }
}

/// Disposables in the order in which they were added. The first two need no allocation: few subscriptions
/// have more.
private struct TeardownList {
  private(set) var first: (any Disposable & AnyObject)?
  private(set) var second: (any Disposable & AnyObject)?
  private(set) var others: [any Disposable & AnyObject] = []

  mutating func append(_ disposable: any Disposable & AnyObject) {
    guard second == nil else { return others.append(disposable) }
    if first == nil { first = disposable } else { second = disposable }
  }

  var all: [any Disposable] {
    ([first, second] + others).compactMap { ($0 as? Held)?.disposable ?? $0 }
  }
}

/// A disposable that need not be an object, in a list of objects, which takes less than half of the memory.
private final class Held: Disposable {
  let disposable: any Disposable

  init(_ disposable: any Disposable) { self.disposable = disposable }

  func dispose() { disposable.dispose() }
}
