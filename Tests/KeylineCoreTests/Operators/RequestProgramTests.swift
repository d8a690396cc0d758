import KeylineCore
import KeylineTest
import TestSupport
import Testing

// The programs below as a library would have them: generic, with elements that need not be
// `Sendable` and any scheduler.

extension ObservableType where Element: Equatable {
  /// The results of the latest query, once no other has followed it for `pause`.
  fileprivate func searching<Found>(
    after pause: Duration, on scheduler: any SchedulerType, fallback: Found,
    _ search: @escaping (Element) -> some ObservableConvertibleType<Found>
  ) -> Observable<Found> {
    debounce(pause, scheduler: scheduler.unsafelyConfined)
      .distinctUntilChanged()
      .flatMapLatest { query in search(query).asObservable().catchAndReturn(fallback) }
  }
}

extension ObservableConvertibleType {
  /// Subscribes again after each error, at most `attempts` times in all, after pauses that double.
  fileprivate func retrying(
    attempts: Int, from pause: RxTimeInterval, on scheduler: any SchedulerType
  ) -> Observable<Element> {
    asObservable().retry { (errors: Observable<any Error>) in
      errors.enumerated().flatMap { index, error -> Observable<Int> in
        guard index + 1 < attempts else { return .error(error) }
        return .timer(pause * (1 << index), scheduler: scheduler)
      }
    }
  }

  /// The elements of this sequence, subscribed to every `period` unless it has not completed yet.
  fileprivate func polled(
    every period: RxTimeInterval, on scheduler: any SchedulerType
  ) -> Observable<Element> {
    Observable<Int>.timer(.zero, period: period, scheduler: scheduler).flatMapFirst { _ in self }
  }

  /// Loads for one element after the other, and emits each element with its result.
  fileprivate func loading<Loaded>(
    _ load: @escaping (Element) -> some ObservableConvertibleType<Loaded>
  ) -> Observable<(Element, Loaded)> {
    asObservable().concatMap { item in load(item).asObservable().map { (item, $0) } }
  }
}

/// Requests as programs written for RxSwift make them: in virtual time, once in the program's own
/// terms, once by the generic code above.
@Suite struct RequestProgramTests {
  /// Not `Sendable`.
  final class Hits: Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    static func == (lhs: Hits, rhs: Hits) -> Bool { lhs.description == rhs.description }
  }

  let scheduler = TestScheduler(initialClock: 0)

  /// A server that answers `query` after 50 ticks, and fails for "?".
  func search(_ query: String) -> TestableObservable<Hits> {
    scheduler.createColdObservable(
      query == "?" ? [.error(50, Failure())] : [.next(50, Hits("\(query)!")), .completed(50)])
  }

  // MARK: Search as you type

  var typed: TestableObservable<String> {
    scheduler.createHotObservable([
      .next(210, "r"), .next(220, "rx"), .next(300, "rxs"), .next(310, "rx"), .next(350, "?"),
      .next(450, "k"), .next(490, "ke"), .completed(600),
    ])
  }

  /// "rx" is searched for once it has stood for 30 ticks; the same again is left out; a failure is an
  /// empty result, after which the search goes on; "k" is replaced while it is searched for.
  let found: [Recorded<Event<Hits>>] = [
    .next(300, Hits("rx!")), .next(430, Hits("")), .next(570, Hits("ke!")), .completed(600),
  ]

  @Test("Search as you type") func searchAsYouType() {
    let typed = typed
    let result = scheduler.start {
      typed
        .debounce(.seconds(30), scheduler: scheduler)
        .distinctUntilChanged()
        .flatMapLatest { query in search(query).catchAndReturn(Hits("")) }
    }
    #expect(result.events == found)
    #expect(typed.subscriptions == [Subscription(200, 600)])
  }

  @Test("Generic search as you type") func genericSearchAsYouType() {
    let typed = typed
    let result = scheduler.start {
      typed.searching(after: .seconds(30), on: scheduler, fallback: Hits(""), search)
    }
    #expect(result.events == found)
  }

  // MARK: Retry with back-off

  /// The attempts begin at 200, 200 + 10 + 20, 230 + 10 + 40; the third is the last.
  @Test("Retry with back off") func retryWithBackOff() {
    let failing = scheduler.createColdObservable([.next(5, 1), .error(10, Failure())])
    let result = scheduler.start {
      failing.retry { (errors: Observable<Failure>) in
        errors.enumerated().flatMap { index, error -> Observable<Int> in
          index < 2
            ? .timer(.seconds(20 << index), scheduler: scheduler) : .error(error)
        }
      }
    }
    #expect(
      result.events == [.next(205, 1), .next(235, 1), .next(285, 1), .error(290, Failure())])
    #expect(
      failing.subscriptions == [
        Subscription(200, 210), Subscription(230, 240), Subscription(280, 290),
      ])
  }

  @Test("Generic retry with back off") func genericRetryWithBackOff() {
    let failing = scheduler.createColdObservable([.next(5, Hits("1")), .error(10, Failure())])
    let result = scheduler.start {
      failing.retrying(attempts: 3, from: .seconds(20), on: scheduler)
    }
    #expect(
      result.events == [
        .next(205, Hits("1")), .next(235, Hits("1")), .next(285, Hits("1")),
        .error(290, Failure()),
      ])
    #expect(failing.subscriptions.map(\.subscribe) == [200, 230, 280])
  }

  @Test("An attempt that succeeds ends the retries") func anAttemptThatSucceedsEndsTheRetries() {
    var attempts = 0
    let request = Single<Int>.deferred {
      attempts += 1
      return attempts < 3 ? .error(Failure()) : .just(attempts)
    }
    let result = scheduler.start {
      request.retrying(attempts: 5, from: .seconds(20), on: scheduler)
    }
    #expect(result.events == [.next(260, 3), .completed(260)])
  }

  // MARK: Polling

  /// The request that begins at 301 takes 150 ticks: those due at 351 and 401 are left out, and one
  /// begins at 451, when it has just ended.
  func slowThenFast() -> (Observable<Int>, [TestableObservable<Int>]) {
    let requests = [20, 30, 150, 10].enumerated().map { index, duration in
      scheduler.createColdObservable([.next(duration, index), .completed(duration)])
    }
    var remaining = requests[...]
    return (.deferred { remaining.popFirst()?.asObservable() ?? .never() }, requests)
  }

  let polled: [Recorded<Event<Int>>] = [
    .next(221, 0), .next(281, 1), .next(451, 2), .next(461, 3),
  ]

  @Test("Polling with flatMapFirst") func pollingWithFlatMapFirst() {
    let (request, requests) = slowThenFast()
    let result = scheduler.start(disposed: 520) {
      Observable<Int>.timer(.seconds(0), period: .seconds(50), scheduler: scheduler)
        .flatMapFirst { _ in request }
    }
    #expect(result.events == polled)
    #expect(requests.map { $0.subscriptions.map(\.subscribe) } == [[201], [251], [301], [451]])
  }

  @Test("Generic polling with flatMapFirst") func genericPollingWithFlatMapFirst() {
    let (request, _) = slowThenFast()
    let result = scheduler.start(disposed: 520) {
      request.polled(every: .seconds(50), on: scheduler)
    }
    #expect(result.events == polled)
  }

  // MARK: Images, one after the other

  @Test("Images are loaded in turn until the screen is left")
  func imagesAreLoadedInTurnUntilTheScreenIsLeft() {
    let files = ["a", "b", "c"].map { name in
      (name, scheduler.createColdObservable([.next(40, Hits(name)), .completed(60)]))
    }
    let images = Dictionary(uniqueKeysWithValues: files)
    let names = scheduler.createHotObservable([.next(210, "a"), .next(220, "b"), .next(230, "c")])
    let result = scheduler.start(disposed: 300) {
      names.concatMap { name in images[name]?.asObservable() ?? .empty() }
    }
    #expect(result.events == [.next(250, Hits("a"))])
    // The second load is cancelled, the third never begins.
    #expect(images["a"]?.subscriptions == [Subscription(210, 270)])
    #expect(images["b"]?.subscriptions == [Subscription(270, 300)])
    #expect(images["c"]?.subscriptions == [])
    #expect(names.subscriptions == [Subscription(200, 300)])
  }

  @Test("Generic images are loaded in turn") func genericImagesAreLoadedInTurn() {
    let image = scheduler.createColdObservable([.next(40, Hits("image")), .completed(60)])
    let names = scheduler.createHotObservable([
      .next(210, "a"), .next(220, "b"), .completed(230),
    ])
    let result = scheduler.start { names.loading { _ in image }.map { "\($0.0) \($0.1)" } }
    #expect(result.events == [.next(250, "a image"), .next(310, "b image"), .completed(330)])
    #expect(image.subscriptions == [Subscription(210, 270), Subscription(270, 330)])
  }
}
