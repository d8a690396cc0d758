// The state of `combineLatest` and `zip`, in Combining.swift.

/// Which elements of the sources make a result: the latest of each, or each once. Without sources,
/// `zipOfSingles` has the result of no elements: a single has to have one.
@usableFromInline enum CombineMode {
  case latest, zip, zipOfSingles
}

/// Emits a result whenever every source has an element. In a zip each element is used once, in
/// `combineLatest` until the next one arrives.
///
/// Subscribing to a source starts it, so all are counted before. Not generic: what depends on types
/// is in ``CombineSource`` and in the function that emits, which are specialised where the types
/// are known. A parameter pack is not: two sources, the most frequent number, have a function
/// without one, at a fifth of the cost per element.
@usableFromInline final class CombineCoordinator {
  /// Emits the result of the elements that the sources have.
  @usableFromInline typealias Emit = () -> Void

  @usableFromInline let upstreams: UpstreamSerializer
  @usableFromInline let mode: CombineMode
  private let inputs: [CombineInput]
  private let emit: Emit
  private let end: ((any Error)?) -> Void
  /// Whether an element without a partner ends the output once all other sources have completed.
  private let endsEarly: Bool
  /// Sources without an element to use.
  private var missing: Int
  /// Sources that have not completed yet.
  private var running: Int

  // MARK: Making an output

  @inlinable static func output<First, Second, Result>(
    of first: Observable<First>, and second: Observable<Second>, by mode: CombineMode,
    named name: StaticString = #function,
    combining resultSelector: @escaping (First, Second) throws -> Result
  ) -> Observable<Result> {
    output(by: mode, endsEarly: mode == .latest, named: name) { downstream in
      let (first, second) = (CombineSource(first), CombineSource(second))
      return (
        [first.input, second.input],
        {
          downstream.attempt {
            downstream.next(try resultSelector(first.element, second.element))
          }
        }
      )
    }
  }

  @inlinable static func output<each Value, Result>(
    of sources: repeat Observable<each Value>, by mode: CombineMode,
    named name: StaticString = #function,
    combining resultSelector: @escaping (repeat each Value) throws -> Result
  ) -> Observable<Result> {
    let observables = (repeat each sources)
    return output(by: mode, endsEarly: mode == .latest, named: name) { downstream in
      let sources = (repeat CombineSource(each observables))
      var inputs: [CombineInput] = []
      repeat inputs.append((each sources).input)
      return (
        inputs,
        { downstream.attempt { downstream.next(try resultSelector(repeat (each sources).element)) } }
      )
    }
  }

  static func output<Sources: Collection, Result>(
    of sources: Sources, by mode: CombineMode, named name: StaticString = #function,
    combining resultSelector: @escaping ([Sources.Element.Element]) throws -> Result
  ) -> Observable<Result> where Sources.Element: ObservableConvertibleType {
    let observables = sources.map { $0.asObservable() }
    return output(by: mode, endsEarly: true, named: name) { downstream in
      let sources = observables.map { CombineSource($0) }
      return (
        sources.map { $0.input },
        { downstream.attempt { downstream.next(try resultSelector(sources.map { $0.element })) } }
      )
    }
  }

  /// - Parameter prepare: called once per subscription; makes its sources.
  @usableFromInline static func output<Result>(
    by mode: CombineMode, endsEarly: Bool, named name: StaticString,
    _ prepare: @escaping (AnyObserver<Result>) -> ([CombineInput], Emit)
  ) -> Observable<Result> {
    Source(name) { downstream, context in
      let (inputs, emit) = prepare(downstream)
      CombineCoordinator(
        inputs, UpstreamSerializer(context), by: mode, endsEarly: endsEarly, emit: emit,
        end: downstream.terminate
      ).start()
    }
  }

  private init(
    _ inputs: [CombineInput], _ upstreams: UpstreamSerializer, by mode: CombineMode,
    endsEarly: Bool, emit: @escaping Emit, end: @escaping ((any Error)?) -> Void
  ) {
    self.inputs = inputs
    self.upstreams = upstreams
    self.mode = mode
    self.endsEarly = endsEarly
    self.emit = emit
    self.end = end
    missing = inputs.count
    running = inputs.count
  }

  private func start() {
    if inputs.isEmpty {
      // All elements are there, and all sources have ended.
      if mode != .zip { emit() }
      if upstreams.context.isActive { end(nil) }
    }
    Trampoline.perform { for input in inputs { input.subscribe(self) } }
  }

  // MARK: In turn

  /// Called when an element has been stored.
  ///
  /// - Parameter isFirst: whether its source had none before.
  @usableFromInline func received(isFirst: Bool) {
    if isFirst { missing -= 1 }
    guard missing == 0 else {
      // The last source running emits while others lack an element: no result can follow.
      if running == 1, endsEarly { end(nil) }
      return
    }
    emit()
    if mode != .latest { for input in inputs where !input.advance() { missing += 1 } }
  }

  @usableFromInline func terminate(_ error: (any Error)?) {
    running -= 1
    if error != nil || running == 0 { end(error) }
  }
}

/// A ``CombineSource`` without its type.
@usableFromInline struct CombineInput {
  let subscribe: (CombineCoordinator) -> Void
  let advance: () -> Bool

  @usableFromInline init(
    subscribe: @escaping (CombineCoordinator) -> Void, advance: @escaping () -> Bool
  ) {
    self.subscribe = subscribe
    self.advance = advance
  }
}

/// The elements of one source; accessed in turn only.
@usableFromInline final class CombineSource<Value> {
  @usableFromInline let source: Observable<Value>
  @usableFromInline var head: Value?
  @usableFromInline var isHeadLast = true
  /// Those after the first, which a zip retains.
  private var pending = Queue<Value>()

  @usableFromInline init(_ source: Observable<Value>) { self.source = source }

  @inlinable var input: CombineInput {
    CombineInput(
      subscribe: { coordinator in
        let keepsAll = coordinator.mode != .latest
        coordinator.upstreams.subscribe(
          to: self.source,
          next: { coordinator.received(isFirst: self.store($0, keepsAll: keepsAll)) },
          terminate: coordinator.terminate)
      }, advance: self.advance)
  }

  /// The element to use. There must be one.
  @inlinable var element: Value { head! }

  /// Stores an element behind those that wait, or in the place of the latest.
  ///
  /// - Returns: whether there was none.
  @inlinable func store(_ value: Value, keepsAll: Bool) -> Bool {
    let isFirst = head == nil
    if isFirst || !keepsAll { head = value } else { append(value) }
    return isFirst
  }

  /// Replaces the element that has been used by the next one; false if there is none.
  @inlinable func advance() -> Bool {
    head = isHeadLast ? nil : popFirst()
    return head != nil
  }

  // Out of line: a queue whose elements' type is not known is slow.
  @usableFromInline func append(_ value: Value) {
    pending.append(value)
    isHeadLast = false
  }

  @usableFromInline func popFirst() -> Value? {
    defer { isHeadLast = pending.isEmpty }
    return pending.popFirst()
  }
}
