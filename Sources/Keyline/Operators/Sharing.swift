import Synchronization

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
    Shared(asObservable(), replay: replay, scope: scope)
  }
}

private final class Shared<Element>: Observable<Element> {
  private let source: Observable<Element>
  /// The one hub of all connections; nil if each has its own.
  private let lastingHub: Hub<Element>?
  private let replay: Int
  // Proof of Unchecked: touched under the mutex only.
  private let current: Mutex<Unchecked<Connection<Element>?>>

  init(_ source: Observable<Element>, replay: Int, scope: SubjectLifetimeScope) {
    self.source = source
    current = Mutex(Unchecked(nil))
    self.replay = replay
    lastingHub = scope == .forever ? Hub(replay: replay) : nil
  }

  deinit { lastingHub?.abandon() }

  override func run(_ observer: AnyObserver<Element>, in context: SubscriptionContext) {
    let (connection, isFirst) = join()
    context.add(Disposables.create { self.leave(connection) })
    connection.hub.subscribe(observer, in: context)
    // Only who joins first connects, and not if the replay, or the termination it ended with, has
    // sent everyone away.
    guard isFirst, connection.context.isActive else { return }
    let hub = connection.hub
    source.run(
      in: connection.context,
      next: hub.next,
      terminate: { error in
        self.forget(connection)
        hub.terminate(error)
      }
    )
  }

  private func join() -> (Connection<Element>, isFirst: Bool) {
    let joined = current.withLock { current in
      let isFirst = current.value == nil
      let connection = current.value ?? Connection(lastingHub ?? Hub(replay: replay))
      current.value = connection
      connection.observers += 1
      return Unchecked((connection, isFirst))
    }
    return joined.value
  }

  private func leave(_ connection: Connection<Element>) {
    let isLast = current.withLock { current in
      connection.observers -= 1
      guard connection.observers == 0 else { return false }
      if current.value === connection { current.value = nil }
      return true
    }
    guard isLast else { return }
    connection.context.dispose()
    if lastingHub == nil { connection.hub.abandon() }
  }

  /// Makes the next observer connect anew; called before this one's termination is passed on.
  private func forget(_ connection: Connection<Element>) {
    let forgotten = current.withLock { current in
      guard current.value === connection else { return Unchecked(Connection<Element>?.none) }
      defer { current.value = nil }
      return current
    }
    _ = forgotten
  }
}

/// One subscription to the source.
private final class Connection<Element> {
  let hub: Hub<Element>
  let context = SubscriptionContext()
  /// Under the mutex of the one who shares.
  var observers = 0

  init(_ hub: Hub<Element>) { self.hub = hub }
}

/// What observers are connected to.
private struct Hub<Element> {
  let next: (Element) -> Void
  let terminate: ((any Error)?) -> Void
  /// Breaks the cycle between the broadcaster and those who have left it.
  let abandon: () -> Void
  private let connect: (AnyObserver<Element>, SubscriptionContext) -> Void

  init(replay: Int) {
    if replay > 0 {
      let memory = Memory<Element>(capacity: replay)
      (next, terminate, connect) = (memory.emit, memory.end, memory.join)
      abandon = memory.forget
    } else {
      let broadcaster = Broadcaster<Element>()
      next = broadcaster.next
      terminate = broadcaster.terminate
      abandon = broadcaster.abandon
      connect = { broadcaster.subscribe($0, in: $1) }
    }
  }

  func subscribe(_ observer: AnyObserver<Element>, in context: SubscriptionContext) {
    connect(observer, context)
  }
}
