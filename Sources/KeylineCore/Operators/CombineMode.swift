// The state of `combineLatest` and `zip`, in Combining.swift.

/// Which elements of the sources make a result: the latest of each, or each once. Without sources,
/// `zipOfSingles` emits the result for an empty list, because a single emits one element.
@usableFromInline enum CombineMode {
  case latest, zip, zipOfSingles

  /// The results of `resultSelector` for the latest elements of two sources.
  ///
  /// A parameter pack is not specialised: without this function, an element of `combineLatest`
  /// would cost five times as much, more than an element of a subject in other libraries. `zip` is faster
  /// than in these even so.
  @inlinable static func latestOfTwo<First, Second, Result>(
    _ first: Observable<First>, _ second: Observable<Second>, named name: StaticString = #function,
    combining resultSelector: @escaping (First, Second) throws -> Result
  ) -> Observable<Result> {
    latest.output(named: name) { downstream, coordinator in
      typealias Pair = (first: First?, second: Second?)
      var latest: Pair = (nil, nil)
      func receive(_ change: (inout Pair) -> Void) {
        // Changed and read in one access: the check that one is exclusive costs a quarter of an element
        // of a subject.
        let (first, second) = { (pair: inout Pair) in
          change(&pair)
          return pair
        }(&latest)
        guard let first, let second else { return coordinator.lacksElement() }
        downstream.attemptNext { try resultSelector(first, second) }
      }
      coordinator.add(first) { value in receive { $0.first = value } }
      coordinator.add(second) { value in receive { $0.second = value } }
    }
  }

  /// The results of `resultSelector` for the elements of any number of sources.
  @inlinable func output<each Value, Result>(
    of observables: repeat Observable<each Value>, named name: StaticString = #function,
    combining resultSelector: @escaping (repeat each Value) throws -> Result
  ) -> Observable<Result> {
    let observables = (repeat each observables)
    return output(named: name) { downstream, coordinator in
      let sources = (repeat coordinator.add(each observables, keepsAll: self != .latest))
      coordinator.emit = {
        downstream.attemptNext { try resultSelector(repeat (each sources).element) }
      }
    }
  }

  /// The results of `resultSelector` for the elements of a collection of sources.
  func output<Sources: Collection, Result>(
    of sources: Sources, named name: StaticString = #function,
    combining resultSelector: @escaping ([Sources.Element.Element]) throws -> Result
  ) -> Observable<Result> where Sources.Element: ObservableConvertibleType {
    let observables = sources.map { $0.asObservable() }
    return output(named: name, endsEarly: true) { downstream, coordinator in
      let sources = observables.map { coordinator.add($0, keepsAll: self != .latest) }
      coordinator.emit = {
        downstream.attemptNext { try resultSelector(sources.map { $0.element }) }
      }
    }
  }

  /// - Parameters:
  ///   - endsEarly: whether an element without a partner ends the output of a zip once all other
  ///     sources have completed.
  ///   - prepare: called once per subscription; adds the sources, and sets `emit`.
  @usableFromInline func output<Result>(
    named name: StaticString, endsEarly: Bool = false,
    _ prepare: @escaping (AnyObserver<Result>, CombineCoordinator) -> Void
  ) -> Observable<Result> {
    _Source(name) { downstream, context in
      let coordinator = CombineCoordinator(
        UpstreamSerializer(context), endsEarly: endsEarly || self == .latest, downstream.terminate)
      prepare(downstream, coordinator)
      guard coordinator.subscriptions.isEmpty else { return coordinator.subscribe() }
      // All elements are there, and all sources have ended.
      if self != .zip { coordinator.emit() }
      if context.isActive { downstream.terminate(nil) }
    }
  }
}

/// Calls `emit` whenever every source has an element. In a zip each element is used once, in
/// `combineLatest` until the next one arrives.
///
/// All sources are added before the first is subscribed to, because subscribing may emit. The code
/// that depends on types is in ``CombineSource`` and in `emit`, which are specialised where the types
/// are known. The members of the coordinator are used in turn.
@usableFromInline final class CombineCoordinator {
  @usableFromInline let upstreams: UpstreamSerializer
  private let endsEarly: Bool
  private let end: ((any Error)?) -> Void
  /// Emits the result of the elements of all sources. For sources whose elements are kept by
  /// `add(_:keepsAll:)`.
  @usableFromInline var emit: () -> Void = {}
  /// Subscribe to the sources; empty afterwards, because sources are released when they have ended.
  @usableFromInline var subscriptions: [() -> Void] = []
  /// Move the sources of a zip on to their next elements; false if there is none.
  @usableFromInline var advances: [() -> Bool] = []
  /// Sources without an element to use.
  private var missing = 0
  /// Sources that have not completed yet.
  private var running = 0

  init(
    _ upstreams: UpstreamSerializer, endsEarly: Bool, _ end: @escaping ((any Error)?) -> Void
  ) {
    self.upstreams = upstreams
    self.endsEarly = endsEarly
    self.end = end
  }

  /// Adds a source whose elements are passed to `receive` in turn.
  @inlinable func add<Value>(
    _ source: Observable<Value>, receive: @escaping (Value) -> Void
  ) {
    subscriptions.append { [self] in
      upstreams.subscribe(to: source, next: receive, terminate: terminate)
    }
  }

  /// Adds a source.
  ///
  /// - Parameter keepsAll: whether an element is queued behind earlier elements; otherwise it replaces
  ///   the latest.
  @inlinable func add<Value>(_ source: Observable<Value>, keepsAll: Bool) -> CombineSource<Value> {
    let values = CombineSource<Value>()
    if keepsAll { advances.append(values.advance) }
    add(source) { [self] value in
      let isFirst = values.head == nil
      if isFirst || !keepsAll { values.head = value } else { values.pending.append(value) }
      received(isFirst: isFirst)
    }
    return values
  }

  func subscribe() {
    missing = subscriptions.count
    running = missing
    let pending = exchange(&subscriptions, with: [])
    Trampoline.perform { for subscribe in pending { subscribe() } }
  }

  /// Called when an element has been stored.
  ///
  /// - Parameter isFirst: whether its source had none before.
  @usableFromInline func received(isFirst: Bool) {
    if isFirst { missing -= 1 }
    guard missing == 0 else { return lacksElement() }
    emit()
    for advance in advances where !advance() { missing += 1 }
  }

  /// Called when an element has been stored while another source has none: if its own source is the last
  /// one running, no result can follow.
  @usableFromInline func lacksElement() {
    if running == 1, endsEarly { end(nil) }
  }

  @usableFromInline func terminate(_ error: (any Error)?) {
    running -= 1
    if error != nil || running == 0 { end(error) }
  }
}

/// The elements of one source; accessed in turn only.
@usableFromInline final class CombineSource<Value> {
  @usableFromInline var head: Value?
  /// The elements after the first, which a zip retains.
  @usableFromInline var pending = Queue<Value>()

  @usableFromInline init() {}

  /// The element to use. There must be one.
  @inlinable var element: Value { head! }

  /// Replaces the element that has been used by the next one; false if there is none.
  @inlinable func advance() -> Bool {
    head = pending.popFirst()
    return head != nil
  }
}
