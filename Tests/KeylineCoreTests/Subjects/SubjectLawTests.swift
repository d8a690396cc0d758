import KeylineCore
import KeylineTest
import TestSupport
import Testing

/// A subject or relay, seen from both sides.
struct SubjectUnderTest: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// A fresh one, which may have replayed an element of value 0.
  let make: @Sendable (Item) -> Sides
  var isRelay = false
  /// Elements come out at once, not at the end.
  var isImmediate = true

  struct Sides {
    let output: Observable<Item>
    let input: (Event<Item>) -> Void
    let hasObservers: () -> Bool
    var subject: (any Observing)?
  }

  /// One line per type.
  static let all = [
    SubjectUnderTest(testDescription: "PublishSubject") { _ in sides(PublishSubject<Item>()) },
    SubjectUnderTest(testDescription: "BehaviorSubject") { sides(BehaviorSubject(value: $0)) },
    SubjectUnderTest(testDescription: "ReplaySubject, bounded") { _ in
      sides(ReplaySubject<Item>.create(bufferSize: 2))
    },
    SubjectUnderTest(testDescription: "ReplaySubject, unbounded") { _ in
      sides(ReplaySubject<Item>.createUnbounded())
    },
    SubjectUnderTest(
      testDescription: "AsyncSubject", make: { _ in sides(AsyncSubject<Item>()) },
      isImmediate: false),
    SubjectUnderTest(
      testDescription: "PublishRelay",
      make: { _ in
        let relay = PublishRelay<Item>()
        return Sides(
          output: relay.asObservable(), input: { $0.element.map(relay.accept) },
          hasObservers: { relay.hasObservers })
      }, isRelay: true),
    SubjectUnderTest(
      testDescription: "BehaviorRelay",
      make: { item in
        let relay = BehaviorRelay(value: item)
        return Sides(
          output: relay.asObservable(), input: { $0.element.map(relay.accept) },
          hasObservers: { relay.hasObservers })
      }, isRelay: true),
    SubjectUnderTest(
      testDescription: "ReplayRelay",
      make: { _ in
        let relay = ReplayRelay<Item>.create(bufferSize: 2)
        return Sides(
          output: relay.asObservable(), input: { $0.element.map(relay.accept) },
          hasObservers: { relay.hasObservers })
      }, isRelay: true),
  ]

  static func sides<Subject: SubjectType & ObserverType & Observing>(_ subject: Subject) -> Sides
  where Subject.Element == Item {
    Sides(
      output: subject.asObservable(), input: { subject.on($0) },
      hasObservers: { subject.hasObservers }, subject: subject)
  }
}

protocol Observing {
  var hasObservers: Bool { get }
  var isDisposed: Bool { get }
  func dispose()
}

extension PublishSubject: Observing {}
extension BehaviorSubject: Observing {}
extension ReplaySubject: Observing {}
extension AsyncSubject: Observing {}

/// The laws of the core, C1 to C9 of ``Observable``, over every subject and relay.
@Suite struct SubjectLawTests {
  let tracker = LifetimeTracker()

  func item(_ value: Int) -> Item { Item(value, tracker) }

  @Test(
    "C1: Nothing follows the termination", arguments: SubjectUnderTest.all.filter { !$0.isRelay })
  func c1NothingFollowsTheTermination(_ tested: SubjectUnderTest) {
    let sides = tested.make(item(0))
    var events: [Event<Int>] = []
    var late: [Event<Int>] = []
    _ = sides.output.filter { $0.value > 0 }.subscribe { events.append($0.map(\.value)) }
    sides.input(.next(item(1)))
    sides.input(.completed)
    sides.input(.next(item(2)))
    sides.input(.error(Failure()))
    _ = sides.output.subscribe { late.append($0.map(\.value)) }
    #expect(events == [.next(1), .completed])
    #expect(late.last == .completed)
    #expect(!late.dropLast().contains { $0.isStopEvent || $0.element == 2 })
    #expect(!sides.hasObservers())
  }

  @Test(
    "C4: Delivers in subscription order also after removals",
    arguments: SubjectUnderTest.all.filter(\.isImmediate))
  func c4DeliversInSubscriptionOrderAlsoAfterRemovals(_ tested: SubjectUnderTest) {
    let sides = tested.make(item(0))
    var order: [Int] = []
    let subscriptions = (0..<500).map { index in
      sides.output.subscribe(onNext: { if $0.value > 0 { order.append(index) } })
    }
    sides.input(.next(item(1)))
    #expect(order == Array(0..<500))
    order = []
    for index in 0..<500 where index % 7 != 0 { subscriptions[index].dispose() }
    sides.input(.next(item(2)))
    #expect(order == Array(stride(from: 0, to: 500, by: 7)))
  }

  @Test(
    "C6: Reentrant emissions are queued without stack growth",
    arguments: SubjectUnderTest.all.filter(\.isImmediate))
  func c6ReentrantEmissionsAreQueuedWithoutStackGrowth(_ tested: SubjectUnderTest) {
    let sides = tested.make(item(0))
    var first: [Int] = []
    var second: [Int] = []
    _ = sides.output.subscribe(onNext: { item in
      first.append(item.value)
      if (1..<20_000).contains(item.value) { sides.input(.next(self.item(item.value + 1))) }
    })
    _ = sides.output.subscribe(onNext: { second.append($0.value) })
    sides.input(.next(item(1)))
    #expect(first.filter { $0 > 0 } == Array(1...20_000))
    #expect(second.filter { $0 > 0 } == Array(1...20_000))
  }

  @Test(
    "C7: A subscriber that joins during delivery waits for the next element",
    arguments: SubjectUnderTest.all.filter(\.isImmediate))
  func c7ASubscriberThatJoinsDuringDeliveryWaitsForTheNextElement(_ tested: SubjectUnderTest) {
    let sides = tested.make(item(0))
    var late: [Int] = []
    var hasJoined = false
    _ = sides.output.subscribe(onNext: { item in
      guard item.value == 1, !hasJoined else { return }
      hasJoined = true
      _ = sides.output.subscribe(onNext: { late.append($0.value) })
      sides.input(.next(self.item(2)))
    })
    sides.input(.next(item(1)))
    sides.input(.next(item(3)))
    let replayed = late.first == 1 ? [1] : []
    #expect(late == replayed + [2, 3])
  }

  @Test(
    "C7: One observer may dispose another during delivery",
    arguments: SubjectUnderTest.all.filter(\.isImmediate))
  func c7OneObserverMayDisposeAnotherDuringDelivery(_ tested: SubjectUnderTest) {
    let sides = tested.make(item(0))
    let other = SerialDisposable()
    var delivered = 0
    _ = sides.output.subscribe(onNext: { if $0.value == 1 { other.dispose() } })
    other.disposable = sides.output.subscribe { [token = tracker.track()] event in
      if event.element?.value == 1 { delivered += 1 }
      _ = token
    }
    let alive = tracker.alive
    sides.input(.next(item(1)))
    #expect(delivered == 0)
    #expect(tracker.alive <= alive)
    sides.input(.next(item(2)))
    #expect(delivered == 0)
  }

  @Test("C7: Disposal during the replay is the end", arguments: SubjectUnderTest.all)
  func c7DisposalDuringTheReplayIsTheEnd(_ tested: SubjectUnderTest) {
    let sides = tested.make(item(0))
    sides.input(.next(item(1)))
    sides.input(.next(item(2)))
    var replayed = 0
    _ = sides.output.take(1).subscribe(onNext: { _ in replayed += 1 })
    #expect(replayed <= 1)
    sides.input(.next(item(3)))
    #expect(replayed <= 1)
    #expect(!sides.hasObservers() || replayed == 0)
  }

  @Test(
    "C8: Disposal ends all subscriptions and is an error to later observers",
    arguments: SubjectUnderTest.all.filter { !$0.isRelay })
  func c8DisposalEndsAllSubscriptionsAndIsAnErrorToLaterObservers(_ tested: SubjectUnderTest) {
    let sides = tested.make(item(0))
    var events: [Event<Int>] = []
    var late: [Event<Int>] = []
    _ = sides.output.filter { $0.value > 0 }.subscribe { events.append($0.map(\.value)) }
    #expect(sides.subject?.isDisposed == false)
    sides.subject?.dispose()
    sides.subject?.dispose()
    #expect(sides.subject?.isDisposed == true)
    #expect(!sides.hasObservers())
    sides.input(.next(item(1)))
    sides.input(.completed)
    _ = sides.output.subscribe { late.append($0.map(\.value)) }
    #expect(events == [])
    #expect(late.count == 1)
    #expect(late[0].error as? RxError == .disposed(object: sides.output))
    if tested.testDescription != "BehaviorSubject" { #expect(tracker.alive == 0) }
  }

  @Test(
    "C7: Disposal during a delivery takes its turn",
    arguments: SubjectUnderTest.all.filter { !$0.isRelay && $0.isImmediate })
  func c7DisposalDuringADeliveryTakesItsTurn(_ tested: SubjectUnderTest) {
    let sides = tested.make(item(0))
    var log: [Int] = []
    _ = sides.output.subscribe(onNext: { item in
      guard item.value > 0 else { return }
      log.append(item.value)
      sides.subject?.dispose()
      sides.input(.next(self.item(2)))
    })
    _ = sides.output.subscribe(onNext: { if $0.value > 0 { log.append($0.value * 10) } })
    sides.input(.next(item(1)))
    #expect(log == [1, 10])
    #expect(!sides.hasObservers())
  }

  @Test("C8: Death releases everything", arguments: SubjectUnderTest.all)
  func c8DeathReleasesEverything(_ tested: SubjectUnderTest) {
    var subscription: (any Disposable)?
    do {
      let sides = tested.make(item(0))
      subscription = sides.output.subscribe { [token = tracker.track()] _ in _ = token }
      for value in 1...10 { sides.input(.next(item(value))) }
      #expect(tracker.alive > 0)
    }
    #expect(tracker.alive == 0)
    subscription?.dispose()
  }

  @Test(
    "C8: Death in the middle of a delivery is harmless",
    arguments: SubjectUnderTest.all.filter(\.isImmediate))
  func c8DeathInTheMiddleOfADeliveryIsHarmless(_ tested: SubjectUnderTest) {
    var sides: SubjectUnderTest.Sides? = tested.make(item(0))
    let token = tracker.track()
    _ = sides?.output.subscribe(onNext: { item in
      if token.pass(item.value) == 1 { sides = nil }
    })
    let input = sides!.input
    input(.next(item(1)))
    #expect(sides == nil)
  }

  @Test(
    "C8: Ten thousand observers leave in one go",
    arguments: SubjectUnderTest.all.filter(\.isImmediate))
  func c8TenThousandObserversLeaveInOneGo(_ tested: SubjectUnderTest) {
    let sides = tested.make(item(0))
    let closures = LifetimeTracker()
    var received: [Int] = []
    let subscriptions = (0..<10_000).map { index in
      sides.output.subscribe(onNext: { [token = closures.track()] item in
        if token.pass(item.value) == 1 { received.append(index) }
      })
    }
    let stays = sides.output.subscribe(onNext: { if $0.value == 1 { received.append(-1) } })
    #expect(closures.alive == 10_000)
    for subscription in subscriptions { subscription.dispose() }
    #expect(closures.alive == 0)
    sides.input(.next(item(1)))
    #expect(received == [-1])
    stays.dispose()
    #expect(!sides.hasObservers())
  }
}
