import Synchronization

extension ObservableType {
  /// Emits what each observable made by `selector` emits, as it comes.
  ///
  ///     source     --a-----b-------|
  ///     a's inner    --1------3--|
  ///     b's inner          --2-|
  ///     output     ----1-----2-3--|
  ///
  /// - Timing: synchronous, on the thread that emits, one at a time. Completes with the last of all.
  /// - Errors: the first error of any, or one thrown by `selector`, ends the output.
  /// - Lifetime: an inner subscription is released when it ends.
  /// - Complexity: O(1) per element; two allocations per inner subscription.
  /// - Parameter selector: called once per source element, never under a lock.
  /// - SeeAlso: ReactiveX [FlatMap](https://reactivex.io/documentation/operators/flatmap.html).
  public func flatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    flattened(selector)
  }

  /// Emits what the observables made by `selector` emit, one after the other.
  ///
  ///     source     --a--b-------------|
  ///     a's inner    --1-----2-|
  ///     b's inner               -3--4|
  ///     output     ----1-----2---3--4|
  ///
  /// - Timing: synchronous, on the thread that emits. `selector` is called when an element arrives;
  ///   what it returns is subscribed to when all before it have completed.
  /// - Errors: the first error of any, or one thrown by `selector`, ends the output.
  /// - Lifetime: observables wait in a queue without bound.
  /// - Complexity: O(1) per element; no recursion, however many complete inside `subscribe`.
  /// - Parameter selector: called once per source element, never under a lock.
  /// - SeeAlso: ReactiveX [FlatMap](https://reactivex.io/documentation/operators/flatmap.html).
  public func concatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    flattened(selector, maxConcurrent: 1)
  }

  /// Emits what an observable made by `selector` emits; elements that arrive before it has completed
  /// are left out.
  ///
  ///     source     --a-----b--------c---|
  ///     a's inner    --1-----2-|
  ///     c's inner                   --3--|
  ///     output     ----1-----2--------3--|
  ///
  /// - Timing: synchronous, on the thread that emits. `selector` is not called for what is left out.
  /// - Errors: the first error of any, or one thrown by `selector`, ends the output.
  /// - SeeAlso: ReactiveX [FlatMap](https://reactivex.io/documentation/operators/flatmap.html).
  public func flatMapFirst<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    flattened(selector, isExclusive: true)
  }

  /// Emits what each observable made by `selector` emits, at most `maxConcurrent` of them at a time;
  /// the others wait, in order.
  ///
  /// - Parameter isExclusive: whether elements that arrive while there is one are left out.
  func flattened<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source, maxConcurrent: Int = .max,
    isExclusive: Bool = false
  ) -> Observable<Source.Element> {
    stage { upstream, downstream, context in
      let flattener = Flattener(into: downstream, context, maxConcurrent: maxConcurrent)
      let source = context.child()
      let observer = AnyObserver<Source.Element>(
        next: { _ in }, terminate: source.ending(before: flattener.ended))
      upstream.run(
        observer.withNext { element in
          if isExclusive, !flattener.isIdle { return }
          observer.attempt { flattener.add(try selector(element).asObservable()) }
        }, in: source)
    }
  }
}

/// Follows many inner observables at a time, or few while the others wait.
///
/// They are subscribed to outside the turns of the junction, in a loop: one that completes inside
/// `subscribe` leaves the next one to whoever subscribed to it.
private final class Flattener<Element>: @unchecked Sendable {
  // Proof of @unchecked: immutable but for atomics; the observer is called in turn.
  private let junction: Junction
  private let downstream: AnyObserver<Element>
  private let maxConcurrent: Int
  private let line: WaitingLine?
  private let inners: SubscriptionContext
  /// The observables that have not completed, the source and those that wait included.
  private let running = Atomic<Int>(1)
  /// How many contexts `inners` may hold at the most.
  private let held = Atomic<Int>(0)

  init(into downstream: AnyObserver<Element>, _ context: SubscriptionContext, maxConcurrent: Int) {
    junction = Junction(context)
    (self.downstream, self.maxConcurrent) = (downstream, maxConcurrent)
    line = maxConcurrent == .max ? nil : WaitingLine(places: maxConcurrent)
    inners = context.child()
  }

  /// Whether nothing but the source is running.
  var isIdle: Bool { running.load(ordering: .acquiring) == 1 }

  /// Called by the source of sources, serially.
  func add(_ source: Observable<Element>) {
    running.add(1, ordering: .relaxed)
    if line?.admit(source) ?? true { follow(source) }
  }

  private func follow(_ source: Observable<Element>) {
    var source = source
    while true {
      let inner = InnerSubscription()
      hold(inner)
      source.run(
        AnyObserver(
          next: next,
          terminate: { error in
            guard inner.end() else { return }
            inner.tearDown()
            self.ended(inner, error)
          }),
        in: inner)
      guard let next = successor(of: inner) else { return }
      source = next
    }
  }

  /// The observable that takes the place of `inner`, for the second of its two ends to ask.
  private func successor(of inner: InnerSubscription) -> Observable<Element>? {
    guard let line, inner.settle(), let next = line.next() else { return nil }
    // Proof: only `add` puts anything in line.
    return unsafeDowncast(next, to: Observable<Element>.self)
  }

  private func next(_ element: Element) { junction.pass(element, to: downstream.next) }

  private func hold(_ inner: InnerSubscription) {
    inners.push(inner)
    let alive = min(running.load(ordering: .relaxed), maxConcurrent)
    guard held.add(1, ordering: .relaxed).newValue > 2 * alive + 16 else { return }
    held.store(alive, ordering: .relaxed)
    inners.dropEnded()
  }

  private func ended(_ inner: InnerSubscription, _ error: (any Error)?) {
    ended(error)
    if error == nil, let next = successor(of: inner) { follow(next) }
  }

  /// Takes the end of one of all. A completion counts once its elements have got in line.
  func ended(_ error: (any Error)?) {
    let remaining = running.subtract(1, ordering: .acquiringAndReleasing).newValue
    guard error != nil || remaining == 0 else { return }
    junction.pass(error, to: downstream.terminate)
  }
}

/// The context of one inner subscription.
private final class InnerSubscription: SubscriptionContext, @unchecked Sendable {
  // Proof of @unchecked: adds an atomic to its superclass.
  private let isSettled = Atomic<Bool>(false)

  /// Called when `subscribe` returns and at the end: true for the second of the two.
  func settle() -> Bool { isSettled.exchange(true, ordering: .acquiringAndReleasing) }
}

/// The observables that wait for a place. Not generic, like the queue of a ``Serializer``.
private final class WaitingLine: Sendable {
  private let state: Protected<(free: Int, waiting: Fifo<AnyObject>)>

  init(places: Int) { state = Protected((places, Fifo())) }

  /// Takes a place for `source`, or leaves it waiting.
  func admit(_ source: AnyObject) -> Bool {
    state.withLock { state in
      let hasPlace = state.free > 0
      if hasPlace { state.free -= 1 } else { state.waiting.append(source) }
      return hasPlace
    }
  }

  /// Gives a place to the one who has waited longest, or back.
  func next() -> AnyObject? {
    state.withLock { state in
      let next = state.waiting.popFirst()
      if next == nil { state.free += 1 }
      return next
    }
  }
}
