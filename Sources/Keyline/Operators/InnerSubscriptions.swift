import Synchronization

// The state of the operators in Flattening.swift: what subscribes to inner observables.

/// Subscribes to many inner observables at a time, or to few while the others wait.
///
/// They are subscribed to outside the turns of the serializer, in a loop: one that completes inside
/// `subscribe` leaves the next one to the loop that subscribed to it.
final class MergeCoordinator<Element>: InnerSubscriptionOwner, @unchecked Sendable {
  // Proof of @unchecked: immutable but for atomics; the observer is called in turn.
  private let upstreams: UpstreamSerializer
  private let downstream: AnyObserver<Element>
  private let maxConcurrent: Int
  /// Whether none waits for another, and none is left out.
  private let isUnlimited: Bool
  private let pending: PendingSources?
  private let inners: SubscriptionContext
  /// The observables that have not completed, the source and those that wait included.
  private let running = Atomic<Int>(1)
  /// How many contexts `inners` may hold at the most.
  private let held = Atomic<Int>(0)

  init(
    into downstream: AnyObserver<Element>, _ context: SubscriptionContext, maxConcurrent: Int,
    isExclusive: Bool
  ) {
    upstreams = UpstreamSerializer(context)
    self.downstream = downstream
    self.maxConcurrent = maxConcurrent
    isUnlimited = maxConcurrent == .max && !isExclusive
    pending = maxConcurrent == .max ? nil : PendingSources(permits: maxConcurrent)
    inners = context.child()
  }

  /// Whether only the source is running.
  var isIdle: Bool { running.load(ordering: .acquiring) == 1 }

  /// Called by the source of sources, serially.
  func add(_ source: Observable<Element>) {
    // Not counted: the source, which does not complete before, is running.
    if isUnlimited, passOn(source) { return }
    running.add(1, ordering: .relaxed)
    if pending?.admit(source) ?? true { subscribe(to: source) }
  }

  private func subscribe(to source: Observable<Element>) {
    var source = source
    while let next = run(source) { source = next }
  }

  /// Runs `source`, and returns what takes its place if it has ended.
  private func run(_ source: Observable<Element>) -> Observable<Element>? {
    if passOn(source) {
      terminate(nil)
      return nextPending()
    }
    let inner = InnerSubscription(of: self, inside: inners.number)
    hold(inner)
    source.run(AnyObserver(next: next, terminate: inner.terminate), in: inner)
    return successor(of: inner)
  }

  /// Passes on the element of an observable that has ended with it.
  private func passOn(_ source: Observable<Element>) -> Bool {
    // Recorded, it is shown like any other.
    inners.number == 0 && source.emitSole(to: next)
  }

  /// The observable that takes the place of `inner`, for the second of the two callers: the loop,
  /// when `run` returns, and the termination.
  private func successor(of inner: InnerSubscription) -> Observable<Element>? {
    pending != nil && inner.settle() ? nextPending() : nil
  }

  private func nextPending() -> Observable<Element>? {
    // Proof: only `add` enqueues, and only observables of this element.
    pending?.next().map { unsafeDowncast($0, to: Observable<Element>.self) }
  }

  private func next(_ element: Element) { upstreams.deliver(element, to: downstream.next) }

  private func hold(_ inner: InnerSubscription) {
    inners.push(inner)
    let alive = min(running.load(ordering: .relaxed), maxConcurrent)
    guard held.add(1, ordering: .relaxed).newValue > 2 * alive + 16 else { return }
    held.store(alive, ordering: .relaxed)
    inners.dropEnded()
  }

  override func innerEnded(_ inner: InnerSubscription, _ error: (any Error)?) {
    terminate(error)
    if error == nil, let next = successor(of: inner) { subscribe(to: next) }
  }

  /// Handles the termination of the source or of one inner observable. A completion counts once the
  /// elements before it have been queued.
  func terminate(_ error: (any Error)?) {
    let remaining = running.subtract(1, ordering: .acquiringAndReleasing).newValue
    guard error != nil || remaining == 0 else { return }
    upstreams.deliver(error, to: downstream.terminate)
  }
}

/// What subscribes to inner observables, without their element.
class InnerSubscriptionOwner: @unchecked Sendable {
  // Proof of @unchecked: no state.
  func innerEnded(_ inner: InnerSubscription, _ error: (any Error)?) {}
}

/// The context of one inner subscription. Its method is the observer's `terminate`: a closure beside
/// it would be one more allocation for each of them.
final class InnerSubscription: SubscriptionContext, @unchecked Sendable {
  // Proof of @unchecked: adds an atomic and constants to its superclass.
  /// Until it ends: the list of a broadcaster may refer to the context a little longer.
  // Proof of unchecked: for the one caller whose `end()` is true.
  @exclusivity(unchecked) private var owner: InnerSubscriptionOwner?
  let generation: Int
  private let isSettled = Atomic<Bool>(false)

  init(of owner: InnerSubscriptionOwner, _ generation: Int = 0, inside outer: UInt32) {
    self.owner = owner
    self.generation = generation
    super.init(inside: outer)
  }

  override func dispose() {
    guard end() else { return }
    owner = nil
    tearDown()
  }

  func terminate(_ error: (any Error)?) {
    guard end() else { return }
    tearDown()
    owner.take()?.innerEnded(self, error)
  }

  /// Called when `run` returns and at the termination: true for the second of the two.
  func settle() -> Bool { isSettled.exchange(true, ordering: .acquiringAndReleasing) }
}

/// The observables that wait for a permit. Not generic, like the queue of a ``Serializer``.
private final class PendingSources: Sendable {
  private let state: Protected<(permits: Int, waiting: Queue<AnyObject>)>

  init(permits: Int) { state = Protected((permits, Queue())) }

  /// Takes a permit for `source` and returns true, or enqueues it.
  func admit(_ source: AnyObject) -> Bool {
    state.withLock { state in
      let hasPermit = state.permits > 0
      if hasPermit { state.permits -= 1 } else { state.waiting.append(source) }
      return hasPermit
    }
  }

  /// Passes a permit to the observable that has waited longest and returns it, or returns the
  /// permit.
  func next() -> AnyObject? {
    state.withLock { state in
      let next = state.waiting.popFirst()
      if next == nil { state.permits += 1 }
      return next
    }
  }
}

// MARK: The state of switchLatest

/// Subscribes to one inner observable at a time. Late events of those before it are refused by
/// generation number.
///
/// The subscription to an inner observable is made outside the turns of the serializer, so that a
/// downstream `take` can stop an inner observable that never pauses.
final class SwitchCoordinator<Element>: InnerSubscriptionOwner, @unchecked Sendable {
  // Proof of @unchecked: immutable, synchronised, or accessed in turn only, as noted.
  private let downstream: AnyObserver<Element>
  private let upstreams: UpstreamSerializer
  /// Apart from what switches: the context, which disposes it, would retain that, and so itself,
  /// where a source is released without a termination.
  private let current = CurrentContext()
  private let generation = Atomic<Int>(0)
  // Proof of unchecked: both are accessed in turn only.
  /// The generation of the inner observable whose termination has been handled last.
  @exclusivity(unchecked) private var ended = 0
  @exclusivity(unchecked) private var isOuterComplete = false

  init(_ downstream: AnyObserver<Element>, _ upstreams: UpstreamSerializer) {
    self.downstream = downstream
    self.upstreams = upstreams
    super.init()
    upstreams.context.push(current)
  }

  private func isLatest(_ generation: Int) -> Bool {
    upstreams.context.isActive && self.generation.load(ordering: .acquiring) == generation
  }

  /// Called by the outer observable, serially.
  func switchTo(_ source: Observable<Element>) {
    let generation = generation.add(1, ordering: .acquiringAndReleasing).newValue
    // Recorded, it is shown like any other.
    if upstreams.context.number == 0, source.emitSole(to: { self.pass($0, generation) }) { return }
    let inner = InnerSubscription(of: self, generation, inside: upstreams.context.number)
    current.replace(by: inner)
    // `dispose()` may have come before that.
    guard upstreams.context.isActive else { return inner.dispose() }
    source.run(
      AnyObserver(
        next: { element in
          self.upstreams.serializer.perform {
            if self.isLatest(generation) { self.downstream.next(element) }
          }
        },
        terminate: inner.terminate),
      in: inner)
  }

  /// Passes on the element of an inner observable that ends with it.
  private func pass(_ element: Element, _ generation: Int) {
    current.leave()
    upstreams.serializer.perform {
      guard self.isLatest(generation) else { return }
      self.ended = generation
      self.downstream.next(element)
    }
  }

  override func innerEnded(_ inner: InnerSubscription, _ error: (any Error)?) {
    upstreams.serializer.perform {
      guard self.isLatest(inner.generation) else { return }
      self.ended = inner.generation
      if error != nil || self.isOuterComplete { self.downstream.terminate(error) }
    }
  }

  func outerEnded(_ error: (any Error)?) {
    isOuterComplete = true
    if error != nil || isLatest(ended) { downstream.terminate(error) }
  }
}
