import KeylineTest
import TestSupport
import Testing

@testable import KeylineCore

@Suite struct TimingTests {
  let scheduler = TestScheduler(initialClock: 0)

  /// 1 at 210, 2 at 220, 3 at 260, end at 270.
  var source: TestableObservable<Int> {
    scheduler.createHotObservable([
      .next(150, 0), .next(210, 1), .next(220, 2), .next(260, 3), .completed(270),
    ])
  }

  @Test("Subscribe on subscribes and leaves on its scheduler")
  func subscribeOnSubscribesAndLeavesOnItsScheduler() {
    let source = source
    let result = scheduler.start(disposed: 230) { source.subscribe(on: scheduler) }
    #expect(result.events == [.next(210, 1), .next(220, 2)])
    #expect(source.subscriptions == [Subscription(201, 231)])
  }

  @Test("subscribe(on:) disposes an ended source on its scheduler")
  func subscribeOnLeavesOnItsSchedulerWhatHasEnded() {
    let source = source
    let result = scheduler.start { source.subscribe(on: scheduler) }
    #expect(result.events.last == .completed(270))
    #expect(source.subscriptions == [Subscription(201, 271)])
    let other = TestScheduler(initialClock: 0)
    let endless = other.start { Observable.from(1...).subscribe(on: other).take(2) }
    #expect(endless.events == [.next(201, 1), .next(201, 2), .completed(201)])
  }

  @Test("Schedulers of one thread take elements that are not sendable")
  func schedulersOfOneThreadTakeElementsThatAreNotSendable() {
    final class Model {}
    let model = Model()
    let result = scheduler.start {
      Observable.just(model).delay(.seconds(5), scheduler: scheduler)
        .observe(on: CurrentThreadScheduler.instance)
    }
    #expect(result.events.map(\.time) == [205, 206])
    #expect(result.events.first?.value.element === model)
  }

  @Test("Delay moves everything but errors") func delayMovesEverythingButErrors() {
    let source = source
    let result = scheduler.start { source.delay(.seconds(35), scheduler: scheduler) }
    #expect(
      result.events == [.next(245, 1), .next(255, 2), .next(295, 3), .completed(305)])
    #expect(source.subscriptions == [Subscription(200, 270)])
    let other = TestScheduler(initialClock: 0)
    let failing = other.createHotObservable([.next(210, 1), .next(220, 2), .error(230, Failure())])
    let failed = other.start { failing.delay(.seconds(15), scheduler: other) }
    #expect(failed.events == [.next(225, 1), .error(230, Failure())])
  }

  @Test("throttle behaves as its comment draws it") func throttleDoesWhatItsCommentDraws() throws {
    let marbles = Marbles<Int>()
    for (latest, output) in [(true, "-1----3------4--|"), (false, "-1-----------4--|")] {
      let scheduler = TestScheduler(initialClock: 0)
      let source = try scheduler.createHotObservable("-1-2-3-------4--|", marbles)
      let result = scheduler.start {
        source.throttle(.seconds(50), latest: latest, scheduler: scheduler)
      }
      #expect(try marbles.mismatch(result.events, output) == nil)
    }
  }

  @Test("Delay takes a step for each event of one instant")
  func delayTakesAStepForEachEventOfOneInstant() {
    let result = scheduler.start { Observable.of(1, 2).delay(.seconds(10), scheduler: scheduler) }
    #expect(result.events == [.next(210, 1), .next(211, 2), .completed(212)])
    let other = TestScheduler(initialClock: 0)
    let none = other.start { Observable.of(1, 2).delay(.zero, scheduler: other).take(1) }
    #expect(none.events == [.next(201, 1), .completed(201)])
  }

  @Test("delaySubscription subscribes later") func delaySubscriptionSubscribesLater() {
    let source = source
    let result = scheduler.start {
      source.delaySubscription(.seconds(15), scheduler: scheduler)
    }
    #expect(result.events == [.next(220, 2), .next(260, 3), .completed(270)])
    #expect(source.subscriptions == [Subscription(215, 270)])
    let other = TestScheduler(initialClock: 0)
    let cold = other.createColdObservable([.next(10, 1)])
    let disposed = other.start(disposed: 210) {
      cold.delaySubscription(.seconds(15), scheduler: other)
    }
    #expect(disposed.events == [])
    #expect(cold.subscriptions == [])
  }

  @Test("Timeout fails after silence") func timeoutFailsAfterSilence() {
    let source = source
    let result = scheduler.start { source.timeout(.seconds(30), scheduler: scheduler) }
    #expect(result.events == [.next(210, 1), .next(220, 2), .error(250, RxError.timeout)])
    #expect(source.subscriptions == [Subscription(200, 250)])
    let other = TestScheduler(initialClock: 0)
    let silent = other.start { Observable<Int>.never().timeout(.seconds(30), scheduler: other) }
    #expect(silent.events == [.error(230, RxError.timeout)])
  }

  @Test("timeout passes on elements that are in time") func timeoutDoesNothingToWhatIsInTime() {
    let source = source
    let result = scheduler.start { source.timeout(.seconds(41), scheduler: scheduler) }
    #expect(
      result.events == [.next(210, 1), .next(220, 2), .next(260, 3), .completed(270)])
  }

  @Test("Timeout goes on with another") func timeoutGoesOnWithAnother() {
    let source = source
    let other = scheduler.createColdObservable([.next(50, 7), .completed(60)])
    let result = scheduler.start {
      source.timeout(.seconds(30), other: other, scheduler: scheduler)
    }
    #expect(
      result.events == [.next(210, 1), .next(220, 2), .next(300, 7), .completed(310)])
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(other.subscriptions == [Subscription(250, 310)])
    let again = TestScheduler(initialClock: 0)
    let endless = again.start {
      Observable.never().timeout(.seconds(30), other: Observable.from(1...), scheduler: again)
        .take(2)
    }
    #expect(endless.events == [.next(230, 1), .next(230, 2), .completed(230)])
  }

  @Test("Onto the main queue elements may be of any kind")
  @MainActor func ontoTheMainQueueElementsMayBeOfAnyKind() async {
    final class Model {}
    let due = Duration.seconds(1_000)
    let main = MainScheduler.instance
    let source = Observable<Model>.never()
    let all = [
      source.delay(due, scheduler: main), source.delaySubscription(due, scheduler: main),
      source.timeout(due, scheduler: main), source.timeout(due, other: source, scheduler: main),
      source.throttle(due, scheduler: main), source.take(for: due, scheduler: main),
      source.skip(due, scheduler: main), source.subscribe(on: main),
    ]
    for observable in all {
      observable.subscribe { _ in Issue.record("nothing was emitted") }.dispose()
    }
    let onMain = await withCheckedContinuation { continuation in
      _ = Observable<Int>.create { observer in
        observer.onNext(MainScheduler.isCurrent ? 1 : 0)
        return Disposables.create()
      }.subscribe(on: main).take(1).subscribe(onNext: { continuation.resume(returning: $0) })
    }
    #expect(onMain == 1)
  }

  @Test("Skip takes a duration under its other name") func skipTakesADurationUnderItsOtherName() {
    let source = source
    let result = scheduler.start { source.skip(.seconds(15), scheduler: scheduler) }
    #expect(result.events == [.next(220, 2), .next(260, 3), .completed(270)])
    let other = TestScheduler(initialClock: 0)
    let ticks = Observable<Int>.interval(.seconds(10), scheduler: other).take(3)
    let infallible = ticks.asInfallible(onErrorJustReturn: -1)
    let late = other.start { infallible.skip(.seconds(15), scheduler: other) }
    #expect(late.events == [.next(220, 1), .next(230, 2), .completed(230)])
  }

  @Test("A completable may be a timer") func aCompletableMayBeATimer() {
    let result = scheduler.start { Completable.timer(.seconds(10), scheduler: scheduler) }
    #expect(result.events == [.completed(210)])
  }

  // MARK: do, debug

  @Test("do calls onDispose after the handlers that run after the end")
  func doDisposesAfterWhatIsDoneAfterTheEnd() {
    var log: [String] = []
    func watched(_ source: Observable<Int>, _ name: String) -> Observable<Int> {
      source.do(
        afterError: { _ in log.append("\(name) after") }, onDispose: { log.append("\(name) gone") })
    }
    let source = watched(watched(.error(Failure()), "inner"), "outer")
    _ = source.subscribe(onError: { _ in log.append("error") }, onDisposed: { log.append("end") })
    #expect(log == ["error", "end", "outer after", "inner after", "inner gone", "outer gone"])
  }

  @Test("Do disposes after the source which is disposed after the termination")
  func doDisposesAfterTheSourceWhichIsDisposedAfterTheTermination() {
    var log: [String] = []
    let subject = PublishSubject<Int>()
    func watched(_ source: Observable<Int>, _ name: String) -> Observable<Int> {
      source.do(
        onCompleted: { log.append("\(name) completed") },
        afterCompleted: { log.append("\(name) after") },
        onSubscribe: { log.append("\(name) subscribe") },
        onSubscribed: { log.append("\(name) subscribed") },
        onDispose: { log.append("\(name) gone") })
    }
    func events(_ names: [String], _ subscribe: @escaping (AnyObserver<Int>) -> Void) -> [String] {
      let source = Observable<Int>.create { observer in
        subscribe(observer)
        return Disposables.create { log.append("source gone") }
      }
      log = []
      let subscription = names.reduce(source, watched).subscribe(
        onCompleted: { log.append("done") }, onDisposed: { log.append("end") })
      subject.onCompleted()
      subscription.dispose()
      return log
    }
    #expect(events([]) { _ = subject.subscribe($0) } == ["done", "source gone", "end"])
    #expect(
      events(["a"]) { $0.onCompleted() } == [
        "a subscribe", "a completed", "done", "end", "a after", "source gone", "a subscribed",
        "a gone",
      ])
    let open = PublishSubject<Int>()
    #expect(
      events(["a", "b"]) { observer in
        _ = open.subscribe(observer)
        open.onCompleted()
      } == [
        "b subscribe", "a subscribe", "a completed", "b completed", "done", "end", "b after",
        "a after", "source gone", "a subscribed", "a gone", "b subscribed", "b gone",
      ])
  }

  @Test("A do behind another disposes after it") func aDoBehindAnotherDisposesAfterIt() {
    var log: [String] = []
    func watched(_ source: Observable<Int>, _ name: String) -> Observable<Int> {
      source.do(
        afterCompleted: { log.append("\(name) after") }, onDispose: { log.append("\(name) gone") })
    }
    for isDisposed in [false, true] {
      let subject = PublishSubject<Int>()
      let source = Observable<Int>.create { observer in
        _ = subject.subscribe(observer)
        return Disposables.create { log.append("source gone") }
      }
      let subscription = watched(watched(source, "a"), "b").subscribe(
        onCompleted: { log.append("done") })
      if isDisposed { subscription.dispose() } else { subject.onCompleted() }
    }
    #expect(
      log == [
        "done", "b after", "source gone", "a gone", "b gone", "a after",
        "source gone", "a gone", "b gone",
      ])
  }

  @Test("debug prints every event") func debugPrintsWhatHappens() {
    var log: [String] = []
    let source = Observable.of("1", String(repeating: "x", count: 50))
      .debug(longestEvent: 40) { log.append("a \($0)") }.debug(longestEvent: .max) {
        if !$0.hasPrefix("Event n") { log.append("b \($0)") }
      }
    _ = source.subscribe(onCompleted: { log.append("done") })
    #expect(
      log == [
        "b subscribed", "a subscribed", "a Event next(1)",
        "a Event next(xxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxx)", "a Event completed",
        "b Event completed", "done", "b isDisposed", "a isDisposed",
      ])
    log = []
    Observable<Int>.never().debug(longestEvent: 0, to: { log.append($0) }).subscribe().dispose()
    #expect(log == ["subscribed", "isDisposed"])
  }
}
