import KeylineTest
import TestSupport
import Testing

@testable import KeylineCore

@Suite struct FilteringTests {
  let scheduler = TestScheduler(initialClock: 0)

  /// 1 at 210, 2 at 220, 3 at 230, 1 at 240, end at 250.
  var source: TestableObservable<Int> {
    scheduler.createHotObservable([
      .next(150, 0), .next(210, 1), .next(220, 2), .next(230, 3), .next(240, 1), .completed(250),
    ])
  }

  // MARK: By predicate

  @Test(
    "Take while ends with the first that fails", arguments: [TakeBehavior.exclusive, .inclusive])
  func takeWhileEndsWithTheFirstThatFails(behavior: TakeBehavior) {
    let source = source
    let result = scheduler.start { source.take(while: { $0 < 3 }, behavior: behavior) }
    let last: [Recorded<Event<Int>>] = behavior == .inclusive ? [.next(230, 3)] : []
    #expect(result.events == [.next(210, 1), .next(220, 2)] + last + [.completed(230)])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test("Take until predicate is the opposite") func takeUntilPredicateIsTheOpposite() {
    let source = source
    let result = scheduler.start { source.take(until: { $0 == 2 }, behavior: .inclusive) }
    #expect(result.events == [.next(210, 1), .next(220, 2), .completed(220)])
    #expect(events(of: Observable.from(1...).take(until: { $0 > 1 })) == [.next(1), .completed])
  }

  @Test("take(while:) and skip(while:) end with the error that is thrown")
  func takeWhileAndSkipWhileEndWithWhatIsThrown() {
    let source = source
    let taken = scheduler.start {
      source.take(while: { if $0 == 2 { throw Failure() } else { true } })
    }
    #expect(taken.events == [.next(210, 1), .error(220, Failure())])
    let skipped = Observable.of(1, 2).skip(while: { _ in throw Failure() })
    #expect(events(of: skipped) == [.error(Failure())])
  }

  @Test("Skip while opens for good") func skipWhileOpensForGood() {
    let source = source
    let result = scheduler.start { source.skip(while: { $0 < 3 }) }
    #expect(result.events == [.next(230, 3), .next(240, 1), .completed(250)])
  }

  // MARK: By another

  @Test("Skip until opens with the other") func skipUntilOpensWithTheOther() {
    let source = source
    let other = scheduler.createHotObservable([.next(225, "now"), .next(235, "again")])
    let result = scheduler.start { source.skip(until: other) }
    #expect(result.events == [.next(230, 3), .next(240, 1), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(other.subscriptions == [Subscription(200, 225)])
  }

  @Test(
    "A source that completes before the gate opens releases everything", arguments: [true, false])
  func aSourceThatCompletesBeforeTheGateOpensReleasesEverything(isSynchronous: Bool) {
    final class Token {}
    weak var token: Token?
    var isDisposed = false
    let gate = PublishSubject<Int>()
    do {
      let made = Token()
      token = made
      let source = PublishSubject<Int>()
      _ = (isSynchronous ? .empty() : source.asObservable()).skip(until: gate)
        .subscribe(
          onNext: { _ in withExtendedLifetime(made) {} }, onCompleted: { Issue.record() },
          onDisposed: { isDisposed = true })
      source.onCompleted()
    }
    #expect(isDisposed && token == nil && !gate.hasObservers)
  }

  @Test("Skip until emits nothing if the other does not")
  func skipUntilEmitsNothingIfTheOtherDoesNot() {
    let source = source
    let silent = scheduler.createHotObservable([.completed(215, Int.self)])
    let result = scheduler.start { source.skip(until: silent) }
    #expect(result.events == [])
    #expect(source.subscriptions == [Subscription(200, 250)])
    let failing = Observable<Int>.never().skip(until: Observable<Int>.error(Failure()))
    #expect(events(of: failing) == [.error(Failure())])
    let failed = Observable<Int>.error(Failure()).skip(until: Observable<Int>.never())
    #expect(events(of: failed) == [.error(Failure())])
  }

  @Test("Skip until leaves the other when the source has completed")
  func skipUntilLeavesTheOtherWhenTheSourceHasCompleted() {
    let source = source
    let other = scheduler.createHotObservable([Recorded<Event<Int>>.error(300, Failure())])
    let result = scheduler.start { source.skip(until: other) }
    #expect(result.events == [])
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(other.subscriptions == [Subscription(200, 250)])
    let trigger = PublishSubject<Int>()
    _ = Observable<Int>.create { observer in
      observer.onCompleted()
      return Disposables.create()
    }.skip(until: trigger).subscribe { _ in }
    #expect(!trigger.hasObservers)
  }

  // MARK: By time

  @Test("Take for ends with its time") func takeForEndsWithItsTime() {
    let source = source
    let result = scheduler.start { source.take(for: .seconds(25), scheduler: scheduler) }
    #expect(result.events == [.next(210, 1), .next(220, 2), .completed(225)])
    #expect(source.subscriptions == [Subscription(200, 225)])
  }

  @Test("Skip for leaves out its time but not the end") func skipForLeavesOutItsTimeButNotTheEnd() {
    let source = source
    let result = scheduler.start { source.skip(.seconds(25), scheduler: scheduler) }
    #expect(result.events == [.next(230, 3), .next(240, 1), .completed(250)])
    let other = TestScheduler(initialClock: 0)
    let short = other.createHotObservable([.next(210, 1), .completed(220)])
    let end = other.start { short.skip(.seconds(50), scheduler: other) }
    #expect(end.events == [.completed(220)])
  }

  // MARK: By position

  @Test(
    "takeLast emits at the end", arguments: [(-1, []), (0, []), (2, [3, 1]), (9, [1, 2, 3, 1])])
  func takeLastEmitsAtTheEnd(count: Int, values: [Int]) {
    let source = source
    let result = scheduler.start { source.takeLast(count) }
    #expect(result.events == values.map { .next(250, $0) } + [.completed(250)])
  }

  @Test("takeLast of a failure is the failure") func takeLastOfAFailureIsTheFailure() {
    let source = Observable.of(1, 2).concat(Observable.error(Failure()))
    #expect(events(of: source.takeLast(1)) == [.error(Failure())])
  }

  @Test("takeLast stops when it is left") func takeLastStopsWhenItIsLeft() {
    var seen: [Int] = []
    let last = Observable.of(1, 2, 3).takeLast(3)
    _ = last.do(onNext: { seen.append($0) }).take(1).subscribe()
    #expect(seen == [1])
    let failing = last.map { element in
      seen.append(element)
      throw Failure()
    }
    _ = failing.subscribe(onError: { _ in })
    #expect(seen == [1, 1])
  }

  @Test("Element at ends with its element") func elementAtEndsWithItsElement() {
    let source = source
    let result = scheduler.start { source.element(at: 1) }
    #expect(result.events == [.next(220, 2), .completed(220)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("Element at fails if there is none", arguments: [-1, 3]) func elementAtFailsIfThereIsNone(
    index: Int
  ) {
    let source = Observable.of(1, 2, 3)
    #expect(events(of: source.element(at: index)) == [.error(RxError.argumentOutOfRange)])
  }

  @Test("Single passes the only one") func singlePassesTheOnlyOne() {
    let source = source
    let result = scheduler.start { source.single() }
    #expect(result.events == [.next(210, 1), .error(220, RxError.moreThanOneElement)])
    #expect(source.subscriptions == [Subscription(200, 220)])
    #expect(events(of: Observable<Int>.empty().single()) == [.error(RxError.noElements)])
    #expect(events(of: Observable.just(1).single()) == [.next(1), .completed])
    let numbers = Observable.of(1, 2, 3)
    #expect(events(of: numbers.single { $0 == 2 }) == [.next(2), .completed])
    #expect(events(of: numbers.single { $0 > 3 }) == [.error(RxError.noElements)])
    #expect(events(of: numbers.single { _ in throw Other() }) == [.error(Other())])
  }

  @Test("First element is nil if there is none") func firstElementIsNilIfThereIsNone() {
    #expect(events(of: Observable.from(1...).first().asObservable()) == [.next(1), .completed])
    #expect(events(of: Observable<Int>.empty().first().asObservable()) == [.next(nil), .completed])
    let failed = Observable<Int>.error(Failure()).first().asObservable()
    #expect(events(of: failed) == [.error(Failure())])
  }

  @Test("An operator that emits at the end emits once") func whatEmitsAtTheEndDoesSoOnce() {
    var seen: [Int?] = []
    _ = Observable.just(1).take(1).takeLast(2).first().asObservable().do(onNext: { seen.append($0) }
    )
    .subscribe()
    #expect(seen == [1])
  }

  @Test("ignoreElements passes the end") func ignoreElementsPassesTheEnd() {
    let source = source
    let result: TestableObserver<Never> = scheduler.start { source.ignoreElements() }
    #expect(result.events.map(\.time) == [250])
    #expect(result.events.map(\.value.isCompleted) == [true])
  }

  // MARK: Sampling

  @Test("Sample emits the latest when the sampler emits")
  func sampleEmitsTheLatestWhenTheSamplerEmits() {
    let source = source
    let sampler = scheduler.createHotObservable([
      .next(215, ""), .next(217, ""), .next(235, ""), .next(260, ""), .completed(270),
    ])
    let result = scheduler.start { source.sample(sampler) }
    #expect(
      result.events == [.next(215, 1), .next(235, 3), .next(260, 1), .completed(260)])
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(sampler.subscriptions == [Subscription(200, 260)])
  }

  @Test("Sample falls back to its default") func sampleFallsBackToItsDefault() {
    let source = source
    let sampler = scheduler.createHotObservable([
      .next(205, 0), .next(215, 0), .next(217, 0), .completed(255),
    ])
    let result = scheduler.start { source.sample(sampler, defaultValue: 9) }
    #expect(
      result.events == [
        .next(205, 9), .next(215, 1), .next(217, 9), .next(255, 1), .completed(255),
      ])
  }

  @Test("Sample ends with the first error") func sampleEndsWithTheFirstError() {
    let source = source
    let sampler = scheduler.createHotObservable([.next(215, 0), .error(225, Failure())])
    let result = scheduler.start { source.sample(sampler) }
    #expect(result.events == [.next(215, 1), .error(225, Failure())])
    let failed = Observable<Int>.error(Other()).sample(Observable<Int>.never())
    #expect(events(of: failed) == [.error(Other())])
  }

  @Test("Throttle emits at once then the latest in time")
  func throttleEmitsAtOnceThenTheLatestInTime() {
    let source = scheduler.createHotObservable([
      .next(210, 1), .next(215, 2), .next(218, 3), .next(255, 4), .next(260, 5), .next(275, 6),
      .completed(290),
    ])
    let result = scheduler.start { source.throttle(.seconds(20), scheduler: scheduler) }
    #expect(
      result.events == [
        .next(210, 1), .next(230, 3), .next(255, 4), .next(275, 6), .completed(290),
      ])
  }

  @Test("throttle without latest drops elements that come too early")
  func throttleWithoutLatestDropsWhatComesTooEarly() {
    let source = scheduler.createHotObservable([
      .next(210, 1), .next(215, 2), .next(230, 3), .next(249, 4), .completed(260),
    ])
    let result = scheduler.start {
      source.throttle(.seconds(20), latest: false, scheduler: scheduler)
    }
    #expect(result.events == [.next(210, 1), .next(230, 3), .completed(260)])
  }

  @Test("throttle completes after the waiting element, but fails at once")
  func throttleCompletesAfterWhatWaitsButFailsAtOnce() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(215, 2), .completed(216)])
    let result = scheduler.start { source.throttle(.seconds(20), scheduler: scheduler) }
    #expect(result.events == [.next(210, 1), .next(230, 2), .completed(230)])
    #expect(source.subscriptions == [Subscription(200, 216)])
    let other = TestScheduler(initialClock: 0)
    let failing = other.createHotObservable([.next(210, 1), .next(215, 2), .error(216, Failure())])
    let failed = other.start { failing.throttle(.seconds(20), scheduler: other) }
    #expect(failed.events == [.next(210, 1), .error(216, Failure())])
  }
}
