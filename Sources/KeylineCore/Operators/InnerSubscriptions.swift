import Synchronization

// The state of the operators in Flattening.swift: the coordinators that subscribe to inner observables.

/// Subscribes to all inner observables at once, or to a limited number while the rest wait.
///
/// A loop outside the turns of the serializer subscribes to them. If an inner observable completes
/// inside `subscribe`, the same loop subscribes to the next one, without recursion.
final class MergeCoordinator<Element> {
  // Used by any thread: immutable but for atomics and a mutex; the observer is called in turn.
  private let upstreams: UpstreamSerializer
  private let downstream: AnyObserver<Element>
  private let inners = CompositeDisposable()
  /// The number of observables that have not completed, including the source and waiting observables.
  private let running = Atomic<Int>(1)
  private let isLimited: Bool
  /// How many more observables may be subscribed to, and the others, which wait; used if the number is limited.
  private let queue: Protected<(permits: Int, waiting: Queue<Observable<Element>>)>

  init(into downstream: AnyObserver<Element>, _ context: SubscriptionContext, maxConcurrent: Int) {
    upstreams = UpstreamSerializer(context)
    self.downstream = downstream
    isLimited = maxConcurrent < .max
    queue = Protected((maxConcurrent, Queue()))
    context.add(inners)
  }

  /// Whether only the source is running.
  var isIdle: Bool { running.load(ordering: .acquiring) == 1 }

  /// Called by the source of sources, serially.
  func add(_ source: Observable<Element>) {
    running.add(1, ordering: .relaxed)
    guard isLimited else { return run(source) }
    queue.withLock { $0.waiting.append(source) }
    runWaiting()
  }

  /// Subscribes to the observables that wait, while there are permits.
  private func runWaiting() { while let next = popWaiting() { run(next) } }

  /// Takes a permit for the observable that has waited longest, and returns this observable.
  private func popWaiting() -> Observable<Element>? {
    queue.withLock { queue in
      guard queue.permits > 0, let next = queue.waiting.popFirst() else { return nil }
      queue.permits -= 1
      return next
    }
  }

  private func run(_ source: Observable<Element>) {
    let inner = SubscriptionContext(inside: upstreams.context)
    guard let key = inners.insert(inner) else { return }
    let hasReturned = Atomic<Bool>(false)
    source.run(
      in: inner, next: { self.upstreams.deliver($0, to: self.downstream.next) },
      terminate: { error in
        self.inners.remove(for: key)
        self.terminate(error)
        guard error == nil, self.isLimited else { return }
        self.queue.withLock { $0.permits += 1 }
        // If `run` has not returned, the loop that called it takes the permit.
        if hasReturned.load(ordering: .sequentiallyConsistent) { self.runWaiting() }
      })
    hasReturned.store(true, ordering: .sequentiallyConsistent)
  }

  /// Handles the termination of the source or of one inner observable. A completion counts once the
  /// elements before it have been queued.
  func terminate(_ error: (any Error)?) {
    let remaining = running.subtract(1, ordering: .acquiringAndReleasing).newValue
    guard error != nil || remaining == 0 else { return }
    upstreams.deliver(error, to: downstream.terminate)
  }
}

/// Subscribes to one inner observable at a time. Late events of earlier inner observables are refused by
/// generation number.
///
/// The subscription to an inner observable is made outside the turns of the serializer, so that a
/// downstream `take` can stop an inner observable that never pauses.
final class SwitchCoordinator<Element> {
  // Used by any thread: immutable, synchronised, or accessed in turn only, as noted.
  private let downstream: AnyObserver<Element>
  private let upstreams: UpstreamSerializer
  private let current = SerialDisposable()
  private let generation = Atomic<Int>(0)
  /// In turn: the generation of the inner observable whose termination has been handled last.
  private var ended = 0
  /// In turn.
  private var isOuterComplete = false

  init(_ downstream: AnyObserver<Element>, _ upstreams: UpstreamSerializer) {
    self.downstream = downstream
    self.upstreams = upstreams
    upstreams.context.add(current)
  }

  private func isLatest(_ generation: Int) -> Bool {
    upstreams.context.isActive && self.generation.load(ordering: .acquiring) == generation
  }

  /// Called by the outer observable, serially.
  func switchTo(_ source: Observable<Element>) {
    let generation = generation.add(1, ordering: .acquiringAndReleasing).newValue
    let inner = SubscriptionContext(inside: upstreams.context)
    current.disposable = inner
    guard inner.isActive else { return }
    source.run(
      in: inner,
      next: { element in
        self.upstreams.serializer.perform {
          if self.isLatest(generation) { self.downstream.next(element) }
        }
      },
      terminate: { error in
        self.upstreams.serializer.perform {
          guard self.isLatest(generation) else { return }
          self.ended = generation
          if error != nil || self.isOuterComplete { self.downstream.terminate(error) }
        }
      })
  }

  func outerEnded(_ error: (any Error)?) {
    isOuterComplete = true
    if error != nil || isLatest(ended) { downstream.terminate(error) }
  }
}
