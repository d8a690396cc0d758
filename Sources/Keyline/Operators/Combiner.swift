/// What `combineLatest` and `zip` are made of: one inlet for each source, and a result whenever every
/// inlet has an element. In a zip each element is used once, else until the next one comes.
///
/// Attaching to a source starts it, so all are counted before. It is not generic over the types of
/// the sources, so that each source's own code deals with its type.
@usableFromInline final class Combiner<Result> {
  private let junction: Junction
  private let downstream: AnyObserver<Result>
  private let isZip: Bool
  private let combine: () throws -> Result
  // Proof of unchecked: all three are touched in turn, once attaching has begun.
  @exclusivity(unchecked) private var advances: [() -> Bool] = []
  /// Inlets that are empty.
  @exclusivity(unchecked) private var missing = 0
  /// Sources that have not completed yet.
  @exclusivity(unchecked) private var running = 0

  @inlinable static func output<each Value>(
    of sources: repeat Observable<each Value>, isZip: Bool,
    combining resultSelector: @escaping (repeat each Value) throws -> Result
  ) -> Observable<Result> {
    let sources = (repeat each sources)
    return Source { downstream, context in
      let inlets = (repeat Inlet<each Value>())
      let combiner = Combiner(into: downstream, context, isZip: isZip) {
        try resultSelector(repeat (each inlets).head.filled)
      }
      repeat combiner.prepare(each inlets)
      Trampoline.run { repeat combiner.attach(each sources, to: each inlets) }
    }
  }

  static func output<Sources: Collection>(
    of sources: Sources, isZip: Bool,
    combining resultSelector: @escaping ([Sources.Element.Element]) throws -> Result
  ) -> Observable<Result> where Sources.Element: ObservableConvertibleType {
    let sources = sources.map { $0.asObservable() }
    // Of no sources, a combination has all elements and a zip has come to its end.
    if sources.isEmpty { return isZip ? .empty() : .deferred { .just(try resultSelector([])) } }
    return Source { downstream, context in
      let inlets = sources.map { _ in Inlet<Sources.Element.Element>() }
      let combiner = Combiner(into: downstream, context, isZip: isZip) {
        try resultSelector(inlets.map(\.head.filled))
      }
      for inlet in inlets { combiner.prepare(inlet) }
      Trampoline.run {
        for (source, inlet) in Swift.zip(sources, inlets) { combiner.attach(source, to: inlet) }
      }
    }
  }

  @usableFromInline init(
    into downstream: AnyObserver<Result>, _ context: SubscriptionContext, isZip: Bool,
    combining combine: @escaping () throws -> Result
  ) {
    junction = Junction(context)
    (self.downstream, self.isZip, self.combine) = (downstream, isZip, combine)
  }

  /// Announces a source, before the first is attached.
  @usableFromInline func prepare<Value>(_ inlet: Inlet<Value>) {
    advances.append(inlet.advance)
    missing += 1
    running += 1
  }

  @usableFromInline func attach<Value>(_ source: Observable<Value>, to inlet: Inlet<Value>) {
    junction.follow(
      source,
      next: { value in
        if !inlet.head.isFilled {
          self.missing -= 1
        } else if self.isZip {
          inlet.waiting.append(value)
          return self.emit()
        }
        inlet.head.store(value)
        self.emit()
      },
      terminate: end)
  }

  private func emit() {
    guard missing == 0 else {
      // Who emits alone is the last one: nothing can come of it.
      if running == 1 { downstream.terminate(nil) }
      return
    }
    do {
      let result = try combine()
      if isZip { for advance in advances where !advance() { missing += 1 } }
      downstream.next(result)
    } catch { downstream.terminate(error) }
  }

  private func end(_ error: (any Error)?) {
    running -= 1
    if error != nil || running == 0 { downstream.terminate(error) }
  }
}

/// Where the elements of one source arrive; touched in turn only.
@usableFromInline final class Inlet<Value> {
  /// The element to use.
  @usableFromInline let head = Slot<Value>()
  /// Those after it, which a zip keeps.
  fileprivate var waiting = Fifo<Value>()

  @usableFromInline init() {}

  /// Puts the next element in the place of the one that has been used; false if there is none.
  func advance() -> Bool {
    if let next = waiting.popFirst() { head.store(next) } else { head.clear() }
    return head.isFilled
  }
}
