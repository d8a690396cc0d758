import Dispatch
import KeylineCore
import KeylineTest
import Testing

/// Typical code for RxCocoa, as in ``TraitSourceTests``: drivers, signals and infallibles together,
/// each combination with the type of its result.
@Suite @MainActor struct AcrossTraitsSourceTests {
  let disposeBag = DisposeBag()

  @Test("Every combination") func everyCombination() {
    let (relay, events) = (BehaviorRelay<Int>(value: 1), PublishRelay<Int>())
    let (driver, signal) = (relay.asDriver(), events.asSignal())
    let infallible: Infallible<Int> = relay.asInfallible()
    let observable: Observable<Int> = relay.asObservable()

    let driversOfDrivers: [Driver<Int>] = [
      driver.flatMap { Driver.just($0) }, driver.flatMapLatest { _ in driver },
      driver.flatMapFirst { .just($0) }, driver.concatMap { _ in Driver.just(1) },
      driver.map { Driver.just($0) }.switchLatest(), driver.map { Driver.just($0) }.merge(),
      driver.map { Driver.just($0) }.merge(maxConcurrent: 1),
    ]
    let signalsOfDrivers: [Signal<Int>] = [
      driver.flatMap { Signal.just($0) }, driver.flatMapLatest { _ in signal.startWith(1) },
      driver.flatMapFirst { Signal.just($0) }, driver.concatMap { Signal.just($0) },
      driver.map { Signal.just($0) }.switchLatest(), driver.map { Signal.just($0) }.merge(),
    ]
    let driversOfSignals: [Driver<Int>] = [
      signal.startWith(1).flatMap { _ in driver }, Signal.just(1).flatMapLatest { _ in driver },
      Signal.just(1).flatMapFirst { _ in driver }, Signal.just(driver).switchLatest(),
    ]
    let infallibles: [Infallible<Int>] = [
      infallible.flatMap { Infallible.just($0) }, infallible.flatMap { .just($0) },
      infallible.flatMapLatest { _ in driver }, infallible.flatMapLatest { _ in observable },
      infallible.flatMapFirst { Single.just($0) }, infallible.concatMap { Observable.just($0) },
      infallible.map { _ in observable }.merge(), infallible.take(until: Observable<Int>.never()),
      infallible.withLatestFrom(relay), Infallible.combineLatest(infallible, driver) { $0 * $1 },
      Infallible.zip(infallible, relay) { $0 * $1 },
    ]
    let combined: [Driver<Int>] = [
      driver.withLatestFrom(driver), driver.withLatestFrom(infallible) { $0 * $1 },
      Driver.combineLatest(driver, infallible, relay) { $0 * $1 * $2 },
      Driver.combineLatest(driver, driver, driver, driver).map { $0.0 * $0.1 * $0.2 * $0.3 },
      Driver.zip(driver, relay) { $0 * $1 },
      Signal.just(1).withLatestFrom(driver).asDriver(onErrorJustReturn: 0),
      observable.asSharedSequence(onErrorJustReturn: 0),
    ]
    var count = 0
    for driver in driversOfDrivers + driversOfSignals + combined {
      driver.drive(onNext: { count += $0 }).disposed(by: disposeBag)
    }
    #expect(count == 18)
    for signal in signalsOfDrivers {
      signal.emit(onNext: { count += $0 }).disposed(by: disposeBag)
    }
    #expect(count == 24)
    for infallible in infallibles {
      infallible.subscribe(onNext: { count += $0 }).disposed(by: disposeBag)
    }
    #expect(count == 35)
  }

  /// A generic function over the protocol, as libraries have them.
  @Test("Extensions are generic over the strategy") func extensionsAreGenericOverTheStrategy() {
    var values: [Int] = []
    let driver = Observable.of(1, 2).asDriver(onErrorJustReturn: 0)
    driver.doubled().drive(onNext: { values.append($0) }).disposed(by: disposeBag)
    Signal.of(3).doubled().emit(onNext: { values.append($0) }).disposed(by: disposeBag)
    #expect(values == [2, 4, 6])
  }

  @Test("Intervals in variables") func intervalsInVariables() throws {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.1)
    let (pause, timeout): (RxTimeInterval, Double) = (.milliseconds(500), 2)
    let result = scheduler.start {
      Observable<Int>.timer(pause, scheduler: scheduler)
        .debounce(pause, scheduler: scheduler)
        .timeout(.seconds(3), scheduler: scheduler)
    }
    #expect(result.events == [.next(205, 0), .completed(205)])
    #expect(try Observable.just(1).toBlocking(timeout: timeout).single() == 1)
  }
}

extension SharedSequenceConvertibleType where Element == Int {
  fileprivate func doubled() -> SharedSequence<SharingStrategy, Int> {
    flatMap { SharedSequence<SharingStrategy, Int>.just($0 * 2) }.filter { $0 > 0 }
  }
}
