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
  private let serializer = Serializer()
  private let current = Mutex<Followed>(.none)
  private var isOuterDone = false
  private var isDone = false
  /// The inner observable whose termination has been handled last.
  private var ended: InnerContext?

  init(_ downstream: AnyObserver<Element>) { self.downstream = downstream }

  /// Called by the outer observable, serially.
  func follow(_ source: Observable<Element>) {
    let inner = InnerContext()
    let former = current.withLock { $0.replace(by: inner) }
    former.inner?.supersede()
    if case .disposed = former { return }
    source.run(
      AnyObserver(
        next: { element in
          self.serializer.run {
            if !self.isDone, !inner.isSuperseded { self.downstream.next(element) }
          }
        },
        terminate: { error in
          guard inner.end() else { return }
          inner.tearDown()
          self.serializer.run { self.innerEnded(inner, error) }
        }
      ),
      in: inner)
  }

  private func innerEnded(_ inner: InnerContext, _ error: (any Error)?) {
    guard !inner.isSuperseded else { return }
    ended = inner
    if error != nil || isOuterDone { finish(error) }
  }

  func outerEnded(_ error: (any Error)?) {
    serializer.run {
      self.isOuterDone = true
      if error != nil || !self.isFollowing { self.finish(error) }
    }
  }

  private func finish(_ error: (any Error)?) {
    guard !isDone else { return }
    isDone = true
    downstream.terminate(error)
  }

  private var isFollowing: Bool { current.withLock { $0.inner } !== ended }

  func dispose() {
    let last = current.withLock { current in
      defer { current = .disposed }
      return current
    }
    last.inner?.supersede()
  }
}

// Not inside the generic class above: what is nested in a generic type is generic, and each use of it
// looks up its metadata.

/// What a ``SwitchLatest`` is following.
private enum Followed {
  case none
  case inner(InnerContext)
  case disposed

  var inner: InnerContext? {
    if case .inner(let inner) = self { inner } else { nil }
  }

  /// Follows `inner` from now on, unless it is over; returns what was followed.
  mutating func replace(by inner: InnerContext) -> Followed {
    if case .disposed = self { return self }
    defer { self = .inner(inner) }
    return self
  }
}

/// The context of one inner subscription. It may have ended while elements of it still wait in the
/// queue, so being superseded is a flag of its own.
private final class InnerContext: SubscriptionContext, @unchecked Sendable {
  // Proof of @unchecked: adds one atomic to its superclass.
  private let superseded = Atomic<Bool>(false)

  var isSuperseded: Bool { superseded.load(ordering: .acquiring) }

  func supersede() {
    superseded.store(true, ordering: .releasing)
    dispose()
  }
}
