import Dispatch
import KeylineCore
import TestSupport
import Testing

/// Programs as users of RxSwift write them, and the lines they print there.
@Suite struct ProgramTests {
  enum Failure: Error { case failed }

  /// What a program has printed.
  final class Console {
    private(set) var lines: [String] = []

    func print(_ item: Any) { lines.append("\(item)") }
  }

  let console = Console()
  let disposeBag = DisposeBag()

  func print(_ item: Any) { console.print(item) }

  // MARK: Subjects

  @Test("PublishSubject") func publishSubject() {
    let subject = PublishSubject<Int>()
    subject.onNext(1)
    subject.subscribe { print($0) }.disposed(by: disposeBag)
    subject.onNext(2)
    subject.onNext(3)
    #expect(console.lines == ["next(2)", "next(3)"])
  }

  @Test("BehaviorSubject") func behaviorSubject() {
    let subject = BehaviorSubject(value: 100)
    subject.onNext(2)
    subject.onNext(3)
    subject.subscribe(onNext: { print($0) }).disposed(by: disposeBag)
    subject.onNext(4)
    subject.onNext(5)
    subject.subscribe(onNext: { print($0) }).disposed(by: disposeBag)
    #expect(console.lines == ["3", "4", "5", "5"])
  }

  @Test("ReplaySubject") func replaySubject() {
    let subject = ReplaySubject<Int>.create(bufferSize: 2)
    for value in 1...4 { subject.onNext(value) }
    subject.subscribe(onNext: { print($0) }).disposed(by: disposeBag)
    for value in 7...9 { subject.onNext(value) }
    #expect(console.lines == ["3", "4", "7", "8", "9"])
  }

  @Test("ReplaySubject without bound") func replaySubjectWithoutBound() {
    let subject = ReplaySubject<Int>.createUnbounded()
    for value in 1...4 { subject.onNext(value) }
    subject.subscribe(onNext: { print($0) }).disposed(by: disposeBag)
    for value in 7...9 { subject.onNext(value) }
    #expect(console.lines == ["1", "2", "3", "4", "7", "8", "9"])
  }

  @Test("AsyncSubject that fails") func asyncSubjectThatFails() {
    let subject = AsyncSubject<Int>()
    subject.onNext(1)
    subject.onNext(2)
    subject.subscribe { print($0) }.disposed(by: disposeBag)
    subject.onNext(3)
    subject.onError(Failure.failed)
    #expect(console.lines == ["error(failed)"])
  }

  @Test("AsyncSubject that completes") func asyncSubjectThatCompletes() {
    let subject = AsyncSubject<Int>()
    subject.onNext(1)
    subject.onNext(2)
    subject.subscribe { print($0) }.disposed(by: disposeBag)
    subject.onNext(3)
    subject.onCompleted()
    #expect(console.lines == ["next(3)", "completed"])
  }

  // MARK: Creating

  @Test("Single asObservable") func singleAsObservable() {
    let single = Single<String>.create { single in
      single(.success("answer"))
      return Disposables.create()
    }
    single.asObservable().subscribe { print($0) }.disposed(by: disposeBag)
    #expect(console.lines == ["next(answer)", "completed"])
  }

  @Test("Of from and just") func ofFromAndJust() {
    Observable.of(1, 2, 3).subscribe(onNext: { print($0) }).disposed(by: disposeBag)
    Observable.from([4, 5]).subscribe(onNext: { print($0) }).disposed(by: disposeBag)
    Observable.from(optional: 6 as Int?).subscribe(onNext: { print($0) }).disposed(by: disposeBag)
    Observable.just([7, 8]).subscribe { print($0) }.disposed(by: disposeBag)
    Observable<Int>.empty().subscribe { print($0) }.disposed(by: disposeBag)
    Observable<Int>.never().subscribe { print($0) }.disposed(by: disposeBag)
    Observable<Int>.error(Failure.failed).subscribe { print($0) }.disposed(by: disposeBag)
    #expect(
      console.lines == [
        "1", "2", "3", "4", "5", "6", "next([7, 8])", "completed", "completed", "error(failed)",
      ])
  }

  @Test("Range generate and repeat") func rangeGenerateAndRepeat() {
    Observable.range(start: 1, count: 3).subscribe { print($0) }.disposed(by: disposeBag)
    Observable.generate(initialState: 0, condition: { $0 < 6 }, iterate: { $0 + 2 })
      .subscribe(onNext: { print($0) }).disposed(by: disposeBag)
    Observable.repeatElement("again").take(2).subscribe { print($0) }.disposed(by: disposeBag)
    #expect(
      console.lines == [
        "next(1)", "next(2)", "next(3)", "completed", "0", "2", "4",
        "next(again)", "next(again)", "completed",
      ])
  }

  @Test("Deferred odd and even by turns") func deferredOddAndEvenByTurns() {
    var isOdd = true
    let factory: Observable<Int> = Observable.deferred {
      defer { isOdd.toggle() }
      return isOdd ? .of(1, 3, 5) : .of(2, 4, 6)
    }
    for _ in 0..<3 {
      factory.subscribe(onNext: { print($0) }).disposed(by: disposeBag)
    }
    #expect(console.lines == ["1", "3", "5", "2", "4", "6", "1", "3", "5"])
  }

  @Test("Create delivers nothing after completion") func createDeliversNothingAfterCompletion() {
    Observable<String>.create { observer in
      observer.onNext("1")
      observer.onNext("2")
      observer.onCompleted()
      observer.onNext("?")
      return Disposables.create { print("released") }
    }
    .subscribe(
      onNext: { print($0) }, onError: { print($0) }, onCompleted: { print("completed") },
      onDisposed: { print("disposed") }
    )
    .disposed(by: disposeBag)
    #expect(console.lines.filter { $0 != "released" } == ["1", "2", "completed", "disposed"])
    #expect(console.lines.filter { $0 == "released" }.count == 1)
  }

  // MARK: Time

  let scheduler = VirtualTimeScheduler(initialClock: 0, converter: Ticks())

  /// One tick is one second.
  struct Ticks: VirtualTimeConverterType {
    func convertFromVirtualTime(_ virtualTime: Int) -> Duration { .seconds(virtualTime) }
    func convertToVirtualTime(_ time: Duration) -> Int { Int(time / .seconds(1)) }
    func convertFromVirtualTimeInterval(_ interval: Int) -> Duration { .seconds(interval) }
    func convertToVirtualTimeInterval(_ interval: Duration) -> Int { Int(interval / .seconds(1)) }
    func offsetVirtualTime(_ time: Int, offset: Int) -> Int { time + offset }
    func compareVirtualTime(_ lhs: Int, _ rhs: Int) -> VirtualTimeComparison {
      lhs < rhs ? .lessThan : lhs == rhs ? .equal : .greaterThan
    }
  }

  @Test("Interval") func interval() {
    Observable<Int>.interval(.seconds(2), scheduler: scheduler)
      .subscribe { print("\(scheduler.clock): \($0)") }.disposed(by: disposeBag)
    scheduler.advanceTo(7)
    #expect(console.lines == ["2: next(0)", "4: next(1)", "6: next(2)"])
  }

  @Test("Timer without period") func timerWithoutPeriod() {
    Observable<Int>.timer(.seconds(3), scheduler: scheduler)
      .subscribe { print("\(scheduler.clock): \($0)") }.disposed(by: disposeBag)
    scheduler.advanceTo(10)
    #expect(console.lines == ["3: next(0)", "3: completed"])
  }

  @Test("Timer with period") func timerWithPeriod() {
    Observable<Int>.timer(.seconds(3), period: .seconds(2), scheduler: scheduler)
      .take(3)
      .subscribe { print("\(scheduler.clock): \($0)") }.disposed(by: disposeBag)
    scheduler.advanceTo(10)
    #expect(console.lines == ["3: next(0)", "5: next(1)", "7: next(2)", "7: completed"])
  }
}

/// Where each stage of a program runs.
@Suite struct ProgramConcurrencyTests {
  @Test("Subscribe on main and observe on a serial queue")
  func subscribeOnMainAndObserveOnASerialQueue() async {
    let log = SharedLog<String>()
    let key = DispatchSpecificKey<String>()
    let queue = DispatchQueue(label: "serial")
    queue.setSpecific(key: key, value: "serial")
    // The queue, not the thread: `dispatchMain` lets it run on others.
    DispatchQueue.main.setSpecific(key: key, value: "main")
    @Sendable func print(_ stage: String) {
      log.append("\(stage): \(DispatchQueue.getSpecific(key: key) ?? "elsewhere")")
    }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      _ = Observable<Int>.create { observer in
        print("create")
        observer.onNext(1)
        observer.onNext(2)
        observer.onCompleted()
        return Disposables.create()
      }
      .map { value -> Int in
        print("map \(value)")
        return value * 10
      }
      .subscribe(on: MainScheduler.instance)
      .observe(on: SerialDispatchQueueScheduler(serialQueue: queue))
      .do(onNext: { print("do \($0)") })
      .subscribe(
        onNext: { print("next \($0)") }, onCompleted: { print("completed") },
        onDisposed: { continuation.resume() })
    }
    // The two sides run at the same time; each keeps its order.
    #expect(
      log.all.filter { $0.hasSuffix("main") } == ["create: main", "map 1: main", "map 2: main"])
    #expect(
      log.all.filter { $0.hasSuffix("serial") } == [
        "do 10: serial", "next 10: serial", "do 20: serial", "next 20: serial",
        "completed: serial",
      ])
    #expect(log.all.count == 8)
  }
}
