// The state of `combineLatest` and `zip`, in Combining.swift.

/// Which elements of the sources make a result: the latest of each, or each once. Without sources,
/// `zipOfSingles` has the result of no elements: a single has to have one.
@usableFromInline enum CombineMode {
  case latest, zip, zipOfSingles
}

/// Emits a result whenever every source has an element. In a zip each element is used once, in
/// `combineLatest` until the next one arrives.
///
/// Subscribing to a source starts it, so all are counted before. Not generic over the elements of
/// the sources: only the code of each source depends on its type.
@usableFromInline final class CombineCoordinator<Result> {
  @usableFromInline let upstreams: UpstreamSerializer
  @usableFromInline let mode: CombineMode
  private let downstream: AnyObserver<Result>
  private let combine: () throws -> Result
  /// Whether an element without a partner ends the output once all other sources have completed.
  private let endsEarly: Bool
  private var advances: [() -> Bool] = []
  /// Sources without an element to use.
  private var missing = 0
  /// Sources that have not completed yet.
  private var running = 0

  @inlinable static func output<each Value>(
    of sources: repeat Observable<each Value>, by mode: CombineMode,
    named name: StaticString = #function,
    combining resultSelector: @escaping (repeat each Value) throws -> Result
  ) -> Observable<Result> {
    let sources = (repeat each sources)
    return Source(name) { downstream, context in
      let inputs = (repeat CombineSource<each Value>())
      let coordinator = CombineCoordinator(
        into: downstream, context, by: mode, endsEarly: mode == .latest
      ) { try resultSelector(repeat (each inputs).element) }
      repeat coordinator.prepare(each inputs)
      coordinator.endIfEmpty()
      Trampoline.perform { repeat coordinator.subscribe(to: each sources, storingIn: each inputs) }
    }
  }

  static func output<Sources: Collection>(
    of sources: Sources, by mode: CombineMode, named name: StaticString = #function,
    combining resultSelector: @escaping ([Sources.Element.Element]) throws -> Result
  ) -> Observable<Result> where Sources.Element: ObservableConvertibleType {
    let sources = sources.map { $0.asObservable() }
    return Source(name) { downstream, context in
      let inputs = sources.map { _ in CombineSource<Sources.Element.Element>() }
      let coordinator = CombineCoordinator(into: downstream, context, by: mode, endsEarly: true) {
        try resultSelector(inputs.map(\.element))
      }
      for input in inputs { coordinator.prepare(input) }
      coordinator.endIfEmpty()
      Trampoline.perform {
        Swift.zip(sources, inputs).forEach { coordinator.subscribe(to: $0, storingIn: $1) }
      }
    }
  }

  @usableFromInline init(
    into downstream: AnyObserver<Result>, _ context: SubscriptionContext, by mode: CombineMode,
    endsEarly: Bool, combining combine: @escaping () throws -> Result
  ) {
    upstreams = UpstreamSerializer(context)
    self.downstream = downstream
    self.mode = mode
    self.endsEarly = endsEarly
    self.combine = combine
  }

  /// Counts a source, before the first is subscribed to.
  @usableFromInline func prepare<Value>(_ input: CombineSource<Value>) {
    advances.append(input.advance)
    missing += 1
    running += 1
  }

  /// Without sources, all elements are there, and all sources have ended.
  @usableFromInline func endIfEmpty() {
    guard running == 0 else { return }
    if mode != .zip { emit() }
    if upstreams.context.isActive { downstream.terminate(nil) }
  }

  @inlinable func subscribe<Value>(
    to source: Observable<Value>, storingIn input: CombineSource<Value>
  ) {
    upstreams.subscribe(
      to: source,
      next: { value in
        self.received(isFirst: input.store(value, keepsAll: self.mode != .latest))
      },
      terminate: self.terminate)
  }

  /// Called when an element has been stored.
  ///
  /// - Parameter isFirst: whether its source had none before.
  @usableFromInline func received(isFirst: Bool) {
    if isFirst { missing -= 1 }
    emit()
  }

  private func emit() {
    guard missing == 0 else {
      // The last source running emits while others lack an element: no result can follow.
      if running == 1, endsEarly { downstream.terminate(nil) }
      return
    }
    do {
      let result = try combine()
      if mode != .latest { for advance in advances where !advance() { missing += 1 } }
      downstream.next(result)
    } catch { downstream.terminate(error) }
  }

  @usableFromInline func terminate(_ error: (any Error)?) {
    running -= 1
    if error != nil || running == 0 { downstream.terminate(error) }
  }
}

/// The elements of one source; accessed in turn only.
@usableFromInline final class CombineSource<Value> {
  @usableFromInline var head: Value?
  /// Those after it, which a zip retains.
  private var pending = Queue<Value>()

  @usableFromInline init() {}

  /// The element to use. There must be one.
  @inlinable var element: Value { head! }

  /// Stores an element behind those that wait, or in the place of the latest.
  ///
  /// - Returns: whether there was none.
  @usableFromInline func store(_ value: Value, keepsAll: Bool) -> Bool {
    let isFirst = head == nil
    if keepsAll, !isFirst { pending.append(value) } else { head = value }
    return isFirst
  }

  /// Replaces the element that has been used by the next one; false if there is none.
  func advance() -> Bool {
    head = pending.popFirst()
    return head != nil
  }
}
