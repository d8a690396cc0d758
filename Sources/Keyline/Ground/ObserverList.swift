import KeylineCore
import Synchronization

/// The observers of a broadcaster, whatever they observe: who has joined, who has left, and whose
/// turn it is.
///
/// An observer stands in the list as the context of its subscription. The list belongs to the owner
/// of the serializer. Leaving does not need ownership, so that it works at once from any thread and
/// never makes an emission wait: the leaver's context is inactive, so its closures are skipped from
/// then on, and they are released by the leaver if the serializer is idle, else by the owner before
/// it leaves (the proof stands in Membership.swift).
///
/// - Complexity: O(1) amortised to join and to leave.
@usableFromInline class ObserverList {
  final let serializer = EngineSerializer()
  /// Owned by the serializer's owner.
  // Proof of unchecked: the serializer has one owner at a time, and nothing writes during a walk.
  // Proof of Unmanaged: each stands for one retain, until it is taken out.
  @exclusivity(unchecked) private final var members = InlineStack<Unmanaged<EngineContext>>()
  /// Owned by the serializer's owner: nil while open, the termination afterwards.
  @exclusivity(unchecked) private final var termination: (any Error)??
  /// What members that have left leave to the owner.
  private final let leftovers = Atomic<Leftovers>(.none)
  /// Whether what is being delivered had to wait for a delivery; and whether the owner adds a member,
  /// and delivers to no other.
  // Here, between two other bytes and a word: elsewhere they take sixteen bytes, for each property that
  // is observed.
  @exclusivity(unchecked) final var isRedelivering = false
  @exclusivity(unchecked) final var isJoining = false
  /// Observers whose context has not ended, whether they stand in the list already or not.
  private final let population = Atomic<UInt32>(0)

  @usableFromInline init() { Instrumentation.report(.began(ObjectIdentifier(self), .subject)) }

  /// How many observers have joined and not left.
  final var observerCount: Int { Int(population.load(ordering: .relaxed)) }

  /// Whether an observer has joined and not left.
  @inline(__always) final var hasObservers: Bool { population.load(ordering: .relaxed) > 0 }

  // MARK: Turns

  /// Delivers the termination and releases all observers. What follows is ignored.
  func terminate(_ error: (any Error)?) { perform { self.deliver(termination: error) } }

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
  /// ``EngineSerializer/claim(orQueue:recording:)``.
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

  /// Calls `body` with each member whose context is active, unless the sequence has terminated. For
  /// the owner only.
  @inline(__always) final func forEachMember(_ body: (EngineContext) -> Void) {
    guard termination == nil, let first = members.first else { return }
    @inline(__always) func visit(_ member: Unmanaged<EngineContext>) {
      member._withUnsafeGuaranteedRef { if $0.isListening { body($0) } }
    }
    // The list does not change while it is walked: joining and tidying wait for the owner.
    visit(first)
    var index = 0
    while index < members.others.count {
      visit(members.others[index])
      index += 1
    }
  }

  final func deliver(termination error: (any Error)?) {
    guard termination == nil else { return }
    termination = .some(error)
    takeMembers { member in
      if member.isListening { member.terminateObserver(error) }
      _ = member.releaseObserver()
    }
  }

  // MARK: Joining and leaving

  final func join(_ member: EngineContext) {
    // Before the context is looked at, as the context ends before `hasBegunJoining` is: either finds
    // the other.
    member.hasBegunJoining.store(true, ordering: .sequentiallyConsistent)
    if member.isListening {
      guard let termination else { return members.append(.passRetained(member)) }
      member.terminateObserver(termination)
    }
    _ = member.releaseObserver()
  }

  /// Takes a member over from the list that it stands in, after `first` has run, which delivers the
  /// initial elements to it.
  ///
  /// - Returns: false if either list is in use, or the member stands far from the end of its own.
  ///   `first` has not been called then.
  @inline(__always)
  final func move(_ member: EngineContext, after first: () -> Void) -> Bool {
    guard serializer.enter() else { return false }
    defer { leave() }
    guard termination == nil, member.changeList(to: self) else { return false }
    isJoining = true
    first()
    isJoining = false
    // Proof of Unmanaged: with the retain of its former list.
    members.append(.passUnretained(member))
    return true
  }

  /// Takes a member out, and leaves the retain that it stands for to the caller.
  fileprivate final func remove(_ member: EngineContext) -> Bool {
    guard serializer.enter() else { return false }
    defer { leave() }
    guard members.removeAmongLast({ $0.toOpaque() == Unmanaged.passUnretained(member).toOpaque() })
    else { return false }
    population.wrappingSubtract(1, ordering: .relaxed)
    return true
  }

  /// Called for an observer that is going to join, on any thread.
  @inline(__always) final func willJoin() { population.wrappingAdd(1, ordering: .relaxed) }

  /// Called by a member whose context has ended, on any thread.
  final func hasLeft(_ member: EngineContext) {
    population.wrappingSubtract(1, ordering: .relaxed)
    // It leaves before it joins, with its first element: who joins it finds that, and there is
    // nothing in the list to release.
    guard member.hasBegunJoining.load(ordering: .sequentiallyConsistent) else { return }
    if serializer.isIdle {
      if member.releaseObserver() {
        _ = leftovers.compareExchange(
          expected: .none, desired: .members, ordering: .sequentiallyConsistent)
      } else {
        leftovers.store(.closures, ordering: .sequentiallyConsistent)
      }
      return
    }
    leftovers.store(.closures, ordering: .sequentiallyConsistent)
    // The owner may have left before it could read that.
    if serializer.isIdle { _ = member.releaseObserver() }
  }

  /// Removes the members that have left, if there is something to release or that pays for a walk
  /// through the list. For the owner only.
  @inline(never) private final func tidyIfWorthwhile() {
    if leftovers.load(ordering: .relaxed) == .closures
      || members.count - observerCount > max(2, members.count / 2)
    {
      tidy()
    }
  }

  /// What the elements are those of, for inspection.
  var owner: AnyObject? { nil }

  /// What has subscribed, in order, for inspection. For the thread that owns the emitter, if that is
  /// confined.
  final var contexts: [EngineContext] {
    (0..<members.count).map { members[$0]._withUnsafeGuaranteedRef { $0.subscription } }
      .filter { $0.isActive }
  }

  /// Releases and removes all members that have left. For the owner only.
  private func tidy() {
    leftovers.store(.none, ordering: .sequentiallyConsistent)
    let walked = members
    members.removeAll()
    for index in 0..<walked.count {
      let member = walked[index]
      if member._withUnsafeGuaranteedRef({ !$0.isListening && $0.releaseObserver() }) {
        member.release()
      } else {
        members.append(member)
      }
    }
  }

  /// Calls `body` with each member, after they have been taken out of the list.
  private func takeMembers(_ body: (EngineContext) -> Void) {
    let taken = members
    members = InlineStack()
    for index in 0..<taken.count { body(taken[index].takeRetainedValue()) }
    taken.deallocate()
  }

  deinit {
    takeMembers { _ in }
    Instrumentation.report(.ended(ObjectIdentifier(self)))
  }
}

extension EngineContext {
  /// Makes it a member of `other` instead of the list it stands in, for the owner of `other`, who
  /// then adds it there.
  fileprivate final func changeList(to other: ObserverList) -> Bool {
    // Nothing leaves the list meanwhile.
    guard takeMembership() else { return false }
    defer { markAsMember() }
    guard let list, list._withUnsafeGuaranteedRef({ $0.remove(self) }) else { return false }
    other.willJoin()
    self.list = .passRetained(other)
    list.release()
    return true
  }
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
