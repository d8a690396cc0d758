/// How long the elements that `share` replays are kept.
public enum SubjectLifetimeScope: Sendable {
  /// While the shared subscription lasts: until the source terminates or nobody is left.
  case whileConnected
  /// For good: newcomers get them also after a termination, and after everybody had left.
  case forever
}

extension ObservableType {
  /// One subscription to the source for all observers, the last `replay` elements first.
  ///
  /// The source is subscribed to with the first observer and left with the last. What happens
  /// afterwards depends on the scope:
  ///
  /// ```swift
  /// let source = Observable<Int>.create { observer in
  ///   print("subscribed")
  ///   observer.onNext(1)
  ///   observer.onCompleted()
  ///   return Disposables.create()
  /// }
  /// let shared = source.share(replay: 1, scope: .whileConnected)
  /// _ = shared.subscribe { print($0) }   // subscribed, next(1), completed
  /// _ = shared.subscribe { print($0) }   // subscribed, next(1), completed
  ///
  /// let kept = source.share(replay: 1, scope: .forever)
  /// _ = kept.subscribe { print($0) }     // subscribed, next(1), completed
  /// _ = kept.subscribe { print($0) }     // next(1), completed
  /// ```
  ///
  /// - Timing: the replay inside `subscribe`; then on the thread that emits.
  /// - Errors: an error ends the shared subscription; `whileConnected` forgets it, so that
  ///   subscribing again tries again.
  /// - Lifetime: retains the replayed elements within the scope.
  /// - Parameter replay: how many elements newcomers get; none if that is not positive.
  /// - SeeAlso: ReactiveX [RefCount](https://reactivex.io/documentation/operators/refcount.html).
  public func share(
    replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected
  ) -> Observable<Element> {
    let source = asObservable()
    let makeSubject: () -> Subject<Element> = {
      replay > 0 ? ReplaySubject.create(bufferSize: replay) : PublishSubject()
    }
    let lasting = scope == .forever ? makeSubject() : nil
    return Shared {
      let subject = lasting ?? makeSubject()
      return Connection(source, through: subject.input, subject)
    }
  }
}

/// Connects with the first observer and leaves with the last.
private final class Shared<Element>: Observable<Element> {
  private let makeConnection: () -> Connection<Element>
  private let current = Protected<Connection<Element>?>(nil)

  init(_ makeConnection: @escaping () -> Connection<Element>) {
    self.makeConnection = makeConnection
  }

  override func run(_ observer: AnyObserver<Element>, in context: SubscriptionContext) {
    let (connection, isFirst) = join()
    let shared = connection.context
    // Before a termination is passed on: the next observer connects anew.
    if isFirst { shared.add(Disposables.create { self.current.clear(connection) }) }
    context.add(Disposables.create { self.leave(connection) })
    connection.output.run(
      AnyObserver(
        next: observer.next,
        terminate: { error in
          shared.dispose()
          observer.terminate(error)
        }), in: context)
    // Only who joins first connects, and not if the replay, or the termination it ended with, has
    // sent everyone away.
    if isFirst, shared.isActive { connection.start(shared) }
  }

  private func join() -> (Connection<Element>, isFirst: Bool) {
    current.withLock { current in
      let isFirst = current == nil
      let connection = current ?? makeConnection()
      current = connection
      connection.users += 1
      return (connection, isFirst)
    }
  }

  private func leave(_ connection: Connection<Element>) {
    let isLast = current.withLock { current in
      connection.users -= 1
      guard connection.users == 0 else { return false }
      if current === connection { current = nil }
      return true
    }
    if isLast { connection.context.dispose() }
  }
}

/// One subscription to the source: what observers are connected to, and how that is fed.
private final class Connection<Element> {
  let output: Observable<Element>
  /// Subscribes to the source, until the context ends.
  let start: (SubscriptionContext) -> Void
  /// Has ended before the output hears of the source's termination.
  let context = SubscriptionContext()
  /// Under the mutex of the one who shares.
  var users = 0

  init<Input>(
    _ source: Observable<Input>, through observer: AnyObserver<Input>, _ output: Observable<Element>
  ) {
    self.output = output
    start = { source.run(in: $0, next: observer.next, terminate: observer.terminate) }
  }

  init<Connectable: ConnectableObservableType<Element>>(
    _ connectable: Connectable, _ output: Observable<Element>
  ) {
    self.output = output
    let ours = connectable as? ConnectableObservable<Element>
    start = { if let ours { ours.connect(in: $0) } else { $0.add(connectable.connect()) } }
  }
}

extension Protected {
  /// Lets go of `connection`, if it is the current one.
  fileprivate func clear<Element>(_ connection: Connection<Element>)
  where Value == Connection<Element>? {
    _ = withLock { $0 === connection ? $0.take() : nil }
  }
}

// MARK: Connecting by hand

/// An observable that subscribes to its source when it is told to.
public protocol ConnectableObservableType<Element>: ObservableType {
  /// Subscribes to the source, unless that has been done.
  ///
  /// - Returns: ends the subscription to the source.
  func connect() -> any Disposable
}

extension ConnectableObservableType {
  /// Connects with the first observer and disconnects with the last.
  ///
  /// - Timing: an observer is subscribed before the connection is made for it. After a termination
  ///   the next observer connects anew.
  /// - SeeAlso: ReactiveX [RefCount](https://reactivex.io/documentation/operators/refcount.html).
  public func refCount() -> Observable<Element> {
    // Foreign code: not when the connection is made, under the mutex.
    let output = asObservable()
    return Shared { Connection(self, output) }
  }
}

/// Passes its source on to its observers through a subject, from `connect()` on.
///
/// ```swift
/// let numbers = Observable.of(1, 2).publish()
/// _ = numbers.subscribe { print("a", $0) }
/// _ = numbers.subscribe { print("b", $0) }
/// _ = numbers.connect()   // a next(1), b next(1), a next(2), b next(2), a completed, b completed
/// ```
///
/// When the connection has ended, by termination or disposal, a subject is made for the next one.
///
/// - SeeAlso: ReactiveX [Connect](https://reactivex.io/documentation/operators/connect.html).
public final class ConnectableObservable<Element>: Observable<Element>, ConnectableObservableType {
  private let makeConnection: () -> Connection<Element>
  private let current = Protected<Connection<Element>?>(nil)

  fileprivate init(_ makeConnection: @escaping () -> Connection<Element>) {
    self.makeConnection = makeConnection
  }

  override func run(_ observer: AnyObserver<Element>, in context: SubscriptionContext) {
    connection().output.run(observer, in: context)
  }

  public func connect() -> any Disposable { connect(in: nil) }

  /// Connects until `owner` ends, which so can stop a source that never pauses.
  @discardableResult func connect(in owner: SubscriptionContext?) -> any Disposable {
    let connection = connection()
    owner?.add(connection.context)
    let isFirst = current.withLock { _ in
      connection.users += 1
      return connection.users == 1
    }
    if isFirst {
      connection.context.add(Disposables.create { [weak self] in self?.current.clear(connection) })
      connection.start(connection.context)
    }
    return connection.context
  }

  private func connection() -> Connection<Element> {
    if let connection = current.withLock({ $0 }) { return connection }
    // Making a subject is foreign code: not under the mutex.
    let fresh = makeConnection()
    return current.withLock { current in
      let connection = current ?? fresh
      current = connection
      return connection
    }
  }
}

extension ObservableType {
  /// Passes the source on through `subject`, for every connection the same.
  ///
  /// - SeeAlso: ReactiveX [Publish](https://reactivex.io/documentation/operators/publish.html).
  public func multicast<Subject: SubjectType>(
    _ subject: Subject
  ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
    multicast(makeSubject: { subject })
  }

  /// Passes the source on through a subject of its own for each connection.
  ///
  /// - Parameter makeSubject: called when a subject is needed: by the first observer, or to connect.
  ///   Of two made at once by two threads one is dropped.
  /// - SeeAlso: ReactiveX [Publish](https://reactivex.io/documentation/operators/publish.html).
  public func multicast<Subject: SubjectType>(
    makeSubject: @escaping () -> Subject
  ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
    let source = asObservable()
    return ConnectableObservable {
      let subject = makeSubject()
      return Connection(source, through: AnyObserver(subject.asObserver()), subject.asObservable())
    }
  }

  /// Emits what `selector` makes of the source, which it may use several times: there is one
  /// subscription to the source, through a subject, for each one to the output.
  ///
  /// - Timing: the source is connected when what `selector` returned has been subscribed to.
  /// - Errors: an error thrown by either closure ends the output.
  /// - SeeAlso: ReactiveX [Publish](https://reactivex.io/documentation/operators/publish.html).
  public func multicast<Subject: SubjectType, Result>(
    _ subjectSelector: @escaping () throws -> Subject,
    selector: @escaping (Observable<Subject.Element>) throws -> Observable<Result>
  ) -> Observable<Result> where Subject.Observer.Element == Element {
    meeting { source, downstream, junction in
      downstream.attempt {
        let connectable = source.multicast(try subjectSelector())
        try selector(connectable).run(downstream, in: junction.context)
        if junction.context.isActive { connectable.connect(in: junction.context) }
      }
    }
  }

  /// Passes the source on, from `connect()` on, to those subscribed at that moment.
  ///
  /// - SeeAlso: ReactiveX [Publish](https://reactivex.io/documentation/operators/publish.html).
  public func publish() -> ConnectableObservable<Element> {
    multicast(makeSubject: { PublishSubject() })
  }

  /// Passes the source on, from `connect()` on; newcomers get the last `bufferSize` elements first.
  ///
  /// - SeeAlso: ReactiveX [Replay](https://reactivex.io/documentation/operators/replay.html).
  public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
    multicast(makeSubject: { ReplaySubject.create(bufferSize: bufferSize) })
  }

  /// Passes the source on, from `connect()` on; newcomers get everything that went before first.
  ///
  /// - SeeAlso: ReactiveX [Replay](https://reactivex.io/documentation/operators/replay.html).
  public func replayAll() -> ConnectableObservable<Element> {
    multicast(makeSubject: { ReplaySubject.createUnbounded() })
  }
}
