import Synchronization

/// The place where threads meet: the only state of an object that another thread than its own may
/// change.
///
/// An object, its nodes and its transaction belong to one domain, and nothing in them is locked.
/// Another thread may dispose a subscription and drop the last reference to an object, and nothing
/// else. Both act on the state in this class, behind its mutex: the lists of observers, the readers
/// of the nodes, the phase of the object's life, the members that wait for its death, and the inbox.
/// Besides, any thread may ask a node's signals and number of observers, and which transaction has used
/// the object last: these are atomic. All other state of an object and its nodes is used only by a
/// thread that keeps the object alive, and by the thread on which it dies. The marks of a node, its
/// version and its readers are used by the domain of its readers, even after the object has died. An
/// object never begins to die while its observers are called: the caller retains it.
///
/// | call | thread | while alive | once it is dying |
/// | --- | --- | --- | --- |
/// | `join` | domain | adds the observer | refuses it; the caller completes it |
/// | `observers`, `all` | domain | the observers, to call them outside of the mutex | the same |
/// | `leave` | any | removes the observer; a delivery under way skips it, unless it is being called | the same |
/// | `link`, `sweepReaders` | domain | adds a reader; removes former ones | the same |
/// | `readers` | any | the nodes that depend on a node, the latest first | the same |
/// | `wait` | any | adds a member that waits for a phase | refuses it if the phase has begun |
/// | `stopWaiting` | any | removes the member | the same, unless it has been taken |
/// | `enter` | where the object dies | begins a phase, and takes the members that wait for it | the same |
/// | `post` | any | adds a letter to the inbox | drops it |
/// | `takeMail` | domain | takes all letters | – |
///
/// A thread holds one such mutex at a time, for some instructions. It calls nothing of the program
/// there and releases nothing: the caller releases the removed objects.
@usableFromInline package class ObjectLife: @unchecked Sendable {
  // Proof of @unchecked: a mutex. Readers are changed under it by their domain, which may therefore
  // read them without it.

  /// How far the object has died; the order is the order of notification.
  enum Phase: UInt8 {
    case alive
    /// Weak references to the object are nil.
    case unreachable
    case deallocating
    /// The observers of the object's properties have been completed.
    case dead
    case deallocated
  }

  /// A message of another thread, for the next operation of the domain (D23).
  enum Letter {
    /// The object that a weak property refers to has died.
    case death(ReferentWatch)
    /// The last observer of a path has left.
    case abandoned(Node)
  }

  private struct State {
    var waiting = MemberList<DeathObserver>()
    var inbox: [Letter] = []
    var phase = Phase.alive
  }

  /// A life that has ended.
  static let ended = ObjectLife(in: .deallocated)

  private let state: Protected<State>
  private let mailFlag = Atomic<Bool>(false)

  init(in phase: Phase = .alive) { state = Protected(State(phase: phase)) }

  // MARK: The observers of a node

  /// - Returns: false if the object is dying, or the node has ended.
  final func join(_ observer: Observer) -> Bool {
    change(observer) { node, phase in
      guard phase == .alive, !node.hasEnded else { return false }
      node.observers.insert(observer)
      node.signals.wrappingAdd(Node.Signal.observer, ordering: .relaxed)
      return true
    }
  }

  /// - Returns: whether the node has lost its last observer.
  final func leave(_ observer: Observer) -> Bool {
    change(observer) { node, _ in
      guard node.observers.remove(observer) else { return false }
      return node.signals.wrappingSubtract(Node.Signal.observer, ordering: .relaxed).newValue
        < Node.Signal.observer
    }
  }

  /// Changes the list of a node, and releases the array made from it.
  private func change(_ observer: Observer, _ body: (Node, Phase) -> Bool) -> Bool {
    var others: [Observer]?
    defer { withExtendedLifetime(others) {} }
    return state.withLock { state in
      swap(&observer.node.otherObservers, &others)
      return body(observer.node, state.phase)
    }
  }

  /// The observers in order: the first, and the others, in an array that is made once until one joins
  /// or leaves.
  @usableFromInline final func observers(of node: Node) -> (first: Observer?, others: [Observer]) {
    state.withLock { _ in
      if node.otherObservers == nil { node.otherObservers = node.observers.others }
      return (node.observers.first, node.otherObservers ?? [])
    }
  }

  /// All observers of a node, in order, in an array of their own.
  final func all(of node: Node) -> [Observer] { state.withLock { _ in node.observers.all } }

  // MARK: The readers of a node

  final func link(_ link: Link, to node: Node) {
    state.withLock { _ in node.dependents.insert(link) }
  }

  final func sweepReaders(of node: Node) {
    withExtendedLifetime(state.withLock { _ in node.dependents.sweep() }) {}
  }

  final func readers(of node: Node) -> [Node] {
    state.withLock { _ in node.dependents.filter(\.isInUse).map(\.reader) }
  }

  // MARK: Death

  final var isAlive: Bool { state.withLock { $0.phase == .alive } }

  /// - Returns: false if the phase that `observer` waits for has begun.
  final func wait(_ observer: DeathObserver) -> Bool {
    state.withLock { state in
      guard state.phase.rawValue < observer.phase.rawValue else { return false }
      state.waiting.insert(observer)
      return true
    }
  }

  final func stopWaiting(_ observer: DeathObserver) {
    _ = state.withLock { $0.waiting.remove(observer) }
  }

  /// - Returns: the members that waited for `phase`, in order; none if it had begun before.
  final func enter(_ phase: Phase) -> [DeathObserver] {
    var dropped: [Letter] = []
    let taken = state.withLock { state in
      guard state.phase.rawValue < phase.rawValue else { return [] as [DeathObserver] }
      state.phase = phase
      swap(&state.inbox, &dropped)
      let taken = state.waiting.all.filter { $0.phase.rawValue <= phase.rawValue }
      for observer in taken { _ = state.waiting.remove(observer) }
      return taken
    }
    withExtendedLifetime(dropped) {}
    return taken
  }

  /// The members that wait for the death, for inspection.
  package final var deathObservers: [DeathObserver] { state.withLock { $0.waiting.all } }

  /// Calls `action` when `phase` is reached, at once if it has been, unless `context` ends before.
  final func when(_ phase: Phase, in context: SubscriptionContext, _ action: @escaping () -> Void) {
    let observer = DeathAction(self, phase, context, action)
    if wait(observer) { context.add(observer) } else { action() }
  }

  /// Emits one element and completes when `phase` is reached.
  final func reached(_ phase: Phase) -> Observable<Void> {
    _Source { [self] observer, context in
      when(phase, in: context) {
        observer.next(())
        observer.terminate(nil)
      }
    }
  }

  // MARK: Mail

  /// Whether there are letters in the inbox.
  @inline(__always) final var hasMail: Bool { mailFlag.load(ordering: .relaxed) }

  final func post(_ letter: Letter) {
    state.withLock { state in
      guard state.phase == .alive else { return }
      state.inbox.append(letter)
      mailFlag.store(true, ordering: .relaxed)
    }
  }

  final func takeMail() -> [Letter] {
    state.withLock { state in
      mailFlag.store(false, ordering: .relaxed)
      return exchange(&state.inbox, with: [])
    }
  }
}

/// Waits for a phase of an object's death; taken out of the list before it is called.
package class DeathObserver: ListMember, Disposable, @unchecked Sendable {
  // Proof of @unchecked: the place in the list is under the mutex of `life`, which only the domain of a
  // watch changes; the rest is immutable.
  final let phase: ObjectLife.Phase
  final var life: ObjectLife?

  init(_ life: ObjectLife, _ phase: ObjectLife.Phase) {
    self.life = life
    self.phase = phase
  }

  /// Called when the phase is reached.
  func phaseReached() {}

  package func dispose() { life?.stopWaiting(self) }
}

/// Calls a closure when the phase is reached.
package final class DeathAction: DeathObserver, @unchecked Sendable {
  // Proof of @unchecked: as for its superclass; the closure is called where the object dies.
  package let context: SubscriptionContext
  private let action: () -> Void

  init(
    _ life: ObjectLife, _ phase: ObjectLife.Phase, _ context: SubscriptionContext,
    _ action: @escaping () -> Void
  ) {
    self.context = context
    self.action = action
    super.init(life, phase)
  }

  override func phaseReached() { if context.isActive { action() } }
}
