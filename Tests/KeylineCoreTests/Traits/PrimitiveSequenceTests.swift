import KeylineCore
import KeylineTest
import TestSupport
import Testing

/// User code as it stands in programs written for RxSwift: that it compiles is half of the test.
extension PrimitiveSequence where Trait == SingleTrait {
  fileprivate func asText() -> Single<String> { map { "\($0)" } }
}

extension PrimitiveSequenceType where Trait == SingleTrait, Element == Int {
  fileprivate func doubled() -> Single<Int> { map { $0 * 2 } }
}

@Suite struct PrimitiveSequenceTests {
  let scheduler = TestScheduler(initialClock: 0)

  func source(_ events: Recorded<Event<Int>>...) -> TestableObservable<Int> {
    scheduler.createHotObservable(events)
  }

  func record<Output: ObservableConvertibleType>(
    _ output: Output
  ) -> [Recorded<Event<Output.Element>>] {
    scheduler.start { output }.events
  }

  // MARK: Single

  @Test("Single create delivers one event only") func singleCreateDeliversOneEventOnly() {
    var log: [String] = []
    let single = Single<Int>.create { single in
      single(.success(1))
      single(.success(2))
      single(.failure(Failure()))
      return Disposables.create { log.append("disposed") }
    }
    _ = single.asObservable().subscribe { log.append("\($0)") }
    #expect(log == ["next(1)", "completed", "disposed"])
  }

  @Test("Single calls one handler then on disposed") func singleCallsOneHandlerThenOnDisposed() {
    var log: [String] = []
    let ok: Single<Int> = .just(1)
    _ = ok.subscribe(
      onSuccess: { log.append("success \($0)") }, onFailure: { log.append("\($0)") },
      onDisposed: { log.append("disposed") })
    _ = Single<Int>.error(Failure()).subscribe(
      onSuccess: { _ in log.append("success") }, onFailure: { _ in log.append("failure") },
      onDisposed: { log.append("disposed") })
    let pending = Single<Int>.never().subscribe(onDisposed: { log.append("left") })
    pending.dispose()
    #expect(log == ["success 1", "disposed", "failure", "disposed", "left"])
  }

  @Test("Single delivers a result") func singleDeliversAResult() {
    var log: [String] = []
    for single in [Single.just(1), .error(Failure())] {
      _ = single.asText().subscribe { event in
        switch event {
        case .success(let text): log.append(text)
        case .failure(let error): log.append("\(error)")
        }
      }
    }
    #expect(log == ["1", "Failure()"])
  }

  @Test("The object given is held weakly and its handlers are skipped afterwards")
  func theObjectGivenIsHeldWeaklyAndItsHandlersAreSkippedAfterwards() {
    final class Screen { var shown: [Int] = [] }
    var screen: Screen? = Screen()
    weak let observed = screen
    let values = PublishSubject<Int>()
    let subscription = values.asSingle().doubled().subscribe(
      with: Screen(), onSuccess: { $0.shown.append($1) })
    _ = Single.just(3).subscribe(with: screen!, onSuccess: { $0.shown.append($1) })
    #expect(screen?.shown == [3])
    screen = nil
    #expect(observed == nil)
    values.onNext(1)
    values.onCompleted()
    subscription.dispose()
  }

  @Test("Map and throwing closures") func mapAndThrowingClosures() {
    func parse(_ text: String) throws -> Int {
      guard let number = Int(text) else { throw Failure() }
      return number
    }
    #expect(record(Single.just("7").map(parse)) == [.next(200, 7), .completed(200)])
    var events: [Event<Int>] = []
    _ = Single.just("x").map { try parse($0) }.asObservable().subscribe { events.append($0) }
    #expect(events == [.error(Failure())])
  }

  @Test("Filter and compactMap make a maybe") func filterAndCompactMapMakeAMaybe() {
    let none: Maybe<Int> = Single.just(1).filter { $0 > 1 }
    #expect(record(none) == [.completed(200)])
    let text: Maybe<String> = Single.just(1).compactMap { $0 > 0 ? "\($0)" : nil }
    let fresh = TestScheduler(initialClock: 0).start { text }
    #expect(fresh.events == [.next(200, "1"), .completed(200)])
    let failing = Single.just(1).filter { _ in throw Failure() }
    #expect(TestScheduler(initialClock: 0).start { failing }.events == [.error(200, Failure())])
  }

  @Test("Do calls handlers in order") func doCallsHandlersInOrder() {
    var log: [String] = []
    _ = Single.just(1).do(
      onSuccess: { log.append("on \($0)") }, afterSuccess: { log.append("after \($0)") },
      onSubscribe: { log.append("subscribe") }, onSubscribed: { log.append("subscribed") },
      onDispose: { log.append("dispose") }
    ).subscribe(onSuccess: { log.append("\($0)") })
    #expect(log == ["subscribe", "on 1", "1", "after 1", "subscribed", "dispose"])
    log = []
    _ = Completable.empty().do(onCompleted: { log.append("done") }).subscribe()
    _ = Maybe<Int>.error(Failure()).do(onError: { log.append("\($0)") })
      .subscribe(onError: { _ in })
    #expect(log == ["done", "Failure()"])
  }

  @Test("A handler that throws after the element changes nothing for the subscriber")
  func aHandlerThatThrowsAfterTheElementChangesNothingForTheSubscriber() {
    var log: [String] = []
    _ = Single.just(1).do(afterSuccess: { _ in throw Failure() }).subscribe(
      onSuccess: { log.append("\($0)") }, onFailure: { log.append("\($0)") })
    #expect(log == ["1"])
  }

  @Test("Observe on delivers one action per event") func observeOnDeliversOneActionPerEvent() {
    let events = record(Single.just(1).observe(on: scheduler))
    #expect(events == [.next(201, 1), .completed(202)])
  }

  // MARK: Maybe and Completable

  @Test("Maybe calls one handler") func maybeCallsOneHandler() {
    var log: [String] = []
    for maybe in [Maybe.just(1), .empty(), .error(Failure())] {
      _ = maybe.subscribe(
        onSuccess: { log.append("\($0)") }, onError: { log.append("\($0)") },
        onCompleted: { log.append("completed") }, onDisposed: { log.append("|") })
      _ = maybe.subscribe { log.append("\($0)") }
    }
    #expect(
      log == [
        "1", "|", "success(1)", "completed", "|", "completed", "Failure()", "|",
        "error(TestSupport.Failure())",
      ])
  }

  @Test("Maybe create") func maybeCreate() {
    func make(_ event: MaybeEvent<Int>) -> Maybe<Int> {
      .create { maybe in
        maybe(event)
        return Disposables.create()
      }
    }
    var events: [Event<Int>] = []
    for maybe in [make(.success(1)), make(.completed), make(.error(Failure()))] {
      _ = maybe.asObservable().subscribe { events.append($0) }
    }
    #expect(events == [.next(1), .completed, .completed, .error(Failure())])
  }

  @Test("Completable create and subscribe") func completableCreateAndSubscribe() {
    var log: [String] = []
    let done = Completable.create { completable in
      completable(.completed)
      completable(.error(Failure()))
      return Disposables.create { log.append("left") }
    }
    let failed = Completable.create { completable in
      completable(.error(Failure()))
      return Disposables.create()
    }
    for completable in [done, failed] {
      _ = completable.subscribe(
        onCompleted: { log.append("completed") }, onError: { log.append("\($0)") },
        onDisposed: { log.append("|") })
    }
    _ = failed.subscribe { if case .error(let error) = $0 { log.append("\(error)") } }
    // As with `Observable.create`: it can be stopped once it has returned.
    #expect(log == ["completed", "|", "left", "Failure()", "|", "Failure()"])
  }

  @Test("andThen subscribes once the first has completed")
  func andThenSubscribesOnceTheFirstHasCompleted() {
    let first = source(.completed(250))
    let second = scheduler.createColdObservable([.next(10, 1), .completed(20)])
    let result = scheduler.start {
      first.ignored().andThen(second.asSingle())
    }
    #expect(result.events == [.next(270, 1), .completed(270)])
    #expect(first.subscriptions == [Subscription(200, 250)])
    #expect(second.subscriptions == [Subscription(250, 270)])
  }

  @Test("andThen does not subscribe after an error") func andThenDoesNotSubscribeAfterAnError() {
    let second = scheduler.createColdObservable([.next(10, 1), .completed(20)])
    let result = scheduler.start {
      Completable.error(Failure()).andThen(second.asObservable())
    }
    #expect(result.events == [.error(200, Failure())])
    #expect(second.subscriptions == [])
    var log: [String] = []
    _ = Completable.empty().andThen(.empty()).andThen(Maybe.just(2)).subscribe(
      onSuccess: { log.append("\($0)") })
    _ = Completable.empty().andThen(Single.just(1)).subscribe(onSuccess: { log.append("\($0)") })
    #expect(log == ["2", "1"])
  }

  @Test("Zipped completables complete with the last") func zippedCompletablesCompleteWithTheLast() {
    let (a, b) = (source(.completed(220)), source(.completed(240)))
    let result = scheduler.start { Completable.zip(a.ignored(), b.ignored()) }
    #expect(result.events.map(\.time) == [240])
    #expect(a.subscriptions == [Subscription(200, 220)])
    let failing = TestScheduler(initialClock: 0).start {
      Completable.zip([.never(), .error(Failure())])
    }
    #expect(failing.events.map(\.time) == [200])
  }

  @Test("asCompletable waits for the end") func asCompletableWaitsForTheEnd() {
    let source = source(.next(210, 1), .completed(230))
    let result = scheduler.start { source.asSingle().asCompletable() }
    #expect(result.events.map(\.time) == [230])
    #expect(result.events.first?.value.isCompleted == true)
  }

  // MARK: Conversions

  @Test("asSingle emits the only element at completion")
  func asSingleEmitsTheOnlyElementAtCompletion() {
    let source = source(.next(210, 1), .completed(230))
    #expect(record(source.asSingle()) == [.next(230, 1), .completed(230)])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test("asSingle refuses none and two") func asSingleRefusesNoneAndTwo() {
    #expect(record(source(.completed(230)).asSingle()) == [.error(230, RxError.noElements)])
    let two = TestScheduler(initialClock: 0)
    let source = two.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
    let result = two.start { source.asSingle() }
    #expect(result.events == [.error(220, RxError.moreThanOneElement)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("asMaybe may have none") func asMaybeMayHaveNone() {
    #expect(record(source(.completed(230)).asMaybe()) == [.completed(230)])
    let two = TestScheduler(initialClock: 0)
    let source = two.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
    #expect(two.start { source.asMaybe() }.events == [.error(220, RxError.moreThanOneElement)])
    let failing = TestScheduler(initialClock: 0).start { Single<Int>.error(Failure()).asMaybe() }
    #expect(failing.events == [.error(200, Failure())])
  }

  @Test("First emits at once") func firstEmitsAtOnce() {
    let source = source(.next(210, 1), .next(220, 2), .completed(230))
    let result = scheduler.start { source.first() }
    #expect(result.events == [.next(210, 1), .completed(210)])
    #expect(source.subscriptions == [Subscription(200, 210)])
    let none = TestScheduler(initialClock: 0).start { Observable<Int>.empty().first() }
    #expect(none.events == [.next(200, nil), .completed(200)])
    let endless = TestScheduler(initialClock: 0).start { Observable.from(1...).first() }
    #expect(endless.events == [.next(200, 1), .completed(200)])
  }

  @Test("toArray emits at completion") func toArrayEmitsAtCompletion() {
    let source = source(.next(210, 1), .next(220, 2), .completed(230))
    #expect(record(source.toArray()) == [.next(230, [1, 2]), .completed(230)])
    let none = TestScheduler(initialClock: 0).start { Observable<Int>.empty().toArray() }
    #expect(none.events == [.next(200, []), .completed(200)])
    let failing = TestScheduler(initialClock: 0)
    let failed = failing.createHotObservable([.next(210, 1), .error(220, Failure())])
    #expect(failing.start { failed.toArray() }.events == [.error(220, Failure())])
  }
}

extension TestableObservable {
  fileprivate func ignored() -> Completable { asMaybe().asCompletable() }
}
