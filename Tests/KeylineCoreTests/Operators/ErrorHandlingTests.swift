import KeylineCore
import KeylineTest
import TestSupport
import Testing

@Suite struct ErrorHandlingTests {
  let scheduler = TestScheduler(initialClock: 0)

  /// 1 at 210, error at 220.
  var failing: TestableObservable<Int> {
    scheduler.createHotObservable([.next(150, 0), .next(210, 1), .error(220, Failure())])
  }

  @Test("Catch goes on with another") func catchGoesOnWithAnother() {
    let source = failing
    let other = scheduler.createColdObservable([.next(10, 7), .completed(20)])
    let result = scheduler.start { source.catch { _ in other.asObservable() } }
    #expect(result.events == [.next(210, 1), .next(230, 7), .completed(240)])
    #expect(source.subscriptions == [Subscription(200, 220)])
    #expect(other.subscriptions == [Subscription(220, 240)])
  }

  @Test("Catch forwards completion and is not called") func catchForwardsCompletionAndIsNotCalled()
  {
    let source = scheduler.createHotObservable([.next(210, 1), .completed(220)])
    let result = scheduler.start { source.catch { _ in throw Other() } }
    #expect(result.events == [.next(210, 1), .completed(220)])
  }

  @Test("catch fails with the error of its handler, and with errors that follow")
  func catchFailsWithWhatItsHandlerThrowsAndWithWhatFollows() {
    let source = failing
    let thrown = scheduler.start { source.catch { _ in throw Other() } }
    #expect(thrown.events == [.next(210, 1), .error(220, Other())])
    let later = Observable<Int>.error(Failure()).catch { _ in .error(Other()) }
    #expect(events(of: later) == [.error(Other())])
  }

  @Test("Catch leaves the second on disposal") func catchLeavesTheSecondOnDisposal() {
    let source = failing
    let other = scheduler.createColdObservable([.next(10, 7), .next(50, 8)])
    let result = scheduler.start(disposed: 250) { source.catch { _ in other.asObservable() } }
    #expect(result.events == [.next(210, 1), .next(230, 7)])
    #expect(other.subscriptions == [Subscription(220, 250)])
  }

  @Test("catchAndReturn ends with an element") func catchAndReturnEndsWithAnElement() {
    let source = failing
    let result = scheduler.start { source.catchAndReturn(9) }
    #expect(result.events == [.next(210, 1), .next(220, 9), .completed(220)])
  }

  @Test("Catch sequence tries one after the other") func catchSequenceTriesOneAfterTheOther() {
    let sources = (1...3).map { number in
      scheduler.createColdObservable([
        .next(10, number), number < 3 ? .error(20, Failure()) : .completed(20),
      ])
    }
    let result = scheduler.start {
      Observable.catch(sequence: sources.map { $0.asObservable() })
    }
    #expect(
      result.events == [.next(210, 1), .next(230, 2), .next(250, 3), .completed(260)])
    #expect(sources[0].subscriptions == [Subscription(200, 220)])
    #expect(sources[1].subscriptions == [Subscription(220, 240)])
    #expect(sources[2].subscriptions == [Subscription(240, 260)])
  }

  @Test("Catch sequence ends as the last and at once if there is none")
  func catchSequenceEndsAsTheLastAndAtOnceIfThereIsNone() {
    #expect(
      events(of: Observable<Int>.catch(sequence: [.error(Failure()), .error(Other())]))
        == [.error(Other())])
    #expect(events(of: Observable<Int>.catch(sequence: [])) == [.completed])
  }

  @Test("Retry subscribes anew until disposal") func retrySubscribesAnewUntilDisposal() {
    let cold = scheduler.createColdObservable([.next(10, 1), .error(25, Failure())])
    let result = scheduler.start(disposed: 262) { cold.retry() }
    #expect(result.events == [.next(210, 1), .next(235, 1), .next(260, 1)])
    #expect(
      cold.subscriptions == [
        Subscription(200, 225), Subscription(225, 250), Subscription(250, 262),
      ])
  }

  @Test("Retry ends with completion and counts the first attempt")
  func retryEndsWithCompletionAndCountsTheFirstAttempt() {
    let cold = scheduler.createColdObservable([.next(10, 1), .error(20, Failure())])
    let result = scheduler.start { cold.retry(3) }
    #expect(
      result.events == [
        .next(210, 1), .next(230, 1), .next(250, 1), .error(260, Failure()),
      ])
    #expect(cold.subscriptions.count == 3)
    #expect(events(of: Observable.just(1).retry()) == [.next(1), .completed])
  }

  @Test("Retry without attempts completes without subscribing", arguments: [0, -1])
  func retryWithoutAttemptsCompletesWithoutSubscribing(count: Int) {
    let source = failing
    let result = scheduler.start { source.retry(count) }
    #expect(result.events == [.completed(200)])
    #expect(source.subscriptions == [])
  }

  @Test("Synchronous failures do not grow the stack") func synchronousFailuresDoNotGrowTheStack() {
    var attempts = 0
    let source = Observable<Int>.create { observer in
      attempts += 1
      if attempts == 20_000 { observer.onNext(attempts) }
      observer.onError(Failure())
      return Disposables.create()
    }
    #expect(events(of: source.retry().take(1)) == [.next(20_000), .completed])
    attempts = 0
    #expect(events(of: source.retry { $0 as Observable<any Error> }.take(1)).count == 2)
    #expect(attempts == 20_000)
    let sources = repeatElement(Observable<Int>.error(Failure()), count: 20_000)
    #expect(events(of: Observable.catch(sequence: sources)) == [.error(Failure())])
  }

  @Test("Retry when waits for its trigger") func retryWhenWaitsForItsTrigger() {
    let cold = scheduler.createColdObservable([.next(10, 1), .error(20, Failure())])
    let trigger = scheduler.createHotObservable([
      .next(205, 0), .next(230, 0), .next(231, 0), .next(270, 0), .completed(271),
    ])
    let result = scheduler.start { cold.retry { (_: Observable<any Error>) in trigger } }
    #expect(
      result.events == [.next(210, 1), .next(240, 1), .next(280, 1), .completed(290)])
    #expect(
      cold.subscriptions == [
        Subscription(200, 220), Subscription(230, 250), Subscription(270, 290),
      ])
    #expect(trigger.subscriptions == [Subscription(200, 271)])
  }

  @Test("Retry when ends with its trigger while the source is down")
  func retryWhenEndsWithItsTriggerWhileTheSourceIsDown() {
    let cold = scheduler.createColdObservable([.next(10, 1), .error(20, Failure())])
    let completing = scheduler.createHotObservable([.completed(230, Int.self)])
    let result = scheduler.start { cold.retry { (_: Observable<any Error>) in completing } }
    #expect(result.events == [.next(210, 1), .completed(230)])
    #expect(
      events(
        of: Observable<Int>.error(Failure()).retry { errors in
          errors.flatMapLatest { _ in Observable<Int>.error(Other()) }
        }) == [.error(Other())])
  }

  @Test("Retry when passes completion and errors of other types")
  func retryWhenPassesCompletionAndErrorsOfOtherTypes() {
    let completed = Observable.just(1).retry { (errors: Observable<any Error>) in errors }
    #expect(events(of: completed) == [.next(1), .completed])
    let foreign = Observable<Int>.error(Failure()).retry { (errors: Observable<Other>) in errors }
    #expect(events(of: foreign) == [.error(Failure())])
  }
}
