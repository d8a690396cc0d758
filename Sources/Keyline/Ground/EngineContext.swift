import KeylineCore
import Synchronization

/// What one `subscribe` owns: its flag, its teardown list, the right to end it once, and its place
/// in the list of a broadcaster.
///
///     Disposable the caller holds ──▶ context ──▶ teardown: timers, inner contexts, further members
///     list of a broadcaster ─────────▶ │  ▲                of broadcasters, `onDisposed`
///                                      ▼  │
///                             observer ───┘
///
/// The cycle (context → observer → context) is cut by whichever comes first: termination, disposal,
/// or the death of the source whose list the context stands in. Operators that give their upstream a
/// context of its own receive the first two only: if the source dies above one of them without a
/// termination, the subscription stays as it is until it is disposed.
///
/// - Isolation: `Sendable`; every member may be used from any thread. No lock: atomics.
@usableFromInline class EngineContext: ObserverSlot<Never>, Cancelable, @unchecked Sendable {
  // Proof of @unchecked: atomics, and a membership, whose proof stands in Membership.swift; what
  // subclasses within the module add, they prove themselves.
  private let active = Atomic<Bool>(true)

  // Its place in the list of a broadcaster: see Membership.swift.

  final let membership = Atomic<Membership>(.free)
  final let hasBegunJoining = Atomic<Bool>(false)
  /// A stack: stages add themselves downstream first, and unwind upstream first. The bits of an
  /// owned reference to its top, or 0 for none, and two flags of ``TeardownFlag``.
  private let teardown = Atomic<UInt>(0)

  /// The list, owned from joining to leaving.
  // Proof of unchecked: for whoever has made it a member, or has taken that out of the teardown.
  @exclusivity(unchecked) final var list: Unmanaged<ObserverList>?
  /// The context that this one is a further member for, if it is one.
  // Proof of Unmanaged: retained as long as this one lives. A reference would have the compiler
  // destroy each context as if it were one of a list.
  final let outer: Unmanaged<EngineContext>?

  /// What it is recorded as: a subscription of the core, if it stands for one.
  private final let origin: ObjectIdentifier?
  /// The context that has subscribed by way of the core.
  private(set) final var starter: EngineContext?

  @usableFromInline override init() {
    outer = nil
    origin = nil
    super.init()
    Instrumentation.report(.began(record, .subscription))
  }

  /// A further member, which is not counted as a subscription.
  init(for outer: EngineContext) {
    self.outer = .passRetained(outer)
    origin = nil
    super.init()
  }

  /// A context for something that the subscription recorded as `outer` subscribes to.
  init(inside outer: ObjectIdentifier) {
    self.outer = nil
    origin = nil
    super.init()
    Instrumentation.report(.began(record, .subscription))
    Instrumentation.report(.belongs(record, to: outer))
  }

  /// The part of a subscription of the core that the engine knows; it ends with that.
  init(of context: SubscriptionContext) {
    outer = nil
    starter = Starter.context(of: context)
    origin = starter?.record ?? ObjectIdentifier(context)
    super.init()
    context.add(self)
    starter?.push(self)
  }

  /// Runs `source` in a subscription of the core that ends with this one.
  @usableFromInline final func run<Element>(
    _ source: Observable<Element>, next: @escaping (Element) -> Void,
    terminate: @escaping ((any Error)?) -> Void
  ) {
    let upstream = SubscriptionContext()
    if Diagnostics.isRecording { Records.merge(ObjectIdentifier(upstream), into: record) }
    add(upstream)
    Starter(self, upstream).perform {
      source.run(in: upstream, next: next, terminate: terminate)
    }
  }

  final var record: ObjectIdentifier { origin ?? ObjectIdentifier(self) }

  /// Whether it observes the target of a binding, for inspection.
  var isOfTarget: Bool { starter?.isOfTarget ?? false }

  /// The binding that it is, or is a part of, for inspection.
  var binding: EngineContext? { starter?.binding }

  /// Reports the call that has made it.
  final func record(_ call: CallSite) { Instrumentation.report(.called(record, call)) }

  /// Whether elements may still pass.
  ///
  /// Sequentially consistent: ``EngineBroadcaster`` relies on its order against the serializer's state.
  /// On x86 that is an ordinary load.
  @usableFromInline final var isActive: Bool { active.load(ordering: .sequentiallyConsistent) }

  public final var isDisposed: Bool { !isActive }

  override final var hasEnded: Bool { !isActive }

  /// What part of something it is, for a trace: `hop 1`.
  var part: String? { nil }

  /// Claims the end of the subscription: true for exactly one caller, which must `tearDown()`.
  final func end() -> Bool {
    guard active.exchange(false, ordering: .sequentiallyConsistent) else { return false }
    if outer == nil, origin == nil { Instrumentation.report(.ended(record)) }
    return true
  }

  final var state: String {
    let path = Records.path(from: record).map { "\($0.description), " }
    return (path ?? "") + (isActive ? "active" : "disposed")
  }

  /// Ends the subscription and disposes what was added.
  @usableFromInline override func dispose() {
    if end() { tearDown() }
  }

  /// Disposes `disposable` with the subscription; at once if that has been torn down already.
  @usableFromInline
  final func add(_ disposable: any Disposable) { push(HeldDisposable(disposable)) }

  /// Disposes `item` with the subscription; at once if that has been torn down already.
  ///
  /// - Parameter item: something made for this context, and added to no other.
  @usableFromInline final func push(_ item: EngineItem) {
    let pushed = UInt(bitPattern: Unmanaged.passRetained(item).toOpaque())
    var top = teardown.load(ordering: .acquiring)
    while top & TeardownFlag.tornDown == 0 {
      item.next = top & ~TeardownFlag.all
      let (exchanged, original) = teardown.weakCompareExchange(
        expected: top, desired: pushed | top & TeardownFlag.all,
        ordering: .acquiringAndReleasing)
      if exchanged { return }
      top = original
    }
    item.next = 0
    Unmanaged.passUnretained(item).release()
    item.dispose()
  }

  /// Disposes what was added. Called once, by the caller whose `end()` was true.
  final func tearDown() {
    let top = teardown.exchange(TeardownFlag.tornDown, ordering: .acquiringAndReleasing)
    if top & TeardownFlag.member != 0 { leaveList() }
    unlink(top & ~TeardownFlag.all) { $0.dispose() }
  }

  /// What has been added and has not ended, the latest first; the rest is dropped.
  override final var parts: [EngineItem] { alive }

  private var alive: [EngineItem] {
    var alive: [EngineItem] = []
    unlink(take(~TeardownFlag.all)) { if !$0.hasEnded { alive.append($0) } }
    for item in alive.reversed() { push(item) }
    return alive
  }

  /// Takes `bits` out, unless it has been torn down: a teardown meanwhile leaves its mark, and
  /// whoever puts something back finds that.
  private func take(_ bits: UInt) -> UInt {
    var top = teardown.load(ordering: .acquiring)
    while top & TeardownFlag.tornDown == 0, top & bits != 0 {
      let (exchanged, original) = teardown.weakCompareExchange(
        expected: top, desired: top & ~bits, ordering: .acquiringAndReleasing)
      if exchanged { return top & bits }
      top = original
    }
    return 0
  }

  private func unlink(_ top: UInt, _ body: (EngineItem) -> Void) {
    var top = top
    while let pointer = UnsafeRawPointer(bitPattern: top) {
      // Proof of Unmanaged: the bits are those of a reference that `push` retained for the list.
      let item = Unmanaged<EngineItem>.fromOpaque(pointer).takeRetainedValue()
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
  @usableFromInline final func child() -> EngineContext {
    let child = EngineContext(inside: record)
    push(child)
    return child
  }

  // The items are released, not disposed: disposal was not requested. Nobody else adds one now.
  deinit {
    unlink(teardown.load(ordering: .acquiring) & ~TeardownFlag.all) { _ in }
    list?.release()
    if outer == nil, origin == nil { Instrumentation.report(.ended(record)) }
    outer?.release()
  }

  /// Puts its membership into the teardown; ends it at once if that is over.
  final func markAsMember() {
    let former = teardown.bitwiseOr(TeardownFlag.member, ordering: .acquiringAndReleasing).oldValue
    if former & TeardownFlag.tornDown != 0 { leaveList() }
  }

  /// Takes its membership out of the teardown, until `markAsMember()`; false if there is none.
  final func takeMembership() -> Bool { take(TeardownFlag.member) != 0 }

  /// For the one who has taken the membership out of the teardown.
  private func leaveList() {
    defer { list = nil }
    list?.takeRetainedValue().hasLeft(self)
  }

  /// What the list that it stands in is that of.
  override final var observed: [AnyObject] {
    // Nothing leaves the list meanwhile.
    guard takeMembership() else { return [] }
    defer { markAsMember() }
    return [list?.takeUnretainedValue().owner].compactMap { $0 }
  }
}

/// The context of the engine that is subscribing to a sequence of the core on this thread.
private final class Starter {
  private static let ofThread = ThreadLocal<Starter>()
  private static let count = Atomic<Int>(0)
  private let context: EngineContext
  private let upstream: SubscriptionContext

  init(_ context: EngineContext, _ upstream: SubscriptionContext) {
    self.context = context
    self.upstream = upstream
  }

  func perform(_ body: () -> Void) {
    let outer = Self.ofThread.value
    Self.ofThread.value = self
    Self.count.wrappingAdd(1, ordering: .relaxed)
    body()
    Self.count.wrappingSubtract(1, ordering: .relaxed)
    Self.ofThread.value = outer
  }

  /// The context that is subscribing by way of `upstream`, if one is.
  static func context(of upstream: SubscriptionContext) -> EngineContext? {
    guard count.load(ordering: .relaxed) > 0, let starter = ofThread.value else { return nil }
    return starter.upstream === upstream ? starter.context : nil
  }
}

/// Bits of a teardown list besides those of a reference, which are zero there.
private enum TeardownFlag {
  /// It has been torn down.
  static let tornDown: UInt = 1
  /// The context stands in the list of a broadcaster.
  static let member: UInt = 2
  static let all: UInt = 3
}

/// Something in a context's teardown list, with the link that makes it a list.
@usableFromInline class EngineItem: Disposable, @unchecked Sendable {
  // Proof of @unchecked: `next` is written by the thread that pushes the item or takes the list,
  // and the list's atomic hands it from one to the other.
  /// The item below, as in `EngineContext.teardown`.
  fileprivate final var next: UInt = 0

  @usableFromInline init() {}

  @usableFromInline func dispose() {}

  /// Whether there is nothing left to dispose.
  var hasEnded: Bool { false }

  /// What is disposed with it, the latest first, and what it observes itself; for inspection.
  var parts: [EngineItem] { [] }
  var observed: [AnyObject] { [] }

  /// What it and its parts observe, in the order of subscription.
  final var allObserved: [AnyObject] { observed + parts.reversed().flatMap(\.allObserved) }
}

/// Any disposable, as an item of a teardown list.
private final class HeldDisposable: EngineItem, @unchecked Sendable {
  // Proof of @unchecked: immutable.
  private let disposable: any Disposable

  init(_ disposable: any Disposable) { self.disposable = disposable }

  override func dispose() { disposable.dispose() }

  override var parts: [EngineItem] {
    let held = (disposable as? SerialDisposable)?.disposable ?? disposable
    return (held as? EngineItem).map { [$0] } ?? []
  }
}
