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
    window(timeSpan: timeSpan, count: count, scheduler: scheduler).flatMap { $0.collected() }
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
    stage { source, downstream, context in
      let split = Split(downstream, context)
      let junction = Junction(split.context)
      let alarm = Alarm(junction, on: scheduler)
      var current = PublishSubject<Element>()
      var tallied = 0
      func open() {
        tallied = 0
        split.emit(split.part(current))
        alarm.set(after: timeSpan, turnOver)
      }
      func turnOver() {
        current.onCompleted()
        current = PublishSubject()
        open()
      }
      open()
      junction.follow(
        source,
        next: { element in
          current.onNext(element)
          tallied += 1
          if tallied == count { turnOver() }
        },
        terminate: { split.terminate($0, [current]) })
    }
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
    stage { source, downstream, context in
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
        terminate: { split.terminate($0, ordered) })
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
    (self.key, self.source) = (key, source)
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
  private let subscriptions: RefCountDisposable

  init(_ downstream: AnyObserver<Part>, _ output: SubscriptionContext) {
    (self.downstream, self.output) = (downstream, output)
    subscriptions = RefCountDisposable(disposable: context)
    output.add(subscriptions)
  }

  func emit(_ part: Part) {
    if output.isActive { downstream.next(part) }
  }

  /// A part, fed through `subject`.
  func part<Element>(_ subject: PublishSubject<Element>) -> Observable<Element> {
    Source { [subscriptions] observer, context in
      context.add(subscriptions.retain())
      subject.run(observer, in: context)
    }
  }

  func terminate<Element>(_ error: (any Error)?, _ parts: [PublishSubject<Element>]) {
    for part in parts { part.on(Event(termination: error)) }
    if output.isActive { downstream.terminate(error) }
    context.dispose()
  }
}
