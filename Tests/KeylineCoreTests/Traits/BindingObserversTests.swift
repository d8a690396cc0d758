import KeylineCore
import KeylineTest
import TestSupport
import Testing

/// `bind`, and its relatives of drivers and signals, in all forms.
@Suite struct BindingObserversTests {
  let source = PublishSubject<Int>()
  var infallible: Infallible<Int> { source.asInfallible(onErrorJustReturn: -1) }

  final class Owner {
    var values: [Int] = []
  }

  @Test("Bind to observers in order") func bindToObserversInOrder() {
    var log: [String] = []
    let first = AnyObserver<Int> { log.append("first \($0)") }
    let second = AnyObserver<Int> { log.append("second \($0)") }
    _ = source.bind(to: first, second)
    source.onNext(1)
    source.onError(Failure())
    #expect(
      log == [
        "first next(1)", "second next(1)", "first error(Failure())", "second error(Failure())",
      ])
  }

  @Test("Bind to observers of optionals") func bindToObserversOfOptionals() {
    var events: [Event<Int?>] = []
    let observer = AnyObserver<Int?> { events.append($0) }
    _ = source.bind(to: observer)
    _ = infallible.bind(to: observer)
    source.onNext(1)
    source.onCompleted()
    #expect(events == [.next(1), .next(1), .completed, .completed])
  }

  @Test("Bind to subjects and binders") func bindToSubjectsAndBinders() {
    let subject = BehaviorSubject(value: 0)
    let owner = Owner()
    let subscription = source.bind(to: subject)
    _ = source.bind(
      to: Binder(owner, scheduler: ImmediateScheduler().unsafelyConfined) { $0.values.append($1) })
    source.onNext(1)
    subscription.dispose()
    source.onNext(2)
    #expect(try! subject.value() == 1)
    #expect(owner.values == [1, 2])
  }

  @Test("Bind to relays") func bindToRelays() {
    let (publish, behavior) = (PublishRelay<Int>(), BehaviorRelay(value: 0))
    let (replay, optional) = (ReplayRelay<Int>.create(bufferSize: 2), BehaviorRelay<Int?>(value: 0))
    var published: [Int] = []
    _ = publish.subscribe(onNext: { published.append($0) })
    _ = source.bind(to: publish, publish)
    _ = source.bind(to: behavior)
    _ = source.bind(to: replay)
    _ = infallible.bind(to: optional)
    source.onNext(1)
    source.onNext(2)
    source.onCompleted()
    var replayed: [Int] = []
    _ = replay.subscribe(onNext: { replayed.append($0) })
    #expect(published == [1, 1, 2, 2])
    #expect(behavior.value == 2)
    #expect(replayed == [1, 2])
    #expect(optional.value == 2)
  }

  @Test("Bind to a binder function") func bindToABinderFunction() {
    let total = { (source: Observable<Int>) in source.reduce(0, accumulator: +) }
    let scaled = { (source: Observable<Int>) in { (factor: Int) in source.map { $0 * factor } } }
    var events: [Event<Int>] = []
    let numbers = Observable.of(1, 2, 3)
    _ = numbers.bind(to: total).subscribe { events.append($0) }
    _ = numbers.bind(to: scaled)(10).subscribe { events.append($0) }
    #expect(
      events == [
        .next(6), .completed, .next(10), .next(20), .next(30), .completed,
      ])
    #expect(
      Infallible.of(1, 2).bind { (source: Infallible<Int>) in "\(type(of: source))".count > 0 })
  }

  @Test("Bind to handlers") func bindToHandlers() {
    var owner: Owner? = Owner()
    var seen: [Int] = []
    _ = source.bind(onNext: { seen.append($0) })
    _ = infallible.bind(onNext: { seen.append($0 * 10) })
    _ = source.bind(with: owner!) { $0.values.append($1) }
    _ = infallible.bind(with: owner!) { $0.values.append($1 * 10) }
    source.onNext(1)
    #expect(owner?.values == [1, 10])
    weak let observed = owner
    owner = nil
    #expect(observed == nil)
    source.onNext(2)
    #expect(seen == [1, 10, 2, 20])
  }

  @Test("Drive and emit into everything") @MainActor func driveAndEmitIntoEverything() {
    let driver = BehaviorRelay(value: 1).asDriver()
    let (behavior, optional) = (BehaviorRelay(value: 0), BehaviorRelay<Int?>(value: nil))
    let replay = ReplayRelay<Int>.create(bufferSize: 1)
    var events: [Event<Int?>] = []
    _ = driver.drive(behavior, behavior)
    _ = driver.drive(optional)
    _ = driver.drive(replay)
    _ = driver.drive(AnyObserver<Int?> { events.append($0) })
    _ = driver.drive()
    #expect(behavior.value == 1)
    #expect(optional.value == 1)
    #expect(events == [.next(1)])
    #expect(driver.drive { (source: Observable<Int>) in { $0 * 2 } }(21) == 42)

    let taps = PublishRelay<Int>()
    let (publish, count) = (PublishRelay<Int?>(), BehaviorRelay(value: 0))
    var published: [Int?] = []
    _ = publish.subscribe(onNext: { published.append($0) })
    _ = taps.asSignal().emit(to: publish)
    _ = taps.asSignal().emit(to: count)
    _ = taps.asSignal().emit(to: AnyObserver<Int> { events.append($0.map { $0 }) })
    taps.accept(7)
    #expect(published == [7])
    #expect(count.value == 7)
    #expect(events == [.next(1), .next(7)])
  }
}
