import Keyline
import KeylineTest
import Testing

@Suite struct TestKitTests {
  @Test func aHotObservableEmitsToItsObservers() {
    let scheduler = TestScheduler(initialClock: 0)
    let hot = scheduler.createHotObservable([.next(150, 1), .next(250, 2), .next(350, 3)])
    let result = scheduler.start(created: 10, subscribed: 200, disposed: 300) { hot }
    #expect(result.events == [.next(250, 2)])
    #expect(hot.subscriptions == [Subscription(200, 300)])
    #expect(hot.recordedEvents.count == 3)
  }

  @Test func aColdObservableStartsWithEachSubscription() {
    let scheduler = TestScheduler(initialClock: 0)
    let cold = scheduler.createColdObservable([.next(0, 1), .next(50, 2), .completed(60)])
    let observers = [200, 220].map { time in
      let observer = scheduler.createObserver(Int.self)
      scheduler.scheduleAt(time) { _ = cold.subscribe(observer) }
      return observer
    }
    scheduler.start()
    #expect(observers[0].events == [.next(201, 1), .next(250, 2), .completed(260)])
    #expect(observers[1].events == [.next(221, 1), .next(270, 2), .completed(280)])
    #expect(cold.subscriptions == [Subscription(200, 260), Subscription(220, 280)])
  }

  @Test func anObservableWhoseSubscriptionsStayOpenRecordsThat() {
    let scheduler = TestScheduler(initialClock: 0)
    let hot = scheduler.createHotObservable([Recorded<Event<Int>>]())
    _ = hot.subscribe(scheduler.createObserver(Int.self))
    #expect(hot.subscriptions == [Subscription(0)])
    #expect("\(hot.subscriptions)" == "[(0 : ∞)]")
  }

  @Test func eventsAreEqualWhenElementsAreOrErrorsReadAlike() {
    struct Other: Error {}
    #expect(Event.next(1) == .next(1))
    #expect(Event.next(1) != .next(2))
    #expect(Event<Int>.error(Failure()) == .error(Failure()))
    #expect(Event<Int>.error(Failure()) != .error(Other()))
    #expect(Event<Int>.completed != .next(1))
    #expect("\(Recorded<Event<Int>>.next(210, 1))" == "next(1) @ 210")
  }

  @Test func theTrackerCountsWhatIsAlive() {
    let tracker = LifetimeTracker()
    var first: LifetimeTracker.Tracked? = tracker.track()
    let second = tracker.track()
    #expect(tracker.alive == 2)
    #expect(first?.pass(7) == 7)
    first = nil
    #expect(tracker.alive == 1)
    withExtendedLifetime(second) {}
  }
}
