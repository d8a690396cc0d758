// The state of `combineLatest` and `zip`, in Combining.swift.

/// Which elements of the sources make a result: the latest of each, or each once. Without sources,
/// `zipOfSingles` has the result of no elements: a single has to have one.
@usableFromInline enum CombineMode {
  case latest, zip, zipOfSingles

  /// The results of `resultSelector` for the elements of two sources.
  ///
  /// A parameter pack is not specialised: without this function, an element of `combineLatest`
  /// would cost five times as much, and more than that of a peer's subject.
  @inlinable func output<First, Second, Result>(
    of first: Observable<First>, _ second: Observable<Second>,
    named name: StaticString = #function,
    combining resultSelector: @escaping (First, Second) throws -> Result
  ) -> Observable<Result> {
    output(named: name) { downstream in
      let (first, second) = (CombineSource(first), CombineSource(second))
      let emit = downstream.emitting { try resultSelector(first.element, second.element) }
      return (
        [first.input(keepsAll: self != .latest), second.input(keepsAll: self != .latest)], emit
      )
    }
  }

  /// The results of `resultSelector` for the elements of any number of sources.
  @inlinable func output<each Value, Result>(
    of observables: repeat Observable<each Value>, named name: StaticString = #function,
    combining resultSelector: @escaping (repeat each Value) throws -> Result
  ) -> Observable<Result> {
    let observables = (repeat each observables)
    return output(named: name) { downstream in
      let sources = (repeat CombineSource(each observables))
      var inputs: [CombineInput] = []
      repeat inputs.append((each sources).input(keepsAll: self != .latest))
      return (inputs, downstream.emitting { try resultSelector(repeat (each sources).element) })
    }
  }

  /// The results of `resultSelector` for the elements of a collection of sources.
  func output<Sources: Collection, Result>(
    of sources: Sources, named name: StaticString = #function,
    combining resultSelector: @escaping ([Sources.Element.Element]) throws -> Result
  ) -> Observable<Result> where Sources.Element: ObservableConvertibleType {
    let observables = sources.map { $0.asObservable() }
    return output(named: name, endsEarly: true) { downstream in
      let sources = observables.map { CombineSource($0) }
      let emit = downstream.emitting { try resultSelector(sources.map { $0.element }) }
      return (sources.map { $0.input(keepsAll: self != .latest) }, emit)
    }
  }

  /// Calls `emit` whenever every source has an element. In a zip each element is used once, in
  /// `combineLatest` until the next one arrives.
  ///
  /// Subscribing to a source starts it, so all are counted before. What depends on types is in
  /// ``CombineSource`` and in `emit`, which are specialised where the types are known.
  ///
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
      let end = downstream.terminate
      /// Sources without an element to use.
      var missing = inputs.count
      /// Sources that have not completed yet.
      var running = inputs.count
      func received(isFirst: Bool) {
        if isFirst { missing -= 1 }
        guard missing == 0 else {
          // The last source running emits while others lack an element: no result can follow.
          if running == 1, endsEarly || self == .latest { end(nil) }
          return
        }
        emit()
        if self != .latest { for input in inputs where !input.advance() { missing += 1 } }
      }
      func terminate(_ error: (any Error)?) {
        running -= 1
        if error != nil || running == 0 { end(error) }
      }
      if inputs.isEmpty {
        // All elements are there, and all sources have ended.
        if self != .zip { emit() }
        if context.isActive { end(nil) }
      }
      let upstreams = UpstreamSerializer(context)
      Trampoline.perform { for input in inputs { input.subscribe(upstreams, received, terminate) } }
    }
  }
}

extension AnyObserver {
  /// A function that emits a result, or the error thrown instead.
  @inlinable @inline(__always)
  func emitting(_ result: @escaping () throws -> Element) -> () -> Void {
    { attempt { next(try result()) } }
  }
}

/// A ``CombineSource`` without its type. Both functions are called in turn, `received` after an
/// element has been stored, with whether there was none before.
@usableFromInline typealias CombineInput = (
  subscribe: (
    UpstreamSerializer, _ received: @escaping (Bool) -> Void,
    _ terminate: @escaping ((any Error)?) -> Void
  ) -> Void,
  advance: () -> Bool
)

/// The elements of one source; accessed in turn only.
@usableFromInline final class CombineSource<Value> {
  @usableFromInline let source: Observable<Value>
  @usableFromInline var head: Value?
  @usableFromInline var isHeadLast = true
  /// Those after the first, which a zip retains.
  private var pending = Queue<Value>()

  @usableFromInline init(_ source: Observable<Value>) { self.source = source }

  /// - Parameter keepsAll: whether an element waits behind the others, or takes the place of the
  ///   latest.
  @inlinable func input(keepsAll: Bool) -> CombineInput {
    let subscribe:
      (UpstreamSerializer, @escaping (Bool) -> Void, @escaping ((any Error)?) -> Void)
        -> Void = { upstreams, received, terminate in
          upstreams.subscribe(
            to: self.source,
            next: { value in
              let isFirst = self.head == nil
              if isFirst || !keepsAll { self.head = value } else { self.append(value) }
              received(isFirst)
            }, terminate: terminate)
        }
    return (subscribe, self.advance)
  }

  /// The element to use. There must be one.
  @inlinable var element: Value { head! }

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
