import KeylineCore
import Testing

/// `zip` and `combineLatest` of two, of a fixed number, and of a collection of sources.
@Suite struct CombiningNumberTests {
  private func events<Element>(of source: Observable<Element>) -> [Event<Element>] {
    var events: [Event<Element>] = []
    _ = source.subscribe { events.append($0) }
    return events
  }

  // MARK: zip of a collection

  /// An element without a partner, when all other sources have completed, ends a zip of a
  /// collection; one that still finds a partner does not.
  @Test("Zip of a collection completes with an element that can have no partner")
  func zipOfACollectionCompletesWithAnElementThatCanHaveNoPartner() {
    let (left, right) = (PublishSubject<Int>(), PublishSubject<Int>())
    var events: [Event<[Int]>] = []
    _ = Observable.zip([left, right]).subscribe { events.append($0) }
    left.onNext(1)
    left.onNext(2)
    left.onCompleted()
    right.onNext(10)
    right.onNext(20)
    #expect(events == [.next([1, 10]), .next([2, 20])])
    right.onNext(30)
    #expect(events == [.next([1, 10]), .next([2, 20]), .completed])
    #expect(!right.hasObservers)
  }

  @Test("Zip of a collection goes on while two sources run")
  func zipOfACollectionGoesOnWhileTwoSourcesRun() {
    let sources = (0..<3).map { _ in PublishSubject<Int>() }
    var events: [Event<Int>] = []
    _ = Observable.zip(sources) { $0.reduce(0, +) }.subscribe { events.append($0) }
    sources[0].onCompleted()
    sources[1].onNext(1)
    sources[2].onNext(1)
    #expect(events == [])
    sources[1].onCompleted()
    #expect(events == [])
    sources[2].onNext(2)
    #expect(events == [.completed])
  }

  /// A zip of a fixed number waits for the completion of all.
  @Test("Zip of a fixed number completes with the last source")
  func zipOfAFixedNumberCompletesWithTheLastSource() {
    let (left, right) = (PublishSubject<Int>(), PublishSubject<Int>())
    var events: [Event<Int>] = []
    _ = Observable.zip(left, right) { $0 + $1 }.subscribe { events.append($0) }
    left.onCompleted()
    right.onNext(1)
    #expect(events == [])
    right.onCompleted()
    #expect(events == [.completed])
  }

  /// A closure of many parameters, whose types the compiler infers.
  @Test("Arithmetic over eight sources compiles") @MainActor
  func arithmeticOverEightSourcesCompiles() {
    let one = Observable.just(1)
    let sum = Observable.combineLatest(one, one, one, one, one, one, one, one) {
      $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7
    }
    #expect(events(of: sum) == [.next(8), .completed])
    let mixed = Observable.zip(one, one, one, one, one, one, one, one) {
      $0 * $1 + $2 * $3 - $4 + $5 + $6 - $7
    }
    #expect(events(of: mixed) == [.next(2), .completed])
    let single = Single.just(1)
    let singles = Single.zip(single, single, single, single, single, single) {
      $0 + $1 + $2 + $3 + $4 + $5
    }
    #expect(events(of: singles.asObservable()) == [.next(6), .completed])
    let sure = Infallible.just(1)
    let latest = Infallible.combineLatest(sure, sure, sure, sure, sure, sure) {
      $0 + $1 + $2 + $3 + $4 + $5
    }
    #expect(events(of: latest.asObservable()) == [.next(6), .completed])
    let pairs = Infallible.zip(sure, sure, sure, sure, sure, sure) {
      $0 + $1 + $2 + $3 + $4 - $5
    }
    #expect(events(of: pairs.asObservable()) == [.next(4), .completed])
  }

  /// Two sources have functions of their own; more of them give the same results.
  @Test("Two sources are combined as more are") func twoSourcesAreCombinedAsMoreAre() {
    let (left, right) = (Observable.of(1, 2, 3), Observable.of("a", "b"))
    let none = Observable.just(())
    #expect(
      events(of: Observable.zip(left, right) { "\($0)\($1)" })
        == events(of: Observable.zip(left, right, Observable.of((), ())) { a, b, _ in "\(a)\(b)" }))
    #expect(
      events(of: Observable.combineLatest(left, right).map { "\($0)" })
        == events(of: Observable.combineLatest(left, right, none).map { "\(($0.0, $0.1))" }))
  }
}
