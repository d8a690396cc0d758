import KeylineCore
import KeylineTest
import TestSupport
import Testing

/// The operators with the longest event tables over sources that emit nothing, or a termination
/// only.
@Suite struct BoundaryTests {
  /// An operator, and its expected events.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let whenEmpty: [Recorded<Event<Int>>]
    let whenNever: [Recorded<Event<Int>>]
    let whenFailed: [Recorded<Event<Int>>]
    let leavesNever: Int
    let apply: @Sendable (Observable<Int>, TestScheduler) -> Observable<Int>

    init(
      _ name: String, whenEmpty: [Recorded<Event<Int>>] = [.completed(250)],
      whenNever: [Recorded<Event<Int>>] = [],
      whenFailed: [Recorded<Event<Int>>] = [.error(250, Failure())], leavesNever: Int = 1000,
      _ apply: @escaping @Sendable (Observable<Int>, TestScheduler) -> Observable<Int>
    ) {
      testDescription = name
      (self.whenEmpty, self.whenNever, self.whenFailed) = (whenEmpty, whenNever, whenFailed)
      (self.leavesNever, self.apply) = (leavesNever, apply)
    }
  }

  static let rows = [
    Row("share") { source, _ in source.share() },
    Row("share(replay:scope:)") { source, _ in source.share(replay: 1, scope: .forever) },
    Row("retry(when:)") { source, _ in
      source.retry { (errors: Observable<any Error>) in errors.map { throw $0 } }
    },
    Row("retry(when:), trigger completes", whenFailed: [.completed(250)]) { source, _ in
      source.retry { (errors: Observable<any Error>) in errors.take(0) }
    },
    Row("window") { source, scheduler in
      source.window(timeSpan: .seconds(300), count: 9, scheduler: scheduler).flatMap { $0 }
    },
    Row(
      "buffer", whenEmpty: [.next(250, 0), .completed(250)],
      whenNever: [.next(500, 0), .next(800, 0)]
    ) { source, scheduler in
      source.buffer(timeSpan: .seconds(300), count: 9, scheduler: scheduler).map(\.count)
    },
    Row("groupBy") { source, _ in source.groupBy { $0 }.flatMap { $0 } },
    Row("amb") { source, _ in source.amb(Observable.never()) },
    Row("using") { source, _ in
      Observable.using({ BooleanDisposable() }, observableFactory: { _ in source })
    },
    Row("timeout", whenNever: [.error(500, RxError.timeout)], leavesNever: 500) {
      $0.timeout(.seconds(300), scheduler: $1)
    },
    Row("timeout(other:)", whenNever: [.next(500, 7), .completed(500)], leavesNever: 500) {
      $0.timeout(.seconds(300), other: Observable.just(7), scheduler: $1)
    },
    Row("sample", whenEmpty: [.completed(300)]) { source, scheduler in
      source.sample(scheduler.createHotObservable([Recorded.next(300, 0), .next(400, 0)]))
    },
    Row("single", whenEmpty: [.error(250, RxError.noElements)]) { source, _ in source.single() },
    Row("take(until: predicate)") { source, _ in source.take(until: { _ in true }) },
    Row("take(until: predicate, behavior: .inclusive)") { source, _ in
      source.take(until: { _ in true }, behavior: .inclusive)
    },
    Row("skip(until:)", whenEmpty: []) { source, _ in source.skip(until: Observable<Int>.never()) },
    Row("throttle") { $0.throttle(.seconds(300), scheduler: $1) },
    Row("debounce") { $0.debounce(.seconds(300), scheduler: $1) },
    Row("takeLast") { source, _ in source.takeLast(2) },
    Row("reduce", whenEmpty: [.next(250, 0), .completed(250)]) { source, _ in
      source.reduce(0, accumulator: +)
    },
    Row("ifEmpty", whenEmpty: [.next(250, 7), .completed(250)]) { source, _ in
      source.ifEmpty(default: 7)
    },
  ]

  private func run(
    _ row: Row, _ events: [Recorded<Event<Int>>]
  ) -> (events: [Recorded<Event<Int>>], subscriptions: [Subscription]) {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable(events)
    let result = scheduler.start { row.apply(source.asObservable(), scheduler) }
    return (result.events, source.subscriptions)
  }

  @Test("A source that is empty", arguments: rows)
  func aSourceThatIsEmpty(_ row: Row) {
    let result = run(row, [.next(150, 1), .completed(250)])
    #expect(result.events == row.whenEmpty)
    #expect(result.subscriptions == [Subscription(200, 250)])
  }

  @Test("A source that emits nothing", arguments: rows)
  func aSourceThatEmitsNothing(_ row: Row) {
    let result = run(row, [])
    #expect(result.events == row.whenNever)
    #expect(result.subscriptions == [Subscription(200, row.leavesNever)])
  }

  @Test("A source that fails first", arguments: rows)
  func aSourceThatFailsFirst(_ row: Row) {
    let result = run(row, [.error(250, Failure())])
    #expect(result.events == row.whenFailed)
    #expect(result.subscriptions == [Subscription(200, 250)])
  }
}
