import Synchronization

/// Delivers elements to a list of observers: what subjects, relays and property nodes share.
///
/// It keeps C4 to C8 for them: subscription order for any number of observers, one order for
/// concurrent and re-entrant emissions, joining and leaving at any moment.
///
///     subject ──▶ broadcaster ──▶ member ──▶ observer (closures of the chain below)
///                      ▲            │  ▲
///                      └────────────┘  └── teardown list of the subscription's context
///
/// The list belongs to the owner of the serializer. Leaving does not need ownership, so that it
/// works at once from any thread and never makes an emission wait: the leaver's context is
/// inactive, so its closures are skipped from then on, and they are released by the leaver if the
/// serializer is idle, else by the owner before it leaves (the proof is at ``AnyMember``).
///
/// - Complexity: O(1) amortised to join and to leave; per element, two atomic operations and one
///   call for each observer.
@usableFromInline class Broadcaster<Element> {
  let serializer = Serializer()
  /// Owned by the serializer's owner.
  // Proof of unchecked: the serializer has one owner at a time, and nothing writes during a walk.
  // Proof of Unmanaged: each stands for one retain, until it is taken out.
  @exclusivity(unchecked) private var members = InlineStack<Unmanaged<AnyMember>>()
  /// Owned by the serializer's owner: nil while open, the termination afterwards.
  @exclusivity(unchecked) private var termination: (any Error)??
  /// Observers whose context has not ended, whether they stand in the list already or not.
  private let population = Atomic<Int>(0)
  /// What members that have left leave to the owner.
  private let leftovers = Atomic<Leftovers>(.none)
  private let disposed = Atomic<Bool>(false)
  private let resource = ResourceCount(.subject)

  /// Records the call that has made the subject.
  final func record(_ file: StaticString, _ line: UInt, _ function: StaticString) {
    resource.record(file, line, function)
  }

  /// How many observers have joined and not left.
  final var observerCount: Int { population.load(ordering: .relaxed) }

  /// Whether an observer has joined and not left.
  @inline(__always) final var hasObservers: Bool { population.load(ordering: .relaxed) > 0 }

  // MARK: Emitting

  /// Delivers `element` to all observers that have joined, or queues it during a delivery.
  func next(_ element: Element) {
    guard serializer.enter() else { return send { self.deliverQueued(element) } }
    deliver(element)
    leave()
  }

  /// Delivers the termination and releases all observers. What follows is ignored.
  func terminate(_ error: (any Error)?) { perform { self.deliver(termination: error) } }

  /// Disposes all subscriptions without a termination and clears the replay buffer: for a subject
  /// that dies before it has terminated, while subscriptions to it may still be retained.
  ///
  /// In its turn: the subject may die in the middle of a delivery, when the last reference to it is
  /// in an observer's closure.
  func forget() { perform(releaseMembers) }

  /// Whether `dispose()` has been called.
  final var isDisposed: Bool { disposed.load(ordering: .acquiring) }

  /// Disposes all subscriptions without a termination, and ignores what follows. The subject fails
  /// later ones itself: an error that names it, stored here, would retain it.
  func dispose() {
    disposed.store(true, ordering: .releasing)
    perform(releaseMembers)
    terminate(nil)
  }

  /// Does `work` in its turn: at once if the serializer is idle, else it is left to the owner.
  @inline(__always)
  final func perform(_ work: @autoclosure () -> () -> Void) {
    guard serializer.enter() else { return send(work()) }
    work()()
    leave()
  }

  /// The slow path. The autoclosure keeps even the creation of the closure out of the fast one.
  @inline(never)
  final func send(_ work: @autoclosure () -> () -> Void) { perform(work(), recording: {}) }

  /// Does `work` in its turn, whose place is fixed atomically with `recording`, as in
  /// ``Serializer/claim(orQueue:recording:)``.
  @inline(__always)
  final func perform(_ work: @autoclosure () -> () -> Void, recording: () -> Void) {
    guard serializer.claim(orQueue: work, recording: recording) else { return }
    work()()
    leave()
  }

  /// Ends the ownership, after doing what was queued and releasing the members that have left.
  @inline(__always) final func leave() {
    if _slowPath(leftovers.load(ordering: .relaxed) != .none) { tidyIfWorthwhile() }
    serializer.leave()
    if _slowPath(leftovers.load(ordering: .sequentiallyConsistent) == .closures) { leaveLate() }
  }

  /// Takes the ownership back for what has been left since the owner looked.
  @inline(never) private final func leaveLate() {
    while leftovers.load(ordering: .sequentiallyConsistent) == .closures, serializer.enter() {
      tidy()
      serializer.leave()
    }
  }

  /// Delivers an element that had to wait. For the owner only.
  func deliverQueued(_ element: Element) { deliver(element) }

  @inline(__always) final func deliver(_ element: Element) {
    forEachMember { $0.deliver(element) }
  }

  /// Delivers `element` by `around`, which is called for each observer with its place in the order,
  /// its context, and what delivers to it.
  final func deliver(
    _ element: Element, _ around: (Int, SubscriptionContext, () -> Void) -> Void
  ) {
    var number = 0
    forEachMember { member in
      number += 1
      around(number, member.context) { member.deliver(element) }
    }
  }

  /// Calls `body` with each member whose context is active, unless the sequence has terminated. For
  /// the owner only.
  @inline(__always) private final func forEachMember(_ body: (Member<Element>) -> Void) {
    guard termination == nil, let first = members.first else { return }
    @inline(__always) func visit(_ member: Unmanaged<AnyMember>) {
      member._withUnsafeGuaranteedRef { member in
        guard member.context.isActive else { return }
        // Proof: only members of this broadcaster get into its list.
        body(unsafeDowncast(member, to: Member<Element>.self))
      }
    }
    // The list does not change while it is walked: joining and tidying wait for the owner.
    visit(first)
    var index = 0
    while index < members.others.count {
      visit(members.others[index])
      index += 1
    }
  }

  /// Delivers `element` to one member, in its turn.
  final func next(_ element: Element, to member: Member<Element>) {
    perform { if member.context.isActive { member.deliver(element) } }
  }

  final func deliver(termination error: (any Error)?) {
    guard termination == nil else { return }
    termination = .some(error)
    takeMembers { member in
      if member.context.isActive { member.terminate(error) }
      _ = member.release()
    }
  }

  // MARK: Joining and leaving

  /// Adds an observer; it does not receive elements whose delivery has begun, or that are queued.
  func subscribe(_ observer: AnyObserver<Element>, in context: SubscriptionContext) {
    let member = Member(observer, in: context, of: self)
    context.push(member)
    perform { self.join(member) }
  }

  /// Adds an observer that first receives what `snapshot` returns, synchronously, on this thread.
  ///
  /// The snapshot is taken atomically with the place among the emissions, so nothing is lost or
  /// doubled between the two. If another thread is delivering, its deliveries to the new observer
  /// wait until the replay is over.
  final func subscribe(
    _ observer: AnyObserver<Element>, in context: SubscriptionContext,
    replaying snapshot: () -> [Event<Element>]
  ) {
    let member = Member(observer, in: context, of: self)
    var gate: SerializedObserver<Element>?
    var replay: [Event<Element>] = []
    let isOwner = serializer.claim(
      orQueue: {
        let closed = SerializedObserver(observer)
        closed.hold()
        gate = closed
        member.observer = AnyObserver(next: closed.next, terminate: closed.terminate)
        return { self.join(member) }
      },
      recording: { replay = snapshot() })
    context.push(member)
    for event in replay where context.isActive { observer.on(event) }
    gate?.resume()
    if isOwner {
      join(member)
      leave()
    }
  }

  /// Adds a member after `first` has run, which delivers the initial elements to it. It receives
  /// the emissions that `first` causes. For emitters confined to one isolation domain.
  final func subscribe(_ member: Member<Element>, after first: () -> Void) {
    member.context.push(member)
    if serializer.enter() {
      first()
      join(member)
      leave()
    } else {
      send { self.join(member) }
      first()
    }
  }

  private func join(_ member: Member<Element>) {
    member.beginJoining()
    if member.context.isActive {
      guard let termination else { return members.append(.passRetained(member)) }
      member.terminate(termination)
    }
    _ = member.release()
  }

  /// Called by a member that has just been made, on any thread.
  fileprivate final func willJoin() { population.wrappingAdd(1, ordering: .relaxed) }

  /// Called by a member whose context has ended, on any thread.
  fileprivate final func hasLeft(_ member: AnyMember) {
    population.wrappingSubtract(1, ordering: .relaxed)
    // It leaves before it joins, with its first element: who joins it finds that, and there is
    // nothing in the list to release.
    guard member.hasBegunJoining else { return }
    if serializer.isIdle {
      if member.release() {
        _ = leftovers.compareExchange(
          expected: .none, desired: .members, ordering: .sequentiallyConsistent)
      } else {
        leftovers.store(.closures, ordering: .sequentiallyConsistent)
      }
      return
    }
    leftovers.store(.closures, ordering: .sequentiallyConsistent)
    // The owner may have left before it could read that.
    if serializer.isIdle { _ = member.release() }
  }

  /// Removes the members that have left, if there is something to release or that pays for a walk
  /// through the list. For the owner only.
  @inline(never) private final func tidyIfWorthwhile() {
    if leftovers.load(ordering: .relaxed) == .closures
      || members.count - population.load(ordering: .relaxed) > max(2, members.count / 2)
    {
      tidy()
    }
  }

  /// What the elements are those of, for inspection.
  var owner: AnyObject? { nil }

  /// What has subscribed, in order, for inspection. For the thread that owns the emitter, if that is
  /// confined.
  final var contexts: [SubscriptionContext] {
    (0..<members.count).map { members[$0]._withUnsafeGuaranteedRef { $0.context } }
      .filter { $0.isActive }
  }

  /// Releases and removes all members that have left. For the owner only.
  private func tidy() {
    leftovers.store(.none, ordering: .sequentiallyConsistent)
    let walked = members
    members.removeAll()
    for index in 0..<walked.count {
      let member = walked[index]
      if member._withUnsafeGuaranteedRef({ !$0.context.isActive && $0.release() }) {
        member.release()
      } else {
        members.append(member)
      }
    }
  }

  private func releaseMembers() {
    takeMembers { member in
      member.context.dispose()
      _ = member.release()
    }
  }

  /// Calls `body` with each member, after they have been taken out of the list.
  private func takeMembers(_ body: (AnyMember) -> Void) {
    let taken = members
    members = InlineStack()
    for index in 0..<taken.count { body(taken[index].takeRetainedValue()) }
    taken.deallocate()
  }

  deinit { takeMembers { _ in } }
}

/// What members that have left a broadcaster's list leave to its owner.
private enum Leftovers: UInt8, AtomicRepresentable {
  /// Nothing, or so little that it is not worth a walk.
  case none
  /// Their places in the list.
  case members
  /// Their closures, too.
  case closures
}

/// One observer in a broadcaster's list, without its element type: walking a list of these costs
/// no look-up of generic metadata.
///
/// Its closures must be released by exactly one of two: the leaver, on whatever thread, or the
/// owner of the serializer. Proof that the leaver may do so when it finds the serializer idle: its
/// context was made inactive before it looked; an owner that enters later looks at the context
/// after entering; all four operations are sequentially consistent, so that owner skips the member.
/// If both try to, `claimed` admits one.
@usableFromInline class AnyMember: Teardown, @unchecked Sendable {
  // Proof of @unchecked: a subclass's closures are touched by the owner of the serializer while the
  // context is active, and by the thread that set `claimed` afterwards; the rest is immutable or
  // atomic.
  final let context: SubscriptionContext
  private let progress = Atomic<MemberProgress>(.joined)
  private let joining = Atomic<Bool>(false)

  /// Called before the context is looked at, as the context ends before `hasBegunJoining` is: either
  /// finds the other.
  fileprivate final func beginJoining() { joining.store(true, ordering: .sequentiallyConsistent) }

  fileprivate final var hasBegunJoining: Bool { joining.load(ordering: .sequentiallyConsistent) }

  fileprivate init(in context: SubscriptionContext) { self.context = context }

  fileprivate func terminate(_ error: (any Error)?) {}

  func releaseClosures() {}

  /// Releases the closures; false if another thread is about to.
  fileprivate final func release() -> Bool {
    let (exchanged, original) = progress.compareExchange(
      expected: .joined, desired: .claimed, ordering: .sequentiallyConsistent)
    guard exchanged else { return original == .released }
    releaseClosures()
    progress.store(.released, ordering: .sequentiallyConsistent)
    return true
  }
}

private enum MemberProgress: UInt8, AtomicRepresentable {
  case joined, claimed, released
}

/// One observer in a broadcaster's list.
@usableFromInline class Member<Element>: AnyMember, @unchecked Sendable {
  // Proof of @unchecked: see AnyMember.
  /// Nil once the closures have been released. For the owner of the serializer only, and while the
  /// context is active, but not during a delivery; or before it joins.
  // Proof of unchecked: no foreign code runs during an access to it.
  @exclusivity(unchecked) final var observer: Optional<AnyObserver<Element>>
  private final let broadcaster: Broadcaster<Element>

  required init(
    _ observer: AnyObserver<Element>, in context: SubscriptionContext,
    of broadcaster: Broadcaster<Element>
  ) {
    // Called first: after the stores, it would cost a retain and a release of all that is stored.
    broadcaster.willJoin()
    self.observer = consume observer
    self.broadcaster = broadcaster
    super.init(in: context)
  }

  /// For the owner of the serializer only, and while the context is active.
  ///
  /// The closures are taken out meanwhile, because to keep them alive in their place would cost
  /// retains and releases. They are not needed there: deliveries do not nest, and a member that
  /// leaves during one leaves its closures to the owner.
  @inline(__always)
  fileprivate final func deliver(_ element: Element) {
    guard let observer else { return }
    self.observer = nil
    observer.next(element)
    self.observer = observer
  }

  @usableFromInline override final func dispose() {
    broadcaster.hasLeft(self)
  }

  override fileprivate final func terminate(_ error: (any Error)?) { observer?.terminate(error) }

  override func releaseClosures() { observer = nil }

  override final var observed: [AnyObject] { [broadcaster.owner].compactMap { $0 } }
}
