import KeylineCore
import KeylineTest
import TestSupport
import Testing

extension SharedSequenceConvertibleType
where SharingStrategy == DriverSharingStrategy, Element == Bool {
  fileprivate func inverted() -> Driver<Bool> { map { !$0 } }
}

extension SharedSequence where SharingStrategy == SignalSharingStrategy {
  fileprivate func asVoid() -> Signal<Void> { map { _ in } }
}

extension InfallibleType where Element == Int {
  fileprivate func tenfold() -> Infallible<Int> { map { $0 * 10 } }
}

/// What infallibles, drivers and signals emit, and when: in virtual time.
@Suite struct SharedSequenceTests {
  let scheduler = TestScheduler(initialClock: 0)

  func source(_ events: Recorded<Event<Int>>...) -> TestableObservable<Int> {
    scheduler.createHotObservable(events)
  }

  func mocked<Output: ObservableConvertibleType>(
    _ create: () -> Output
  ) -> [Recorded<Event<Output.Element>>] {
    var output: Output!
    SharingScheduler.mock(scheduler: scheduler) { output = create() }
    return scheduler.start { output }.events
  }

  // MARK: Infallible

  @Test("Infallible replaces errors") func infallibleReplacesErrors() {
    let failing = source(.next(210, 1), .error(220, Failure()))
    #expect(
      scheduler.start { failing.asInfallible(onErrorJustReturn: 9).tenfold() }.events
        == [.next(210, 10), .next(220, 90), .completed(220)])
    func events(_ infallible: Infallible<Int>) -> [Event<Int>] {
      var events: [Event<Int>] = []
      _ = infallible.subscribe { events.append($0) }
      return events
    }
    let error = Observable<Int>.error(Failure())
    #expect(
      events(error.asInfallible(onErrorFallbackTo: .of(1, 2))) == [
        .next(1), .next(2), .completed,
      ])
    #expect(events(error.asInfallible { _ in .empty() }) == [.completed])
  }

  @Test("Infallible create and subscribe") func infallibleCreateAndSubscribe() {
    var log: [String] = []
    let infallible = Infallible<Int>.create { observer in
      observer(.next(1))
      observer(.completed)
      observer(.next(2))
      return Disposables.create()
    }
    _ = infallible.subscribe(
      onNext: { log.append("\($0)") }, onCompleted: { log.append("completed") },
      onDisposed: { log.append("|") })
    #expect(log == ["1", "completed", "|"])
  }

  @Test("Operators of infallibles behave like operators of observables")
  func operatorsOfInfalliblesAreThoseOfObservables() {
    func values(_ infallible: Infallible<Int>) -> [Int] {
      var values: [Int] = []
      _ = infallible.subscribe(onNext: { values.append($0) })
      return values
    }
    let numbers = Infallible.of(1, 1, 2, 3, 4)
    #expect(values(numbers.filter { $0 > 2 }) == [3, 4])
    #expect(values(numbers.compactMap { $0 == 2 ? nil : $0 }) == [1, 1, 3, 4])
    #expect(values(numbers.distinctUntilChanged()) == [1, 2, 3, 4])
    #expect(values(numbers.distinctUntilChanged(at: \.self)) == [1, 2, 3, 4])
    #expect(values(numbers.distinctUntilChanged { $0 / 2 }) == [1, 2, 4])
    #expect(values(numbers.distinctUntilChanged { $0 == $1 }) == [1, 2, 3, 4])
    #expect(values(numbers.distinctUntilChanged({ $0 }, comparer: { $0 < $1 })) == [1, 1])
    #expect(values(numbers.take(2)) == [1, 1])
    #expect(values(numbers.skip(3)) == [3, 4])
    #expect(values(numbers.take(until: Infallible.just(0))) == [])
    #expect(values(numbers.startWith(8, 9)) == [8, 9, 1, 1, 2, 3, 4])
    #expect(values(.from(1...).take(3)) == [1, 2, 3])
    #expect(values(numbers.flatMapLatest { Infallible.just($0 * 2) }) == [2, 2, 4, 6, 8])
    #expect(values(Infallible.of(numbers.take(1), .just(7)).switchLatest()) == [1, 7])
    #expect(values(Infallible.of(Infallible.just(6), .just(7)).merge()) == [6, 7])
    #expect(values(Infallible.merge(.just(6), .just(7))) == [6, 7])
    #expect(values(numbers.withLatestFrom(Infallible.just(3)) { $0 * $1 }) == [3, 3, 6, 9, 12])
    #expect(values(numbers.skip(4).withLatestFrom(Infallible.just(3))) == [3])
    #expect(values(.combineLatest([.just(1), .just(2)]) { $0[0] + $0[1] }) == [3])
  }

  @Test("Infallibles are shared and debounced on request")
  func infalliblesAreSharedAndDebouncedOnRequest() {
    let source = source(.next(210, 1), .next(215, 2), .next(300, 3), .completed(400))
    let shared = source.asInfallible(onErrorJustReturn: 0).share(replay: 1)
    let late = scheduler.createObserver(Int.self)
    scheduler.scheduleAt(220) { _ = shared.asObservable().subscribe(late) }
    let result = scheduler.start { shared.debounce(.seconds(20), scheduler: scheduler) }
    #expect(result.events == [.next(235, 2), .next(320, 3), .completed(400)])
    #expect(late.events == [.next(220, 2), .next(300, 3), .completed(400)])
    #expect(source.subscriptions == [Subscription(200, 400)])
  }

  @Test("Combines any number of any type") func combinesAnyNumberOfAnyType() {
    var log: [String] = []
    _ = Infallible.combineLatest(Infallible.just(1), Infallible.just("a"), Infallible.just(true))
      .subscribe(
        onNext: { log.append("\($0.0) \($0.1) \($0.2)") })
    _ = Infallible.combineLatest(Infallible.just(1), Infallible.just("a")) { "\($0)\($1)" }
      .subscribe(onNext: { log.append($0) })
    #expect(log == ["1 a true", "1a"])
  }

  // MARK: Delivery

  @Test("A driver delivers on its scheduler") func aDriverDeliversOnItsScheduler() {
    let source = source(.next(210, 1), .next(220, 2), .error(230, Failure()))
    let events = mocked { source.asDriver(onErrorJustReturn: 9) }
    #expect(events == [.next(211, 1), .next(221, 2), .next(231, 9), .completed(231)])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test("Sources start on the scheduler") func sourcesStartOnTheScheduler() {
    #expect(mocked { Driver.just(1) } == [.next(201, 1), .completed(201)])
    #expect(self.fresh { Signal.of(1, 2) } == [.next(201, 1), .next(202, 2), .completed(203)])
    #expect(self.fresh { Driver<Int>.empty() } == [.completed(201)])
    #expect(self.fresh { Driver<Int>.never() } == [])
    #expect(
      self.fresh { Driver<Int>.interval(.seconds(100)).take(2) } == [
        .next(300, 0), .next(400, 1), .completed(400),
      ])
  }

  func fresh<Output: ObservableConvertibleType>(
    _ create: () -> Output
  ) -> [Recorded<Event<Output.Element>>] {
    SharedSequenceTests().mocked(create)
  }

  @Test("Errors make a driver go on with another") func errorsMakeADriverGoOnWithAnother() {
    let failing = Observable<Int>.error(Failure())
    #expect(
      fresh { failing.asDriver(onErrorDriveWith: .just(1)) } == [.next(202, 1), .completed(202)])
    let recovered = fresh {
      let fallback = Driver<Int>.empty()  // Built here: afterwards nothing is mocked.
      return failing.asDriver { _ in fallback }
    }
    #expect(recovered == [.completed(202)])
    #expect(
      fresh { failing.asSignal(onErrorSignalWith: .just(1)) } == [.next(202, 1), .completed(202)])
    #expect(fresh { failing.asSignal { _ in .never() } } == [])
    #expect(
      fresh { failing.asSignal(onErrorJustReturn: 3) } == [.next(201, 3), .completed(201)])
  }

  @Test("Debounce waits on the scheduler") func debounceWaitsOnTheScheduler() {
    let source = source(.next(210, 1), .next(215, 2), .next(300, 3))
    let events = mocked { source.asDriver(onErrorJustReturn: 0).debounce(.seconds(20)) }
    #expect(events == [.next(236, 2), .next(321, 3)])
  }

  // MARK: Sharing

  @Test("A driver shares one subscription and replays the latest")
  func aDriverSharesOneSubscriptionAndReplaysTheLatest() {
    let source = source(.next(210, 1), .next(220, 2), .next(240, 3), .completed(250))
    let (first, second) = (
      scheduler.createObserver(Int.self), scheduler.createObserver(Int.self)
    )
    var computed = 0
    SharingScheduler.mock(scheduler: scheduler) {
      let driver = source.asDriver(onErrorJustReturn: 0).map { value in
        computed += 1
        return value
      }
      scheduler.scheduleAt(200) { _ = driver.asObservable().subscribe(first) }
      scheduler.scheduleAt(230) { _ = driver.asObservable().subscribe(second) }
    }
    scheduler.start()
    #expect(first.events == [.next(211, 1), .next(221, 2), .next(241, 3), .completed(251)])
    #expect(second.events == [.next(230, 2), .next(241, 3), .completed(251)])
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(computed == 3)
  }

  @Test("A signal shares one subscription and replays nothing")
  func aSignalSharesOneSubscriptionAndReplaysNothing() {
    let source = source(.next(210, 1), .next(220, 2), .next(240, 3), .completed(250))
    let (first, second) = (
      scheduler.createObserver(Int.self), scheduler.createObserver(Int.self)
    )
    SharingScheduler.mock(scheduler: scheduler) {
      let signal = source.asSignal(onErrorJustReturn: 0)
      scheduler.scheduleAt(200) { _ = signal.asObservable().subscribe(first) }
      scheduler.scheduleAt(230) { _ = signal.asObservable().subscribe(second) }
    }
    scheduler.start()
    #expect(first.events == [.next(211, 1), .next(221, 2), .next(241, 3), .completed(251)])
    #expect(second.events == [.next(241, 3), .completed(251)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("Mocking ends with its action") func mockingEndsWithItsAction() {
    SharingScheduler.mock(scheduler: scheduler) {
      #expect(SharingScheduler.make() is TestScheduler)
      #expect(DriverSharingStrategy.scheduler is TestScheduler)
    }
    SharingScheduler.mock(makeScheduler: { ImmediateScheduler() }) {
      #expect(SharingScheduler.make() is ImmediateScheduler)
    }
    #expect(SharingScheduler.make() is MainScheduler)
  }
}

/// On the main actor, without annotations and without warnings: that this compiles is half of the
/// test. The elements are not `Sendable`.
@Suite @MainActor struct MainActorTraitTests {
  final class Model {
    let name: String
    init(_ name: String) { self.name = name }
  }

  @MainActor final class Screen {
    var title = ""
    var log: [String] = []
    private let bag = DisposeBag()

    func show(_ model: Driver<Model>, _ taps: Signal<Model>) {
      model.map(\.name).drive(onNext: { self.title = $0 }).disposed(by: bag)
      model.drive(with: self, onNext: { $0.log.append($1.name) }).disposed(by: bag)
      taps.emit(onNext: { [weak self] in self?.log.append("tap \($0.name)") }).disposed(by: bag)
    }

    func load(_ name: String) -> Single<Model> { .just(Model(name)) }

    func load() {
      load("single").observe(on: MainScheduler.instance)
        .subscribe(onSuccess: { self.title = $0.name }).disposed(by: bag)
    }
  }

  @Test("A driver delivers at once on the main thread") func aDriverDeliversAtOnceOnTheMainThread()
    async throws
  {
    let screen = Screen()
    let (model, taps) = (BehaviorRelay(value: Model("a")), PublishRelay<Model>())
    screen.show(model.asDriver(), taps.asSignal())
    #expect(screen.title == "a")
    model.accept(Model("b"))
    taps.accept(Model("c"))
    #expect(screen.title == "b")
    #expect(screen.log == ["a", "b", "tap c"])
    screen.load()
    // At once, unless other tests have something in the queue: then after that.
    _ = try await Single.just(0).observe(on: MainScheduler.instance).value
    #expect(screen.title == "single")
  }

  @Test("Drive and emit feed observers") func driveAndEmitFeedObservers() {
    let (value, event) = (BehaviorRelay(value: true), PublishRelay<Int>())
    let (a, b) = (BehaviorSubject(value: true), BehaviorSubject<Bool?>(value: nil))
    let numbers = ReplaySubject<Int>.createUnbounded()
    let optionals = ReplaySubject<Int?>.createUnbounded()
    let bag = DisposeBag()
    let driver = value.asDriver().inverted()
    driver.drive(a).disposed(by: bag)
    driver.drive(b).disposed(by: bag)
    let signal = event.asSignal()
    signal.emit(to: numbers).disposed(by: bag)
    signal.emit(to: optionals).disposed(by: bag)
    event.accept(1)
    event.accept(2)
    #expect(try! a.value() == false)
    #expect(try! b.value() == false)
    var seen: [Int?] = []
    numbers.subscribe(onNext: { seen.append($0) }).disposed(by: bag)
    optionals.subscribe(onNext: { seen.append($0) }).disposed(by: bag)
    #expect(seen == [1, 2, 1, 2])
    var count = 0
    signal.asVoid().emit(onNext: { count += 1 }).disposed(by: bag)
    event.accept(3)
    #expect(count == 1)
  }

  @Test("Drive and emit feed relays") func driveAndEmitFeedRelays() {
    let (value, event) = (BehaviorRelay(value: 1), PublishRelay<Int>())
    let (state, optional) = (BehaviorRelay(value: 0), BehaviorRelay<Int?>(value: nil))
    let (events, optionals) = (PublishRelay<Int>(), PublishRelay<Int?>())
    let bag = DisposeBag()
    var seen: [Int?] = []
    events.subscribe(onNext: { seen.append($0) }).disposed(by: bag)
    optionals.subscribe(onNext: { seen.append($0) }).disposed(by: bag)
    value.asDriver().drive(state).disposed(by: bag)
    value.asDriver().drive(optional).disposed(by: bag)
    #expect(state.value == 1)
    #expect(optional.value == 1)
    event.asSignal().emit(to: state).disposed(by: bag)
    event.asSignal().emit(to: optional).disposed(by: bag)
    event.asSignal().emit(to: events).disposed(by: bag)
    event.asSignal().emit(to: optionals).disposed(by: bag)
    event.accept(2)
    #expect(state.value == 2)
    #expect(optional.value == 2)
    #expect(seen == [2, 2])
  }

  @Test("Replay relays are drivers and are driven") func replayRelaysAreDriversAndAreDriven() {
    let (source, target) = (ReplayRelay<Int>.createUnbound(), ReplayRelay<Int>.createUnbound())
    let optionals = ReplayRelay<Int?>.createUnbound()
    source.accept(1)
    let bag = DisposeBag()
    source.asDriver().drive(target).disposed(by: bag)
    source.asDriver().drive(optionals).disposed(by: bag)
    source.asSignal(onErrorJustReturn: 0).emit(to: target).disposed(by: bag)
    source.asSignal(onErrorJustReturn: 0).emit(to: optionals).disposed(by: bag)
    var seen: [Int?] = []
    target.subscribe(onNext: { seen.append($0) }).disposed(by: bag)
    optionals.subscribe(onNext: { seen.append($0) }).disposed(by: bag)
    #expect(seen == [1, 1, 1, 1])
  }

  @Test("Drive with a transformation") func driveWithATransformation() {
    let relay = BehaviorRelay(value: 1)
    var seen: [Int] = []
    let subscription = relay.asDriver().drive { source in
      source.subscribe(onNext: { seen.append($0) })
    }
    subscription.dispose()
    let curried: (Observable<Int>) -> (Int) -> any Disposable = { source in
      { factor in source.subscribe(onNext: { seen.append($0 * factor) }) }
    }
    relay.asDriver().drive(curried)(10).dispose()
    #expect(seen == [1, 10])
  }
}

/// Elements made on other threads arrive on the main one, all of them, in order.
@Suite struct SharedSequenceConcurrencyTests {
  @MainActor @Test("A driver brings elements to the main thread in order")
  func aDriverBringsElementsToTheMainThreadInOrder() async {
    let subject = PublishSubject<Int>()
    var seen: [Int] = []
    let bag = DisposeBag()
    await withCheckedContinuation { continuation in
      subject.asDriver(onErrorJustReturn: -1).drive(
        onNext: {
          MainActor.assertIsolated()
          seen.append($0)
        }, onCompleted: { continuation.resume() }
      ).disposed(by: bag)
      Task.detached {
        for value in 0..<1_000 { subject.onNext(value) }
        subject.onError(Failure())
      }
    }
    #expect(seen == Array(0..<1_000) + [-1])
  }
}
