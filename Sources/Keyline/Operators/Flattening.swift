import Synchronization

extension ObservableType {
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
  @inlinable
  public func flatMapLatest<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    map { try selector($0).asObservable() }.switchLatest()
  }
}

extension ObservableType where Element: ObservableConvertibleType {
  /// Emits the elements of the observable most recently emitted by this one.
  ///
  /// - Timing: synchronous. An element the former observable had under way on another thread when
  ///   it was replaced is dropped.
  /// - Errors: the first error of either side ends the output.
  /// - SeeAlso: ReactiveX [Switch](https://reactivex.io/documentation/operators/switch.html).
  public func switchLatest() -> Observable<Element.Element> {
    let upstream = asObservable()
    return Source { downstream, context in
      let latest = SwitchLatest(downstream)
      context.add(latest)
      upstream.run(
        in: context.child(), next: { latest.follow($0.asObservable()) },
        terminate: latest.outerEnded)
    }
  }
}

/// Follows one inner observable at a time.
///
/// The subscription to an inner observable is made outside the serializer, so that a downstream
/// `take` can stop an inner that never pauses.
private final class SwitchLatest<Element>: Disposable, @unchecked Sendable {
  // Proof of @unchecked: `isOuterDone`, `isDone` and `ended` belong to the owner of the serializer,
  // all else is immutable or synchronised.
  private let downstream: AnyObserver<Element>
  private let serializer = Serializer<Message>()
  private let current = Mutex<Current>(.none)
  private var isOuterDone = false
  private var isDone = false
  /// The inner observable whose termination has been handled last.
  private var ended: Inner?

  private enum Current {
    case none
    case inner(Inner)
    case disposed
  }

  /// The context of one inner subscription. It may have ended while elements of it still wait in
  /// the queue, so being superseded is a flag of its own.
  private final class Inner: SubscriptionContext, @unchecked Sendable {
    // Proof of @unchecked: adds one atomic to its superclass.
    private let superseded = Atomic<Bool>(false)

    var isSuperseded: Bool { superseded.load(ordering: .acquiring) }

    func supersede() {
      superseded.store(true, ordering: .releasing)
      dispose()
    }
  }

  private enum Message {
    case next(Element, Inner)
    case innerEnded((any Error)?, Inner)
    case outerEnded((any Error)?)
  }

  init(_ downstream: AnyObserver<Element>) { self.downstream = downstream }

  /// Called by the outer observable, serially.
  func follow(_ source: Observable<Element>) {
    let inner = Inner()
    let (former, isDisposed): (Inner?, Bool) = current.withLock { current in
      switch current {
      case .disposed: return (nil, true)
      case .none:
        current = .inner(inner)
        return (nil, false)
      case .inner(let former):
        current = .inner(inner)
        return (former, false)
      }
    }
    former?.supersede()
    guard !isDisposed else { return }
    source.run(
      in: inner, next: { self.next($0, of: inner) },
      terminate: { self.serializer.send(.innerEnded($0, inner), self.handle) })
  }

  func outerEnded(_ error: (any Error)?) { serializer.send(.outerEnded(error), handle) }

  private func next(_ element: Element, of inner: Inner) {
    serializer.run(
      { if !inner.isSuperseded { downstream.next(element) } }, orQueue: .next(element, inner),
      handle)
  }

  private func handle(_ message: Message) {
    guard !isDone else { return }
    switch message {
    case .next(let element, let inner):
      if !inner.isSuperseded { downstream.next(element) }
    case .innerEnded(let error, let inner):
      guard !inner.isSuperseded else { return }
      ended = inner
      if error != nil || isOuterDone { finish(error) }
    case .outerEnded(let error):
      isOuterDone = true
      if error != nil || !isFollowing { finish(error) }
    }
  }

  private func finish(_ error: (any Error)?) {
    isDone = true
    downstream.terminate(error)
  }

  private var isFollowing: Bool {
    let latest: Inner? = current.withLock { if case .inner(let inner) = $0 { inner } else { nil } }
    return latest !== ended
  }

  func dispose() {
    let last = current.withLock { current in
      defer { current = .disposed }
      return current
    }
    if case .inner(let inner) = last { inner.supersede() }
  }
}
