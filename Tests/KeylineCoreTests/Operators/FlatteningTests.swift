import KeylineCore
import KeylineTest
import TestSupport
import Testing

/// The emissions of the flattening operators, and the times of their subscriptions.
@Suite struct FlatteningTests {
  typealias Cold = TestableObservable<String>
  let scheduler = TestScheduler(initialClock: 0)

  /// 0 at 210, 1 at 230, 2 at 310, end at 400.
  var source: TestableObservable<Int> {
    scheduler.createHotObservable([
      .next(210, 0), .next(230, 1), .next(310, 2), .completed(400),
    ])
  }

  /// Each lives for 50 ticks, and emits after 10, 30 and 40.
  func inners() -> [Cold] {
    ["a", "b", "c"].map { name in
      scheduler.createColdObservable([
        .next(10, "\(name)1"), .next(30, "\(name)2"), .next(40, "\(name)3"), .completed(50),
      ])
    }
  }

  @Test("flatMap follows all and ends with the last") func flatMapFollowsAllAndEndsWithTheLast() {
    let (source, inners) = (source, inners())
    let result = scheduler.start { source.flatMap { inners[$0] } }
    #expect(
      result.events == [
        .next(220, "a1"), .next(240, "a2"), .next(240, "b1"), .next(250, "a3"), .next(260, "b2"),
        .next(270, "b3"), .next(320, "c1"), .next(340, "c2"), .next(350, "c3"), .completed(400),
      ])
    #expect(
      inners.map(\.subscriptions) == [
        [Subscription(210, 260)], [Subscription(230, 280)], [Subscription(310, 360)],
      ])
    #expect(source.subscriptions == [Subscription(200, 400)])
  }

  @Test("flatMapFirst ignores elements that arrive in the meantime")
  func flatMapFirstLeavesOutWhatArrivesMeanwhile() {
    let (source, inners) = (source, inners())
    var selected: [Int] = []
    let result = scheduler.start {
      source.flatMapFirst { index -> Cold in
        selected.append(index)
        return inners[index]
      }
    }
    #expect(
      result.events == [
        .next(220, "a1"), .next(240, "a2"), .next(250, "a3"), .next(320, "c1"), .next(340, "c2"),
        .next(350, "c3"), .completed(400),
      ])
    #expect(selected == [0, 2])
    #expect(
      inners.map(\.subscriptions) == [[Subscription(210, 260)], [], [Subscription(310, 360)]])
  }

  @Test("concatMap follows one after the other") func concatMapFollowsOneAfterTheOther() {
    let (source, inners) = (source, inners())
    let result = scheduler.start { source.concatMap { inners[$0] } }
    #expect(
      result.events == [
        .next(220, "a1"), .next(240, "a2"), .next(250, "a3"), .next(270, "b1"), .next(290, "b2"),
        .next(300, "b3"), .next(320, "c1"), .next(340, "c2"), .next(350, "c3"), .completed(400),
      ])
    #expect(
      inners.map(\.subscriptions) == [
        [Subscription(210, 260)], [Subscription(260, 310)], [Subscription(310, 360)],
      ])
  }

  /// The same for all three.
  static let operators:
    [@Sendable (Observable<Int>, @escaping (Int) throws -> Observable<Int>) ->
      Observable<Int>] = [
        { $0.flatMap($1) }, { $0.flatMapFirst($1) }, { $0.concatMap($1) },
      ]

  @Test("Completion waits for the last", arguments: operators.indices)
  func completionWaitsForTheLast(index: Int) {
    let source = scheduler.createHotObservable([.next(210, 0), .completed(220)])
    let inner = scheduler.createColdObservable([.next(100, 7), .completed(200)])
    let result = scheduler.start {
      Self.operators[index](source.asObservable()) { _ in inner.asObservable() }
    }
    #expect(result.events == [.next(310, 7), .completed(410)])
    #expect(source.subscriptions == [Subscription(200, 220)])
    #expect(inner.subscriptions == [Subscription(210, 410)])
  }

  @Test("Errors of either side end all", arguments: operators.indices)
  func errorsOfEitherSideEndAll(index: Int) {
    for (outerError, innerError) in [(250, 900), (900, 40)] {
      let scheduler = TestScheduler(initialClock: 0)
      let source = scheduler.createHotObservable([
        .next(210, 0), .error(outerError, Failure(), Int.self),
      ])
      let inner = scheduler.createColdObservable([
        .next(10, 7), .error(innerError, Failure(), Int.self),
      ])
      let result = scheduler.start {
        Self.operators[index](source.asObservable()) { _ in inner.asObservable() }
      }
      #expect(result.events == [.next(220, 7), .error(250, Failure())])
      #expect(source.subscriptions == [Subscription(200, 250)])
      #expect(inner.subscriptions == [Subscription(210, 250)])
    }
  }

  @Test("A throwing selector ends all", arguments: operators.indices) func aThrowingSelectorEndsAll(
    index: Int
  ) {
    let source = source
    let result = scheduler.start {
      Self.operators[index](source.asObservable()) {
        if $0 == 2 { throw Failure() } else { .just($0) }
      }
    }
    #expect(result.events == [.next(210, 0), .next(230, 1), .error(310, Failure())])
    #expect(source.subscriptions == [Subscription(200, 310)])
  }

  @Test("Disposal reaches all", arguments: operators.indices) func disposalReachesAll(index: Int) {
    let source = source
    let inner = scheduler.createColdObservable([.next(10, 7)])
    let result = scheduler.start(disposed: 215) {
      Self.operators[index](source.asObservable()) { _ in inner.asObservable() }
    }
    #expect(result.events == [])
    #expect(source.subscriptions == [Subscription(200, 215)])
    #expect(inner.subscriptions == [Subscription(210, 215)])
  }

  @Test("Nothing makes nothing", arguments: operators.indices) func nothingMakesNothing(index: Int)
  {
    let apply = Self.operators[index]
    let empty = TestScheduler(initialClock: 0).start { apply(.empty()) { .just($0) } }
    #expect(empty.events == [.completed(200)])
    let failed = TestScheduler(initialClock: 0).start { apply(.error(Failure())) { .just($0) } }
    #expect(failed.events == [.error(200, Failure())])
    let never = TestScheduler(initialClock: 0).start { apply(.never()) { .just($0) } }
    #expect(never.events == [])
  }

  @Test("Endless synchronous sequences stop", arguments: operators.indices)
  func endlessSynchronousSequencesStop(index: Int) {
    let apply = Self.operators[index]
    var values: [Int] = []
    _ = apply(.just(0)) { _ in .repeatElement(1) }.take(3).subscribe(onNext: { values.append($0) })
    _ = apply(.repeatElement(2)) { .just($0) }.take(3).subscribe(onNext: { values.append($0) })
    #expect(values == [1, 1, 1, 2, 2, 2])
  }

  @Test("A long chain does not use up the stack", arguments: operators.indices)
  func aLongChainDoesNotUseUpTheStack(index: Int) {
    let apply = Self.operators[index]
    var count = 0
    _ = apply(.range(start: 0, count: 20_000)) { .just($0) }.subscribe(onNext: {
      if $0 == count { count += 1 }
    })
    #expect(count == 20_000)
  }

  @Test("concatMap of many that wait does not use up the stack")
  func concatMapOfManyThatWaitDoesNotUseUpTheStack() {
    let gate = PublishSubject<Int>()
    var values: [Int] = []
    _ = Observable.range(start: 0, count: 20_000).concatMap { index in
      index == 0 ? gate.asObservable() : .just(index)
    }.subscribe(onNext: { values.append($0) })
    #expect(values == [])
    gate.onNext(0)
    gate.onCompleted()
    #expect(values == Array(0..<20_000))
  }

  @Test("Nested sequences take turns") func nestedSequencesTakeTurns() {
    var values: [Int] = []
    _ = Observable.of(1, 2, 3).flatMap { Observable.of($0, $0 * 10, $0 * 100) }
      .subscribe(onNext: { values.append($0) })
    #expect(values == [1, 10, 2, 100, 20, 3, 200, 30, 300])
  }

  @Test("Inners that have ended are released") func innersThatHaveEndedAreReleased() {
    let tracker = LifetimeTracker()
    let source = PublishSubject<Int>()
    let subscription = source.flatMap { value in
      Observable.using({ CompositeDisposable() }) { [token = tracker.track()] _ in
        .just(token.pass(value))
      }
    }.subscribe { _ in }
    for value in 0..<1_000 { source.onNext(value) }
    #expect(tracker.alive == 0)
    subscription.dispose()
  }

  @Test("A released source releases the operator that switches")
  func aSourceThatIsReleasedReleasesWhatSwitches() {
    let tracker = LifetimeTracker()
    for isUsed in [false, true] {
      let source = PublishSubject<Int>()
      _ = source.flatMapLatest { Observable.just($0) }.subscribe(
        onNext: { [token = tracker.track()] in _ = token.pass($0) })
      if isUsed { source.onNext(1) }
      #expect(tracker.alive == 1)
      _ = consume source
      #expect(tracker.alive == 0)
    }
  }
}

@Suite struct FlatteningConcurrencyTests {
  @Test("C5: flatMap delivers every element one at a time")
  func c5FlatMapDeliversEveryElementOneAtATime() {
    let subjects = (0..<4).map { _ in PublishSubject<Int>() }
    let merged = Observable.from(subjects).flatMap { $0 }
    expectEveryElementOneAtATime(of: merged, feeding: subjects, each: 1_000)
  }

  @Test("concatMap goes on where the former ends") func concatMapGoesOnWhereTheFormerEnds() {
    for _ in 0..<200 {
      let subjects = (0..<4).map { _ in ReplaySubject<Int>.createUnbounded() }
      let source = PublishSubject<Int>()
      let log = SharedLog<Int>()
      _ = source.concatMap { subjects[$0] }.subscribe(
        onNext: { log.append($0) }, onCompleted: { log.append(-1) })
      onThreads(5) { thread in
        guard thread < 4 else {
          for index in 0..<4 { source.onNext(index) }
          return source.onCompleted()
        }
        for index in 0..<10 { subjects[thread].onNext(thread * 10 + index) }
        subjects[thread].onCompleted()
      }
      #expect(log.all == Array(0..<40) + [-1])
    }
  }

  @Test("C8: Inners of many threads are released with the output")
  func c8InnersOfManyThreadsAreReleasedWithTheOutput() {
    for _ in 0..<100 {
      let source = PublishSubject<PublishSubject<Int>>()
      let subjects = (0..<64).map { _ in PublishSubject<Int>() }
      let subscription = source.flatMap { $0 }.subscribe { _ in }
      onThreads(2) { thread in
        if thread == 0 {
          for (index, subject) in subjects.enumerated() {
            source.onNext(subject)
            if index.isMultiple(of: 3) { subject.onCompleted() }
          }
        } else {
          subscription.dispose()
        }
      }
      #expect(subjects.filter(\.hasObservers).count == 0)
    }
  }
}
