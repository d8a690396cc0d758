import Dispatch
import KeylineCore
import KeylineTest
import Testing

/// As a library written for RxSwift declares its operators: generic, its elements unconstrained.
extension ObservableType {
  fileprivate func later(_ pause: RxTimeInterval, _ scheduler: any SchedulerType)
    -> Observable<Element>
  {
    delay(pause, scheduler: scheduler.unsafelyConfined)
  }

  fileprivate func moved(to scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    observe(on: scheduler.unsafelyConfined).subscribe(on: scheduler.unsafelyConfined)
  }

  fileprivate func repeated(every period: RxTimeInterval, _ scheduler: some SchedulerType)
    -> Observable<Element>
  {
    Observable<Int>.interval(period, scheduler: scheduler.unsafelyConfined)
      .withLatestFrom(self)
      .buffer(timeSpan: period * 2, count: 0, scheduler: scheduler.unsafelyConfined)
      .flatMap { Observable<Element>.from($0) }
  }
}

extension ObservableType where Element: FixedWidthInteger {
  /// Counts in any integer, on any scheduler.
  fileprivate static func countdown(from start: Element, _ scheduler: any SchedulerType)
    -> Observable<Element>
  {
    interval(.seconds(10), scheduler: scheduler).map { start - $0 }.take(while: { $0 > 0 })
      .concat(range(start: 0, count: 1, scheduler: scheduler))
  }
}

/// Elements that are not `Sendable`, with every operator that takes a scheduler: that this compiles
/// in Swift 6 mode is half of the test.
@Suite struct ThreadConfinementTests {
  /// Not `Sendable`.
  final class Model: Equatable {
    let id: Int

    init(_ id: Int) { self.id = id }

    static func == (lhs: Model, rhs: Model) -> Bool { lhs.id == rhs.id }
  }

  let scheduler = TestScheduler(initialClock: 0)
  let model = Model(7)

  @Test("Schedulers that cannot leave their thread take any element")
  func schedulersThatCannotLeaveTheirThreadTakeAnyElement() {
    let source = Observable.just(model, scheduler: scheduler)
    let operators: [Observable<Model>] = [
      source, source.observe(on: scheduler), source.subscribe(on: scheduler),
      source.delay(.seconds(1), scheduler: scheduler),
      source.delaySubscription(.seconds(1), scheduler: scheduler),
      source.debounce(.seconds(1), scheduler: scheduler),
      source.throttle(.seconds(1), scheduler: scheduler),
      source.timeout(.seconds(9), scheduler: scheduler),
      source.timeout(.seconds(9), other: source, scheduler: scheduler),
      source.take(for: .seconds(9), scheduler: scheduler),
      source.buffer(timeSpan: .seconds(9), count: 1, scheduler: scheduler)
        .flatMap { Observable.from($0) },
      source.window(timeSpan: .seconds(9), count: 1, scheduler: scheduler).merge(),
      .of(model, scheduler: scheduler), .from([model], scheduler: scheduler),
      .from(optional: model, scheduler: scheduler),
      Observable.repeatElement(model, scheduler: scheduler).take(1),
      .generate(
        initialState: model, condition: { $0.id < 8 }, scheduler: scheduler,
        iterate: { Model($0.id + 1) }),
      Single.just(model, scheduler: scheduler).asObservable(),
      Infallible.of(model, scheduler: scheduler).asObservable(),
      Infallible.from([model], scheduler: scheduler).asObservable(),
    ]
    let observers = operators.map { tested in
      let observer = scheduler.createObserver(Model.self)
      _ = tested.subscribe(observer)
      return observer
    }
    scheduler.start()
    for observer in observers {
      #expect(observer.events.map(\.value) == [.next(model), .completed])
    }
  }

  @Test("The main and the current threads are confined")
  @MainActor func theMainAndTheCurrentThreadsAreConfined() {
    let everywhere = Observable.just(model).observe(on: CurrentThreadScheduler.instance)
    _ = everywhere.observe(on: MainScheduler.instance)
      .subscribe(on: ConcurrentMainScheduler.instance)
      .observe(on: ConcurrentMainScheduler.instance)
    #expect(scheduler.start { everywhere }.events == [.next(200, model), .completed(200)])
  }

  @Test("Generic libraries take the escape") func genericLibrariesTakeTheEscape() {
    let later = Observable.just(model).later(.seconds(5), scheduler)
    #expect(scheduler.start { later }.events == [.next(205, model), .completed(206)])
    let moved = ThreadConfinementTests()
    let result = moved.scheduler.start { Observable.just(moved.model).moved(to: moved.scheduler) }
    #expect(result.events.map(\.value) == [.next(model), .completed])
    #expect(result.events.map(\.time) == [202, 203])
    let repeated = ThreadConfinementTests()
    let events = repeated.scheduler.start {
      Observable.just(1).repeated(every: .seconds(10), repeated.scheduler).take(3)
    }
    #expect(events.events == [.next(220, 1), .next(240, 1), .next(240, 1), .completed(240)])
  }

  @Test("Integers need no escape") func integersNeedNoEscape() {
    let result = scheduler.start { Observable<UInt8>.countdown(from: 2, scheduler) }
    #expect(
      result.events == [
        .next(210, 2), .next(220, 1), .next(231, 0), .completed(232),
      ])
  }

  /// The escape omits the check, and still hops threads.
  @Test("An unsafely confined scheduler runs its actions on its own thread")
  func whatIsUnsafelyConfinedRunsWhereItsSchedulerDoes() throws {
    let key = DispatchSpecificKey<Bool>()
    let queue = DispatchQueue(label: "elsewhere")
    queue.setSpecific(key: key, value: true)
    let scheduler = SerialDispatchQueueScheduler(serialQueue: queue)
    let places = Observable.just(model).observe(on: scheduler.unsafelyConfined)
      .map { _ in DispatchQueue.getSpecific(key: key) ?? false }
    #expect(try places.toBlocking(timeout: 60).toArray() == [true])
    #expect(scheduler.unsafelyConfined.now <= scheduler.now)
  }
}
