extension ObservableType {
  /// Emits what `resultSelector` makes of the first elements of all `sources`, then of the second
  /// ones, and so on.
  ///
  ///     a      --1--2--------3--|
  ///     b      ----x-----y--------z--|
  ///     output ----1x----2y-------3z|
  ///
  /// - Timing: sources are subscribed to in order; on the thread that emits, one at a time.
  ///   Completes with the last source, or when an element comes that finds no partner and no source
  ///   left that could send one.
  /// - Errors: the first error of any source, or one thrown by `resultSelector`, ends the output.
  /// - Lifetime: retains the elements that wait for a partner.
  /// - Complexity: O(sources) per element, amortised.
  /// - SeeAlso: ReactiveX [Zip](https://reactivex.io/documentation/operators/zip.html).
  @inlinable
  public static func zip<each Upstream: ObservableConvertibleType>(
    _ sources: repeat each Upstream,
    resultSelector: @escaping (repeat (each Upstream).Element) throws -> Element
  ) -> Observable<Element> {
    Zipper.output(of: repeat (each sources).asObservable(), combining: resultSelector)
  }

  /// As `zip(_:resultSelector:)` for any number of sources of one type.
  ///
  /// - Timing: no sources, no elements: completes at once.
  public static func zip<Sources: Collection>(
    _ sources: Sources,
    resultSelector: @escaping ([Sources.Element.Element]) throws -> Element
  ) -> Observable<Element> where Sources.Element: ObservableConvertibleType {
    let sources = sources.map { $0.asObservable() }
    guard !sources.isEmpty else { return .empty() }
    return Source { downstream, context in
      let lines = sources.map { _ in UnpairedElements<Sources.Element.Element>() }
      let zipper = Zipper(into: downstream, context) { zipper in
        try resultSelector(lines.map(zipper.take))
      }
      for _ in lines { zipper.prepare() }
      for (source, line) in Swift.zip(sources, lines) { zipper.attach(source, to: line) }
    }
  }

  /// Emits the first elements of all `sources`, then the second ones, and so on.
  public static func zip<Sources: Collection>(
    _ sources: Sources
  ) -> Observable<[Sources.Element.Element]>
  where Sources.Element: ObservableConvertibleType, Element == [Sources.Element.Element] {
    zip(sources, resultSelector: { $0 })
  }
}

extension ObservableType where Element == Any {
  /// Emits the first elements of all `sources` as a tuple, then the second ones, and so on.
  ///
  /// - SeeAlso: ReactiveX [Zip](https://reactivex.io/documentation/operators/zip.html).
  @inlinable
  public static func zip<each Upstream: ObservableConvertibleType>(
    _ sources: repeat each Upstream
  ) -> Observable<(repeat (each Upstream).Element)> {
    Observable<(repeat (each Upstream).Element)>.zip(
      repeat each sources,
      resultSelector: { (elements: repeat (each Upstream).Element) in
        (repeat each elements)
      })
  }
}

/// The elements of one source that wait for a partner, touched in turn only.
@usableFromInline
final class UnpairedElements<Value> {
  fileprivate var elements = Fifo<Value>()

  @usableFromInline
  init() {}
}

@usableFromInline
final class Zipper<Result> {
  private let junction: Junction
  private let downstream: AnyObserver<Result>
  private let combine: (Zipper) throws -> Result
  // Proof of unchecked: both are touched in turn, once attaching has begun.
  /// Lines that are empty.
  @exclusivity(unchecked)
  private var missing = 0
  /// Sources that have not completed yet.
  @exclusivity(unchecked)
  private var running = 0

  @inlinable
  static func output<each Value>(
    of sources: repeat Observable<each Value>,
    combining resultSelector: @escaping (repeat each Value) throws -> Result
  ) -> Observable<Result> {
    let sources = (repeat each sources)
    return Source { downstream, context in
      let lines = (repeat UnpairedElements<each Value>())
      let zipper = Zipper(into: downstream, context) { zipper in
        try resultSelector(repeat zipper.take(each lines))
      }
      for _ in repeat each lines { zipper.prepare() }
      repeat zipper.attach(each sources, to: each lines)
    }
  }

  @usableFromInline
  init(
    into downstream: AnyObserver<Result>, _ context: SubscriptionContext,
    combining combine: @escaping (Zipper) throws -> Result
  ) {
    junction = Junction(context)
    self.downstream = downstream
    self.combine = combine
  }

  /// Announces a source, before the first is attached.
  @usableFromInline
  func prepare() {
    missing += 1
    running += 1
  }

  @usableFromInline
  func attach<Value>(_ source: Observable<Value>, to line: UnpairedElements<Value>) {
    guard junction.context.isActive else { return }
    let junction = junction
    let enqueue: (Value) -> Void = { value in
      if line.elements.isEmpty { self.missing -= 1 }
      line.elements.append(value)
      self.emit()
    }
    source.run(
      in: junction.context.child(),
      next: { junction.pass($0, to: enqueue) },
      terminate: { junction.pass($0, to: self.end) }
    )
  }

  /// The first element of a line that is not empty.
  @usableFromInline
  func take<Value>(_ line: UnpairedElements<Value>) -> Value {
    guard let value = line.elements.popFirst() else { fatalError("nothing to zip") }
    if line.elements.isEmpty { missing += 1 }
    return value
  }

  private func emit() {
    guard missing == 0 else {
      if running == 1 { downstream.terminate(nil) }
      return
    }
    do { downstream.next(try combine(self)) } catch { downstream.terminate(error) }
  }

  private func end(_ error: (any Error)?) {
    running -= 1
    if error != nil || running == 0 { downstream.terminate(error) }
  }
}
