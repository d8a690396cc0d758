import Synchronization

extension ObservableType {
  /// Emits what `second` emits once this one has completed.
  ///
  ///     source --1--2--|
  ///     second         --3--|
  ///     output --1--2----3--|
  ///
  /// - Timing: `second` is subscribed to when this one has completed and has been left.
  /// - Errors: the first error ends the output.
  /// - SeeAlso: ReactiveX [Concat](https://reactivex.io/documentation/operators/concat.html).
  public func concat<Second: ObservableConvertibleType>(_ second: Second) -> Observable<Element>
  where Second.Element == Element {
    .concat(asObservable(), second.asObservable())
  }

  /// Emits what each of `sources` emits, one after the other.
  ///
  /// - SeeAlso: ReactiveX [Concat](https://reactivex.io/documentation/operators/concat.html).
  public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
    concat(sources)
  }

  /// Emits what each of `sources` emits, one after the other.
  ///
  /// - Timing: each is subscribed to when the one before has completed and has been left; any number
  ///   may complete synchronously without growing the stack. No sources: completes at once.
  /// - Errors: the first error ends the output.
  /// - Parameter sources: asked for a source when it is needed; it may be infinite.
  /// - SeeAlso: ReactiveX [Concat](https://reactivex.io/documentation/operators/concat.html).
  public static func concat<Sources: Sequence>(_ sources: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    .following(sources) { $0 == nil }
  }
}

extension ObservableType where Element: ObservableConvertibleType {
  /// Emits what each observable that arrives emits, one after the other.
  ///
  /// - SeeAlso: ``merge(maxConcurrent:)``, of which it is the case of one.
  public func concat() -> Observable<Element.Element> { merge(maxConcurrent: 1) }

  /// Emits what each observable that arrives emits, as it comes, from `maxConcurrent` at a time.
  ///
  ///     source   a-b-c------|
  ///     a        --1---2--|
  ///     b          --3--|
  ///     c               ---4--|
  ///     merge(2) --1-3-2---4--|
  ///
  /// - Timing: one that arrives when so many are running is subscribed to, in order, when one of
  ///   them has completed and has been left; any number may complete synchronously without growing
  ///   the stack. Completes with the last of them, the source included.
  /// - Errors: the first error of any ends the output.
  /// - Lifetime: retains the observables that wait.
  /// - Parameter maxConcurrent: how many; fewer than one are taken for one, and reported.
  /// - SeeAlso: ReactiveX [Merge](https://reactivex.io/documentation/operators/merge.html).
  public func merge(maxConcurrent: Int) -> Observable<Element.Element> {
    if maxConcurrent < 1 {
      Diagnostics.report(.misuse, "merge(maxConcurrent: \(maxConcurrent)) would run nothing")
    }
    let sources = asObservable()
    return Source { downstream, context in
      let merger = LimitedMerger(into: downstream, context, limit: max(1, maxConcurrent))
      sources.run(
        in: context.child(),
        next: { merger.add($0.asObservable()) },
        terminate: merger.sourcesEnded
      )
    }
  }
}

private final class LimitedMerger<Element> {
  private let junction: Junction
  private let downstream: AnyObserver<Element>
  // Proof of Unchecked: touched under the mutex only.
  private let traffic: Mutex<Unchecked<Traffic>>

  init(into downstream: AnyObserver<Element>, _ context: SubscriptionContext, limit: Int) {
    junction = Junction(context)
    self.downstream = downstream
    traffic = Mutex(Unchecked(Traffic(limit: limit)))
  }

  func add(_ source: Observable<Element>) {
    let arrival = Unchecked(source)
    let (mustStart, idle) = traffic.withLock { Unchecked($0.value.admit(arrival.value)) }.value
    if mustStart { start(source, on: idle ?? Succession(in: junction.context)) }
  }

  private func start(_ source: Observable<Element>, on lane: Succession) {
    let junction = junction
    let pass = downstream.next
    lane.run(
      source, next: { junction.pass($0, to: pass) },
      terminate: { error in
        if let error {
          junction.pass(error, to: self.downstream.terminate)
        } else {
          self.free(lane)
        }
      })
  }

  private func free(_ lane: Succession) {
    let (successor, isLast) = traffic.withLock { Unchecked($0.value.successor(on: lane)) }.value
    if let successor {
      // Proof: only sources of this merger get into its traffic.
      start(unsafeDowncast(successor, to: Observable<Element>.self), on: lane)
    } else if isLast {
      complete()
    }
  }

  func sourcesEnded(_ error: (any Error)?) {
    if let error { return junction.pass(error, to: downstream.terminate) }
    let isLast = traffic.withLock { traffic in
      traffic.value.isComplete = true
      return traffic.value.running == 0
    }
    if isLast { complete() }
  }

  private func complete() { junction.pass(nil, to: downstream.terminate) }
}

/// Who runs and who waits. Sources are without their element type: see ``Succession``.
private struct Traffic {
  let limit: Int
  var running = 0
  var isComplete = false
  private var idle: [Succession] = []
  private var waiting = Fifo<AnyObject>()

  init(limit: Int) { self.limit = limit }

  /// Whether `source` is to start now, and on which lane if there is an idle one; else it waits.
  mutating func admit(
    _ source: AnyObject
  ) -> (mustStart: Bool, idle: Succession?) {
    guard running < limit else {
      waiting.append(source)
      return (false, nil)
    }
    running += 1
    return (true, idle.popLast())
  }

  /// What is to be run on `lane`, whose source has completed, or whether that was the last.
  mutating func successor(
    on lane: Succession
  ) -> (source: AnyObject?, isLast: Bool) {
    if let next = waiting.popFirst() { return (next, false) }
    running -= 1
    idle.append(lane)
    return (nil, isComplete && running == 0)
  }
}
