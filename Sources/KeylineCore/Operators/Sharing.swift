import Synchronization

/// How long the elements that `share` replays are retained.
public enum SubjectLifetimeScope: Sendable {
  /// While the shared subscription lasts: until the source terminates or the last observer is
  /// disposed.
  case whileConnected
  /// For good: new observers receive them also after a termination, and after the last observer had
  /// been disposed.
  case forever
}

extension ObservableSequenceType where Trait: MultiElementTrait & UnscheduledTrait {
  /// One subscription to the source for all observers, the last `replay` elements first.
  ///
  /// The first observer subscribes to the source; the last one to leave disposes that subscription.
  /// Whether later observers start anew depends on the scope:
  ///
  /// ```swift
  /// let source = Observable<Int>.create { observer in
  ///   print("subscribed")
  ///   observer.onNext(1)
  ///   observer.onCompleted()
  ///   return Disposables.create()
  /// }
  /// let shared = source.share(replay: 1, scope: .whileConnected)
  /// _ = shared.subscribe { print("while connected:", $0) }
  /// _ = shared.subscribe { print("while connected:", $0) }
  ///
  /// let lasting = source.share(replay: 1, scope: .forever)
  /// _ = lasting.subscribe { print("forever:", $0) }
  /// _ = lasting.subscribe { print("forever:", $0) }
  /// ```
  /// ```text
  /// subscribed
  /// while connected: next(1)
  /// while connected: completed
  /// subscribed
  /// while connected: next(1)
  /// while connected: completed
  /// subscribed
  /// forever: next(1)
  /// forever: completed
  /// forever: next(1)
  /// forever: completed
  /// ```
  ///
  /// - Timing: the replay inside `subscribe`; then on the thread that emits. While another thread connects,
  ///   `subscribe` returns at once, perhaps before the source has been subscribed to.
  /// - Errors: an error ends the shared subscription; `whileConnected` does not
  ///   retain it, so that a new observer subscribes to the source again. `forever` retains any
  ///   termination: the source is not subscribed to again.
  /// - Lifetime: keeps the last `replay` elements, and objects in them, alive within the scope: until
  ///   the last observer has left, or as long as the observable.
  /// - Parameter replay: how many elements new observers receive; none if it is not positive.
  /// - SeeAlso: ReactiveX [RefCount](https://reactivex.io/documentation/operators/refcount.html).
  public func share(
    replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected
  ) -> SameSequence {
    let makeSubject: () -> Subject<Element> = {
      replay > 0 ? ReplaySubject.create(bufferSize: replay) : PublishSubject()
    }
    let lasting = scope == .forever ? makeSubject() : nil
    let source = asObservable()
    let sourceOnce = _Source<Element>("") { observer, context in
      // The termination is delivered in turn, and before the source is disposed. An observer that
      // subscribes during the delivery or the disposal receives it later, and must not connect meanwhile.
      if lasting?.hasTerminated != true { source.run(observer, in: context) }
    }
    let connectable = sourceOnce.multicast(named: "") { lasting ?? makeSubject() }
    return Self._wrap(connectable.refCount())
  }
}

/// The connections of one observable, one at a time: when the context of one has ended, another
/// takes its place, also while the teardown of the former is still under way.
private final class Connections<Element> {
  private let make: () -> Connection<Element>
  private let current = Protected<Connection<Element>?>(nil)

  init(_ make: @escaping () -> Connection<Element>) { self.make = make }

  /// Connects with the first observer and disconnects with the last.
  var shared: Observable<Element> {
    _Source("share") { [self] observer, context in
      let (connection, isFirst) = latest(adding: 1)
      let shared = connection.context
      if isFirst {
        Instrumentation.report(.belongs(ObjectIdentifier(shared), to: ObjectIdentifier(context)))
      }
      context.add(SharedPart { [self] in isLast(leaving: connection) ? [shared] : [] })
      let forwarding = AnyObserver<Element>(
        next: observer.next,
        terminate: { error in
          // Before the termination is forwarded: the next observer connects anew.
          shared.dispose()
          observer.terminate(error)
        })
      connection.output.run(forwarding, in: context)
      // Only the first observer connects, and not if the replay, or the termination after it, has
      // ended all subscriptions.
      if isFirst, shared.isActive { start(connection) }
    }
  }

  /// The connection that has not ended, or a new one.
  ///
  /// - Parameter count: for how many more observers it is retained, until they leave.
  /// - Returns: the connection, and whether it has one observer now.
  func latest(adding count: Int = 0) -> (connection: Connection<Element>, isFirst: Bool) {
    // Foreign code makes a subject, and may run when one is released: not under the mutex.
    var fresh: Connection<Element>?
    while true {
      let latest = current.withLock { current -> (Connection<Element>, Bool)? in
        if fresh != nil, current?.context.isActive != true { swap(&current, &fresh) }
        guard let current, current.context.isActive else { return nil }
        current.observerCount += count
        return (current, current.observerCount == 1)
      }
      if let latest { return latest }
      fresh = make()
    }
  }

  /// Whether an observer is the last one to leave: then the connection has to be ended. In the same instant
  /// it is no longer the latest, so that no observer of another thread joins it.
  func isLast(leaving connection: Connection<Element>) -> Bool {
    current.withLock { current in
      connection.observerCount -= 1
      let isLast = connection.observerCount == 0
      if isLast, current === connection { current = nil }
      return isLast
    }
  }

  /// Subscribes to the source, unless the connection has done so.
  func start(_ connection: Connection<Element>) {
    guard !connection.isStarted.exchange(true, ordering: .relaxed) else { return }
    // Releases the subject of a connection that has ended.
    connection.context.add(
      Disposables.create { [weak self] in
        _ = self?.current.withLock { $0 === connection ? $0.take() : nil }
      })
    connection.start(connection.context)
  }
}

/// One subscription to the source: the output that observers subscribe to, and how it is fed.
private final class Connection<Element> {
  let output: Observable<Element>
  /// Subscribes to the source, until the context ends.
  let start: (SubscriptionContext) -> Void
  /// Ends before the output receives the source's termination.
  let context = SubscriptionContext()
  let isStarted = Atomic<Bool>(false)
  /// Accessed under the mutex of ``Connections``.
  var observerCount = 0

  init(_ output: Observable<Element>, _ start: @escaping (SubscriptionContext) -> Void) {
    self.output = output
    self.start = start
  }
}

// MARK: Connecting explicitly

/// An observable that subscribes to its source when `connect()` is called. A program's own connectable
/// sources conform.
public protocol ConnectableObservableType<Element>: ObservableType {
  /// Subscribes to the source, unless it is connected already.
  ///
  /// - Returns: disposes the subscription to the source.
  func connect() -> any Disposable
}

extension ConnectableObservableType {
  /// Connects with the first observer and disconnects with the last.
  ///
  /// - Timing: an observer is subscribed before the connection is made for it; one that subscribes while
  ///   another thread connects does not wait for the connection. After a termination the next observer connects anew. An observer that subscribes while a connection is being torn
  ///   down, inside the teardown or on another thread, gets a connection of its own.
  /// - Lifetime: several `refCount()` of one ``ConnectableObservable`` count their observers together.
  /// - SeeAlso: ReactiveX [RefCount](https://reactivex.io/documentation/operators/refcount.html).
  public func refCount() -> Observable<Element> {
    let own = (self as? ConnectableObservable<Element>)?.connections
    return (own ?? Connections { Connection(asObservable()) { $0.add(connect()) } }).shared
  }
}

/// Emits the elements of its source, through a subject, from `connect()` on.
///
/// ```swift
/// let numbers = Observable.of(1, 2).publish()
/// _ = numbers.subscribe { print("a", $0) }
/// _ = numbers.subscribe { print("b", $0) }
/// _ = numbers.connect()
/// ```
/// ```text
/// a next(1)
/// b next(1)
/// a next(2)
/// b next(2)
/// a completed
/// b completed
/// ```
///
/// When the connection has ended, by termination or disposal, a subject is made for the next one.
///
/// - SeeAlso: ReactiveX [Connect](https://reactivex.io/documentation/operators/connect.html).
public final class ConnectableObservable<Element>: _Source<Element>, ConnectableObservableType {
  fileprivate let connections: Connections<Element>

  fileprivate init(_ connections: Connections<Element>) {
    self.connections = connections
    super.init("") { connections.latest().connection.output.run($0, in: $1) }
  }

  public func connect() -> any Disposable {
    let (connection, _) = connections.latest()
    connections.start(connection)
    return connection.context
  }
}

extension ObservableType {
  /// Emits the elements of the source through `subject`, the same for every connection.
  ///
  /// - SeeAlso: ReactiveX [Publish](https://reactivex.io/documentation/operators/publish.html).
  public func multicast<Subject: SubjectType>(
    _ subject: Subject
  ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
    multicast(named: #function) { subject }
  }

  /// Emits the elements of the source through a subject of its own for each connection.
  ///
  /// - Parameter makeSubject: called when a subject is needed: by the first observer, or by
  ///   `connect()`. Of two subjects made at once by two threads one is dropped.
  /// - SeeAlso: ReactiveX [Publish](https://reactivex.io/documentation/operators/publish.html).
  public func multicast<Subject: SubjectType>(
    makeSubject: @escaping () -> Subject
  ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
    multicast(named: #function, makeSubject)
  }

  fileprivate func multicast<Subject: SubjectType>(
    named name: StaticString, _ makeSubject: @escaping () -> Subject
  ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
    let source = asObservable()
    let connections = Connections {
      let subject = makeSubject()
      let input = AnyObserver(subject.asObserver())
      let connection = Connection(subject.asObservable()) { context in
        // The source is disposed after the termination has been delivered, or queued.
        let terminate = { (error: (any Error)?) in context.end { input.terminate(error) } }
        source.run(AnyObserver(next: input.next, terminate: terminate), in: context)
      }
      Instrumentation.report(.passed(ObjectIdentifier(connection.context), name))
      return connection
    }
    return ConnectableObservable(connections)
  }

  /// Emits the elements of the source, from `connect()` on, to the observers of that moment.
  ///
  /// - SeeAlso: ReactiveX [Publish](https://reactivex.io/documentation/operators/publish.html).
  public func publish() -> ConnectableObservable<Element> {
    multicast(named: #function) { PublishSubject() }
  }

  /// Emits the elements of the source, from `connect()` on; new observers receive the last
  /// `bufferSize` elements first.
  ///
  /// - Lifetime: keeps these elements, and objects in them, alive until the connection ends.
  /// - SeeAlso: ReactiveX [Replay](https://reactivex.io/documentation/operators/replay.html).
  public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
    multicast(named: #function) { ReplaySubject.create(bufferSize: bufferSize) }
  }

  /// Emits the elements of the source, from `connect()` on; new observers receive all earlier
  /// elements first.
  ///
  /// - Lifetime: keeps all elements, and objects in them, alive until the connection ends.
  /// - SeeAlso: ReactiveX [Replay](https://reactivex.io/documentation/operators/replay.html).
  public func replayAll() -> ConnectableObservable<Element> {
    multicast(named: #function) { ReplaySubject.createUnbounded() }
  }
}
