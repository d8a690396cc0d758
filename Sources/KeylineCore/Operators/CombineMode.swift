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
    latest.output(named: name) { downstream in
      typealias Pair = (first: First?, second: Second?)
      var latest: Pair = (nil, nil)
      func receive(_ coordinator: CombineCoordinator, _ change: (inout Pair) -> Void) {
        // Changed and read in one access: the check that one is exclusive costs a quarter of an element
        // of a subject.
        let (first, second) = { (pair: inout Pair) in
          change(&pair)
          return pair
        }(&latest)
        guard let first, let second else { return coordinator.lacksElement() }
        downstream.attemptNext { try resultSelector(first, second) }
      }
      let inputs = [
        first.input { value, coordinator in receive(coordinator) { $0.first = value } },
        second.input { value, coordinator in receive(coordinator) { $0.second = value } },
      ]
      return (inputs, {})
    }
  }

  /// The results of `resultSelector` for the elements of any number of sources.
  @inlinable func output<each Value, Result>(
    of observables: repeat Observable<each Value>, named name: StaticString = #function,
    combining resultSelector: @escaping (repeat each Value) throws -> Result
  ) -> Observable<Result> {
    let observables = (repeat each observables)
    return output(named: name) { downstream in
      let sources = (repeat CombineSource<each Value>())
      var inputs: [CombineInput] = []
      repeat inputs.append((each sources).input(of: each observables, keepsAll: self != .latest))
      let emit = { downstream.attemptNext { try resultSelector(repeat (each sources).element) } }
      return (inputs, emit)
    }
  }

  /// The results of `resultSelector` for the elements of a collection of sources.
  func output<Sources: Collection, Result>(
    of sources: Sources, named name: StaticString = #function,
    combining resultSelector: @escaping ([Sources.Element.Element]) throws -> Result
  ) -> Observable<Result> where Sources.Element: ObservableConvertibleType {
    let observables = sources.map { $0.asObservable() }
    return output(named: name, endsEarly: true) { downstream in
      let sources = observables.map { _ in CombineSource<Sources.Element.Element>() }
      let emit = { downstream.attemptNext { try resultSelector(sources.map { $0.element }) } }
      let keepsAll = self != .latest
      return (Swift.zip(sources, observables).map { $0.input(of: $1, keepsAll: keepsAll) }, emit)
    }
  }

  /// - Parameters:
  ///   - endsEarly: whether an element without a partner ends the output of a zip once all other
  ///     sources have completed.
  ///   - prepare: called once per subscription; returns its sources, and the function that emits
  ///     the result of the elements that they have.
  @usableFromInline func output<Result>(
    named name: StaticString, endsEarly: Bool = false,
    _ prepare: @escaping (AnyObserver<Result>) -> (inputs: [CombineInput], emit: () -> Void)
  ) -> Observable<Result> {
    Source(name) { downstream, context in
      let (inputs, emit) = prepare(downstream)
      if inputs.isEmpty {
        // All elements are there, and all sources have ended.
        if self != .zip { emit() }
        if context.isActive { downstream.terminate(nil) }
      }
      let coordinator = CombineCoordinator(
        inputs, endsEarly: endsEarly || self == .latest, emit, downstream.terminate)
      let upstreams = UpstreamSerializer(context)
      Trampoline.perform { for input in inputs { input.subscribe(upstreams, coordinator) } }
    }
  }
}

/// Calls `emit` whenever every source has an element. In a zip each element is used once, in
/// `combineLatest` until the next one arrives.
///
/// All sources are counted before the first is subscribed to, because subscribing may emit. The code
/// that depends on types is in ``CombineSource`` and in `emit`, which are specialised where the types
/// are known. The members of the coordinator are used in turn.
@usableFromInline final class CombineCoordinator {
  // Not the sources, which are released when they have ended.
  private let advances: [() -> Bool]
  private let endsEarly: Bool
  private let emit: () -> Void
  private let end: ((any Error)?) -> Void
  /// Sources without an element to use.
  private var missing: Int
  /// Sources that have not completed yet.
  private var running: Int

  init(
    _ inputs: [CombineInput], endsEarly: Bool, _ emit: @escaping () -> Void,
    _ end: @escaping ((any Error)?) -> Void
  ) {
    advances = inputs.map(\.advance)
    self.endsEarly = endsEarly
    self.emit = emit
    self.end = end
    missing = inputs.count
    running = inputs.count
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

/// A source without its type; `advance` moves on to its next element, and is false if there is none.
@usableFromInline typealias CombineInput = (
  subscribe: (UpstreamSerializer, CombineCoordinator) -> Void, advance: () -> Bool
)

extension Observable {
  /// This source as an input whose elements are received in turn.
  @inlinable func input(
    advance: @escaping () -> Bool = { true },
    receive: @escaping (Element, CombineCoordinator) -> Void
  ) -> CombineInput {
    let subscribe = { (upstreams: UpstreamSerializer, coordinator: CombineCoordinator) in
      upstreams.subscribe(
        to: self, next: { receive($0, coordinator) }, terminate: coordinator.terminate)
    }
    return (subscribe, advance)
  }
}

/// The elements of one source; accessed in turn only.
@usableFromInline final class CombineSource<Value> {
  @usableFromInline var head: Value?
  @usableFromInline var isHeadLast = true
  /// The elements after the first, which a zip retains.
  private var pending = Queue<Value>()

  @usableFromInline init() {}

  /// - Parameter keepsAll: whether an element is queued behind earlier elements; otherwise it replaces
  ///   the latest.
  @inlinable func input(of source: Observable<Value>, keepsAll: Bool = true) -> CombineInput {
    source.input(advance: keepsAll ? advance : { true }) { value, coordinator in
      let isFirst = self.head == nil
      if isFirst || !keepsAll { self.head = value } else { self.append(value) }
      coordinator.received(isFirst: isFirst)
    }
  }

  /// The element to use. There must be one.
  @inlinable var element: Value { head! }

  /// Replaces the element that has been used by the next one; false if there is none.
  @inlinable func advance() -> Bool {
    head = isHeadLast ? nil : popFirst()
    return head != nil
  }

  // Out of line, because an unspecialised queue is slow.
  @usableFromInline func append(_ value: Value) {
    pending.append(value)
    isHeadLast = false
  }

  @usableFromInline func popFirst() -> Value? {
    defer { isHeadLast = pending.isEmpty }
    return pending.popFirst()
  }
}
