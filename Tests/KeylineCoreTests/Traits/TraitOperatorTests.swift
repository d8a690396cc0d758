import KeylineCore
import KeylineTest
import TestSupport
import Testing

/// The operators of traits that stand on operators of observables: that they go through to the
/// right one, and what becomes of the trait.
@Suite struct TraitOperatorTests {
  struct Other: Error {}

  func events<Output: ObservableConvertibleType>(_ output: Output) -> [Event<Output.Element>] {
    var events: [Event<Output.Element>] = []
    _ = output.asObservable().subscribe { events.append($0) }
    return events
  }

  func completes(_ completable: Completable) -> Bool? {
    var completed: Bool?
    _ = completable.subscribe(
      onCompleted: { completed = true }, onError: { _ in completed = false })
    return completed
  }

  @Test("flatMap keeps the trait and throws") func flatMapKeepsTheTraitAndThrows() {
    let number: Single<Int> = Single.just("12").flatMap { .just($0.count) }
    #expect(events(number) == [.next(2), .completed])
    #expect(events(Single.just(1).flatMap { _ in Single<Int>.error(Other()) }) == [.error(Other())])
    let thrown: Single<Int> = Single.just(1).flatMap { _ in throw Failure() }
    #expect(events(thrown) == [.error(Failure())])
    #expect(events(Maybe<Int>.empty().flatMap { .just($0) }) == [.completed])
    #expect(
      events(Infallible.of(1, 2).flatMap { .of($0, $0) }) == [
        .next(1), .next(1), .next(2), .next(2), .completed,
      ])
    #expect(events(Single.just(1).flatMapMaybe { _ in Maybe<Int>.empty() }) == [.completed])
    #expect(completes(Single.just(1).flatMapCompletable { _ in .empty() }) == true)
    #expect(completes(Single.just(1).flatMapCompletable { _ in throw Failure() }) == false)
  }

  @Test("Zip of no singles succeeds") func zipOfNoSinglesSucceeds() async throws {
    #expect(events(Single.zip([Single<Int>]())) == [.next([]), .completed])
    #expect(events(Single.zip([Single<Int>]()) { $0.count }) == [.next(0), .completed])
    let throwing: Single<Int> = Single.zip([Single<Int>]()) { _ in throw Failure() }
    #expect(events(throwing) == [.error(Failure())])
    let none: Single<Void> = Single.zip()
    #expect(events(none).count == 2)
    #expect(try await Single.zip([Single<Int>]()).value == [])
    #expect(events(Maybe.zip([Maybe<Int>]())) == [.completed])
    #expect(events(Observable.zip([Observable<Int>]()) { $0.count }) == [.completed])
    let latest = Observable.combineLatest([Observable<Int>]()) { $0.count }
    #expect(events(latest) == [.next(0), .completed])
  }

  @Test("Arrays are combined into arrays and results") func arraysAreCombinedIntoArraysAndResults()
  {
    let singles = [Single.just(1), Single.just(2)]
    let pairs: [Event<[Int]>] = [.next([1, 2]), .completed]
    for pair: Single<[Int]> in [
      Single<Int>.zip(singles), Single.zip(singles), Single.zip(singles) { $0 },
      .zip(singles) { $0 },
    ] { #expect(events(pair) == pairs) }
    let text: Single<String> = Single.zip(singles) { "\($0)" }
    #expect(events(text) == [.next("[1, 2]"), .completed])
    let sources = [Infallible.of(1), Infallible.of(2)]
    for pair: Infallible<[Int]> in [
      Infallible<Int>.combineLatest(sources), Infallible.combineLatest(sources),
      .combineLatest(sources) { $0 }, Infallible.combineLatest(sources) { $0 },
      Infallible<Int>.zip(sources),
    ] { #expect(events(pair) == pairs) }
  }

  @Test("Zip takes any number of any type") func zipTakesAnyNumberOfAnyType() {
    let two: Single<String> = Single.zip(.just(1), .just("a")) { (one: Int, other: String) in
      "\(one)\(other)"
    }
    #expect(events(two) == [.next("1a"), .completed])
    let three: Single<String> = Single.zip(.just(1), .just("a"), .just(true))
      .map { (all: (Int, String, Bool)) in "\(all.0)\(all.1)\(all.2)" }
    #expect(events(three) == [.next("1atrue"), .completed])
    let throwing: Single<Int> = Single.zip(.just(1), .just(2)) { (_: Int, _: Int) in throw Failure()
    }
    #expect(events(throwing) == [.error(Failure())])
    #expect(events(Single.zip([.just(1), .just(2)])) == [.next([1, 2]), .completed])
    // Closures with types: without, the compiler takes seconds for these lines.
    let sum: Single<Int> = Single<Int>.zip([.just(1), .just(2)]) { (all: [Int]) -> Int in
      all.reduce(0, +)
    }
    #expect(events(sum) == [.next(3), .completed])
    let nothing: Maybe<Int> = Maybe.zip(.just(1), Maybe<Int>.empty()) { (one: Int, other: Int) in
      one + other
    }
    #expect(events(nothing) == [.completed])
    let products: Infallible<Int> = Infallible.zip(
      Infallible.of(1, 2), Infallible.of(3, 4)
    ) { (one: Int, other: Int) in one * other }
    #expect(events(products) == [.next(3), .next(8), .completed])
  }

  @Test("Deferred and using make one per subscription")
  func deferredAndUsingMakeOnePerSubscription() {
    var made = 0
    let deferred = Single<Int>.deferred {
      made += 1
      return .just(made)
    }
    #expect(events(deferred) == [.next(1), .completed])
    #expect(events(deferred) == [.next(2), .completed])
    #expect(events(Single<Int>.deferred { throw Failure() }) == [.error(Failure())])
    let resource = BooleanDisposable()
    let using = Completable.using({ resource }, primitiveSequenceFactory: { _ in .empty() })
    #expect(completes(using) == true)
    #expect(resource.isDisposed)
  }

  @Test("Errors are caught and retried") func errorsAreCaughtAndRetried() {
    let failing = Single<Int>.error(Failure())
    #expect(events(failing.catch { _ in .just(1) }) == [.next(1), .completed])
    #expect(events(failing.catch { _ in throw Other() }) == [.error(Other())])
    #expect(events(failing.catchAndReturn(2)) == [.next(2), .completed])
    #expect(completes(Completable.error(Failure()).catch { _ in .empty() }) == true)
    var attempts = 0
    let flaky = Single<Int>.deferred {
      attempts += 1
      return attempts.isMultiple(of: 3) ? .just(attempts) : .error(Failure())
    }
    #expect(events(flaky.retry(2)) == [.error(Failure())])
    #expect(events(flaky.retry()) == [.next(3), .completed])
    #expect(events(flaky.retry { $0.take(5) }) == [.next(6), .completed])
    #expect(events(flaky.retry { (errors: Observable<Other>) in errors }) == [.error(Failure())])
  }

  @Test("Completables follow each other") func completablesFollowEachOther() {
    #expect(completes(Completable.empty().concat(.empty())) == true)
    #expect(completes(Completable.concat(.empty(), .error(Failure()), .never())) == false)
    #expect(completes(Completable.concat([])) == true)
    #expect(completes(Completable.concat([.empty(), .never()])) == nil)
  }

  @Test("Infallibles follow each other") func infalliblesFollowEachOther() {
    let (one, two) = (Infallible.just(1), Infallible.just(2))
    let both: [Event<Int>] = [.next(1), .next(2), .completed]
    #expect(events(one.concat(two)) == both)
    #expect(events(Infallible.concat(one, two)) == both)
    #expect(events(Infallible.of(1, 2).concatMap { Infallible.just($0) }) == both)
    #expect(events(Infallible.of(one, two).merge(maxConcurrent: 1)) == both)
    #expect(events(Infallible.of(1, 2).flatMapFirst { Infallible.just($0) }) == both)
    #expect(
      events(Infallible.of(1, 2).flatMapFirst { Infallible<Int>.from([$0]).concat(.never()) }) == [
        .next(1)
      ])
  }

  @Test("withUnretained holds weakly") func withUnretainedHoldsWeakly() {
    final class Owner { let factor = 10 }
    var owner: Owner? = Owner()
    let source = PublishRelay<Int>()
    var seen: [Int] = []
    let numbers = source.asObservable().asInfallible(onErrorJustReturn: 0)
    var ended = 0
    let scaled = numbers.withUnretained(owner!) { $0.factor * $1 }
    _ = scaled.subscribe(onNext: { seen.append($0) }, onCompleted: { ended += 1 })
    _ = numbers.withUnretained(owner!).subscribe(
      onNext: { seen.append($0.0.factor + $0.1) }, onCompleted: { ended += 1 })
    source.accept(1)
    owner = nil
    source.accept(2)
    #expect(seen == [10, 11])
    #expect(ended == 2)
  }

  @Test("Timers and just run on the scheduler") func timersAndJustRunOnTheScheduler() {
    let scheduler = TestScheduler(initialClock: 0)
    let timer = scheduler.start { Single<Int>.timer(.seconds(50), scheduler: scheduler) }
    #expect(timer.events == [.next(250, 0), .completed(250)])
    let other = TestScheduler(initialClock: 0)
    let just = other.start { Maybe.just(7, scheduler: other) }
    #expect(just.events == [.next(201, 7), .completed(202)])
    let third = TestScheduler(initialClock: 0)
    var driver: Driver<Int>!
    SharingScheduler.mock(scheduler: third) {
      driver = Driver<Int>.timer(.seconds(10), period: .seconds(20)).take(2)
    }
    #expect(third.start { driver }.events == [.next(210, 0), .next(230, 1), .completed(230)])
  }
}
