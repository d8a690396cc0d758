import Synchronization

// MARK: By time and number

extension ObservableType {
  /// Emits the elements of each time span as an array, or earlier when there are `count` of them.
  ///
  ///     source                      --1--2--3---------4--|
  ///     buffer(timeSpan: 6, count: 2) ----12-----3------  …
  ///
  /// - Timing: on `scheduler` when the time is over, which then starts anew, as it does when an array
  ///   is full; at completion the rest. Arrays may be empty.
  /// - Errors: passed on at once; what has been gathered is dropped.
  /// - Lifetime: retains at most `count` elements.
  /// - Parameters:
  ///   - timeSpan: how long at most an array is gathered.
  ///   - count: how many elements at most it gets; without limit if that is not positive.
  ///   - scheduler: where, and by whose clock.
  /// - SeeAlso: ReactiveX [Buffer](https://reactivex.io/documentation/operators/buffer.html).
  public func buffer(
    timeSpan: Duration, count: Int, scheduler: any SchedulerType
  ) -> Observable<[Element]> where Element: Sendable {
    let source = asObservable()
    return Source { downstream, context in
      let junction = Junction(context)
      let gathered = Slot<[Element]>([])
      let rounds = Rounds(of: timeSpan, count, on: scheduler, junction) {
        let full = gathered.filled
        gathered.store([])
        downstream.next(full)
      }
      let gather = { element in
        // Proof of the pointer: for who has the turn.
        gathered.storage.pointee.append(element)
        rounds.tally()
      }
      let terminate = { (error: (any Error)?) in
        if error == nil { downstream.next(gathered.filled) }
        downstream.terminate(error)
      }
      rounds.start()
      source.run(
        in: context.child(),
        next: { junction.pass($0, to: gather) },
        terminate: { junction.pass($0, to: terminate) }
      )
    }
  }

  /// Emits the elements of each time span as an observable of their own, which completes when the
  /// time is over, or earlier when there have been `count` of them.
  ///
  /// - Timing: the first window inside `subscribe`; each as soon as the one before it has completed.
  ///   On `scheduler` when the time is over.
  /// - Errors: an error of the source ends the current window and the output.
  /// - Lifetime: the source is left when the output and all subscriptions to windows have ended. An
  ///   element of a window that nobody has subscribed to is lost.
  /// - Parameters:
  ///   - timeSpan: how long at most a window is open.
  ///   - count: how many elements at most it gets; without limit if that is not positive.
  ///   - scheduler: where, and by whose clock.
  /// - SeeAlso: ReactiveX [Window](https://reactivex.io/documentation/operators/window.html).
  public func window(
    timeSpan: Duration, count: Int, scheduler: any SchedulerType
  ) -> Observable<Observable<Element>> where Element: Sendable {
    let source = asObservable()
    return Source { downstream, context in
      let split = Split(downstream, context)
      let junction = Junction(split.context)
      let current = Slot(PublishSubject<Element>())
      let open = { split.emit(split.part(current.filled)) }
      let rounds = Rounds(of: timeSpan, count, on: scheduler, junction) {
        current.filled.onCompleted()
        current.store(PublishSubject())
        open()
      }
      let pass = { element in
        current.filled.onNext(element)
        rounds.tally()
      }
      let terminate = { (error: (any Error)?) in split.terminate(error, [current.filled]) }
      open()
      rounds.start()
      source.run(
        in: split.context.child(),
        next: { junction.pass($0, to: pass) },
        terminate: { junction.pass($0, to: terminate) }
      )
    }
  }
}

/// Counts elements and time, and says when a round is over. For who has the turn.
///
/// Kept by the context, and by the timer only weakly: a scheduler may keep what has been cancelled.
private final class Rounds: Disposable, @unchecked Sendable {
  // Proof of @unchecked: touched in turns of the junction only, but for the timer, and for the first
  // `start`, which comes before all of them.
  private let timeSpan: Duration
  private let count: Int
  private let scheduler: any SchedulerType
  private let junction: Junction
  private let close: () -> Void
  private let timer = SerialDisposable()
  private var round = 0
  private var tallied = 0

  init(
    of timeSpan: Duration, _ count: Int, on scheduler: any SchedulerType, _ junction: Junction,
    close: @escaping () -> Void
  ) {
    (self.timeSpan, self.count, self.scheduler) = (timeSpan, count, scheduler)
    (self.junction, self.close) = (junction, close)
    junction.context.add(self)
  }

  func dispose() { timer.dispose() }

  func start() {
    round += 1
    tallied = 0
    // Held before it is scheduled: it may run, and start the next round, before that returns.
    let step = SingleAssignmentDisposable()
    timer.disposable = step
    step.setDisposable(
      scheduler.scheduleRelative(round, dueTime: timeSpan) { [weak self] round in
        if let self { junction.pass(round) { if $0 == self.round { self.turnOver() } } }
        return Disposables.create()
      })
  }

  /// Takes notice of an element.
  func tally() {
    tallied += 1
    if tallied == count { turnOver() }
  }

  private func turnOver() {
    close()
    start()
  }
}

// MARK: By key

extension ObservableType {
  /// Emits an observable for each key, which emits the elements that have it.
  ///
  ///     source  --1--2--3--4--|
  ///     output  --odd-even----|      keySelector { $0 % 2 == 0 ? "even" : "odd" }
  ///     odd     --1-----3-----|
  ///     even    -----2-----4--|
  ///
  /// - Timing: synchronous: the group, when its key is new, then its element. Groups end in the order
  ///   in which they began, before the output.
  /// - Errors: an error of the source, or one thrown by `keySelector`, ends all groups and the output.
  /// - Lifetime: retains every key. The source is left when the output and all subscriptions to groups
  ///   have ended. An element of a group that nobody has subscribed to is lost.
  /// - SeeAlso: ReactiveX [GroupBy](https://reactivex.io/documentation/operators/groupby.html).
  public func groupBy<Key: Hashable>(
    keySelector: @escaping (Element) throws -> Key
  ) -> Observable<GroupedObservable<Key, Element>> {
    let source = asObservable()
    return Source { downstream, context in
      let split = Split(downstream, context)
      var groups: [Key: PublishSubject<Element>] = [:]
      var ordered: [PublishSubject<Element>] = []
      source.run(
        in: split.context.child(),
        next: { element in
          do {
            let key = try keySelector(element)
            if let group = groups[key] { return group.onNext(element) }
            let group = PublishSubject<Element>()
            groups[key] = group
            ordered.append(group)
            split.emit(GroupedObservable(key: key, source: split.part(group)))
            group.onNext(element)
          } catch { split.terminate(error, ordered) }
        },
        terminate: { split.terminate($0, ordered) }
      )
    }
  }
}

/// The elements of a sequence that have one key.
///
/// - SeeAlso: ``ObservableType/groupBy(keySelector:)``.
public struct GroupedObservable<Key, Element>: ObservableType {
  /// What the elements have in common.
  public let key: Key
  private let source: Observable<Element>

  /// The elements of `source` under a key.
  public init(key: Key, source: Observable<Element>) {
    self.key = key
    self.source = source
  }

  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    source.subscribe(observer)
  }

  public func asObservable() -> Observable<Element> { source }
}

/// A source that is split into parts, each with observers of its own: it is left with the last of all
/// subscriptions, that to the output and those to parts.
private final class Split<Part> {
  /// What the source runs in.
  let context = SubscriptionContext()
  private let downstream: AnyObserver<Part>
  private let output: SubscriptionContext
  private let subscriptions = SubscriptionCount()

  init(_ downstream: AnyObserver<Part>, _ output: SubscriptionContext) {
    self.downstream = downstream
    self.output = output
    subscriptions.add(output, to: context)
  }

  func emit(_ part: Part) {
    if output.isActive { downstream.next(part) }
  }

  /// A part, fed through `subject`.
  func part<Element>(_ subject: PublishSubject<Element>) -> Observable<Element> {
    let (subscriptions, source) = (subscriptions, context)
    return Source { observer, context in
      subscriptions.add(context, to: source)
      subject.run(observer, in: context)
    }
  }

  func terminate<Element>(_ error: (any Error)?, _ parts: [PublishSubject<Element>]) {
    for part in parts { part.on(Event(termination: error)) }
    if output.isActive { downstream.terminate(error) }
    context.dispose()
  }
}

private final class SubscriptionCount: Sendable {
  private let count = Atomic<Int>(0)

  /// Disposes `source` when `context` and all others added have ended.
  func add(_ context: SubscriptionContext, to source: SubscriptionContext) {
    count.add(1, ordering: .relaxed)
    context.add(
      Disposables.create {
        let remaining = self.count.subtract(1, ordering: .acquiringAndReleasing).newValue
        if remaining == 0 { source.dispose() }
      })
  }
}
