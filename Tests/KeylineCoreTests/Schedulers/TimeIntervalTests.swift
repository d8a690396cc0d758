import Dispatch
import KeylineCore
import KeylineTest
import Testing

/// Intervals in the types that programs have them in.
@Suite struct TimeIntervalTests {
  let scheduler = TestScheduler(initialClock: 0)
  /// As a program written for RxSwift declares it.
  let interval: DispatchTimeInterval = .seconds(20)

  @Test("Dispatch's intervals are durations") func dispatchsIntervalsAreDurations() {
    let intervals: [DispatchTimeInterval] = [
      .seconds(2), .milliseconds(2), .microseconds(2), .nanoseconds(2),
    ]
    #expect(
      intervals.map { $0.asDuration() } == [
        .seconds(2), .milliseconds(2), .microseconds(2), .nanoseconds(2),
      ])
    #expect(DispatchTimeInterval.never.asDuration() == .never)
  }

  /// Every operator that takes an interval.
  @Test("Operators take intervals") func operatorsTakeIntervals() {
    func sources(_ interval: Duration) -> [Observable<Int>] {
      let source = Observable<Int>.interval(interval, scheduler: scheduler).take(3)
      let single = Single<Int>.timer(interval, scheduler: scheduler)
      let infallible = source.asInfallible(onErrorJustReturn: 0)
      return [
        source, source.debounce(interval, scheduler: scheduler),
        source.throttle(interval, scheduler: scheduler),
        source.delay(interval, scheduler: scheduler),
        source.delaySubscription(interval, scheduler: scheduler),
        source.timeout(interval, scheduler: scheduler).catchAndReturn(-1),
        source.timeout(interval, other: Observable.just(-1), scheduler: scheduler),
        source.take(for: interval, scheduler: scheduler),
        source.skip(interval, scheduler: scheduler),
        source.skip(interval, scheduler: scheduler),
        source.buffer(timeSpan: interval, count: 2, scheduler: scheduler).map(\.count),
        source.window(timeSpan: interval, count: 2, scheduler: scheduler).flatMap { $0 },
        .timer(interval, scheduler: scheduler),
        Observable.timer(interval, period: interval, scheduler: scheduler).take(2),
        single.asObservable(),
        single.timeout(interval, other: .just(-1), scheduler: scheduler)
          .asObservable(),
        Completable.timer(interval, scheduler: scheduler).andThen(Observable.just(0)),
        infallible.skip(interval, scheduler: scheduler).asObservable(),
        infallible.skip(interval, scheduler: scheduler).asObservable(),
      ]
    }
    func shared(_ interval: Duration) -> [Observable<Int>] {
      let driver = Driver<Int>.interval(interval).take(3)
      return [
        driver, driver.debounce(interval), driver.throttle(interval), driver.delay(interval),
        Driver.timer(interval, period: interval).take(2),
      ].map { $0.asObservable() }
    }
    var (dispatch, durations): ([Observable<Int>], [Observable<Int>]) = ([], [])
    SharingScheduler.mock(scheduler: scheduler) {
      dispatch = sources(interval.asDuration()) + shared(interval.asDuration())
      durations = sources(.seconds(20)) + shared(.seconds(20))
    }
    let observers = (dispatch + durations).map { source in
      let observer = scheduler.createObserver(Int.self)
      _ = source.subscribe(observer)
      return observer
    }
    scheduler.start()
    let events = observers.map(\.events)
    #expect(Array(events.prefix(dispatch.count)) == Array(events.suffix(durations.count)))
    #expect(events[0] == [.next(20, 0), .next(40, 1), .next(60, 2), .completed(60)])
    #expect(events.filter { $0.first.map { $0.time > 0 } ?? false }.count == events.count)
  }

  @Test("A dot stands for a duration") func aDotStandsForADuration() {
    let pauses: [Int: Duration] = [1: .seconds(1)]
    let source = Observable<Int>.timer(pauses[1] ?? .zero, scheduler: scheduler)
      .delay(.milliseconds(1_500), scheduler: scheduler)
      .delay(.seconds(0.5) * 2, scheduler: scheduler)
      .delay(.microseconds(500_000) + .nanoseconds(500_000_000), scheduler: scheduler)
      .delay(.milliseconds(1_000.0), scheduler: scheduler)
      .delay(.microseconds(1_000_000.0), scheduler: scheduler)
    #expect(scheduler.start { source }.events.map(\.time) == [207, 208])
  }

  @Test("Schedulers take Dispatch's intervals") func schedulersTakeDispatchsIntervals() {
    var ticks: [Duration] = []
    let timer = scheduler.schedulePeriodic(
      0, startAfter: interval.asDuration(), period: .seconds(5)
    ) { count in
      ticks.append(scheduler.now)
      return count + 1
    }
    let pause: DispatchTimeInterval = .seconds(33)
    _ = scheduler.scheduleRelative((), dueTime: pause.asDuration()) { _ in
      timer.dispose()
      return Disposables.create()
    }
    scheduler.start()
    #expect(ticks == [.seconds(20), .seconds(25), .seconds(30)])
  }

  @Test("Never is an interval") func neverIsAnInterval() {
    let pause: RxTimeInterval = .never
    let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
    let pairs = scheduler.start {
      source.delaySubscription(.zero, scheduler: scheduler)
        .buffer(timeSpan: .never, count: 2, scheduler: scheduler)
        .timeout(pause, scheduler: scheduler)
    }
    #expect(pairs.events == [.next(220, [1, 2]), .next(230, []), .completed(230)])
  }

  /// An element after 10 ticks, another after 20, completion after 30, behind operators with the
  /// longest and the shortest interval there is.
  @Test(
    "The longest and the shortest interval saturate",
    arguments: [Duration(attoseconds: .max), Duration(attoseconds: .min)])
  func theLongestAndTheShortestIntervalSaturate(_ limit: Duration) {
    let scheduler = scheduler
    func times(_ apply: (Observable<Int>) -> Observable<Int>) -> [Int] {
      let start = scheduler.clock
      let cold = scheduler.createColdObservable([.next(10, 1), .next(20, 2), .completed(30)])
      let observer = scheduler.createObserver(Int.self)
      let subscription = apply(cold.asObservable()).subscribe(observer)
      scheduler.advanceTo(start + 100)
      subscription.dispose()
      return observer.events.filter { $0.value.element != nil }.map { $0.time - start }
    }
    let isLong = limit > .zero
    #expect(times { $0.delay(limit, scheduler: scheduler) } == (isLong ? [] : [11, 21]))
    #expect(times { $0.throttle(limit, scheduler: scheduler) } == (isLong ? [10] : [10, 20]))
    #expect(times { $0.debounce(limit, scheduler: scheduler) } == (isLong ? [30] : [11, 21]))
    #expect(times { $0.delaySubscription(limit, scheduler: scheduler) }.count == (isLong ? 0 : 2))
    #expect(times { $0.take(for: limit, scheduler: scheduler) }.count == (isLong ? 2 : 0))
    #expect(times { $0.skip(limit, scheduler: scheduler) }.count == (isLong ? 0 : 2))
    #expect(
      times { _ in Observable.timer(.seconds(1), period: limit, scheduler: scheduler).take(2) }
        .count == (isLong ? 1 : 2))
  }

  /// On a machine with words of 32 bits, two seconds of nanoseconds are all that a word can count.
  @Test("Dispatch's intervals fit words of 32 bits") func dispatchsIntervalsFitWordsOf32Bits() {
    let limit = Int(Int32.max)
    let expected: KeyValuePairs<Duration, DispatchTimeInterval> = [
      .seconds(-1): .nanoseconds(0), .zero: .nanoseconds(0),
      Duration(secondsComponent: 0, attosecondsComponent: 1): .nanoseconds(1),
      .nanoseconds(Int32.max): .nanoseconds(limit),
      .nanoseconds(Int64(Int32.max) + 1): .milliseconds(2_148),
      .seconds(3): .milliseconds(3_000), .milliseconds(Int32.max): .milliseconds(limit),
      .milliseconds(Int64(Int32.max) + 1): .seconds(2_147_484),
      .seconds(86_400 * 365): .seconds(86_400 * 365), .seconds(Int32.max): .seconds(limit),
      .seconds(Int64(Int32.max) + 1): .never, .never: .never,
    ]
    for (duration, interval) in expected {
      #expect(duration.dispatchInterval(upTo: limit) == interval, "\(duration)")
    }
    #expect(Duration.seconds(3).dispatchInterval() == .nanoseconds(3_000_000_000))
    #expect(Duration(attoseconds: .min).dispatchInterval() == .nanoseconds(0))
    #expect(Duration(attoseconds: .max).dispatchInterval() == .never)
  }

  /// RxTest's and RxBlocking's seconds.
  @Test("The test kit takes seconds") func theTestKitTakesSeconds() throws {
    let fine = TestScheduler(initialClock: 0, resolution: 0.2)
    let result = fine.start { Observable<Int>.timer(.seconds(2), scheduler: fine) }
    #expect(result.events == [.next(210, 0), .completed(210)])
    let timeout: Double = 2
    #expect(try Observable.of(1, 2).toBlocking(timeout: 2).toArray() == [1, 2])
    #expect(try Observable.of(1, 2).toBlocking(timeout: timeout).last() == 2)
    #expect(try Observable.of(1, 2).toBlocking(timeout: nil).first() == 1)
    #expect(throws: RxError.timeout) {
      try Observable<Int>.never().toBlocking(timeout: 0.001).first()
    }
  }
}
