import KeylineCore
import KeylineTest
import TestSupport
import Testing

/// What sequences made from nothing emit, and when.
@Suite struct CreatingTests {
  let scheduler = TestScheduler(initialClock: 0)

  func events<Element>(_ source: Observable<Element>) -> [Event<Element>] {
    var events: [Event<Element>] = []
    _ = source.subscribe { events.append($0) }
    return events
  }

  // MARK: Factories

  @Test("Deferred is made anew for every observer") func deferredIsMadeAnewForEveryObserver() {
    var count = 0
    let source = Observable<String>.deferred {
      count += 1
      return .just(count.isMultiple(of: 2) ? "even" : "odd")
    }
    #expect(count == 0)
    #expect(events(source) == [.next("odd"), .completed])
    #expect(events(source) == [.next("even"), .completed])
    #expect(events(Observable<Int>.deferred { throw Failure() }) == [.error(Failure())])
  }

  @Test("Using disposes its resource with the sequence")
  func usingDisposesItsResourceWithTheSequence() {
    let source = scheduler.createColdObservable([.next(10, 1), .completed(20)])
    var log: [String] = []
    let observable = Observable<Int>.using({
      log.append("made \(scheduler.clock)")
      return CompositeDisposable(
        Disposables.create { log.append("disposed \(scheduler.clock)") })
    }) { _ in source.asObservable() }
    let result = scheduler.start { observable }
    #expect(result.events == [.next(210, 1), .completed(220)])
    #expect(log == ["made 200", "disposed 220"])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("Using disposes its resource on disposal and when the factory throws")
  func usingDisposesItsResourceOnDisposalAndWhenTheFactoryThrows() {
    var log: [String] = []
    let make = { CompositeDisposable(Disposables.create { log.append("disposed") }) }
    Observable<Int>.using(make) { _ in .never() }.subscribe { _ in }.dispose()
    #expect(log == ["disposed"])
    #expect(events(Observable<Int>.using(make) { _ in throw Failure() }) == [.error(Failure())])
    #expect(log == ["disposed", "disposed"])
    let failing = Observable<Int>.using({ () throws -> BooleanDisposable in throw Failure() }) {
      _ in .just(1)
    }
    #expect(events(failing) == [.error(Failure())])
  }

  @Test(
    "using disposes its resource after the onDisposed of a termination, and before the onDisposed of a disposal"
  ) func usingDisposesItsResourceAfterOnDisposedOfATerminationAndBeforeThatOfADisposal() {
    var log: [String] = []
    let subject = PublishSubject<Int>()
    func observe(_ source: Observable<Int>) -> any Disposable {
      log = []
      let make = { CompositeDisposable(Disposables.create { log.append("resource") }) }
      return Observable<Int>.using(make) { _ in source.do(onDispose: { log.append("source") }) }
        .subscribe(onCompleted: { log.append("completed") }, onDisposed: { log.append("end") })
    }
    _ = observe(subject)
    subject.onCompleted()
    #expect(log == ["completed", "end", "source", "resource"])
    _ = observe(.empty())
    #expect(log == ["completed", "end", "source", "resource"])
    observe(.never()).dispose()
    #expect(log == ["source", "resource", "end"])
  }

  // MARK: Sequences

  @Test("Without a scheduler sequences emit inside subscribe")
  func withoutASchedulerSequencesEmitInsideSubscribe() {
    #expect(events(.of(1, 2)) == [.next(1), .next(2), .completed])
    #expect(events(.from([1, 2])) == [.next(1), .next(2), .completed])
    #expect(events(.from(optional: 1)) == [.next(1), .completed])
    #expect(events(.from(optional: Int?.none)) == [.completed])
    #expect(events(.range(start: 3, count: 2)) == [.next(3), .next(4), .completed])
    #expect(events(.range(start: 3, count: 0)) == [.completed])
    #expect(events(.repeatElement(1).take(2)) == [.next(1), .next(1), .completed])
    let powers = Observable.generate(initialState: 1, condition: { $0 < 20 }, iterate: { $0 * 3 })
    #expect(events(powers) == [.next(1), .next(3), .next(9), .completed])
  }

  @Test("With a scheduler every event is an action of its own")
  func withASchedulerEveryEventIsAnActionOfItsOwn() {
    let sources: [(Observable<Int>, [Recorded<Event<Int>>])] = [
      (.just(1, scheduler: scheduler), [.next(201, 1), .completed(202)]),
      (.of(1, 2, scheduler: scheduler), [.next(201, 1), .next(202, 2), .completed(203)]),
      (.from([1, 2], scheduler: scheduler), [.next(201, 1), .next(202, 2), .completed(203)]),
      (.from([], scheduler: scheduler), [.completed(201)]),
      (.from(optional: 1, scheduler: scheduler), [.next(201, 1), .completed(202)]),
      (.from(optional: nil, scheduler: scheduler), [.completed(201)]),
      (
        .range(start: 10, count: 3, scheduler: scheduler),
        [.next(201, 10), .next(202, 11), .next(203, 12), .completed(204)]
      ),
      (.range(start: .max, count: 1, scheduler: scheduler), [.next(201, .max), .completed(202)]),
      (.range(start: 0, count: 0, scheduler: scheduler), [.completed(201)]),
      (
        .generate(
          initialState: 0, condition: { $0 <= 2 }, scheduler: scheduler, iterate: { $0 + 1 }),
        [.next(201, 0), .next(202, 1), .next(203, 2), .completed(204)]
      ),
    ]
    let observers = sources.map { source, _ in
      let observer = scheduler.createObserver(Int.self)
      scheduler.scheduleAt(200) { _ = source.subscribe(observer) }
      return observer
    }
    scheduler.start()
    #expect(observers.map(\.events) == sources.map(\.1))
  }

  @Test("Disposal ends scheduled actions") func disposalEndsWhatIsScheduled() {
    let result = scheduler.start(disposed: 203) {
      Observable.repeatElement(7, scheduler: scheduler)
    }
    #expect(result.events == [.next(201, 7), .next(202, 7)])
  }

  @Test("generate ends with the error that its closures throw")
  func generateEndsWithWhatItsClosuresThrow() {
    let condition = Observable.generate(
      initialState: 0, condition: { if $0 == 2 { throw Failure() } else { true } },
      iterate: { $0 + 1 })
    #expect(events(condition) == [.next(0), .next(1), .error(Failure())])
    let iterate = scheduler.start {
      Observable.generate(
        initialState: 0, condition: { _ in true }, scheduler: scheduler,
        iterate: { if $0 == 1 { throw Failure() } else { $0 + 1 } })
    }
    #expect(iterate.events == [.next(201, 0), .next(202, 1), .error(203, Failure())])
  }

  // MARK: Timers

  @Test("Timer emits once or again and again") func timerEmitsOnceOrAgainAndAgain() {
    let once = scheduler.start {
      Observable<Int>.timer(.seconds(100), scheduler: scheduler)
    }
    #expect(once.events == [.next(300, 0), .completed(300)])
    let other = TestScheduler(initialClock: 0)
    let periodic = other.start(disposed: 350) {
      Observable<Int>.timer(.seconds(10), period: .seconds(50), scheduler: other)
    }
    #expect(periodic.events == [.next(210, 0), .next(260, 1), .next(310, 2)])
    let early = TestScheduler(initialClock: 0)
    let disposed = early.start(disposed: 290) {
      Observable<Int>.timer(.seconds(100), scheduler: early)
    }
    #expect(disposed.events == [])
  }
}

/// Sequences that are subscribed to on one thread take turns.
@Suite struct CurrentThreadTests {
  @Test("Work scheduled meanwhile waits") func workScheduledMeanwhileWaits() {
    var log: [String] = []
    func schedule(_ name: String, then body: @escaping () -> Void = {}) -> any Disposable {
      CurrentThreadScheduler.instance.schedule(name) { name in
        log.append("\(name) begins")
        body()
        log.append("\(name) ends")
        return Disposables.create()
      }
    }
    #expect(CurrentThreadScheduler.isScheduleRequired)
    _ = schedule("outer") {
      #expect(!CurrentThreadScheduler.isScheduleRequired)
      _ = schedule("first") { _ = schedule("third") }
      _ = schedule("second")
      schedule("cancelled").dispose()
    }
    #expect(CurrentThreadScheduler.isScheduleRequired)
    #expect(
      log == ["outer", "first", "second", "third"].flatMap { ["\($0) begins", "\($0) ends"] })
  }

  @Test("Recursive work does not use up the stack") func recursiveWorkDoesNotUseUpTheStack() {
    var count = 0
    func again() {
      _ = CurrentThreadScheduler.instance.schedule(()) { _ in
        count += 1
        if count < 100_000 { again() }
        return Disposables.create()
      }
    }
    again()
    #expect(count == 100_000)
  }

  @Test("Combined sequences take turns") func combinedSequencesTakeTurns() {
    var values: [String] = []
    _ = Observable.combineLatest(Observable.of(1, 2, 3), Observable.of("a", "b")) { "\($0)\($1)" }
      .subscribe(onNext: { values.append($0) })
    #expect(values == ["1a", "2a", "2b", "3b"])
  }

  @Test("Endless sequences take turns") func endlessSequencesTakeTurns() {
    var values: [[Int]] = []
    let numbers = Observable.generate(initialState: 0, condition: { _ in true }) { $0 + 1 }
    _ = Observable.combineLatest(numbers, Observable.repeatElement(7)) { [$0, $1] }.take(3)
      .subscribe(onNext: { values.append($0) })
    #expect(values == [[0, 7], [1, 7], [1, 7]])
  }

  @Test("A sequence subscribed to by an observer waits for its turn")
  func aSequenceSubscribedToByAnObserverWaitsForItsTurn() {
    var values: [Int] = []
    _ = Observable.of(1, 2).subscribe(onNext: { value in
      _ = Observable.of(value * 10, value * 100).subscribe(onNext: { values.append($0) })
      values.append(value)
    })
    #expect(values == [1, 10, 2, 100, 20, 200])
  }

  @Test("A sequence on the CurrentThreadScheduler takes turns like one without")
  func aSequenceOnTheCurrentThreadSchedulerTakesTurnsLikeOneWithout() {
    var values: [[Int]] = []
    let scheduled = Observable.of(1, 2, 3, scheduler: CurrentThreadScheduler.instance)
    _ = Observable.combineLatest(scheduled, Observable.of(10, 20, 30)) { [$0, $1] }
      .subscribe(onNext: { values.append($0) })
    #expect(values == [[1, 10], [2, 10], [2, 20], [3, 20], [3, 30]])
  }

  @Test("Range that cannot be counted is reported") func rangeThatCannotBeCountedIsReported() {
    Reports.collect()
    var values: [Int8] = []
    _ = Observable<Int8>.range(start: 7, count: -1).subscribe { #expect($0 == .completed) }
    _ = Observable<Int8>.range(start: 126, count: 5).subscribe(onNext: { values.append($0) })
    #expect(values == [126, 127])
    #expect(
      Reports.of(.misuse).map(\.message).filter { $0.hasPrefix("range") } == [
        "range(start: 7, count: -1) cannot be counted",
        "range(start: 126, count: 5) cannot be counted",
      ])
  }
}
