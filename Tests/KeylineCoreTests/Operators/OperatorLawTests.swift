import KeylineCore
import KeylineTest
import TestSupport
import Testing

/// The laws of the core, C1 to C9 of ``Observable``, over every operator; tests carry their
/// numbers.
@Suite struct OperatorLawTests {
  let tracker = LifetimeTracker()
  let source = PublishSubject<Item>()

  func item(_ value: Int) -> Item { Item(value, tracker) }

  func build(_ tested: OperatorUnderTest) -> Observable<Item> {
    tested.apply(source, tracker.track())
  }

  @Test("C1: Forwards completion", arguments: OperatorUnderTest.all)
  func c1ForwardsCompletion(_ tested: OperatorUnderTest) {
    var events: [Event<Int>] = []
    _ = build(tested).subscribe { events.append($0.map(\.value)) }
    source.onNext(item(1))
    source.onCompleted()
    #expect(events == [.next(1), .completed])
    #expect(!source.hasObservers)
  }

  @Test("C1: Forwards error", arguments: OperatorUnderTest.all)
  func c1ForwardsError(_ tested: OperatorUnderTest) {
    var events: [Event<Int>] = []
    _ = build(tested).subscribe { events.append($0.map(\.value)) }
    source.onNext(item(1))
    source.onError(Failure())
    #expect(events == [.next(1), .error(Failure())])
    #expect(!source.hasObservers)
  }

  @Test("C1: Delivers nothing after termination", arguments: OperatorUnderTest.all)
  func c1DeliversNothingAfterTermination(_ tested: OperatorUnderTest) {
    let scheduler = TestScheduler(initialClock: 0)
    let unruly = scheduler.createHotObservable([
      .next(210, item(1)), .completed(220), .next(230, item(2)), .error(240, Failure()),
      .completed(250),
    ])
    let observable = tested.apply(unruly.asObservable(), tracker.track())
    let result = scheduler.start { observable.map(\.value) }
    #expect(result.events == [.next(210, 1), .completed(220)])
    #expect(unruly.subscriptions == [Subscription(200, 220)])
  }

  @Test("C2: Disposal reaches the source", arguments: OperatorUnderTest.all)
  func c2DisposalReachesTheSource(_ tested: OperatorUnderTest) {
    let subscription = build(tested).subscribe { _ in Issue.record("nothing was emitted") }
    #expect(source.hasObservers)
    subscription.dispose()
    #expect(!source.hasObservers)
    source.onNext(item(1))
  }

  @Test("C2: Disposal inside next is the end", arguments: OperatorUnderTest.all)
  func c2DisposalInsideNextIsTheEnd(_ tested: OperatorUnderTest) {
    var values: [Int] = []
    let subscription = SerialDisposable()
    subscription.disposable = build(tested).subscribe(
      onNext: {
        values.append($0.value)
        source.onNext(item(2))
        subscription.dispose()
      }, onDisposed: { values.append(0) })
    source.onNext(item(1))
    source.onNext(item(3))
    #expect(values == [1, 0])
    #expect(!source.hasObservers)
  }

  @Test(
    "C2: Stops a synchronous source that never pauses",
    arguments: OperatorUnderTest.all.filter(\.stopsSynchronousSource))
  func c2StopsASynchronousSourceThatNeverPauses(_ tested: OperatorUnderTest) {
    var events: [Event<Int>] = []
    let numbers = Observable.from((1...).lazy.map { [tracker] in Item($0, tracker) })
    _ = tested.apply(numbers, tracker.track()).take(3).subscribe {
      events.append($0.map(\.value))
    }
    #expect(events == [.next(1), .next(2), .next(3), .completed])
  }

  @Test("C4: Fans out in subscription order", arguments: OperatorUnderTest.all)
  func c4FansOutInSubscriptionOrder(_ tested: OperatorUnderTest) {
    var order: [Int] = []
    let observable = build(tested)
    let subscriptions = (0..<60).map { index in
      observable.subscribe(onNext: { _ in order.append(index) })
    }
    source.onNext(item(1))
    #expect(order == Array(0..<60))

    order = []
    for index in stride(from: 0, to: 60, by: 3) { subscriptions[index].dispose() }
    source.onNext(item(2))
    #expect(order == (0..<60).filter { $0 % 3 != 0 })
  }

  @Test(
    "C6: An element that an observer emits is delivered after the current one",
    arguments: OperatorUnderTest.all)
  func c6DeliversWhatAnObserverEmitsAfterTheCurrentElement(_ tested: OperatorUnderTest) {
    var seen: [[Int]] = [[], []]
    var depth = 0
    let observable = build(tested)
    for index in 0..<2 {
      _ = observable.subscribe(onNext: { item in
        depth += 1
        #expect(depth == 1)
        seen[index].append(item.value)
        if index == 0, item.value < 100 { self.source.onNext(self.item(item.value + 1)) }
        depth -= 1
      })
    }
    source.onNext(item(1))
    #expect(seen == [Array(1...100), Array(1...100)])
  }

  @Test("C8: Disposal releases closures and elements", arguments: OperatorUnderTest.all)
  func c8DisposalReleasesClosuresAndElements(_ tested: OperatorUnderTest) {
    let subscription = build(tested).subscribe { [token = tracker.track()] _ in _ = token }
    source.onNext(item(1))
    #expect(tracker.alive > 0)
    subscription.dispose()
    #expect(tracker.alive == 0)
    withExtendedLifetime((source, subscription)) {}
  }

  @Test(
    "C8: Termination releases closures and elements", arguments: OperatorUnderTest.all,
    [nil, Failure()])
  func c8TerminationReleasesClosuresAndElements(_ tested: OperatorUnderTest, error: Failure?) {
    let subscription = build(tested).subscribe { [token = tracker.track()] _ in _ = token }
    source.onNext(item(1))
    source.on(error.map(Event.error) ?? .completed)
    #expect(tracker.alive == 0)
    withExtendedLifetime((source, subscription)) {}
  }

  @Test("C8: Disposal inside next releases", arguments: OperatorUnderTest.all)
  func c8DisposalInsideNextReleases(_ tested: OperatorUnderTest) {
    let subscription = SerialDisposable()
    subscription.disposable = build(tested).subscribe { [token = tracker.track()] _ in
      _ = token
      subscription.dispose()
    }
    source.onNext(item(1))
    #expect(tracker.alive == 0)
    withExtendedLifetime((source, subscription)) {}
  }
}
