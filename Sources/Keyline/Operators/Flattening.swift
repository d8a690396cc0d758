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
  @inlinable public func flatMapLatest<Source: ObservableConvertibleType>(
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
    meeting { upstream, downstream, junction in
      let latest = SwitchLatest(downstream, junction)
      upstream.run(
        in: junction.context.child(), next: { latest.follow($0.asObservable()) },
        terminate: { junction.pass($0, to: latest.outerEnded) })
    }
  }
}

/// Follows one inner observable at a time. Late events of those before it are refused by number.
///
/// The subscription to an inner observable is made outside the turns of the junction, so that a
/// downstream `take` can stop an inner that never pauses.
private final class SwitchLatest<Element>: Disposable, @unchecked Sendable {
  // Proof of @unchecked: immutable, synchronised, or touched in turn only, as said.
  private let downstream: AnyObserver<Element>
  private let junction: Junction
  private let current = Protected<SubscriptionContext?>(nil)
  private let number = Atomic<Int>(0)
  // Proof of unchecked: both are touched in turn only.
  /// The number of the inner observable whose termination has been handled last.
  @exclusivity(unchecked) private var ended = 0
  @exclusivity(unchecked) private var isOuterDone = false

  init(_ downstream: AnyObserver<Element>, _ junction: Junction) {
    (self.downstream, self.junction) = (downstream, junction)
    junction.context.add(self)
  }

  func dispose() { current.exchange(nil)?.dispose() }

  private func isLatest(_ number: Int) -> Bool {
    junction.context.isActive && self.number.load(ordering: .acquiring) == number
  }

  /// Called by the outer observable, serially.
  func follow(_ source: Observable<Element>) {
    let number = number.add(1, ordering: .acquiringAndReleasing).newValue
    let inner = SubscriptionContext()
    current.exchange(inner)?.dispose()
    // `dispose()` may have come before the exchange.
    guard junction.context.isActive else { return inner.dispose() }
    source.run(
      AnyObserver(
        next: { element in
          self.junction.serializer.run {
            if self.isLatest(number) { self.downstream.next(element) }
          }
        },
        terminate: { error in
          guard inner.end() else { return }
          inner.tearDown()
          self.junction.serializer.run { self.innerEnded(number, error) }
        }),
      in: inner)
  }

  private func innerEnded(_ number: Int, _ error: (any Error)?) {
    guard isLatest(number) else { return }
    ended = number
    if error != nil || isOuterDone { downstream.terminate(error) }
  }

  func outerEnded(_ error: (any Error)?) {
    isOuterDone = true
    if error != nil || isLatest(ended) { downstream.terminate(error) }
  }
}
