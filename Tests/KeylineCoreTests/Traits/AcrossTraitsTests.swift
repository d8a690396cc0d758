import KeylineCore
import KeylineTest
import TestSupport
import Testing

// What programs add for RxCocoa, under names that the library has, too.
extension SharedSequenceConvertibleType {
  fileprivate func flatMapLatest<Source: SharedSequenceConvertibleType>(
    _ selector: @escaping (Element) -> Source
  ) -> SharedSequence<Source.SharingStrategy, Source.Element> {
    flatMapLatest { selector($0).asSharedSequence() }
  }

  fileprivate func map<Result>(
    _ keyPath: KeyPath<Element, Result>
  ) -> SharedSequence<SharingStrategy, Result> {
    map { $0[keyPath: keyPath] }
  }

  fileprivate func filter(_ isIncluded: Bool) -> SharedSequence<SharingStrategy, Element> {
    filter { _ in isIncluded }
  }
}

/// Drivers, signals and infallibles taken by each other's operators: the trait of the result stands
/// in the type of a constant, the events in literal lists.
@Suite struct AcrossTraitsTests {
  let scheduler = TestScheduler(initialClock: 0)

  func hot(_ events: Recorded<Event<Int>>...) -> TestableObservable<Int> {
    scheduler.createHotObservable(events)
  }

  func infallible(_ events: Recorded<Event<Int>>...) -> Infallible<Int> {
    scheduler.createHotObservable(events).asInfallible(onErrorJustReturn: -1)
  }

  /// The events of the returned sequence. Drivers and signals, including the results of selectors,
  /// deliver one tick after their sources.
  func events<Output: ObservableConvertibleType>(
    _ make: () -> Output
  ) -> [Recorded<Event<Output.Element>>] {
    var events: [Recorded<Event<Output.Element>>] = []
    SharingScheduler.mock(scheduler: scheduler) {
      let output = make()
      events = scheduler.start { output }.events
    }
    return events
  }

  // MARK: Flattening

  @Test("A driver of signals is a signal") func aDriverOfSignalsIsASignal() {
    let (outer, inner) = (hot(.next(210, 0), .next(300, 10)), hot(.next(250, 1), .next(350, 2)))
    let events = events {
      let (driver, signal) = (
        outer.asDriver(onErrorJustReturn: 0), inner.asSignal(onErrorJustReturn: 0)
      )
      let latest: Signal<Int> = driver.flatMapLatest { base in signal.map { base + $0 } }
      return latest
    }
    #expect(events == [.next(251, 1), .next(351, 12)])
    #expect(inner.subscriptions == [Subscription(211, 301), Subscription(301, 1000)])
  }

  @Test("A signal of drivers is a driver") func aSignalOfDriversIsADriver() {
    let state = BehaviorRelay(value: 5)
    let taps = hot(.next(210, 1), .next(220, 2), .completed(230))
    scheduler.scheduleAt(215) { state.accept(6) }
    let events = events {
      let (signal, driver) = (taps.asSignal(onErrorJustReturn: 0), state.asDriver())
      let all: Driver<Int> = signal.flatMap { tap in driver.map { tap * $0 }.filter(true) }
      return all
    }
    // The driver replays its latest element to the second subscription at once.
    #expect(events == [.next(212, 5), .next(216, 6), .next(221, 12)])
  }

  @Test("The flattening operators accept any trait")
  func whatComesFirstOrInTurnIsFlattenedAcrossTraits() {
    func values(
      _ make: (Signal<Int>, @escaping (Int) -> Driver<Int>) -> Driver<Int>
    ) -> [Recorded<Event<Int>>] {
      let test = AcrossTraitsTests()
      let source = test.hot(.next(210, 1), .next(220, 2), .completed(230))
      return test.events {
        make(source.asSignal(onErrorJustReturn: 0)) { base in
          Driver.interval(.seconds(20)).take(1).map { base * 10 + $0 }
        }
      }
    }
    #expect(
      values { $0.flatMapFirst($1) } == [.next(231, 10), .completed(231)])
    #expect(
      values { $0.concatMap($1) } == [.next(231, 10), .next(251, 20), .completed(251)])
    #expect(
      values { $0.map($1).merge(maxConcurrent: 1) } == [
        .next(231, 10), .next(251, 20), .completed(251),
      ])
    #expect(
      values { $0.map($1).merge() } == [.next(231, 10), .next(241, 20), .completed(241)])
    #expect(values { $0.map($1).switchLatest() } == [.next(241, 20), .completed(241)])
  }

  @Test("An infallible of anything is infallible") func anInfallibleOfAnythingIsInfallible() {
    let source = infallible(.next(210, 1), .next(220, 2), .completed(230))
    let relay = BehaviorRelay(value: 5)
    let ofRelays: Infallible<Int> = source.flatMapLatest { _ in relay }
    let ofSingles: Infallible<Int> = source.flatMap { Single.just($0 * 10) }
    let first: Infallible<Int> = source.flatMapFirst {
      Observable.just($0).concat(Observable<Int>.never())
    }
    let inTurn: Infallible<Int> = source.concatMap { Maybe.just($0) }
    let merged: Infallible<Int> = source.map { Observable.of($0, $0) }.merge(maxConcurrent: 2)
    let latest: Infallible<Int> = source.map { Observable.just($0) }.switchLatest()
    let results = [ofRelays, ofSingles, first, inTurn, merged, latest].map { result in
      let observer = scheduler.createObserver(Int.self)
      scheduler.scheduleAt(200) { _ = result.asObservable().subscribe(observer) }
      return observer
    }
    scheduler.start()
    #expect(
      results.map { $0.events.compactMap(\.value.element) } == [
        [5, 5], [10, 20], [1], [1, 2], [1, 1, 2, 2], [1, 2],
      ])
  }

  /// C9: the error is handled, though no observer downstream can.
  @Test("An error in an infallible is reported and completes its part")
  func anErrorInAnInfallibleIsReportedAndCompletesItsPart() async {
    await #expect(processExitsWith: .success) {
      let log = SharedLog<String>()
      Hooks.defaultErrorHandler = { _, error in log.append("\(error)") }
      let numbers = Infallible.of(1, 2, 3)
      let flattened = numbers.concatMap { number in
        number == 2 ? Observable<Int>.error(RxError.timeout) : .just(number)
      }
      _ = flattened.subscribe { log.append("\($0)") }
      _ = numbers.take(until: Observable<Int>.error(RxError.noElements))
        .subscribe(onNext: { log.append("\($0)") }, onCompleted: { log.append("end") })
      #expect(
        log.all == [
          "next(1)", "\(RxError.timeout)", "next(3)", "completed", "\(RxError.noElements)", "1",
          "2", "3", "end",
        ])
    }
  }

  // MARK: Combining

  @Test("withLatestFrom takes anything that cannot fail")
  func withLatestFromTakesAnythingThatCannotFail() {
    let (taps, state) = (hot(.next(210, 1), .next(230, 2), .next(250, 3)), BehaviorRelay(value: 5))
    scheduler.scheduleAt(240) { state.accept(6) }
    let events = events {
      let signal = taps.asSignal(onErrorJustReturn: 0)
      let latest: Signal<Int> = signal.withLatestFrom(state.asDriver())
      let both: Signal<Int> = latest.withLatestFrom(state) { $0 * 10 + $1 }
      return both
    }
    #expect(events == [.next(211, 55), .next(231, 55), .next(251, 66)])
  }

  /// What arrives at the same tick is combined at that tick, in order: a driver and a signal share
  /// their scheduler.
  @Test("Drivers and signals are combined without delay")
  func driversAndSignalsAreCombinedWithoutDelay() {
    func events(_ make: (Driver<Int>, Signal<Int>) -> Signal<Int>) -> [Recorded<Event<Int>>] {
      let test = AcrossTraitsTests()
      let (state, taps) = (
        test.hot(.next(210, 1), .next(220, 2)), test.hot(.next(210, 10), .next(220, 20))
      )
      return test.events {
        make(state.asDriver(onErrorJustReturn: 0), taps.asSignal(onErrorJustReturn: 0))
      }
    }
    let pairs: [Recorded<Event<Int>>] = [.next(211, 11), .next(221, 22)]
    #expect(events { $1.withLatestFrom($0) { $0 + $1 } } == pairs)
    #expect(events { Signal.zip($1, $0) { $0 + $1 } } == pairs)
    #expect(events { $1.sample($0) } == [.next(221, 10)])
    #expect(
      events { Signal.combineLatest($0, $1) { $0 + $1 } } == [
        .next(211, 11), .next(221, 12), .next(221, 22),
      ])
  }

  @Test("combineLatest and zip take anything that cannot fail")
  func combineLatestAndZipTakeAnythingThatCannotFail() {
    let (taps, names) = (hot(.next(210, 1), .next(230, 2)), PublishRelay<String>())
    scheduler.scheduleAt(220) { names.accept("a") }
    scheduler.scheduleAt(240) { names.accept("b") }
    let latest = events {
      let taps = taps.asSignal(onErrorJustReturn: 0)
      let combined: Driver<String> = Driver.combineLatest(taps, names) { "\($1)\($0)" }
      let tuple: Driver<(String, Int)> = Driver.combineLatest(combined, Infallible.just(7))
      return tuple.map { "\($0.0)\($0.1)" }
    }
    #expect(latest.map(\.value.element) == ["a17", "a27", "b27"])
    #expect(latest.map(\.time).map { $0 / 10 } == [22, 23, 24])
    let other = AcrossTraitsTests()
    let (left, right) = (other.hot(.next(210, 1), .next(220, 2)), other.hot(.next(230, 7)))
    let zipped = other.events {
      let (left, right) = (
        left.asDriver(onErrorJustReturn: 0), right.asSignal(onErrorJustReturn: 0)
      )
      let tuple: Signal<(Int, Int)> = Signal.zip(left, right)
      let sum: Driver<Int> = Driver.zip(left, tuple.map(\.1)) { $0 + $1 }
      return sum
    }
    #expect(zipped.map(\.value.element) == [8])
  }

  @Test("sample takes a sampler that is not shared") func sampledByWhatIsNotShared() {
    let (source, ticks) = (hot(.next(210, 1), .next(220, 2)), PublishRelay<Void>())
    for time in [215, 230, 240] { scheduler.scheduleAt(time) { ticks.accept(()) } }
    let events = events { () -> Driver<Int> in
      source.asDriver(onErrorJustReturn: 0).sample(ticks, defaultValue: 9)
    }
    // Delivered on the driver's scheduler, a tick after the relay's thread.
    #expect(events == [.next(216, 1), .next(231, 2), .next(241, 9)])
  }

  @Test("An infallible until an observable emits") func anInfallibleUntilAnObservable() {
    let source = infallible(.next(210, 1), .next(220, 2), .next(230, 3), .completed(300))
    let (start, end) = (hot(.next(215, 0)), hot(.next(225, 0)))
    let result = scheduler.start { source.skip(until: start).take(until: end) }
    #expect(result.events == [.next(220, 2), .completed(225)])
    #expect(start.subscriptions == [Subscription(200, 215)])
    #expect(end.subscriptions == [Subscription(200, 225)])
  }

  // MARK: Conversions

  @Test("asSharedSequence") func asSharedSequence() {
    let failing = hot(.next(210, 1), .error(220, Failure()))
    let events = events { () -> Driver<Int> in
      let signal: Signal<Int> = failing.asSharedSequence(onErrorJustReturn: 2)
      let driver = signal.asObservable()
        .asSharedSequence(sharingStrategy: DriverSharingStrategy.self, onErrorDriveWith: .empty())
      return driver.asObservable().asSharedSequence { _ in .never() }
    }
    #expect(events.map(\.value) == [.next(1), .next(2), .completed])
  }

  /// The selectors and key paths of the extensions above: each finds the library's operator, not
  /// itself.
  @Test("Extensions of a program do not hide the librarys operators")
  func extensionsOfAProgramDoNotHideTheLibrarysOperators() {
    let source = hot(.next(210, 1), .next(220, 22))
    let events = events { () -> Signal<Int> in
      let driver = source.asDriver(onErrorJustReturn: 0).map(\.description)
      let signal: Signal<String> = driver.flatMapLatest { .just($0) }
      return signal.flatMapLatest { Signal.just($0) }.map { $0 + "!" }.map(\.count)
    }
    #expect(events.map(\.value) == [.next(2), .next(3)])
  }
}
