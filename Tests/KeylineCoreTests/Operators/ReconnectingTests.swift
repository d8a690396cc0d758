import Dispatch
import KeylineCore
import Synchronization
import TestSupport
import Testing

/// Ways to share a sequence.
private let sharings = [
  NamedOperator("publish") { $0.publish().refCount() },
  NamedOperator("multicast(makeSubject:)") {
    $0.multicast(makeSubject: { PublishSubject() }).refCount()
  },
  NamedOperator("multicast(_:)") { $0.multicast(PublishSubject()).refCount() },
  NamedOperator("replay") { $0.replay(1).refCount() },
  NamedOperator("share") { $0.share() },
  NamedOperator("share, forever") { $0.share(replay: 1, scope: .forever) },
]

/// Observers that subscribe while the connection of the observers before them ends: they get one of
/// their own.
@Suite struct ReconnectingTests {
  @Test("An observer in the teardown of a connection connects anew", arguments: sharings)
  func anObserverInTheTeardownOfAConnectionConnectsAnew(_ sharing: NamedOperator) {
    let subject = PublishSubject<Int>()
    var again: (() -> Void)?
    var values: [Int] = []
    let shared = sharing.apply(subject.do(onDispose: { again.take()?() }))
    again = { _ = shared.subscribe(onNext: { values.append($0) }) }
    let first = shared.subscribe()
    subject.onNext(1)
    first.dispose()
    values = []
    subject.onNext(2)
    #expect(values == [2])
  }

  @Test("Connecting in the teardown of a connection connects anew", arguments: [false, true])
  func connectingInTheTeardownOfAConnectionConnectsAnew(subscribesFirst: Bool) {
    let subject = PublishSubject<Int>()
    var again: (() -> Void)?
    var values: [Int] = []
    let connectable = subject.do(onDispose: { again.take()?() }).publish()
    again = {
      if subscribesFirst { _ = connectable.subscribe(onNext: { values.append($0) }) }
      _ = connectable.connect()
      if !subscribesFirst { _ = connectable.subscribe(onNext: { values.append($0) }) }
    }
    let connection = connectable.connect()
    connection.dispose()
    subject.onNext(2)
    #expect(values == [2])
    #expect(connectable.connect() as AnyObject !== connection as AnyObject)
  }

  @Test("An observer in the teardown after a termination is not starved", arguments: sharings)
  func anObserverInTheTeardownAfterATerminationIsNotStarved(_ sharing: NamedOperator) {
    var again: (() -> Void)?
    var events: [Event<Int>] = []
    var subscriptions = 0
    let source = PublishSubject<Int>()
    let shared = sharing.apply(
      .create { observer in
        subscriptions += 1
        let subscription = source.subscribe(observer)
        return Disposables.create {
          subscription.dispose()
          again.take()?()
        }
      })
    again = { _ = shared.subscribe { events.append($0) } }
    _ = shared.subscribe()
    source.onNext(1)
    source.onCompleted()
    #expect(events.last == .completed)
    // A subject of all connections has terminated by then.
    let hasOneSubject = ["share, forever", "multicast(_:)"].contains(sharing.testDescription)
    #expect(subscriptions == (hasOneSubject ? 1 : 2))
  }

  @Test("An observer behind a connection disposed elsewhere connects anew")
  func anObserverBehindAConnectionDisposedElsewhereConnectsAnew() {
    let subject = PublishSubject<Int>()
    let connectable = subject.publish()
    let shared = connectable.refCount()
    var values: [String] = []
    let first = shared.subscribe(onNext: { values.append("a\($0)") })
    connectable.connect().dispose()
    let second = shared.subscribe(onNext: { values.append("b\($0)") })
    subject.onNext(1)
    first.dispose()
    subject.onNext(2)
    #expect(values == ["b1", "b2"])
    second.dispose()
    #expect(!subject.hasObservers)
  }

  @Test("A connection lasts until the last observer of all that count them")
  func aConnectionLastsUntilTheLastObserverOfAllThatCountThem() {
    let subject = PublishSubject<Int>()
    let connectable = subject.publish()
    var values: [Int] = []
    let first = connectable.refCount().subscribe()
    let second = connectable.refCount().subscribe(onNext: { values.append($0) })
    first.dispose()
    subject.onNext(1)
    #expect(values == [1])
    second.dispose()
    #expect(!subject.hasObservers)
  }
}

@Suite struct ReconnectingConcurrencyTests {
  @Test("An observer in a slow teardown on another thread connects anew", arguments: sharings)
  func anObserverInASlowTeardownOnAnotherThreadConnectsAnew(_ sharing: NamedOperator) {
    let subject = PublishSubject<Int>()
    let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isFirst = Atomic<Bool>(true)
    let shared = sharing.apply(
      subject.do(onDispose: {
        guard isFirst.exchange(false, ordering: .relaxed) else { return }
        begun.signal()
        ended.wait()
      }))
    let first = shared.subscribe()
    let group = DispatchGroup()
    ownThread().async(group: group) { first.dispose() }
    begun.wait()
    let values = SharedLog<Int>()
    let second = shared.subscribe(onNext: { values.append($0) })
    subject.onNext(2)
    ended.signal()
    group.wait()
    subject.onNext(3)
    #expect(values.all == [2, 3])
    second.dispose()
    #expect(!subject.hasObservers)
  }

  /// The last observer leaves while another one arrives.
  @Test("An observer that leaves does not starve the others", arguments: sharings)
  func nobodyIsStarvedByTheOneWhoLeaves(_ sharing: NamedOperator) {
    for _ in 0..<rounds(400, optimised: 2_000) {
      let subject = PublishSubject<Int>()
      // Proof: sharing is synchronised, which is what this test is about.
      nonisolated(unsafe) let shared = sharing.apply(subject)
      let first = shared.subscribe()
      let values = SharedLog<Int>()
      let second = SerialDisposable()
      onThreads(2) { thread in
        if thread == 0 {
          first.dispose()
        } else {
          second.disposable = shared.subscribe(onNext: { values.append($0) })
        }
      }
      subject.onNext(1)
      #expect(values.all == [1])
      second.dispose()
      #expect(!subject.hasObservers)
    }
  }
}
