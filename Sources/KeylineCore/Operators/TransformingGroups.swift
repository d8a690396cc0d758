// The transforming operators that divide a sequence: by time and count, by key.

extension ObservableSequenceType where Trait == ObservableTrait {
  /// Emits the elements of each `timeSpan` as an array, or earlier when there are `count` of them.
  ///
  ///     source                      --1--2--3---------4--|
  ///     buffer(timeSpan: 6, count: 2) ----12-----3------  …
  ///
  /// - Timing: on `scheduler` when the time has passed, which then starts anew, as it does when an
  ///   array is full; at completion the rest. Arrays may be empty.
  /// - Errors: forwarded at once; the elements collected so far are dropped.
  /// - Lifetime: keeps the elements of the current array, and objects in them, alive until it is
  ///   emitted.
  /// - Parameters:
  ///   - timeSpan: the longest time that elements are collected into one array.
  ///   - count: the most elements of an array; without limit if it is not positive.
  ///   - scheduler: where, and by whose clock.
  /// - SeeAlso: ReactiveX [Buffer](https://reactivex.io/documentation/operators/buffer.html).
  public func buffer(
    timeSpan: Duration, count: Int,
    scheduler: any SchedulerType & ThreadConfinedSchedulerType
  ) -> Observable<[Element]> {
    window(timeSpan: timeSpan, count: count, scheduler: scheduler).flatMap { $0.allElements() }
  }

  /// Emits the elements of each `timeSpan` as an observable of their own, which completes when the
  /// time has passed, or earlier when there have been `count` of them.
  ///
  /// - Timing: the first window inside `subscribe`; each as soon as the one before it has
  ///   completed. On `scheduler` when the time has passed.
  /// - Errors: an error of the source ends the current window and the output.
  /// - Lifetime: the subscription to the source ends when the output and all subscriptions to
  ///   windows have ended. An element of a window without an observer is lost.
  /// - Parameters:
  ///   - timeSpan: the longest time that a window is open.
  ///   - count: the most elements of a window; without limit if it is not positive.
  ///   - scheduler: where, and by whose clock.
  /// - SeeAlso: ReactiveX [Window](https://reactivex.io/documentation/operators/window.html).
  public func window(
    timeSpan: Duration, count: Int,
    scheduler: any SchedulerType & ThreadConfinedSchedulerType
  ) -> Observable<Observable<Element>> {
    asObservable().stage { source, downstream, context in
      let windows = InnerObservables(downstream, context)
      let upstreams = UpstreamSerializer(windows.context)
      let timer = RestartableTimer(upstreams, on: scheduler)
      var current = PublishSubject<Element>()
      var elementCount = 0
      func open() {
        elementCount = 0
        windows.emit(windows.observable(of: current))
        timer.restart(after: timeSpan, advance)
      }
      func advance() {
        current.onCompleted()
        current = PublishSubject()
        open()
      }
      open()
      upstreams.subscribe(
        to: source,
        next: { element in
          current.onNext(element)
          elementCount += 1
          if elementCount == count { advance() }
        },
        terminate: { windows.terminate($0, [current]) })
    }
  }
}

// MARK: By key

extension ObservableType {
  /// Emits an observable for each key, which emits the elements with that key.
  ///
  ///     source  --1--2--3--4--|
  ///     output  --odd-even----|      keySelector { $0 % 2 == 0 ? "even" : "odd" }
  ///     odd     --1-----3-----|
  ///     even    -----2-----4--|
  ///
  /// - Timing: synchronous: the group, when its key is new, then its element. Groups end in the
  ///   order in which they began, before the output.
  /// - Errors: an error of the source, or one thrown by `keySelector`, ends all groups and the
  ///   output.
  /// - Lifetime: retains every key. The subscription to the source ends when the output and all
  ///   subscriptions to groups have ended. An element of a group without an observer is lost.
  /// - SeeAlso: ReactiveX [GroupBy](https://reactivex.io/documentation/operators/groupby.html).
  public func groupBy<Key: Hashable>(
    keySelector: @escaping (Element) throws -> Key
  ) -> Observable<GroupedObservable<Key, Element>> {
    stage { source, downstream, context in
      let inners = InnerObservables(downstream, context)
      var groups: [Key: PublishSubject<Element>] = [:]
      var ordered: [PublishSubject<Element>] = []
      source.run(
        in: inners.context.child(),
        next: { element in
          do {
            let key = try keySelector(element)
            if let group = groups[key] { return group.onNext(element) }
            let group = PublishSubject<Element>()
            groups[key] = group
            ordered.append(group)
            inners.emit(GroupedObservable(key: key, source: inners.observable(of: group)))
            group.onNext(element)
          } catch { inners.terminate(error, ordered) }
        },
        terminate: { inners.terminate($0, ordered) })
    }
  }
}

/// The elements of a sequence with one key.
///
/// - SeeAlso: ``ObservableType/groupBy(keySelector:)``.
public struct GroupedObservable<Key, Element>: ObservableWrapperType {
  /// The key of all elements.
  public let key: Key
  private let source: Observable<Element>

  /// A group of the elements of `source`.
  public init(key: Key, source: Observable<Element>) {
    self.key = key
    self.source = source
  }

  public func asObservable() -> Observable<Element> { source }
}

/// The inner observables that a source is divided into, each with observers of its own. The
/// subscription to the source ends with the last of the subscriptions to the output and to the inner
/// observables.
private final class InnerObservables<Inner> {
  /// The context of the source.
  let context: SubscriptionContext
  /// Disposed with the output: subscriptions to inner observables do not retain its closures.
  private let downstream: SerializedObserver<Inner>
  private let subscriptions: RefCountDisposable

  init(_ downstream: AnyObserver<Inner>, _ output: SubscriptionContext) {
    self.downstream = SerializedObserver(downstream, output)
    context = SubscriptionContext(inside: output)
    subscriptions = RefCountDisposable(disposable: context)
    output.add(subscriptions)
    output.add(self.downstream)
  }

  func emit(_ inner: Inner) { downstream.next(inner) }

  /// An inner observable, fed through `subject`.
  func observable<Element>(of subject: PublishSubject<Element>) -> Observable<Element> {
    _Source { [subscriptions] observer, context in
      context.add(subscriptions.retain())
      subject.run(observer, in: context)
    }
  }

  func terminate<Element>(_ error: (any Error)?, _ subjects: [PublishSubject<Element>]) {
    for subject in subjects { subject.on(Event(termination: error)) }
    downstream.terminate(error)
    context.dispose()
  }
}
