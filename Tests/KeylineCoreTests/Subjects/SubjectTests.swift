import KeylineCore
import KeylineTest
import TestSupport
import Testing

@Suite struct SubjectTests {
  @Test("A BehaviorSubject replays its value and keeps it after completion")
  func aBehaviorSubjectReplaysItsValueAndKeepsItAfterCompletion() throws {
    let subject = BehaviorSubject(value: 1)
    var events: [Event<Int>] = []
    _ = subject.subscribe { events.append($0) }
    subject.onNext(2)
    #expect(try subject.value() == 2)
    subject.onCompleted()
    subject.onNext(3)
    #expect(try subject.value() == 2)
    _ = subject.subscribe { events.append($0) }
    #expect(events == [.next(1), .next(2), .completed, .completed])
  }

  @Test("A failed BehaviorSubject throws its error") func aFailedBehaviorSubjectThrowsItsError() {
    let subject = BehaviorSubject(value: 1)
    subject.onError(Failure())
    #expect(throws: Failure.self) { try subject.value() }
  }

  @Test("A disposed BehaviorSubject has no value") func aDisposedBehaviorSubjectHasNoValue() {
    let subject = BehaviorSubject(value: 1)
    subject.dispose()
    #expect(throws: RxError.disposed(object: subject)) { try subject.value() }
  }

  @Test(
    "A ReplaySubject replays the last elements and the termination",
    arguments: [
      (0, []), (1, [5]), (3, [3, 4, 5]), (5, [1, 2, 3, 4, 5]), (9, [1, 2, 3, 4, 5]),
    ])
  func aReplaySubjectReplaysTheLastElementsAndTheTermination(size: Int, replayed: [Int]) {
    let subject = ReplaySubject<Int>.create(bufferSize: size)
    for value in 1...5 { subject.onNext(value) }
    subject.onCompleted()
    var events: [Event<Int>] = []
    _ = subject.subscribe { events.append($0) }
    #expect(events == replayed.map(Event.next) + [.completed])
  }

  @Test("An unbounded ReplaySubject replays everything")
  func anUnboundedReplaySubjectReplaysEverything() {
    let subject = ReplaySubject<Int>.createUnbounded()
    for value in 0..<1_000 { subject.onNext(value) }
    var values: [Int] = []
    _ = subject.subscribe(onNext: { values.append($0) })
    #expect(values == Array(0..<1_000))
  }

  @Test("C5: A relay's value is new at once, and the delivery queued")
  func c5ARelaysValueIsNewAtOnceAndTheDeliveryQueued() {
    let relay = BehaviorRelay(value: 0)
    var log: [String] = []
    _ = relay.subscribe(onNext: { value in
      log.append("first \(value), is \(relay.value)")
      if value == 1 {
        relay.accept(2)
        log.append("set, is \(relay.value)")
      }
    })
    _ = relay.subscribe(onNext: { log.append("second \($0), is \(relay.value)") })
    log = []
    relay.accept(1)
    #expect(
      log == [
        "first 1, is 1", "set, is 2", "second 1, is 2", "first 2, is 2", "second 2, is 2",
      ])
  }

  @Test("C3: An evicted element may feed the subject from its deinit")
  func c3AnEvictedElementMayFeedTheSubjectFromItsDeinit() {
    final class Parting {
      let action: () -> Void
      init(_ action: @escaping () -> Void) { self.action = action }
      deinit { action() }
    }
    let relay = BehaviorRelay<Parting?>(value: nil)
    var emissions = 0
    _ = relay.subscribe(onNext: { _ in emissions += 1 })
    relay.accept(Parting { relay.accept(nil) })
    relay.accept(Parting {})
    #expect(emissions == 4)
    #expect(relay.value == nil)
  }

  @Test("C9: An unhandled error reaches the channel") func c9AnUnhandledErrorReachesTheChannel() {
    struct Unheard: Error {}
    Reports.collect()
    let subject = PublishSubject<Int>()
    _ = subject.subscribe(onNext: { _ in })
    subject.onError(Unheard())
    #expect(Reports.of(.unhandledError).filter { $0.message == "Unheard()" }.count == 1)
  }

  @Test("C8: A subject that dies disposes the subscriptions to it")
  func c8ASubjectThatDiesDisposesTheSubscriptionsToIt() {
    final class Token {}
    weak var token: Token?
    var log: [String] = []
    var subject: PublishSubject<Int>? = PublishSubject()
    do {
      let held = Token()
      token = held
      _ = subject!.map { $0 + 1 }.subscribe(
        onNext: { _ in _ = held }, onCompleted: { log.append("completed") },
        onDisposed: { log.append("disposed") })
    }
    #expect(token != nil)
    subject = nil
    #expect(token == nil)
    #expect(log == ["disposed"])
  }
}
