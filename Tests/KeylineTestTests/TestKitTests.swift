import Keyline
import KeylineTest
import TestSupport
import Testing

@Suite struct TestKitTests {
  @Test("A hot observable emits to its observers") func aHotObservableEmitsToItsObservers() {
    let scheduler = TestScheduler(initialClock: 0)
    let hot = scheduler.createHotObservable([.next(150, 1), .next(250, 2), .next(350, 3)])
    let result = scheduler.start(created: 10, subscribed: 200, disposed: 300) { hot }
    #expect(result.events == [.next(250, 2)])
    #expect(hot.subscriptions == [Subscription(200, 300)])
    #expect(hot.recordedEvents.count == 3)
  }

  @Test("A cold observable starts with each subscription")
  func aColdObservableStartsWithEachSubscription() {
    let scheduler = TestScheduler(initialClock: 0)
    let cold = scheduler.createColdObservable([.next(0, 1), .next(50, 2), .completed(60)])
    let observers = [200, 220].map { time in
      let observer = scheduler.createObserver(Int.self)
      scheduler.scheduleAt(time) { _ = cold.subscribe(observer) }
      return observer
    }
    scheduler.start()
    #expect(observers[0].events == [.next(200, 1), .next(250, 2), .completed(260)])
    #expect(observers[1].events == [.next(220, 1), .next(270, 2), .completed(280)])
    #expect(cold.subscriptions == [Subscription(200), Subscription(220)])
  }

  @Test("Events and subscriptions at the clock are in time")
  func eventsAndSubscriptionsAtTheClockAreInTime() {
    let scheduler = TestScheduler(initialClock: 0)
    var hot: TestableObservable<Int>?
    let result = scheduler.start(created: 0, subscribed: 0, disposed: 15) {
      let source = scheduler.createHotObservable([.next(0, 1), .next(10, 2), .next(20, 3)])
      hot = source
      return source
    }
    #expect(result.events == [.next(0, 1), .next(10, 2)])
    #expect(hot?.subscriptions == [Subscription(0, 15)])
  }

  @Test("A testable observer records events after a termination, too")
  func anObserverReceivesWhatIsRecordedAlsoAfterATermination() {
    let events: [Recorded<Event<Int>>] = [
      .next(210, 1), .completed(220), .next(230, 2), .error(240, Failure()), .completed(250),
    ]
    let fromSubscription = events.map { Recorded(time: $0.time - 200, value: $0.value) }
    for isHot in [true, false] {
      let scheduler = TestScheduler(initialClock: 0)
      let source =
        isHot
        ? scheduler.createHotObservable(events) : scheduler.createColdObservable(fromSubscription)
      let observer = scheduler.createObserver(Int.self)
      scheduler.scheduleAt(200) {
        let subscription = source.subscribe(observer)
        scheduler.scheduleAt(245) { subscription.dispose() }
      }
      let output = scheduler.createObserver(Int.self)
      scheduler.scheduleAt(200) { _ = source.map { $0 * 10 }.subscribe(output) }
      scheduler.start()
      #expect(observer.events == Array(events.dropLast()))
      #expect(output.events == [.next(210, 10), .completed(220)])
      #expect(source.subscriptions == [Subscription(200, 245), Subscription(200, 220)])
    }
  }

  @Test("An observable whose subscriptions stay open records that")
  func anObservableWhoseSubscriptionsStayOpenRecordsThat() {
    let scheduler = TestScheduler(initialClock: 0)
    let hot = scheduler.createHotObservable([Recorded<Event<Int>>]())
    _ = hot.subscribe(scheduler.createObserver(Int.self))
    #expect(hot.subscriptions == [Subscription(0)])
    #expect("\(hot.subscriptions)" == "[(0 : ∞)]")
  }

  @Test("Events are equal when elements are or errors read alike")
  func eventsAreEqualWhenElementsAreOrErrorsReadAlike() {
    struct Other: Error {}
    #expect(Event.next(1) == .next(1))
    #expect(Event.next(1) != .next(2))
    #expect(Event<Int>.error(Failure()) == .error(Failure()))
    #expect(Event<Int>.error(Failure()) != .error(Other()))
    #expect(Event<Int>.completed != .next(1))
    #expect("\(Recorded<Event<Int>>.next(210, 1))" == "next(1) @ 210")
  }

  @Test("Events of traits are equal in the same way") func eventsOfTraitsAreEqualInTheSameWay() {
    #expect(SingleEvent<Int>.success(1) == .success(1))
    #expect(SingleEvent<Int>.success(1) != .success(2))
    #expect(SingleEvent<Int>.failure(Failure()) == .failure(Failure()))
    #expect(SingleEvent<Int>.failure(Failure()) != .success(1))
    #expect([MaybeEvent<Int>.success(1), .completed] == [.success(1), .completed])
    #expect(MaybeEvent<Int>.error(Failure()) == .error(Failure()))
    #expect(MaybeEvent<Int>.success(1) != .success(2))
    #expect(MaybeEvent<Int>.completed != .error(Failure()))
    #expect([CompletableEvent.completed, .error(Failure())] == [.completed, .error(Failure())])
    #expect(CompletableEvent.completed != .error(Failure()))
  }

  @Test("Start takes a function and events an array") func startTakesAFunctionAndEventsAnArray() {
    let scheduler = TestScheduler(initialClock: 0)
    let hot = scheduler.createHotObservable(Recorded.events([.next(210, 1), .completed(220)]))
    let create = { hot.map { $0 * 10 } }
    #expect(scheduler.start(create).events == Recorded.events([.next(210, 10), .completed(220)]))
    #expect(Set([Subscription(200, 220), Subscription(200, 220), Subscription(200)]).count == 2)
  }

  @Test("The tracker counts the objects that are alive") func theTrackerCountsWhatIsAlive() {
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
