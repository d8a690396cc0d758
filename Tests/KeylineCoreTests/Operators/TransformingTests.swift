@testable import KeylineCore
import KeylineTest
import TestSupport
import Testing

/// The emissions of the transforming, aggregating and conditional operators, with their times.
@Suite struct TransformingTests {
  let scheduler = TestScheduler(initialClock: 0)

  /// 1, 2, 3 at 210, 220, 230, end at 240.
  var source: TestableObservable<Int> {
    scheduler.createHotObservable([
      .next(210, 1), .next(220, 2), .next(230, 3), .completed(240),
    ])
  }

  /// 1 at 210, error at 220.
  var failing: TestableObservable<Int> {
    scheduler.createHotObservable([.next(210, 1), .error(220, Failure())])
  }

  // MARK: Accumulating

  @Test("Scan emits every result") func scanEmitsEveryResult() {
    let source = source
    let result = scheduler.start { source.scan(42) { $0 + $1 } }
    #expect(
      result.events == [.next(210, 43), .next(220, 45), .next(230, 48), .completed(240)])
    #expect(source.subscriptions == [Subscription(200, 240)])
  }

  @Test("Scan into changes its value in place") func scanIntoChangesItsValueInPlace() {
    let source = source
    let result = scheduler.start { source.scan(into: []) { $0.append($1) } }
    #expect(result.events.compactMap(\.value.element) == [[1], [1, 2], [1, 2, 3]])
    #expect(result.events.last?.time == 240)
  }

  @Test("Every observer of scan starts from the seed") func everyObserverOfScanStartsFromTheSeed() {
    let sums = Observable.of(1, 2).scan(0) { $0 + $1 }
    for _ in 0..<2 {
      var values: [Int] = []
      _ = sums.subscribe(onNext: { values.append($0) })
      #expect(values == [1, 3])
    }
  }

  @Test("Scan stops when its closure throws") func scanStopsWhenItsClosureThrows() {
    let source = source
    let result = scheduler.start {
      source.scan(0) { if $1 == 2 { throw Failure() } else { $0 + $1 } }
    }
    #expect(result.events == [.next(210, 1), .error(220, Failure())])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("Enumerated counts from zero") func enumeratedCountsFromZero() {
    let source = source
    let result = scheduler.start { source.enumerated().map { "\($0.index):\($0.element)" } }
    #expect(
      result.events == [.next(210, "0:1"), .next(220, "1:2"), .next(230, "2:3"), .completed(240)])
  }

  @Test("enumerated counts the elements that its observer causes")
  func enumeratedCountsWhatItsObserverCauses() {
    var input: AnyObserver<String>?
    var numbered: [String] = []
    let source = Observable<String>.create {
      input = $0
      return Disposables.create()
    }
    _ = source.enumerated().subscribe(onNext: {
      numbered.append("\($0.index)\($0.element)")
      if $0.element == "a" { input?.onNext("b") }
    })
    input?.onNext("a")
    input?.onNext("c")
    #expect(numbered == ["0a", "1b", "2c"])
  }

  @Test("Reduce emits once at the end") func reduceEmitsOnceAtTheEnd() {
    let source = source
    let result = scheduler.start { source.reduce(42) { $0 + $1 } }
    #expect(result.events == [.next(240, 48), .completed(240)])
    let empty = TestScheduler(initialClock: 0).start {
      Observable<Int>.empty().reduce(42, accumulator: +, mapResult: { "\($0)" })
    }
    #expect(empty.events == [.next(200, "42"), .completed(200)])
  }

  @Test("Reduce ends with any error") func reduceEndsWithAnyError() {
    let (failing, source) = (failing, source)
    let failed = scheduler.start { failing.reduce(0, accumulator: +) }
    #expect(failed.events == [.error(220, Failure())])
    let scheduler = TestScheduler(initialClock: 0)
    let other = scheduler.createHotObservable(source.recordedEvents)
    let accumulator = scheduler.start {
      other.reduce(0) { if $1 == 2 { throw Failure() } else { $0 + $1 } }
    }
    #expect(accumulator.events == [.error(220, Failure())])
    #expect(other.subscriptions == [Subscription(200, 220)])
    let last = TestScheduler(initialClock: 0)
    let another = last.createHotObservable(source.recordedEvents)
    let result = last.start {
      another.reduce(0, accumulator: +, mapResult: { _ -> Int in throw Failure() })
    }
    #expect(result.events == [.error(240, Failure())])
  }

  @Test("All elements emits them at the end") func allElementsEmitsThemAtTheEnd() {
    let source = source
    let result = scheduler.start { source.asObservable().allElements() }
    #expect(result.events == [.next(240, [1, 2, 3]), .completed(240)])
    let empty = TestScheduler(initialClock: 0).start { Observable<Int>.empty().allElements() }
    #expect(empty.events == [.next(200, []), .completed(200)])
  }

  // MARK: Events

  @Test("Materialize emits events and completes") func materializeEmitsEventsAndCompletes() {
    let (source, failing) = (source, failing)
    let completed = scheduler.start { source.materialize() }
    #expect(
      completed.events == [
        .next(210, .next(1)), .next(220, .next(2)), .next(230, .next(3)), .next(240, .completed),
        .completed(240),
      ])
    let other = TestScheduler(initialClock: 0)
    let events = other.createHotObservable(failing.recordedEvents)
    let failed = other.start { events.materialize() }
    #expect(
      failed.events == [
        .next(210, .next(1)), .next(220, .error(Failure())), .completed(220),
      ])
  }

  @Test("Materialize emits the termination once") func materializeEmitsTheTerminationOnce() {
    let sources = [
      Observable.just(1), .of(1, 2).reduce(0, accumulator: +), .of(1, 2).takeLast(1),
    ]
    for source in sources {
      var seen: [Bool] = []
      _ = source.take(1).materialize().do(onNext: { seen.append($0.isCompleted) }).subscribe()
      #expect(seen == [false, true])
    }
  }

  @Test("Dematerialize takes events at their word") func dematerializeTakesEventsAtTheirWord() {
    let source = scheduler.createHotObservable([
      .next(210, Event.next(1)), .next(220, .completed), .next(230, .next(2)),
    ])
    let result = scheduler.start { source.dematerialize() }
    #expect(result.events == [.next(210, 1), .completed(220)])
    #expect(source.subscriptions == [Subscription(200, 220)])
    let failing = TestScheduler(initialClock: 0)
    let events = failing.createHotObservable([.next(210, Event<Int>.error(Failure()))])
    #expect(failing.start { events.dematerialize() }.events == [.error(210, Failure())])
  }

  // MARK: Groups

  /// The same as in RxSwift's tables.
  var busy: TestableObservable<Int> {
    scheduler.createHotObservable([
      .next(205, 1), .next(210, 2), .next(240, 3), .next(280, 4), .next(320, 5), .next(350, 6),
      .next(370, 7), .completed(600),
    ])
  }

  @Test("Buffer is full after its time or number") func bufferIsFullAfterItsTimeOrNumber() {
    let source = busy
    let result = scheduler.start {
      source.buffer(timeSpan: .seconds(70), count: 3, scheduler: scheduler)
    }
    #expect(
      result.events == [
        .next(240, [1, 2, 3]), .next(310, [4]), .next(370, [5, 6, 7]), .next(440, []),
        .next(510, []), .next(580, []), .next(600, []), .completed(600),
      ])
    #expect(source.subscriptions == [Subscription(200, 600)])
  }

  @Test("buffer drops its elements when the source fails, and stops on disposal")
  func bufferDropsWhatItHasWhenTheSourceFailsAndStopsOnDisposal() {
    let source = failing
    let failed = scheduler.start {
      source.buffer(timeSpan: .seconds(70), count: 3, scheduler: scheduler)
    }
    #expect(failed.events == [.error(220, Failure())])
    let other = TestScheduler(initialClock: 0)
    let disposed = other.start(disposed: 345) {
      Observable<Int>.never().buffer(timeSpan: .seconds(70), count: 3, scheduler: other)
    }
    #expect(disposed.events == [.next(270, []), .next(340, [])])
  }

  @Test("Window closes after its time or number") func windowClosesAfterItsTimeOrNumber() {
    let source = busy
    let result = scheduler.start {
      source.window(timeSpan: .seconds(70), count: 3, scheduler: scheduler).enumerated()
        .flatMap { window in window.element.map { "\(window.index) \($0)" } }
    }
    #expect(
      result.events == [
        .next(205, "0 1"), .next(210, "0 2"), .next(240, "0 3"), .next(280, "1 4"),
        .next(320, "2 5"), .next(350, "2 6"), .next(370, "2 7"), .completed(600),
      ])
    #expect(source.subscriptions == [Subscription(200, 600)])
  }

  @Test("Windows end with the source's error") func windowsEndWithTheSourcesError() {
    let source = failing
    let windows = scheduler.createObserver(String.self)
    let result = scheduler.start {
      source.window(timeSpan: .seconds(70), count: 3, scheduler: scheduler).do(onNext: {
        _ = $0.map(String.init).subscribe(windows)
      }).map { _ in 0 }
    }
    #expect(result.events == [.next(200, 0), .error(220, Failure())])
    #expect(windows.events == [.next(210, "1"), .error(220, Failure())])
  }

  @Test("Windows keep the source when the output has been left")
  func windowsKeepTheSourceWhenTheOutputHasBeenLeft() {
    let source = busy
    let window = scheduler.createObserver(Int.self)
    let result = scheduler.start(disposed: 208) {
      source.window(timeSpan: .seconds(70), count: 3, scheduler: scheduler).do(onNext: {
        _ = $0.subscribe(window)
      }).map { _ in 0 }
    }
    #expect(result.events == [.next(200, 0)])
    #expect(
      window.events == [.next(205, 1), .next(210, 2), .next(240, 3), .completed(240)])
    #expect(source.subscriptions == [Subscription(200, 240)])
  }

  @Test("groupBy emits a group per key") func groupByEmitsAGroupPerKey() {
    let source = source
    let groups = [0, 1].map { _ in scheduler.createObserver(Int.self) }
    let result = scheduler.start {
      source.groupBy { $0 % 2 }.do(onNext: { _ = $0.subscribe(groups[$0.key]) }).map(\.key)
    }
    #expect(result.events == [.next(210, 1), .next(220, 0), .completed(240)])
    #expect(groups[0].events == [.next(220, 2), .completed(240)])
    #expect(groups[1].events == [.next(210, 1), .next(230, 3), .completed(240)])
    #expect(source.subscriptions == [Subscription(200, 240)])
  }

  @Test("Groups end with the error of the source or selector")
  func groupsEndWithTheErrorOfTheSourceOrSelector() {
    let source = source
    let group = scheduler.createObserver(Int.self)
    let result = scheduler.start {
      source.groupBy { if $0 == 3 { throw Failure() } else { 0 } }
        .do(onNext: { _ = $0.subscribe(group) }).map(\.key)
    }
    #expect(result.events == [.next(210, 0), .error(230, Failure())])
    #expect(group.events == [.next(210, 1), .next(220, 2), .error(230, Failure())])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test("Groups keep the source when the output has been left")
  func groupsKeepTheSourceWhenTheOutputHasBeenLeft() {
    let source = source
    let group = scheduler.createObserver(Int.self)
    let subscription = SerialDisposable()
    _ = scheduler.start(disposed: 215) {
      source.groupBy { $0 % 2 }.do(onNext: { subscription.disposable = $0.subscribe(group) })
    }
    #expect(group.events == [.next(210, 1), .next(230, 3), .completed(240)])
    #expect(source.subscriptions == [Subscription(200, 240)])
    let left = TestScheduler(initialClock: 0)
    let other = left.createHotObservable(source.recordedEvents)
    left.scheduleAt(225) { subscription.dispose() }
    _ = left.start(disposed: 215) {
      other.groupBy { $0 % 2 }.do(onNext: { subscription.disposable = $0.subscribe(group) })
    }
    #expect(other.subscriptions == [Subscription(200, 225)])
  }

  // MARK: Conditions

  @Test("ifEmpty goes on only if nothing came") func ifEmptyGoesOnOnlyIfNothingCame() {
    let source = source
    let other = scheduler.createColdObservable([.next(10, 9), .completed(20)])
    let result = scheduler.start { source.ifEmpty(switchTo: other.asObservable()) }
    #expect(result.events.compactMap(\.value.element) == [1, 2, 3])
    #expect(other.subscriptions == [])
    let scheduler = TestScheduler(initialClock: 0)
    let empty = scheduler.createHotObservable([.completed(250, Int.self)])
    let cold = scheduler.createColdObservable([.next(10, 9), .completed(20)])
    let switched = scheduler.start { empty.ifEmpty(switchTo: cold.asObservable()) }
    #expect(switched.events == [.next(260, 9), .completed(270)])
    #expect(empty.subscriptions == [Subscription(200, 250)])
    #expect(cold.subscriptions == [Subscription(250, 270)])
  }

  @Test("ifEmpty passes errors and defaults") func ifEmptyPassesErrorsAndDefaults() {
    let events = { (source: Observable<Int>) in
      TestScheduler(initialClock: 0).start { source.ifEmpty(default: 9) }.events
    }
    #expect(events(.error(Failure())) == [.error(200, Failure())])
    #expect(events(.empty()) == [.next(200, 9), .completed(200)])
    #expect(events(.just(1)) == [.next(200, 1), .completed(200)])
    #expect(events(.never()) == [])
  }

  @Test("Amb follows the first to emit") func ambFollowsTheFirstToEmit() {
    let slow = scheduler.createHotObservable([.next(220, 1), .completed(300)])
    let fast = scheduler.createHotObservable([.next(210, 2), .next(230, 3), .completed(250)])
    let silent = scheduler.createHotObservable([.completed(240, Int.self)])
    let result = scheduler.start {
      Observable.amb([slow, fast, silent].map { $0.asObservable() })
    }
    #expect(result.events == [.next(210, 2), .next(230, 3), .completed(250)])
    #expect(slow.subscriptions == [Subscription(200, 210)])
    #expect(fast.subscriptions == [Subscription(200, 250)])
    #expect(silent.subscriptions == [Subscription(200, 210)])
  }

  @Test("Amb is won by a termination too") func ambIsWonByATerminationToo() {
    let source = source
    let failing = scheduler.createHotObservable([.error(205, Failure(), Int.self)])
    let result = scheduler.start { source.amb(failing) }
    #expect(result.events == [.error(205, Failure())])
    #expect(source.subscriptions == [Subscription(200, 205)])
    let nothing = TestScheduler(initialClock: 0).start { Observable<Int>.amb([]) }
    #expect(nothing.events == [])
    let first = TestScheduler(initialClock: 0).start { Observable.just(1).amb(Observable.just(2)) }
    #expect(first.events == [.next(200, 1), .completed(200)])
  }
}

@Suite struct TransformingConcurrencyTests {
  @Test("C1: Amb has one winner") func c1AmbHasOneWinner() {
    for _ in 0..<200 {
      let subjects = (0..<3).map { _ in PublishSubject<Int>() }
      let log = SharedLog<Int>()
      _ = Observable.amb(subjects.map { $0.asObservable() }).subscribe(
        onNext: { log.append($0) }, onCompleted: { log.append(-1) })
      onThreads(3) { thread in
        for _ in 0..<20 { subjects[thread].onNext(thread) }
        subjects[thread].onCompleted()
      }
      let all = log.all
      #expect(all == Array(repeating: all[0], count: 20) + [-1])
      #expect(subjects.filter(\.hasObservers).isEmpty)
    }
  }

  @Test("C5: Buffer loses and doubles nothing") func c5BufferLosesAndDoublesNothing() async {
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    let source = PublishSubject<Int>()
    let log = SharedLog<Int>()
    _ = source.buffer(timeSpan: .microseconds(100), count: 7, scheduler: scheduler).subscribe(
      onNext: {
        #expect($0.count <= 7)
        for element in $0 { log.append(element) }
      }, onCompleted: { log.append(-1) })
    for value in 0..<5_000 { source.onNext(value) }
    source.onCompleted()
    await withCheckedContinuation { continuation in
      _ = scheduler.schedule(()) { _ in
        continuation.resume()
        return Disposables.create()
      }
    }
    #expect(log.all == Array(0..<5_000) + [-1])
  }
}
