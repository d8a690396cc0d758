extension PropertyObservable {
  /// Follows a chain of properties without retaining anyone on it.
  ///
  /// | event | what is emitted |
  /// | --- | --- |
  /// | subscribe, `.initial` | one: the leaf's value, or nil if the chain is broken |
  /// | subscribe, `.new` only | nothing |
  /// | leaf set | one, also when equal |
  /// | hop replaced | one: the new leaf's value; the detached branch is silent from then on |
  /// | hop becomes nil, or its object dies | one nil; while broken, nothing |
  /// | nil hop gets an object | one: its leaf's value, also when equal to the one before the gap |
  /// | root dies | nil unless the last emission was nil, then completion |
  ///
  /// - Timing: synchronous, on the mutating thread.
  /// - Lifetime: retains neither the object nor any hop nor the leaf.
  /// - Complexity: a leaf set is O(1), whatever the length of the chain; replacing a hop costs the
  ///   hops after it.
  /// - Parameters:
  ///   - options: whether to emit the value there is (`.initial`) and the changes (`.new`).
  ///   - path: the chain: `{ $0.manager.address.city }`.
  @inlinable public func observeWeakly<Leaf>(
    options: KeyValueObservingOptions = [.initial, .new],
    _ path: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Leaf>
  ) -> Observable<Leaf?> {
    Source(chainObservation(path(KeyPathChain<Self, Self>.beginning), options) { $1($0) })
  }

  /// Follows a chain whose leaf is optional: nil stands for a nil leaf and for a broken chain.
  @inlinable public func observeWeakly<Leaf>(
    options: KeyValueObservingOptions = [.initial, .new],
    _ path: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Leaf?>
  ) -> Observable<Leaf?> {
    Source(chainObservation(path(KeyPathChain<Self, Self>.beginning), options) { $1($0) })
  }

  /// Emits every change of what a chain of properties leads to, and why, without retaining anyone
  /// on it.
  ///
  /// ```swift
  /// person.observeChanges { $0.manager.address.city }.subscribe(onNext: { print($0.cause) })
  /// person.manager = nil               // hopBecameNil(0)
  /// person.manager = chief             // hopReplaced(0)
  /// chief.address?.city = "Rome"       // set
  /// ```
  ///
  /// The events are those of `observeWeakly(options:_:)`, one change for each value emitted there; on
  /// a broken chain `new` is nil.
  ///
  /// - Lifetime: retains neither the object nor any hop nor the leaf. With `.old` the last value is
  ///   kept until the next change, objects weakly.
  /// - Parameters:
  ///   - options: what changes hold (`.old`, `.new`), and whether there is one at first (`.initial`)
  ///     and before each store (`.prior`), also before one that leaves a broken chain broken.
  ///   - path: the chain.
  @inlinable public func observeChanges<Leaf>(
    options: KeyValueObservingOptions = [.old, .new],
    _ path: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Leaf>
  ) -> Observable<PropertyChange<Leaf>> {
    Source(chainChanges(path(KeyPathChain<Self, Self>.beginning), options) { $1($0) })
  }

  /// Emits every change at the end of a chain whose leaf is optional: `new` is nil for a nil leaf and
  /// for a broken chain.
  @inlinable public func observeChanges<Leaf>(
    options: KeyValueObservingOptions = [.old, .new],
    _ path: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Leaf?>
  ) -> Observable<PropertyChange<Leaf>> {
    Source(chainChanges(path(KeyPathChain<Self, Self>.beginning), options) { $1($0) })
  }

  /// What starts an observation: the client makes it an observable, whose type it need not look up.
  ///
  /// - Parameter deliver: delivers a value as the leaf, in an optional.
  @usableFromInline func chainObservation<Value, Leaf>(
    _ chain: KeyPathChain<Self, Value>, _ options: KeyValueObservingOptions,
    _ deliver: @escaping (Value, (Leaf?) -> Void) -> Void
  ) -> (AnyObserver<Leaf?>, SubscriptionContext) -> Void {
    follow(chain, deliver) { downstream in
      ChainObserver(
        next: { value, cause in
          if options.contains(cause == .initial ? .initial : .new) { downstream.next(value) }
        }, broken: { _ in })
    }
  }

  @usableFromInline func chainChanges<Value, Leaf>(
    _ chain: KeyPathChain<Self, Value>, _ options: KeyValueObservingOptions,
    _ deliver: @escaping (Value, (Leaf?) -> Void) -> Void
  ) -> (AnyObserver<PropertyChange<Leaf>>, SubscriptionContext) -> Void {
    follow(chain, deliver) { downstream in
      let recorder = ChangeRecorder(options, downstream.next)
      return ChainObserver(next: recorder.record, broken: { _ in }, prior: recorder.prior)
    }
  }

  /// - Parameter output: takes the leaf of a chain, nil for none, on behalf of an observer.
  private func follow<Value, Leaf, Element>(
    _ chain: KeyPathChain<Self, Value>, _ deliver: @escaping (Value, (Leaf?) -> Void) -> Void,
    _ output: @escaping (AnyObserver<Element>) -> ChainObserver<Leaf?>
  ) -> (AnyObserver<Element>, SubscriptionContext) -> Void {
    { [weak self] downstream, context in
      guard let self else { return downstream.terminate(nil) }
      let output = output(downstream)
      let end = ChainEnd(leaf: chain.length - 1, deliver, output.next, downstream.terminate)
      context.push(end)
      properties.death.whenEnded(in: context, end.rootDied)
      chain.path(
        self, ChainObserver(next: end.next, broken: end.broken, prior: output.prior), context)
    }
  }
}

/// The end of a chain, where the emission table of `observeWeakly` is kept.
private final class ChainEnd<Value, Leaf>: Teardown, @unchecked Sendable {
  // Proof of @unchecked: what varies belongs to the owner of the serializer.
  private let leaf: Int
  private let deliver: (Value, (Leaf?) -> Void) -> Void
  /// Nobody, once disposed, as is `terminate`: hops that have ended may outlive the subscription for
  /// a while.
  private var output: (Leaf?, ChangeCause) -> Void
  private var terminate: ((any Error)?) -> Void
  private let serializer = Serializer()
  /// Owned by the serializer's owner, as are the others.
  private var isStarting = true
  private var isBroken = false
  private var isNil = false

  init(
    leaf: Int, _ deliver: @escaping (Value, (Leaf?) -> Void) -> Void,
    _ output: @escaping (Leaf?, ChangeCause) -> Void,
    _ terminate: @escaping ((any Error)?) -> Void
  ) {
    (self.leaf, self.deliver) = (leaf, deliver)
    (self.output, self.terminate) = (output, terminate)
  }

  func next(_ value: Value, _ cause: ChangeCause) { serializer.perform { self.emit(value, cause) } }

  func broken(_ cause: ChangeCause) { serializer.perform { self.emitNil(cause) } }

  func rootDied() { serializer.perform { self.close() } }

  override func dispose() { serializer.perform { self.release() } }

  private func release() {
    output = { _, _ in }
    terminate = { _ in }
  }

  private func close() {
    if !isNil { emitNil(.rootDied) }
    terminate(nil)
  }

  private func emit(_ value: Value, _ cause: ChangeCause) {
    isBroken = false
    deliver(value) { tell($0, cause == .hopReplaced(leaf) ? .set : cause) }
  }

  private func emitNil(_ cause: ChangeCause) {
    guard !isBroken else { return }
    isBroken = true
    tell(nil, cause)
  }

  /// What comes first was there already; all else is a change, also one that the first causes.
  private func tell(_ leaf: Leaf?, _ cause: ChangeCause) {
    let isFirst = isStarting
    isStarting = false
    isNil = leaf == nil
    output(leaf, isFirst ? .initial : cause)
  }
}
