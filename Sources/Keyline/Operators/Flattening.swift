import Synchronization

// The operators that flatten a sequence of sequences: `merge`, `concat()`, `switchLatest`, and the
// `flatMap` family.

extension ObservableType {
  /// Emits the elements of all observables returned by `selector`, as they emit them.
  ///
  ///     source     --a-----b-------|
  ///     a's inner    --1------3--|
  ///     b's inner          --2-|
  ///     output     ----1-----2-3--|
  ///
  /// - Timing: synchronous, on the thread that emits, one at a time. Completes with the last of
  ///   all.
  /// - Errors: the first error of any, or one thrown by `selector`, ends the output.
  /// - Lifetime: an inner subscription is released when it ends.
  /// - Complexity: O(1) per element; two allocations per inner subscription.
  /// - Parameter selector: called once per source element, never under a lock.
  /// - SeeAlso: ReactiveX [FlatMap](https://reactivex.io/documentation/operators/flatmap.html).
  public func flatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeMap(selector)
  }

  /// Emits the elements of an observable returned by `selector`; elements of the source that arrive
  /// before it has completed are left out.
  ///
  ///     source     --a-----b--------c---|
  ///     a's inner    --1-----2-|
  ///     c's inner                   --3--|
  ///     output     ----1-----2--------3--|
  ///
  /// - Timing: synchronous, on the thread that emits. `selector` is not called for elements left
  ///   out.
  /// - Errors: the first error of any, or one thrown by `selector`, ends the output.
  /// - SeeAlso: ReactiveX [FlatMap](https://reactivex.io/documentation/operators/flatmap.html).
  public func flatMapFirst<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeMap(selector, isExclusive: true)
  }

  /// Emits the elements of the observable most recently returned by `selector`.
  ///
  ///     source     --a-----b-------|
  ///     a's inner    --1--2--3
  ///     b's inner          --4--5|
  ///     output     ----1--2----4--5|
  ///
  /// - Timing: synchronous, on the thread that emits.
  /// - Errors: the first error of either side, or one thrown by `selector`, ends the output.
  /// - Lifetime: retains `selector` and the current inner subscription only.
  /// - Complexity: O(1) per element; three allocations per inner subscription.
  /// - Parameter selector: called once per source element, never under a lock.
  /// - SeeAlso: ReactiveX [Switch](https://reactivex.io/documentation/operators/switch.html).
  @inlinable public func flatMapLatest<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    map(named: "") { try selector($0).asObservable() }.switchLatest(named: #function)
  }

  /// Emits the elements of the observables returned by `selector`, one observable after the other.
  ///
  ///     source     --a--b-------------|
  ///     a's inner    --1-----2-|
  ///     b's inner               -3--4|
  ///     output     ----1-----2---3--4|
  ///
  /// - Timing: synchronous, on the thread that emits. `selector` is called when an element arrives;
  ///   its result is subscribed to when all before it have completed.
  /// - Errors: the first error of any, or one thrown by `selector`, ends the output.
  /// - Lifetime: observables wait in a queue without bound.
  /// - Complexity: O(1) per element; no recursion, however many complete inside `subscribe`.
  /// - Parameter selector: called once per source element, never under a lock.
  /// - SeeAlso: ReactiveX [FlatMap](https://reactivex.io/documentation/operators/flatmap.html).
  public func concatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeMap(selector, maxConcurrent: 1)
  }

  /// Emits the elements of all observables returned by `selector`, with at most `maxConcurrent`
  /// subscriptions at a time; the other observables wait, in order.
  ///
  /// - Parameter isExclusive: whether elements are left out while an inner observable runs.
  func mergeMap<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source, maxConcurrent: Int = .max,
    isExclusive: Bool = false, named name: StaticString = #function
  ) -> Observable<Source.Element> {
    stage(name) { upstream, downstream, context in
      let coordinator = MergeCoordinator(into: downstream, context, maxConcurrent: maxConcurrent)
      let source = context.child()
      let observer = AnyObserver<Source.Element>(
        next: { _ in }, terminate: source.ending(before: coordinator.terminate))
      upstream.run(
        observer.withNext { element in
          if isExclusive, !coordinator.isIdle { return }
          observer.attempt { coordinator.add(try selector(element).asObservable()) }
        }, in: source)
    }
  }

  // MARK: Merging

  /// Emits the elements of all `sources`, as they emit them.
  ///
  ///     a      --1-----3--|
  ///     b      ----2----------4--|
  ///     output --1-2---3------4--|
  ///
  /// - Timing: sources are subscribed to in order; elements pass on the thread that emits them, one
  ///   at a time. Completes with the last of them.
  /// - Errors: the first error of any source ends the output.
  /// - SeeAlso: ReactiveX [Merge](https://reactivex.io/documentation/operators/merge.html).
  public static func merge(_ sources: Observable<Element>...) -> Observable<Element> {
    merge(sources)
  }

  /// Emits the elements of all sources of a collection, as they emit them.
  ///
  /// - SeeAlso: `merge(_:)` of single sources, for its events.
  public static func merge<Sources: Collection>(_ sources: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    Source<Observable<Element>>("") { observer, context in
      Trampoline.perform { for source in sources where context.isActive { observer.next(source) } }
      observer.terminate(nil)
    }.merge()
  }
}

extension ObservableType where Element: ObservableConvertibleType {
  /// Emits the elements of all observables that arrive, as they emit them.
  ///
  ///     source ---a-----b-------|
  ///     a        --1--------3--|
  ///     b              --2-|
  ///     output -----1----2--3--|
  ///
  /// - Timing: on the thread that emits, one at a time. Completes with the last of them, the source
  ///   included.
  /// - Errors: the first error of any ends the output.
  /// - Lifetime: an inner subscription is released when it ends.
  /// - Complexity: O(1) per element; one inner subscription per observable.
  /// - SeeAlso: ReactiveX [Merge](https://reactivex.io/documentation/operators/merge.html).
  public func merge() -> Observable<Element.Element> { mergeMap { $0 } }

  /// Emits the elements of all observables that arrive, with at most `maxConcurrent` subscriptions
  /// at a time.
  ///
  ///     source   a-b-c------|
  ///     a        --1---2--|
  ///     b          --3--|
  ///     c               ---4--|
  ///     merge(2) --1-3-2---4--|
  ///
  /// - Timing: beyond that number an observable waits, in order, until another has completed and
  ///   been released; any number may complete synchronously without growing the stack. Completes
  ///   with the last of them, the source included.
  /// - Errors: the first error of any ends the output.
  /// - Lifetime: retains the observables that wait.
  /// - Parameter maxConcurrent: how many; less than one counts as one, and is reported as misuse.
  /// - SeeAlso: ReactiveX [Merge](https://reactivex.io/documentation/operators/merge.html).
  public func merge(maxConcurrent: Int) -> Observable<Element.Element> {
    if maxConcurrent < 1 {
      Diagnostics.report(.misuse, "merge(maxConcurrent: \(maxConcurrent)) would run nothing")
    }
    return mergeMap({ $0 }, maxConcurrent: max(1, maxConcurrent))
  }

  /// Emits the elements of all observables that arrive, one observable after the other.
  ///
  /// - SeeAlso: ``merge(maxConcurrent:)``, of which it is the case of one.
  public func concat() -> Observable<Element.Element> { merge(maxConcurrent: 1) }

  /// Emits the elements of the observable most recently emitted by this one.
  ///
  /// - Timing: synchronous. An element that the previous observable is delivering on another thread
  ///   when it is replaced is dropped.
  /// - Errors: the first error of either side ends the output.
  /// - SeeAlso: ReactiveX [Switch](https://reactivex.io/documentation/operators/switch.html).
  public func switchLatest() -> Observable<Element.Element> { switchLatest(named: #function) }

  /// - Parameter name: the operator that this is the body of.
  @usableFromInline func switchLatest(named name: StaticString) -> Observable<Element.Element> {
    serializedStage(name) { source, downstream, upstreams in
      let coordinator = SwitchCoordinator(downstream, upstreams)
      source.run(
        in: upstreams.context.child(), next: { coordinator.switchTo($0.asObservable()) },
        terminate: { upstreams.deliver($0, to: coordinator.outerEnded) })
    }
  }
}

// MARK: The state of merge

/// Subscribes to many inner observables at a time, or to few while the others wait.
///
/// They are subscribed to outside the turns of the serializer, in a loop: one that completes inside
/// `subscribe` leaves the next one to the loop that subscribed to it.
private final class MergeCoordinator<Element>: InnerSubscriptionOwner, @unchecked Sendable {
  // Proof of @unchecked: immutable but for atomics; the observer is called in turn.
  private let upstreams: UpstreamSerializer
  private let downstream: AnyObserver<Element>
  private let maxConcurrent: Int
  private let pending: PendingSources?
  private let inners: SubscriptionContext
  /// The observables that have not completed, the source and those that wait included.
  private let running = Atomic<Int>(1)
  /// How many contexts `inners` may hold at the most.
  private let held = Atomic<Int>(0)

  init(into downstream: AnyObserver<Element>, _ context: SubscriptionContext, maxConcurrent: Int) {
    upstreams = UpstreamSerializer(context)
    self.downstream = downstream
    self.maxConcurrent = maxConcurrent
    pending = maxConcurrent == .max ? nil : PendingSources(permits: maxConcurrent)
    inners = context.child()
  }

  /// Whether only the source is running.
  var isIdle: Bool { running.load(ordering: .acquiring) == 1 }

  /// Called by the source of sources, serially.
  func add(_ source: Observable<Element>) {
    running.add(1, ordering: .relaxed)
    if pending?.admit(source) ?? true { subscribe(to: source) }
  }

  private func subscribe(to source: Observable<Element>) {
    var source = source
    while true {
      let inner = InnerSubscription(of: self, inside: inners.number)
      hold(inner)
      source.run(AnyObserver(next: next, terminate: inner.terminate), in: inner)
      guard let next = successor(of: inner) else { return }
      source = next
    }
  }

  /// The observable that takes the place of `inner`, for the second of the two callers: the loop,
  /// when `run` returns, and the termination.
  private func successor(of inner: InnerSubscription) -> Observable<Element>? {
    guard let pending, inner.settle(), let next = pending.next() else { return nil }
    // Proof: only `add` enqueues, and only observables of this element.
    return unsafeDowncast(next, to: Observable<Element>.self)
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
private class InnerSubscriptionOwner: @unchecked Sendable {
  // Proof of @unchecked: no state.
  func innerEnded(_ inner: InnerSubscription, _ error: (any Error)?) {}
}

/// The context of one inner subscription. Its method is the observer's `terminate`: a closure beside
/// it would be one more allocation for each of them.
private final class InnerSubscription: SubscriptionContext, @unchecked Sendable {
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
private final class SwitchCoordinator<Element>: InnerSubscriptionOwner, @unchecked Sendable {
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
