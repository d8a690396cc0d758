import Foundation
import KeylineCore
import KeylineFoundation
import KeylineTest
import Testing

extension PrimitiveSequence where Trait == SingleTrait {
  fileprivate func twice() -> Single<(Element, Element)> { map { ($0, $0) } }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
  fileprivate func then(_ action: @escaping () -> Void) -> Completable { `do`(onCompleted: action) }
}

extension SharedSequenceConvertibleType where SharingStrategy == DriverSharingStrategy {
  fileprivate func ignored() -> Driver<Void> { map { _ in } }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
  fileprivate func later(_ scheduler: any SchedulerType) -> Single<Element>
  where Element: Sendable {
    delay(.seconds(1), scheduler: scheduler).retry(2).timeout(.seconds(9), scheduler: scheduler)
  }
}

extension InfallibleType {
  fileprivate func later(_ scheduler: any SchedulerType) -> Infallible<Element>
  where Element: Sendable {
    delay(.seconds(1), scheduler: scheduler).debounce(.seconds(1), scheduler: scheduler)
  }
}

extension ObservableType where Element == Bool {
  fileprivate func inverted() -> Observable<Bool> { map(!) }
}

@MainActor extension Reactive where Base: TraitSourceTests.Control {
  fileprivate var value: ControlProperty<String?> {
    ControlProperty(
      values: base.changes.startWith(base.text), valueSink: Binder(base) { $0.text = $1 })
  }

  fileprivate var tap: ControlEvent<Void> { ControlEvent(events: base.taps) }
}

/// Typical code for RxSwift 6 and RxCocoa, as in ``ObservableSourceTests``: traits, subjects,
/// relays, schedulers, and what programs are made of.
@Suite @MainActor struct TraitSourceTests {
  @MainActor final class Control: ReactiveCompatible {
    var text: String?
    var isHidden = false
    let taps = PublishSubject<Void>()
    let changes = PublishSubject<String?>()
  }

  final class ViewModel {
    struct Input {
      let query: Driver<String>
      let refresh: Signal<Void>
    }

    struct Output {
      let results: Driver<[String]>
      let isLoading: Driver<Bool>
    }

    private let loading = BehaviorRelay(value: false)

    func search(_ query: String) -> Single<[String]> { .just([query, query.uppercased()]) }

    func transform(_ input: Input) -> Output {
      let query = input.query.distinctUntilChanged().filter { !$0.isEmpty }
      let refreshed = input.refresh.asDriver(onErrorJustReturn: ()).withLatestFrom(query)
      let results = Driver.merge(query, refreshed)
        .do(onNext: { [weak self] _ in self?.loading.accept(true) })
        .flatMapLatest { [weak self] query -> Driver<[String]> in
          guard let self else { return .empty() }
          return self.search(query).asDriver(onErrorJustReturn: [])
        }
        .do(onNext: { [weak self] _ in self?.loading.accept(false) })
      return Output(results: results, isLoading: loading.asDriver().skip(1))
    }
  }

  let disposeBag = DisposeBag()

  @Test("A view model") func aViewModel() {
    let (query, refresh) = (BehaviorRelay(value: ""), PublishRelay<Void>())
    let model = ViewModel()
    let output = model.transform(.init(query: query.asDriver(), refresh: refresh.asSignal()))
    var (results, loading): ([[String]], [Bool]) = ([], [])
    output.isLoading.drive(onNext: { loading.append($0) }).disposed(by: disposeBag)
    output.results.drive(onNext: { results.append($0) }).disposed(by: disposeBag)
    query.accept("a")
    query.accept("a")
    refresh.accept(())
    #expect(results == [["a", "A"], ["a", "A"]])
    #expect(loading == [true, false, true, false])
  }

  @Test("Primitive sequences") func primitiveSequences() async throws {
    let single: Single<Int> = Single<Int>.create { single -> Disposable in
      single(.success(1))
      return Disposables.create()
    }
    let maybe: Maybe<Int> = Maybe<Int>.create { maybe in
      maybe(.success(1))
      return Disposables.create()
    }
    let completable: Completable = Completable.create { completable in
      completable(.completed)
      return Disposables.create()
    }
    var log: [String] = []
    single.subscribe(onSuccess: { log.append("\($0)") }, onFailure: { _ in }).disposed(
      by: disposeBag)
    single.subscribe { (result: Result<Int, Error>) in
      switch result {
      case .success(let value): log.append("\(value)")
      case .failure(let error): log.append("\(error)")
      }
    }.disposed(by: disposeBag)
    maybe.subscribe { event in
      switch event {
      case .success(let value): log.append("\(value)")
      case .error(let error): log.append("\(error)")
      case .completed: log.append("completed")
      }
    }.disposed(by: disposeBag)
    completable.then { log.append("then") }.subscribe { (event: CompletableEvent) in
      switch event {
      case .completed: log.append("completed")
      case .error(let error): log.append("\(error)")
      }
    }.disposed(by: disposeBag)
    #expect(log == ["1", "1", "1", "then", "completed"])

    let strings: Single<String> = single.map { "\($0)" }
    let filtered: Maybe<Int> = single.filter { $0 > 0 }
    let compact: Maybe<Int> = strings.compactMap { Int($0) }
    let pair: Single<(Int, Int)> = single.twice()
    let zipped: Single<(Int, String)> = Single.zip(single, strings)
    let zippedWith: Single<Int> = Single.zip(single, single) { $0 + $1 }
    let many: Single<[Int]> = Single.zip([single, single])
    let flat: Single<Int> = single.flatMap { .just($0) }
    let flatMaybe: Maybe<Int> = single.flatMapMaybe { .just($0) }
    let flatCompletable: Completable = single.flatMapCompletable { _ in .empty() }
    let caught: Single<Int> = single.catch { _ in .just(0) }.catchAndReturn(0).retry(2).retry()
    let after: Single<Int> = completable.andThen(single)
    let afterObservable: Observable<Int> = completable.andThen(Observable.just(1))
    let all: Completable = Completable.zip(completable, completable)
    let each: Completable = Completable.concat(completable, completable)
    let filled: Single<Int> = maybe.ifEmpty(default: 0)
    let asMaybe: Maybe<Int> = single.asMaybe()
    let asSingle: Single<Int> = maybe.asSingle()
    let asCompletable: Completable = single.asCompletable()
    let asObservable: Observable<Int> = single.asObservable()
    let infallible: Infallible<Int> = single.asInfallible(onErrorJustReturn: 0)
    let (value, optional) = (try await caught.value, try await filtered.value)
    try await all.concat(each).andThen(asCompletable).andThen(flatCompletable).value
    #expect(value == 1 && optional == 1)
    #expect(try await zippedWith.value == 2)
    #expect(try await many.value == [1, 1])
    let ((number, string), (first, second)) = (try await zipped.value, try await pair.value)
    #expect(number == 1 && string == "1" && first == 1 && second == 1)
    for single in [flat, after, filled, asSingle] { #expect(try await single.value == 1) }
    for maybe in [compact, flatMaybe, asMaybe] { #expect(try await maybe.value == 1) }
    for try await value in afterObservable.concat(asObservable).values { #expect(value == 1) }
    for await value in infallible.values { #expect(value == 1) }
    let detached: Single<Int> = Single.create(detached: true, priority: .high) { 7 }
    #expect(try await detached.value == 7)
  }

  @Test("Shared sequences") func sharedSequences() {
    let relay = BehaviorRelay<Int>(value: 1)
    let driver: Driver<Int> = relay.asDriver()
    let other: SharedSequence<DriverSharingStrategy, String> = driver.map { "\($0)" }
    let failing: Observable<Int> = .error(RxError.unknown)
    let drivers: [Driver<Int>] = [
      failing.asDriver(onErrorJustReturn: 1), failing.asDriver(onErrorDriveWith: .just(1)),
      failing.asDriver { _ in .just(1) }, driver.filter { $0 > 0 }, driver.compactMap { $0 },
      driver.flatMap { .just($0) }, driver.flatMapFirst { .just($0) },
      driver.flatMapLatest { .just($0) }, driver.distinctUntilChanged(),
      driver.startWith(0).skip(1),
      driver.scan(0) { $0 + $1 }, driver.do(onNext: { _ in }), driver.debug("driver"),
      Driver.combineLatest(driver, other) { $0 + $1.count - 1 },
      Driver.zip(driver, other) { $0 + $1.count - 1 }, driver.withLatestFrom(driver),
      Driver.concat(.just(1)), Driver.from([1]), Driver.of(1), Driver.deferred { .just(1) },
    ]
    var values: [Int] = []
    for driver in drivers { driver.drive(onNext: { values.append($0) }).disposed(by: disposeBag) }
    #expect(values == Array(repeating: 1, count: 20))
    let tuple: Driver<(Int, String)> = Driver.combineLatest(driver, other)
    let ticks: Driver<Int> = Driver<Int>.interval(.seconds(1000))
    let slow: Driver<Int> = driver.throttle(.seconds(1)).debounce(.seconds(1)).delay(.seconds(1))
    for driver in [tuple.ignored(), ticks.ignored(), slow.ignored()] {
      driver.drive().dispose()
    }
    let signal: Signal<Int> = PublishRelay<Int>().asSignal()
    signal.emit(onNext: { values.append($0) }).disposed(by: disposeBag)
    signal.emit(with: disposeBag, onNext: { _, _ in }).disposed(by: disposeBag)
    driver.drive(with: disposeBag, onNext: { _, _ in }).disposed(by: disposeBag)
    Signal.just(2).emit(to: relay).disposed(by: disposeBag)
    #expect(relay.value == 2)
  }

  @Test("Infallibles") func infallibles() {
    let infallible: Infallible<Int> = Infallible<Int>.create { observer in
      observer(.next(1))
      observer(.completed)
      return Disposables.create()
    }
    let relay = BehaviorRelay(value: 0)
    infallible.bind(to: relay).disposed(by: disposeBag)
    infallible.bind(with: relay) { $0.accept($1) }.disposed(by: disposeBag)
    infallible.subscribe(with: relay, onNext: { $0.accept($1) }).disposed(by: disposeBag)
    let pair: Infallible<(Int, Int)> = Infallible.combineLatest(infallible, infallible)
    let sum: Infallible<Int> = Infallible.zip(infallible, infallible) { $0 + $1 }
    pair.subscribe(onNext: { relay.accept($0.0) }).disposed(by: disposeBag)
    sum.subscribe(onNext: { relay.accept($0) }, onCompleted: {}, onDisposed: {})
      .disposed(by: disposeBag)
    #expect(relay.value == 2)
  }

  @Test("Controls") func controls() {
    let control = Control()
    let title = BehaviorRelay<String>(value: "title")
    title.asDriver().drive(control.rx.text).disposed(by: disposeBag)
    title.bind(to: control.rx.text).disposed(by: disposeBag)
    title.map { $0.isEmpty }.inverted().bind(to: control.rx.isHidden).disposed(by: disposeBag)
    #expect(control.text == "title" && control.isHidden)
    control.rx.value.orEmpty.bind(to: title).disposed(by: disposeBag)
    control.rx.value.orEmpty.asDriver().drive(title).disposed(by: disposeBag)
    control.rx.value.changed.subscribe(onNext: { title.accept($0 ?? "") }).disposed(by: disposeBag)
    var taps = 0
    control.rx.tap.bind { taps += 1 }.disposed(by: disposeBag)
    control.rx.tap.asSignal().emit(onNext: { taps += 1 }).disposed(by: disposeBag)
    control.rx.tap.withLatestFrom(title).bind(to: title).disposed(by: disposeBag)
    control.taps.onNext(())
    control.changes.onNext("edited")
    #expect(taps == 2 && title.value == "edited" && control.text == "edited")
  }

  @Test("Subjects and relays") func subjectsAndRelays() throws {
    let (publish, behavior) = (PublishSubject<Int>(), BehaviorSubject<Int>(value: 0))
    let (replay, async) = (ReplaySubject<Int>.create(bufferSize: 1), AsyncSubject<Int>())
    publish.subscribe(behavior).disposed(by: disposeBag)
    publish.bind(to: replay.asObserver(), async.asObserver()).disposed(by: disposeBag)
    let relay = PublishRelay<Int?>()
    publish.bind(to: relay).disposed(by: disposeBag)
    publish.on(.next(1))
    publish.onCompleted()
    let value: Int = try behavior.value()
    #expect(value == 1)
    let all: ReplayRelay<Int> = ReplayRelay<Int>.createUnbound()
    all.accept(1)
    #expect(publish.hasObservers == false)
  }

  @Test("Schedulers") func schedulers() {
    let schedulers: [ImmediateSchedulerType] = [
      CurrentThreadScheduler.instance, MainScheduler.instance, MainScheduler.asyncInstance,
      ConcurrentMainScheduler.instance,
      SerialDispatchQueueScheduler(internalSerialQueueName: "serial"),
      SerialDispatchQueueScheduler(qos: .background),
      SerialDispatchQueueScheduler(queue: .global(), internalSerialQueueName: "serial"),
      ConcurrentDispatchQueueScheduler(qos: .userInitiated),
      ConcurrentDispatchQueueScheduler(queue: .global()),
      OperationQueueScheduler(operationQueue: OperationQueue()),
      HistoricalScheduler(initialClock: Date()),
    ]
    #expect(schedulers.count == 11)
    var rounds: [Int] = []
    CurrentThreadScheduler.instance.scheduleRecursive(3) { state, recurse in
      rounds.append(state)
      if state > 0 { recurse(state - 1) }
    }.disposed(by: disposeBag)
    #expect(rounds == [3, 2, 1, 0])
  }

  @Test("Extensions of traits keep the trait through the operators of a scheduler")
  func extensionsOfTraitsKeepTheTraitThroughASchedulersOperators() {
    let scheduler = TestScheduler(initialClock: 0)
    let single = scheduler.start { Single.just(1).later(scheduler) }
    #expect(single.events == [.next(201, 1), .completed(202)])
    let again = TestScheduler(initialClock: 0)
    let infallible = again.start { Infallible.just(1).later(again) }
    #expect(infallible.events == [.next(202, 1), .completed(202)])
  }

  @Test("Test kit") func testKit() throws {
    let scheduler = TestScheduler(initialClock: 0, resolution: .seconds(1))
    let hot: TestableObservable<Int> = scheduler.createHotObservable([
      .next(210, 1), .error(220, RxError.timeout),
    ])
    let cold = scheduler.createColdObservable([Recorded.next(10, 1), .completed(20)])
    let observer: TestableObserver<Int> = scheduler.createObserver(Int.self)
    scheduler.scheduleAt(200) { cold.bind(to: observer).disposed(by: disposeBag) }
    let result = scheduler.start(created: 100, subscribed: 200, disposed: 1000) { hot.map { $0 } }
    #expect(result.events == [.next(210, 1), .error(220, RxError.timeout)])
    #expect(observer.events == Recorded.events(.next(210, 1), .completed(220)))
    #expect(cold.subscriptions == [Subscription(200, 220)])
    #expect(try Observable.of(1, 2).toBlocking(timeout: .seconds(1)).toArray() == [1, 2])
    #expect(try Observable.of(1, 2).toBlocking().last() == 2)
  }
}
