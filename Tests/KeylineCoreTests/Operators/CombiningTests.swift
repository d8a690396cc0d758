import KeylineCore
import KeylineTest
import TestSupport
import Testing

@Suite struct CombiningTests {
  let scheduler = TestScheduler(initialClock: 0)

  func hot<Element>(_ events: Recorded<Event<Element>>...) -> TestableObservable<Element> {
    scheduler.createHotObservable(events)
  }

  func cold<Element>(_ events: Recorded<Event<Element>>...) -> TestableObservable<Element> {
    scheduler.createColdObservable(events)
  }

  // MARK: zip

  @Test("Zip pairs the nth with the nth") func zipPairsTheNthWithTheNth() {
    let left = hot(.next(210, 1), .next(220, 2), .next(260, 3), .completed(280))
    let right = hot(.next(215, "x"), .next(240, "y"), .next(270, "z"), .completed(275))
    let result = scheduler.start { Observable.zip(left, right) { "\($0)\($1)" } }
    #expect(
      result.events == [
        .next(215, "1x"), .next(240, "2y"), .next(270, "3z"), .completed(280),
      ])
    #expect(left.subscriptions == [Subscription(200, 280)])
    #expect(right.subscriptions == [Subscription(200, 275)])
  }

  @Test("Zip ends with the last source") func zipEndsWithTheLastSource() {
    let left = hot(.completed(210, Int.self))
    let right = hot(.next(215, 2), .completed(220))
    let result = scheduler.start { Observable.zip(left, right) { $0 + $1 } }
    #expect(result.events == [.completed(220)])
    #expect(left.subscriptions == [Subscription(200, 210)])
    #expect(right.subscriptions == [Subscription(200, 220)])
  }

  @Test("Zip forwards an error that follows the last pair")
  func zipForwardsAnErrorThatFollowsTheLastPair() {
    let ended = hot(.next(210, 1), .completed(220))
    let failing = hot(.next(215, 1), .next(230, 2), .error(240, Failure()))
    let result = scheduler.start { Observable.zip(ended, failing) { $0 + $1 } }
    #expect(result.events == [.next(215, 2), .error(240, Failure())])
    let many = TestScheduler(initialClock: 0)
    let sources = [210, 230, 250].map {
      many.createHotObservable([.next(205, $0), .next($0 - 5, $0), .completed($0)])
    }
    let array = many.start { Observable.zip(sources) }
    #expect(
      array.events == [
        .next(205, [210, 230, 250]), .next(245, [210, 230, 250]), .completed(250),
      ])
  }

  @Test("Zip ends with the first error and with one thrown")
  func zipEndsWithTheFirstErrorAndWithOneThrown() {
    let left = hot(.next(210, 1), .next(220, 2))
    let right = hot(.next(215, 1), .error(217, Failure()))
    let result = scheduler.start { Observable.zip(left, right) { $0 + $1 } }
    #expect(result.events == [.next(215, 2), .error(217, Failure())])
    #expect(left.subscriptions == [Subscription(200, 217)])
    let thrown = Observable<Int>.zip(Observable.just(1), Observable.just(2)) { _, _ in
      throw Other()
    }
    #expect(events(of: thrown) == [.error(Other())])
  }

  @Test("Zip takes any number as tuples and collections")
  func zipTakesAnyNumberAsTuplesAndCollections() {
    var tuples: [String] = []
    _ = Observable.zip(Observable.of(1, 2), Observable.of("a", "b"), Observable.of(true, false))
      .subscribe(onNext: { tuples.append("\($0)") })
    #expect(tuples == [#"(1, "a", true)"#, #"(2, "b", false)"#])
    let sources = (1...20).map { Observable.of($0, $0 * 100) }
    #expect(
      events(of: Observable.zip(sources)) == [
        .next(Array(1...20)), .next((1...20).map { $0 * 100 }), .completed,
      ])
    #expect(events(of: Observable.zip([Observable<Int>]())) == [.completed])
  }

  @Test("Arrays are combined as operators of their element")
  func arraysAreCombinedAsOperatorsOfTheirElement() {
    let sources = [Observable.of(1), Observable.of(2)]
    let pairs: [Event<[Int]>] = [.next([1, 2]), .completed]
    #expect(events(of: Observable<Int>.combineLatest(sources)) == pairs)
    #expect(events(of: Observable.combineLatest(sources)) == pairs)
    #expect(events(of: Observable<Int>.zip(sources)) == pairs)
    #expect(events(of: Observable.zip(sources)) == pairs)
  }

  // MARK: concat

  @Test("Concat subscribes to the second at the end of the first")
  func concatSubscribesToTheSecondAtTheEndOfTheFirst() {
    let (first, second) = (
      cold(.next(10, 1), .completed(20)), cold(.next(10, 2), .completed(20))
    )
    let result = scheduler.start { first.concat(second) }
    #expect(result.events == [.next(210, 1), .next(230, 2), .completed(240)])
    #expect(first.subscriptions == [Subscription(200, 220)])
    #expect(second.subscriptions == [Subscription(220, 240)])
  }

  @Test("Concat stops at an error and at disposal") func concatStopsAtAnErrorAndAtDisposal() {
    let bad = cold(.error(10, Failure(), Int.self))
    let (second, third) = (cold(.next(10, 2)), cold(.next(10, 3)))
    let result = scheduler.start { bad.concat(second) }
    #expect(result.events == [.error(210, Failure())])
    #expect(second.subscriptions == [])
    let other = TestScheduler(initialClock: 0)
    let never = other.start { Observable.concat(.never(), third.asObservable()) }
    #expect(never.events == [])
    #expect(third.subscriptions == [])
  }

  @Test("Concat of many neither recurses nor iterates ahead")
  func concatOfManyNeitherRecursesNorIteratesAhead() {
    var asked = 0
    let endless = sequence(first: 0) { $0 + 1 }.lazy.map { number in
      asked += 1
      return Observable.just(number)
    }
    #expect(
      events(of: Observable.concat(endless).skip(20_000).take(1)) == [.next(20_000), .completed])
    #expect(asked == 20_001)
    #expect(events(of: Observable<Int>.concat([])) == [.completed])
  }

  // MARK: merge(maxConcurrent:)

  @Test("Merge limits concurrent subscriptions") func mergeLimitsConcurrentSubscriptions() {
    let (a, b, c) = (
      cold(.next(10, "a"), .completed(30)), cold(.next(10, "b"), .completed(50)),
      cold(.next(10, "c"), .completed(15))
    )
    let source = hot(
      .next(210, a.asObservable()), .next(212, b.asObservable()), .next(214, c.asObservable()),
      .completed(220))
    let result = scheduler.start { source.merge(maxConcurrent: 2) }
    #expect(
      result.events == [.next(220, "a"), .next(222, "b"), .next(250, "c"), .completed(262)])
    #expect(a.subscriptions == [Subscription(210, 240)])
    #expect(b.subscriptions == [Subscription(212, 262)])
    #expect(c.subscriptions == [Subscription(240, 255)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("Merge limited ends with its source and with any error")
  func mergeLimitedEndsWithItsSourceAndWithAnyError() {
    let inner = cold(.next(10, 1), .completed(20))
    let source = hot(.next(210, inner.asObservable()), .completed(260))
    let result = scheduler.start { source.concat() }
    #expect(result.events == [.next(220, 1), .completed(260)])
    let sources = Observable.of(.just(1), .error(Failure()), Observable.just(2))
    #expect(events(of: sources.concat()) == [.next(1), .error(Failure())])
    let failing = Observable.error(Failure()).startWith(Observable<Int>.never())
    #expect(events(of: failing.merge(maxConcurrent: 1)) == [.error(Failure())])
  }

  @Test("Concat of observables does not recurse") func concatOfObservablesDoesNotRecurse() {
    let gate = PublishSubject<Int>()
    let many = (1...20_000).map { Observable.just($0) }
    var count = 0
    _ = Observable.from([gate.asObservable()] + many).concat().subscribe(onNext: { _ in count += 1 }
    )
    #expect(count == 0)
    gate.onCompleted()
    #expect(count == 20_000)
    let endless = Observable.from(1...).startWith(0)
    #expect(events(of: Observable.just(endless).concat().take(2)).count == 3)
  }

  @Test("Merge of none is reported and taken for one") func mergeOfNoneIsReportedAndTakenForOne() {
    Reports.collect()
    let sources = Observable.of(Observable.just(1), Observable.just(2))
    #expect(events(of: sources.merge(maxConcurrent: -7)) == [.next(1), .next(2), .completed])
    let reports = Reports.of(.misuse).filter { $0.message.hasPrefix("merge(maxConcurrent: -7)") }
    #expect(reports.count == 1)
  }

  // MARK: Synchronous sources

  @Test("Sources take turns wherever they are subscribed to")
  func sourcesTakeTurnsWhereverTheyAreSubscribedTo() {
    let (ones, tens) = (Observable.of(1, 2), Observable.of(10, 20))
    let outputs: [Observable<Int>] = [
      Observable.combineLatest(ones, tens) { $0 + $1 },
      Observable.combineLatest([ones, tens]) { $0[0] + $0[1] },
      Observable.zip(ones, tens) { $0 + $1 },
      Observable.merge(ones, tens),
      Observable.amb([ones.filter { $0 > 1 }, tens]),
      ones.withLatestFrom(tens) { $0 + $1 },
      Observable.error(Failure()).startWith(1).retry { (_: Observable<any Error>) in tens },
    ]
    for (index, output) in outputs.enumerated() {
      let expected = events(of: output)
      let subject = PublishSubject<Void>()
      for flattened in [subject.flatMap { output }, subject.flatMapLatest { output }] {
        var received: [Event<Int>] = []
        _ = flattened.subscribe { received.append($0) }
        subject.onNext(())
        #expect(received == expected.filter { !$0.isCompleted }, "\(index)")
      }
      let scheduler = TestScheduler(initialClock: 0)
      let result = scheduler.start { output.subscribe(on: scheduler) }
      #expect(result.events.map(\.value) == expected, "\(index)")
    }
  }

  @Test("An element may have endless sequences zipped")
  func anElementMayHaveEndlessSequencesZipped() {
    let subject = PublishSubject<Void>()
    var (asked, sums) = (0, [Int]())
    let numbers = Observable.range(start: 0, count: 10_000).do(onNext: { _ in asked += 1 })
    let zipped = Observable.zip(numbers, Observable.range(start: 0, count: 10_000)) { $0 + $1 }
    _ = subject.flatMap { zipped.take(3) }.subscribe(onNext: { sums.append($0) })
    subject.onNext(())
    #expect(sums == [0, 2, 4])
    #expect(asked == 3)
  }

  // MARK: withUnretained

  @Test("withUnretained ends when its object has gone")
  func withUnretainedEndsWhenItsObjectHasGone() {
    final class Owner {}
    var owner: Owner? = Owner()
    let source = PublishSubject<Int>()
    var received: [Event<Int>] = []
    let observable = source.withUnretained(owner!)
    _ = observable.map(\.1).subscribe { received.append($0) }
    source.onNext(1)
    owner = nil
    #expect(received == [.next(1)])
    source.onNext(2)
    #expect(received == [.next(1), .completed])
    #expect(!source.hasObservers)
  }
}
