import Synchronization

/// Delivers elements to a list of observers, for subjects and relays.
///
/// It keeps C4 to C8: subscription order for any number of observers, one order for
/// concurrent and re-entrant emissions, joining and leaving at any moment.
///
///     subject ──▶ broadcaster ──▶ first ⇄ … ⇄ last      (each an observer and its context)
///                      ▲            │
///                      └────────────┘   teardown of the context: `remove(_:)`
///
/// The list belongs to the owner of the serializer's turn. Without an owner, an observer that leaves
/// removes itself at once. Otherwise deliveries skip the observer, because its context has ended, and
/// its removal is queued for the owner. So disposing never waits for a delivery, and never
/// delivers elements that others have queued.
///
/// - Complexity: O(1) to join and to leave; per element, two atomic operations, and one call for each
///   observer.
@usableFromInline package class Broadcaster<Element> {
  // Used by any thread: the list and the termination belong to the owner of the serializer's turn, the
  // recorded termination is under its lock, the rest is atomic.
  @usableFromInline final let serializer = Serializer()
  private final var first: Subscriber<Element>?
  private final var last: Subscriber<Element>?
  private final var termination: Event<Never>?
  /// The termination that has a place in the order of the emissions, though its turn may not have come.
  /// Under the serializer's lock.
  private(set) final var recordedTermination: Event<Never>?
  private final let population = Atomic<Int>(0)
  private final let disposed = Atomic<Bool>(false)

  @usableFromInline package init() {
    Instrumentation.report(.began(ObjectIdentifier(self), .subject))
  }

  deinit { Instrumentation.report(.ended(ObjectIdentifier(self))) }

  /// How many observers have joined and not left; none once a termination has been recorded.
  final var observerCount: Int { hasTerminated ? 0 : population.load(ordering: .relaxed) }

  /// Whether an observer may have to receive the next element.
  final var isObserved: Bool { population.load(ordering: .relaxed) > 0 }

  /// The subscriptions of the observers, for inspection; none while another thread delivers.
  package final var contexts: [SubscriptionContext] {
    guard serializer.enter() else { return [] }
    defer { serializer.leave() }
    return sequence(first: first, next: { $0?.next }).compactMap { $0?.context }
  }

  /// Whether `dispose()` has been called.
  final var isDisposed: Bool { disposed.load(ordering: .acquiring) }

  // MARK: Emitting

  /// Delivers `element` to all observers that have joined, or queues it during a delivery.
  func next(_ element: Element) { serializer.perform { self.deliver(element) } }

  /// Delivers `element` as `next(_:)` does, for the relay that is bound to this one.
  ///
  /// Deep in a row of relays, the element takes its place in the order now; the outermost relay of this
  /// thread lets it be delivered later, so that the stack stays flat.
  final func forward(_ element: Element) {
    let trampoline = Trampoline.current
    let isPostponing = trampoline.depth >= 64 && serializer.enter()
    trampoline.descend { next(element) }
    if isPostponing { trampoline.postponed.append(Unchecked { self.serializer.leave() }) }
  }

  /// Delivers the termination and releases all observers. Later events are ignored.
  package final func terminate(_ error: (any Error)?) {
    end(with: error) { self.deliver(termination: error) }
  }

  /// Disposes all subscriptions without a termination, and ignores later events. The subject itself
  /// fails later subscriptions: an error stored here would name the subject, and so retain it.
  final func dispose() {
    disposed.store(true, ordering: .releasing)
    end(with: nil) {
      self.disposeAll()
      self.deliver(termination: nil)
    }
  }

  private final func end(with error: (any Error)?, _ work: @escaping () -> Void) {
    serializer.perform(work) {
      recordedTermination = recordedTermination ?? Event(termination: error)
      return true
    }
  }

  /// Whether a termination has been recorded.
  final var hasTerminated: Bool { serializer.locked { recordedTermination != nil } }

  /// Disposes all subscriptions without a termination and clears the replay buffer: for a subject
  /// that dies before it has terminated, while subscriptions to it may still be retained.
  ///
  /// In its turn: the subject may die in the middle of a delivery, when the last reference to it is
  /// in an observer's closure.
  final func subjectDied() { serializer.perform(self.disposeAll) }

  // MARK: For the owner of the turn

  final func deliver(_ element: Element) {
    guard termination == nil else { return }
    var next = first
    while let subscriber = consume next {
      if subscriber.context.isActive { subscriber.receive(element) }
      next = subscriber.next
    }
  }

  func deliver(termination error: (any Error)?) {
    guard termination == nil else { return }
    termination = Event(termination: error)
    takeAll { if $0.context.isActive { $0.terminate(error) } }
  }

  /// Adds an observer to the list, or terminates it.
  final func join(_ subscriber: Subscriber<Element>) {
    guard subscriber.context.isActive else { return }
    if let termination { return subscriber.terminate(termination.error) }
    subscriber.previous = last
    if let last { last.next = subscriber } else { first = subscriber }
    last = subscriber
  }

  func disposeAll() { takeAll { $0.context.dispose() } }

  /// Calls `body` with each observer, after it has been taken out of the list.
  private final func takeAll(_ body: (Subscriber<Element>) -> Void) {
    while let subscriber = first {
      unlink(subscriber)
      body(subscriber)
    }
  }

  private final func unlink(_ subscriber: Subscriber<Element>) {
    guard subscriber === first || subscriber.previous != nil else { return }
    let (previous, next) = (subscriber.previous, subscriber.next)
    if let previous { previous.next = next } else { first = next }
    if let next { next.previous = previous } else { last = previous }
    subscriber.previous = nil
    subscriber.next = nil
  }

  // MARK: Joining and leaving

  /// Adds an observer; it does not receive elements whose delivery has begun, or that are queued.
  package func subscribe(_ observer: AnyObserver<Element>, in context: SubscriptionContext) {
    let subscriber = subscriber(observer, in: context)
    serializer.perform { self.join(subscriber) }
  }

  /// Adds an observer that first receives the elements that `replay` delivers, synchronously, on this
  /// thread.
  ///
  /// The replayed elements are recorded atomically with the place of the subscription among the
  /// emissions, so no element is lost or delivered twice. If another thread is delivering, its
  /// deliveries to the new observer wait until the replay is over.
  ///
  /// - Parameters:
  ///   - record: called under the serializer's lock.
  ///   - replay: called outside the lock, with a closure that delivers an element to the observer.
  final func subscribe(
    _ observer: AnyObserver<Element>, in context: SubscriptionContext, recording record: () -> Void,
    replaying replay: ((Element) -> Void) -> Void
  ) {
    let subscriber = subscriber(observer, in: context)
    let isOwner = serializer.claim(
      orQueue: {
        let closed = SerializedObserver(
          AnyObserver(next: observer.next) { context.finish(observer.terminate, $0) }, context)
        closed.hold()
        subscriber.gate = closed
        return { self.join(subscriber) }
      },
      recording: {
        record()
        return true
      })
    replay(observer.next)
    subscriber.gate?.resume()
    guard isOwner else { return }
    join(subscriber)
    serializer.leave()
  }

  /// The place of an observer that is about to join.
  private final func subscriber(
    _ observer: AnyObserver<Element>, in context: SubscriptionContext
  ) -> Subscriber<Element> {
    let subscriber = Subscriber(observer, context, of: self)
    population.wrappingAdd(1, ordering: .relaxed)
    context.add(subscriber)
    return subscriber
  }

  /// Takes an observer out whose context has ended. Called once for each, on any thread.
  fileprivate final func remove(_ subscriber: Subscriber<Element>) {
    population.wrappingSubtract(1, ordering: .relaxed)
    serializer.performInstantly { self.unlink(subscriber) }
  }
}

/// One observer in the list of a broadcaster; the item by which its subscription leaves the list.
final class Subscriber<Element>: Disposable, @unchecked Sendable {
  // Proof of @unchecked: the links belong to the owner of the broadcaster's turn; the gate is set
  // before the observer joins; the rest is immutable or atomic.
  private let observer: AnyObserver<Element>
  /// Queues deliveries until the replay of earlier elements is over; nil without a replay.
  fileprivate var gate: SerializedObserver<Element>?
  fileprivate let context: SubscriptionContext
  private let broadcaster: Broadcaster<Element>
  fileprivate var next: Subscriber?
  /// Proof of unowned: a neighbour that is taken out is replaced here first.
  fileprivate unowned var previous: Subscriber?

  fileprivate init(
    _ observer: AnyObserver<Element>, _ context: SubscriptionContext,
    of broadcaster: Broadcaster<Element>
  ) {
    self.observer = observer
    self.context = context
    self.broadcaster = broadcaster
  }

  // Not inlined: the caller retains the subscriber, so that the closure need not be retained.
  @inline(never) fileprivate func receive(_ element: Element) {
    if let gate { gate.next(element) } else { observer.next(element) }
  }

  fileprivate func terminate(_ error: (any Error)?) {
    if let gate { gate.terminate(error) } else { context.finish(observer.terminate, error) }
  }

  func dispose() { broadcaster.remove(self) }
}
