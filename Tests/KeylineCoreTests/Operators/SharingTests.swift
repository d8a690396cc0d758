import KeylineCore
import KeylineTest
import TestSupport
import Testing

@Suite struct SharingTests {
  let scheduler = TestScheduler(initialClock: 0)

  func observe<Element>(
    _ source: Observable<Element>, from time: Int, until end: Int = 1000
  ) -> TestableObserver<Element> {
    let observer = scheduler.createObserver(Element.self)
    scheduler.scheduleAt(time) {
      let subscription = source.subscribe(observer)
      scheduler.scheduleAt(end) { subscription.dispose() }
    }
    return observer
  }

  /// 1 after 10 ticks, 2 after 20, completion after 30.
  var cold: TestableObservable<Int> {
    scheduler.createColdObservable([.next(10, 1), .next(20, 2), .completed(30)])
  }

  @Test("Publish emits nothing before it is connected")
  func publishEmitsNothingBeforeItIsConnected() {
    let cold = cold
    let published = cold.publish()
    let (first, late) = (observe(published, from: 100), observe(published, from: 215))
    scheduler.scheduleAt(200) { _ = published.connect() }
    scheduler.start()
    #expect(first.events == [.next(210, 1), .next(220, 2), .completed(230)])
    #expect(late.events == [.next(220, 2), .completed(230)])
    #expect(cold.subscriptions == [Subscription(200, 230)])
  }

  @Test("Connecting twice is one connection and may be done anew")
  func connectingTwiceIsOneConnectionAndMayBeDoneAnew() {
    let cold = cold
    let published = cold.publish()
    var connection: (any Disposable)?
    scheduler.scheduleAt(200) { connection = published.connect() }
    scheduler.scheduleAt(205) {
      #expect(published.connect() as AnyObject === connection as AnyObject)
    }
    scheduler.scheduleAt(215) { connection?.dispose() }
    scheduler.scheduleAt(300) { _ = published.connect() }
    let (before, after) = (observe(published, from: 100), observe(published, from: 250))
    scheduler.start()
    #expect(before.events == [.next(210, 1)])
    #expect(after.events == [.next(310, 1), .next(320, 2), .completed(330)])
    #expect(cold.subscriptions == [Subscription(200, 215), Subscription(300, 330)])
  }

  @Test("Replay gives new observers the latest") func replayGivesNewObserversTheLatest() {
    let cold = cold
    let (one, all) = (cold.replay(1), cold.replayAll())
    scheduler.scheduleAt(200) {
      _ = one.connect()
      _ = all.connect()
    }
    let (latest, everything) = (observe(one, from: 225), observe(all, from: 225))
    scheduler.start()
    #expect(latest.events == [.next(225, 2), .completed(230)])
    #expect(everything.events == [.next(225, 1), .next(225, 2), .completed(230)])
  }

  @Test("Multicast with one subject keeps it for the next connection")
  func multicastWithOneSubjectKeepsItForTheNextConnection() {
    let cold = cold
    let subject = PublishSubject<Int>()
    let connectable = cold.multicast(subject)
    let observer = observe(connectable, from: 100)
    var connection: (any Disposable)?
    scheduler.scheduleAt(200) { connection = connectable.connect() }
    scheduler.scheduleAt(215) { connection?.dispose() }
    scheduler.scheduleAt(300) { connection = connectable.connect() }
    scheduler.start()
    #expect(
      observer.events == [.next(210, 1), .next(310, 1), .next(320, 2), .completed(330)])
  }

  @Test("Multicast may change the elements") func multicastMayChangeTheElements() {
    let source = PublishSubject<Int>()
    let connectable = source.multicast(makeSubject: { Doubler() })
    var values: [String] = []
    _ = connectable.subscribe(onNext: { values.append($0) })
    _ = connectable.connect()
    source.onNext(21)
    #expect(values == ["42"])
  }

  @Test("refCount connects with the first and leaves with the last")
  func refCountConnectsWithTheFirstAndLeavesWithTheLast() {
    let cold = scheduler.createColdObservable([.next(10, 1), .next(20, 2), .next(30, 3)])
    let shared = cold.publish().refCount()
    let observers = [
      observe(shared, from: 200, until: 225), observe(shared, from: 215, until: 235),
      observe(shared, from: 300, until: 315),
    ]
    scheduler.start()
    #expect(observers[0].events == [.next(210, 1), .next(220, 2)])
    #expect(observers[1].events == [.next(220, 2), .next(230, 3)])
    #expect(observers[2].events == [.next(310, 1)])
    #expect(cold.subscriptions == [Subscription(200, 235), Subscription(300, 315)])
  }

  @Test("refCount connects anew after the end and inside it")
  func refCountConnectsAnewAfterTheEndAndInsideIt() {
    var subscriptions = 0
    let source = Observable<Int>.create { observer in
      subscriptions += 1
      observer.onNext(subscriptions)
      if subscriptions < 3 { observer.onError(Failure()) } else { observer.onCompleted() }
      return Disposables.create()
    }
    let shared = source.replay(1).refCount()
    #expect(events(of: shared) == [.next(1), .error(Failure())])
    #expect(events(of: shared.retry()) == [.next(2), .next(3), .completed])
    #expect(subscriptions == 3)
  }

  @Test("Share forever subscribes once also inside a termination", arguments: 0...2)
  func shareForeverSubscribesOnceAlsoInsideATermination(_ replay: Int) {
    let cold = scheduler.createColdObservable([.next(10, 1), .error(20, Failure())])
    let shared = cold.share(replay: replay, scope: .forever)
    let result = scheduler.start { shared.retry(3) }
    let replayed = replay == 0 ? [] : [Recorded<Event<Int>>.next(220, 1), .next(220, 1)]
    #expect(result.events == [.next(210, 1)] + replayed + [.error(220, Failure())])
    #expect(cold.subscriptions == [Subscription(200, 220)])
    let completing = self.cold
    let lasting = completing.share(replay: replay, scope: .forever)
    let inner = scheduler.createObserver(Int.self)
    scheduler.scheduleAt(1100) {
      _ = lasting.concat(lasting).subscribe(onCompleted: { _ = lasting.subscribe(inner) })
    }
    scheduler.start()
    let latest = [1, 2].suffix(replay).map { Recorded<Event<Int>>.next(1130, $0) }
    #expect(inner.events == latest + [.completed(1130)])
    #expect(completing.subscriptions == [Subscription(1100, 1130)])
  }
}

/// A subject whose two sides differ.
private final class Doubler: SubjectType {
  typealias Element = String
  private let subject = PublishSubject<String>()

  func asObserver() -> AnyObserver<Int> { subject.mapObserver { "\($0 * 2)" } }

  func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == String {
    subject.subscribe(observer)
  }
}
