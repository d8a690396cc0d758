import KeylineCore
import KeylineTest
import Testing

/// The operators of traits that take a scheduler or a predicate: each forwards to the operator of
/// observables and preserves the trait. The event tables of the operators are tested with
/// observables.
@Suite struct TraitTimingTests {
  let scheduler = TestScheduler(initialClock: 0)

  func single(_ time: Int) -> Single<Int> {
    scheduler.createColdObservable([.next(time, 1), .completed(time)]).asSingle()
  }

  func infallible(_ events: Recorded<Event<Int>>...) -> Infallible<Int> {
    scheduler.createHotObservable(events).asInfallible(onErrorJustReturn: -1)
  }

  func driver(_ make: (Driver<Int>) -> Driver<Int>, of events: Recorded<Event<Int>>...)
    -> [Recorded<Event<Int>>]
  {
    let source = scheduler.createHotObservable(events)
    var driver: Driver<Int>!
    SharingScheduler.mock(scheduler: scheduler) {
      driver = make(source.asDriver(onErrorJustReturn: -1))
    }
    return scheduler.start { driver }.events
  }

  @Test("Subscribe on and delays") func subscribeOnAndDelays() {
    let subscribed: Single<Int> = single(10).subscribe(on: scheduler)
    #expect(scheduler.start { subscribed }.events == [.next(211, 1), .completed(211)])
    let delayed = TraitTimingTests()
    #expect(
      delayed.scheduler.start {
        delayed.single(10).delay(.seconds(5), scheduler: delayed.scheduler)
      }
      .events == [.next(215, 1), .completed(216)])
    let late = TraitTimingTests()
    let completable: Completable = late.single(10).asCompletable()
    #expect(
      late.scheduler.start {
        completable.delaySubscription(.seconds(30), scheduler: late.scheduler)
      }.events == [.completed(240)])
  }

  @Test("A timeout fails or switches") func aTimeoutFailsOrSwitches() {
    let failing = scheduler.start { single(50).timeout(.seconds(20), scheduler: scheduler) }
    #expect(failing.events == [.error(220, RxError.timeout)])
    let other = TraitTimingTests()
    let switched = other.scheduler.start {
      other.single(50).timeout(.seconds(20), other: .just(7), scheduler: other.scheduler)
    }
    #expect(switched.events == [.next(220, 7), .completed(220)])
    let maybe = TraitTimingTests()
    let intime = maybe.scheduler.start {
      maybe.single(5).asMaybe().timeout(.seconds(20), scheduler: maybe.scheduler)
    }
    #expect(intime.events == [.next(205, 1), .completed(205)])
  }

  @Test("Infallibles are thinned out") func infalliblesAreThinnedOut() {
    let source = infallible(
      .next(210, 1), .next(212, 2), .next(230, 3), .next(231, 4), .completed(250))
    let throttled = scheduler.start { source.throttle(.seconds(5), scheduler: scheduler) }
    #expect(
      throttled.events == [
        .next(210, 1), .next(215, 2), .next(230, 3), .next(235, 4), .completed(250),
      ])
    let other = TraitTimingTests()
    let first = other.infallible(.next(210, 1), .next(212, 2), .completed(250))
      .throttle(.seconds(5), latest: false, scheduler: other.scheduler)
    #expect(other.scheduler.start { first }.events == [.next(210, 1), .completed(250)])
    let third = TraitTimingTests()
    let rest = third.infallible(.next(210, 1), .next(212, 2), .next(250, 3))
      .skip(.seconds(11), scheduler: third.scheduler)
      .take(for: .seconds(20), scheduler: third.scheduler)
    #expect(third.scheduler.start { rest }.events == [.next(212, 2), .completed(220)])
  }

  @Test("Drivers use their scheduler") func driversUseTheirScheduler() {
    #expect(
      driver({ $0.throttle(.seconds(5)) }, of: .next(210, 1), .next(212, 2), .completed(250))
        == [.next(211, 1), .next(216, 2), .completed(251)])
    let other = TraitTimingTests()
    #expect(
      other.driver({ $0.delay(.seconds(5)) }, of: .next(210, 1), .completed(250))
        == [.next(216, 1), .completed(256)])
  }

  func events<Output: ObservableConvertibleType>(_ output: Output) -> [Event<Output.Element>] {
    var events: [Event<Output.Element>] = []
    _ = output.asObservable().subscribe { events.append($0) }
    return events
  }

  @Test("Unfailing sequences are cut by predicates") func unfailingSequencesAreCutByPredicates() {
    let numbers = Infallible.of(1, 2, 3, 4)
    #expect(events(numbers.take(while: { $0 < 3 })) == [.next(1), .next(2), .completed])
    #expect(events(numbers.take(until: { $0 == 2 })) == [.next(1), .completed])
    #expect(
      events(numbers.take(until: { $0 == 2 }, behavior: .inclusive))
        == [.next(1), .next(2), .completed])
    #expect(events(numbers.takeLast(1)) == [.next(4), .completed])
    #expect(events(numbers.skip(while: { $0 < 4 })) == [.next(4), .completed])
    #expect(events(numbers.skip(until: Infallible<Int>.never())) == [])
  }

  @Test("Unfailing sequences accumulate") func unfailingSequencesAccumulate() {
    let numbers = Infallible.of(1, 2, 3)
    let sums: [Event<Int>] = [.next(1), .next(3), .next(6), .completed]
    #expect(events(numbers.scan(0) { $0 + $1 }) == sums)
    #expect(events(numbers.scan(into: 0) { $0 += $1 }) == sums)
    #expect(events(numbers.enumerated().map { $0.index * $0.element }).count == 4)
    #expect(events(numbers.enumerated().map { $0.index * $0.element })[2] == .next(6))
    #expect(events(numbers.debug("numbers")).count == 4)
  }

  @Test("An empty sequence gets the replacement") func whatIsEmptyIsFilled() {
    let filled: [Event<Int>] = [.next(1), .completed]
    let none = Infallible<Int>.empty()
    #expect(events(none.ifEmpty(default: 1)) == filled)
    #expect(events(none.ifEmpty(switchTo: .just(1))) == filled)
    let single: Single<Int> = Maybe.empty().ifEmpty(default: 1)
    #expect(events(single) == filled)
    let other: Single<Int> = Maybe<Int>.empty().ifEmpty(switchTo: Single.just(1))
    #expect(events(other) == filled)
    let maybe: Maybe<Int> = Maybe<Int>.just(1).ifEmpty(switchTo: Maybe.empty())
    #expect(events(maybe) == filled)
    #expect(events(Infallible.from(optional: 1)) == filled)
    #expect(events(Infallible<Int>.from(optional: nil)) == [.completed])
  }

  @Test("Infallibles of a Swift sequence run on the scheduler")
  func infalliblesOfASwiftSequenceRunOnTheScheduler() {
    let result = scheduler.start { Infallible.of(1, 2, scheduler: scheduler) }
    #expect(result.events == [.next(201, 1), .next(202, 2), .completed(203)])
  }
}
