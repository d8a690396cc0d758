import KeylineCore
import KeylineTest
import TestSupport
import Testing

/// What operators emit, and when: in virtual time.
@Suite struct OperatorShapeTests {
  let scheduler = TestScheduler(initialClock: 0)

  /// 1 at 210, 2 at 220, 2 at 230, 3 at 240, end at 250.
  var source: TestableObservable<Int> {
    scheduler.createHotObservable([
      .next(150, 0), .next(210, 1), .next(220, 2), .next(230, 2), .next(240, 3), .completed(250),
    ])
  }

  func throwing(at value: Int) -> @Sendable (Int) throws -> Int {
    { if $0 == value { throw Failure() } else { $0 * 10 } }
  }

  @Test("Map transforms until it throws") func mapTransformsUntilItThrows() {
    let source = source
    let result = scheduler.start { source.map(throwing(at: 3)) }
    #expect(
      result.events == [
        .next(210, 10), .next(220, 20), .next(230, 20), .error(240, Failure()),
      ])
    #expect(source.subscriptions == [Subscription(200, 240)])
  }

  @Test("compactMap leaves out nil") func compactMapLeavesOutNil() {
    let source = source
    let result = scheduler.start { source.compactMap { $0 == 2 ? nil : "\($0)" } }
    #expect(result.events == [.next(210, "1"), .next(240, "3"), .completed(250)])
  }

  @Test("Filter passes matching elements until it throws")
  func filterPassesMatchingElementsUntilItThrows() {
    let source = source
    let result = scheduler.start {
      source.filter { if $0 == 3 { throw Failure() } else { $0 == 2 } }
    }
    #expect(result.events == [.next(220, 2), .next(230, 2), .error(240, Failure())])
  }

  @Test("distinctUntilChanged leaves out repetitions")
  func distinctUntilChangedLeavesOutRepetitions() {
    let source = source
    let result = scheduler.start { source.distinctUntilChanged() }
    #expect(result.events == [.next(210, 1), .next(220, 2), .next(240, 3), .completed(250)])
  }

  @Test("distinctUntilChanged compares keys and stops when that throws")
  func distinctUntilChangedComparesKeysAndStopsWhenThatThrows() {
    let source = source
    let keyed = scheduler.start { source.distinctUntilChanged { $0 / 2 } }
    #expect(keyed.events == [.next(210, 1), .next(220, 2), .completed(250)])
    let failing = TestScheduler(initialClock: 0)
    let other = failing.createHotObservable([.next(210, 1), .next(220, 2)])
    let result = failing.start { other.distinctUntilChanged { _, _ in throw Failure() } }
    #expect(result.events == [.next(210, 1), .error(220, Failure())])
  }

  @Test("Take completes with the last") func takeCompletesWithTheLast() {
    let source = source
    let result = scheduler.start { source.take(2) }
    #expect(result.events == [.next(210, 1), .next(220, 2), .completed(220)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("Take of nothing completes without subscribing", arguments: [0, -1])
  func takeOfNothingCompletesWithoutSubscribing(count: Int) {
    let source = source
    let result = scheduler.start { source.take(count) }
    #expect(result.events == [.completed(200)])
    #expect(source.subscriptions == [])
  }

  @Test(
    "Skip leaves out the first",
    arguments: [(-1, [1, 2, 2, 3]), (0, [1, 2, 2, 3]), (3, [3]), (9, [])])
  func skipLeavesOutTheFirst(count: Int, values: [Int]) {
    let source = source
    let result = scheduler.start { source.skip(count) }
    #expect(result.events.compactMap(\.value.element) == values)
    #expect(result.events.last == .completed(250))
  }

  @Test("Take until ends with the other") func takeUntilEndsWithTheOther() {
    let source = source
    let other = scheduler.createHotObservable([.next(225, "stop"), .next(235, "again")])
    let result = scheduler.start { source.take(until: other) }
    #expect(result.events == [.next(210, 1), .next(220, 2), .completed(225)])
    #expect(source.subscriptions == [Subscription(200, 225)])
    #expect(other.subscriptions == [Subscription(200, 225)])
  }

  @Test("Take until ignores the others completion and passes its error")
  func takeUntilIgnoresTheOthersCompletionAndPassesItsError() {
    let source = source
    let silent = scheduler.createHotObservable([.completed(215, Int.self)])
    let result = scheduler.start { source.take(until: silent) }
    #expect(result.events.last == .completed(250))
    #expect(silent.subscriptions == [Subscription(200, 215)])
    let failing = TestScheduler(initialClock: 0)
    let bad = failing.createHotObservable([.error(215, Failure(), Int.self)])
    let never = failing.start { Observable<Int>.never().take(until: bad) }
    #expect(never.events == [.error(215, Failure())])
  }

  @Test("Take until of something synchronous does not subscribe")
  func takeUntilOfSomethingSynchronousDoesNotSubscribe() {
    let source = source
    let result = scheduler.start { source.take(until: Observable.just(0)) }
    #expect(result.events == [.completed(200)])
    #expect(source.subscriptions == [])
  }

  @Test("startWith comes first") func startWithComesFirst() {
    let source = source
    let result = scheduler.start { source.startWith(8, 9).take(3) }
    #expect(result.events == [.next(200, 8), .next(200, 9), .next(210, 1), .completed(210)])
  }

  @Test("Merge passes as it comes and ends with the last")
  func mergePassesAsItComesAndEndsWithTheLast() {
    let source = source
    let other = scheduler.createHotObservable([.next(215, 7), .next(260, 8), .completed(270)])
    let result = scheduler.start {
      Observable.merge(source.asObservable(), other.asObservable()).filter { $0 != 2 }
    }
    #expect(
      result.events == [
        .next(210, 1), .next(215, 7), .next(240, 3), .next(260, 8), .completed(270),
      ])
  }

  @Test("Merge ends with the first error and leaves the others")
  func mergeEndsWithTheFirstErrorAndLeavesTheOthers() {
    let source = source
    let other = scheduler.createHotObservable([.error(215, Failure(), Int.self)])
    let result = scheduler.start {
      Observable.merge([source.asObservable(), other.asObservable()])
    }
    #expect(result.events == [.next(210, 1), .error(215, Failure())])
    #expect(source.subscriptions == [Subscription(200, 215)])
  }

  @Test("Merge of nothing completes") func mergeOfNothingCompletes() {
    let result = scheduler.start { Observable<Int>.merge([]) }
    #expect(result.events == [.completed(200)])
  }

  @Test("combineLatest waits for all and ends with all")
  func combineLatestWaitsForAllAndEndsWithAll() {
    let source = source
    let other = scheduler.createHotObservable([.next(215, "x"), .next(235, "y"), .completed(260)])
    let result = scheduler.start {
      Observable.combineLatest(source, other) { "\($0)\($1)" }
    }
    #expect(
      result.events == [
        .next(215, "1x"), .next(220, "2x"), .next(230, "2x"), .next(235, "2y"), .next(240, "3y"),
        .completed(260),
      ])
    #expect(other.subscriptions == [Subscription(200, 260)])
  }

  @Test("combineLatest ends when only one is left and another was silent")
  func combineLatestEndsWhenOnlyOneIsLeftAndAnotherWasSilent() {
    let source = source
    let silent = scheduler.createHotObservable([.completed(215, Int.self)])
    let result = scheduler.start { Observable.combineLatest(source, silent) { $0 + $1 } }
    #expect(result.events == [.completed(220)])
  }

  @Test("combineLatest stops when its selector throws")
  func combineLatestStopsWhenItsSelectorThrows() {
    let source = source
    let result = scheduler.start {
      Observable.combineLatest([source.asObservable(), Observable.just(1)]) {
        try throwing(at: 2)($0[0])
      }
    }
    #expect(result.events == [.next(210, 10), .error(220, Failure())])
  }

  @Test("combineLatest of nothing is one result") func combineLatestOfNothingIsOneResult() {
    let result = scheduler.start { Observable.combineLatest([Observable<Int>]()) }
    #expect(result.events == [.next(200, []), .completed(200)])
  }

  @Test("withLatestFrom pairs each element with the latest")
  func withLatestFromPairsEachElementWithTheLatest() {
    let source = source
    let other = scheduler.createHotObservable([.next(215, "x"), .next(225, "y"), .completed(226)])
    let result = scheduler.start { source.withLatestFrom(other) { "\($0)\($1)" } }
    #expect(
      result.events == [
        .next(220, "2x"), .next(230, "2y"), .next(240, "3y"), .completed(250),
      ])
  }

  @Test("Debounce waits for quiet and flushes at the end")
  func debounceWaitsForQuietAndFlushesAtTheEnd() {
    let source = scheduler.createHotObservable([
      .next(210, 1), .next(215, 2), .next(230, 3), .next(245, 4), .completed(250),
    ])
    let result = scheduler.start { source.debounce(.seconds(10), scheduler: scheduler) }
    #expect(result.events == [.next(225, 2), .next(240, 3), .next(250, 4), .completed(250)])
  }

  @Test("debounce drops the waiting element when the source fails")
  func debounceDropsWhatWaitsWhenTheSourceFails() {
    let source = scheduler.createHotObservable([.next(210, 1), .error(215, Failure())])
    let result = scheduler.start { source.debounce(.seconds(10), scheduler: scheduler) }
    #expect(result.events == [.error(215, Failure())])
  }

  @Test("Observe on takes one step per event") func observeOnTakesOneStepPerEvent() {
    let result = scheduler.start { Observable.of(1, 2).observe(on: scheduler) }
    #expect(result.events == [.next(201, 1), .next(202, 2), .completed(203)])
  }

  @Test("Do calls its handlers around the events") func doCallsItsHandlersAroundTheEvents() {
    var log: [String] = []
    _ = Observable.of(1).do(
      onNext: { log.append("next \($0)") }, afterNext: { log.append("after \($0)") },
      onCompleted: { log.append("completed") }, afterCompleted: { log.append("after completed") },
      onSubscribe: { log.append("subscribe") }, onSubscribed: { log.append("subscribed") },
      onDispose: { log.append("dispose") }
    ).subscribe(onNext: { log.append("got \($0)") }, onCompleted: { log.append("got completed") })
    #expect(
      log == [
        "subscribe", "subscribed", "next 1", "got 1", "after 1", "completed", "got completed",
        "after completed", "dispose",
      ])
  }

  @Test("do ends with the error that its handler throws") func doEndsWithWhatItsHandlerThrows() {
    let source = source
    let result = scheduler.start { source.do(onNext: { _ = try throwing(at: 2)($0) }) }
    #expect(result.events == [.next(210, 1), .error(220, Failure())])
  }

  @Test("Share whileConnected starts anew after the end")
  func shareWhileConnectedStartsAnewAfterTheEnd() {
    let cold = scheduler.createColdObservable([.next(10, 1), .next(20, 2), .completed(30)])
    let shared = cold.share(replay: 1)
    let observers = [200, 215, 240].map { time in
      let observer = scheduler.createObserver(Int.self)
      scheduler.scheduleAt(time) { _ = shared.subscribe(observer) }
      return observer
    }
    scheduler.start()
    #expect(observers[0].events == [.next(210, 1), .next(220, 2), .completed(230)])
    #expect(observers[1].events == [.next(215, 1), .next(220, 2), .completed(230)])
    #expect(observers[2].events == [.next(250, 1), .next(260, 2), .completed(270)])
    #expect(cold.subscriptions == [Subscription(200, 230), Subscription(240, 270)])
  }

  @Test("Share forever replays after the end and after all have left")
  func shareForeverReplaysAfterTheEndAndAfterAllHaveLeft() {
    let cold = scheduler.createColdObservable([.next(10, 1), .next(20, 2), .completed(30)])
    let shared = cold.share(replay: 1, scope: .forever)
    let first = scheduler.start(disposed: 215) { shared }
    #expect(first.events == [.next(210, 1)])
    let rest = [300, 400].map { time in
      let observer = scheduler.createObserver(Int.self)
      scheduler.scheduleAt(time) { _ = shared.subscribe(observer) }
      return observer
    }
    scheduler.start()
    #expect(rest[0].events == [.next(300, 1), .next(310, 1), .next(320, 2), .completed(330)])
    #expect(rest[1].events == [.next(400, 2), .completed(400)])
    #expect(cold.subscriptions == [Subscription(200, 215), Subscription(300, 330)])
  }

  @Test("Share leaves the source with the last observer")
  func shareLeavesTheSourceWithTheLastObserver() {
    let subject = PublishSubject<Int>()
    let shared = subject.share()
    let subscriptions = [shared.subscribe { _ in }, shared.subscribe { _ in }]
    subscriptions[0].dispose()
    #expect(subject.hasObservers)
    subscriptions[1].dispose()
    #expect(!subject.hasObservers)
  }

  @Test("The first shared observer may leave during the replay")
  func theFirstSharedObserverMayLeaveDuringTheReplay() {
    let subject = PublishSubject<Int>()
    let shared = subject.share(replay: 1, scope: .forever)
    _ = shared.take(1).subscribe { _ in }
    subject.onNext(1)
    var values: [Int] = []
    _ = shared.take(1).subscribe(onNext: { values.append($0) })
    #expect(values == [1])
    #expect(!subject.hasObservers)
  }
}
