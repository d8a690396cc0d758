import Synchronization

/// What one `subscribe` owns: its flag, its teardown list, and the right to end it once.
///
///     Disposable the caller holds ──▶ context ──▶ teardown: members of broadcasters, timers, inner
///                                        ▲                  contexts, the `onDisposed` handler
///     outermost observer ────────────────┘
///
/// The cycle (context → member → observer → context) is cut by whichever comes first: termination,
/// disposal, or the death of the source that holds the member. Operators that give their upstream a
/// context of its own receive the first two only: if the source dies above one of them without a
/// termination, the subscription stays as it is until it is disposed.
///
/// - Isolation: `Sendable`; every member may be used from any thread. No lock: two atomics.
@usableFromInline class SubscriptionContext: Teardown, Cancelable, @unchecked Sendable {
  // Proof of @unchecked: two atomics; what subclasses within the module add, they prove themselves.
  private let active = Atomic<Bool>(true)
  private let resource: ResourceCount
  /// A stack: stages add themselves downstream first, and unwind upstream first. The bits of an
  /// owned reference to its top, or 0 for none, or 1 once it has been torn down.
  private let teardown = Atomic<UInt>(0)

  @usableFromInline override init() {
    resource = ResourceCount(.subscription)
    super.init()
  }

  /// A context for something that the one with the record `outer` subscribes to.
  init(inside outer: UInt32) {
    resource = ResourceCount(.subscription)
    // Here: after the superclass's initialiser it would cost a retain.
    resource.link(inside: outer)
    super.init()
  }

  /// The number of its record; 0 if it has none.
  @inline(__always) final var number: UInt32 { resource.number }

  /// Records that it belongs to the context with the record `outer`.
  @inline(__always) final func link(inside outer: UInt32) {
    resource.link(inside: outer)
  }

  /// Whether it observes the target of a binding, for inspection.
  var isOfTarget: Bool { false }

  /// The binding that it is, or is a part of, for inspection.
  var binding: SubscriptionContext? { nil }

  /// Records the call that has made it.
  @inline(__always) final func record(_ call: CallSite) {
    if _slowPath(number != 0) { Records.update(number) { $0.call = call } }
  }

  /// Records a stage that the observer passes on its way up.
  @inline(__always) final func pass(_ stage: StaticString) {
    if _slowPath(number != 0) { pass(named: stage) }
  }

  /// Records that all stages above are details of the last one.
  final func seal() {
    if _slowPath(number != 0) { Records.update(number) { $0.isSealed = true } }
  }

  @inline(never) private func pass(named stage: StaticString) {
    let name = CallSite.baseName(stage)
    Records.update(number) { if !name.isEmpty, !$0.isSealed { $0.stages.append(name) } }
  }

  /// Whether elements may still pass.
  ///
  /// Sequentially consistent: ``Broadcaster`` relies on its order against the serializer's state.
  /// On x86 that is an ordinary load.
  @usableFromInline final var isActive: Bool { active.load(ordering: .sequentiallyConsistent) }

  public final var isDisposed: Bool { !isActive }

  override final var hasEnded: Bool { !isActive }

  /// What part of something it is, for a trace: `hop 1`.
  var part: String? { nil }

  /// Claims the end of the subscription: true for exactly one caller, which must `tearDown()`.
  final func end() -> Bool {
    guard active.exchange(false, ordering: .sequentiallyConsistent) else { return false }
    // Here, because a broadcaster's list may refer to the context a little longer.
    resource.end()
    return true
  }

  /// Wraps `terminate`: called by the one termination that ends the subscription, after the
  /// teardown.
  final func ending(before terminate: @escaping ((any Error)?) -> Void) -> ((any Error)?) -> Void {
    { error in
      guard self.end() else { return }
      self.tearDown()
      terminate(error)
    }
  }

  /// Ends the subscription and disposes what was added.
  @usableFromInline override final func dispose() {
    if end() { tearDown() }
  }

  /// Disposes `disposable` with the subscription; at once if that has been torn down already.
  @usableFromInline
  final func add(_ disposable: any Disposable) { push(HeldDisposable(disposable)) }

  /// Disposes `item` with the subscription; at once if that has been torn down already.
  ///
  /// - Parameter item: something made for this context, and added to no other.
  final func push(_ item: Teardown) {
    let pushed = UInt(bitPattern: Unmanaged.passRetained(item).toOpaque())
    var top = teardown.load(ordering: .acquiring)
    while top != 1 {
      item.next = top
      let (exchanged, original) = teardown.weakCompareExchange(
        expected: top, desired: pushed, ordering: .acquiringAndReleasing)
      if exchanged { return }
      top = original
    }
    item.next = 0
    Unmanaged.passUnretained(item).release()
    item.dispose()
  }

  /// Disposes what was added. Called once, by the caller whose `end()` was true.
  final func tearDown() {
    takeAll { $0.dispose() }
  }

  /// Drops what has been added and has ended by itself meanwhile.
  ///
  /// - Complexity: O(what has been added).
  final func dropEnded() { _ = alive }

  /// What has been added and has not ended, the latest first; the rest is dropped.
  override final var parts: [Teardown] { alive }

  private var alive: [Teardown] {
    var top = teardown.load(ordering: .acquiring)
    while top > 1 {
      let (exchanged, original) = teardown.weakCompareExchange(
        expected: top, desired: 0, ordering: .acquiringAndReleasing)
      if exchanged { break }
      top = original
    }
    // A teardown meanwhile leaves its mark, and `push` disposes what comes too late.
    var alive: [Teardown] = []
    unlink(top) { if !$0.hasEnded { alive.append($0) } }
    for item in alive.reversed() { push(item) }
    return alive
  }

  private func takeAll(_ body: (Teardown) -> Void) {
    unlink(teardown.exchange(1, ordering: .acquiringAndReleasing), body)
  }

  private func unlink(_ top: UInt, _ body: (Teardown) -> Void) {
    var top = top
    while top > 1, let pointer = UnsafeRawPointer(bitPattern: top) {
      // Proof of Unmanaged: the bits are those of a reference that `push` retained for the list.
      let item = Unmanaged<Teardown>.fromOpaque(pointer).takeRetainedValue()
      top = item.next
      item.next = 0
      body(item)
    }
  }

  /// A context that ends with this one, or before it.
  ///
  /// It stays in this context's list until that ends: for upstreams fixed in number. Operators that
  /// subscribe to any number of upstreams keep theirs in a ``SerialDisposable`` or a set of their
  /// own.
  @usableFromInline final func child() -> SubscriptionContext {
    let child = SubscriptionContext(inside: number)
    push(child)
    return child
  }

  // The items are released, not disposed: disposal was not requested.
  deinit { takeAll { _ in } }
}

/// Something in a context's teardown list, with the link that makes it a list.
@usableFromInline class Teardown: Disposable, @unchecked Sendable {
  // Proof of @unchecked: `next` is written by the thread that pushes the item or takes the list,
  // and the list's atomic hands it from one to the other.
  /// The item below, as in `SubscriptionContext.teardown`.
  fileprivate final var next: UInt = 0

  @usableFromInline init() {}

  @usableFromInline func dispose() {}

  /// Whether there is nothing left to dispose.
  var hasEnded: Bool { false }

  /// What is disposed with it, the latest first, and what it observes itself; for inspection.
  var parts: [Teardown] { [] }
  var observed: [AnyObject] { [] }

  /// What it and its parts observe, in the order of subscription.
  final var allObserved: [AnyObject] { observed + parts.reversed().flatMap(\.allObserved) }
}

/// Any disposable, as an item of a teardown list.
private final class HeldDisposable: Teardown, @unchecked Sendable {
  // Proof of @unchecked: immutable.
  private let disposable: any Disposable

  init(_ disposable: any Disposable) { self.disposable = disposable }

  override func dispose() { disposable.dispose() }

  override var parts: [Teardown] {
    let held = (disposable as? SerialDisposable)?.disposable ?? disposable
    return (held as? Teardown).map { [$0] } ?? []
  }
}
