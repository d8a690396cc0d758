import KeylineCore
import KeylineTest
import TestSupport
import Testing

@Suite struct AsyncSubjectTests {
  let subject = AsyncSubject<Int>()
  let scheduler = TestScheduler(initialClock: 0)

  func record() -> TestableObserver<Int> {
    let observer = scheduler.createObserver(Int.self)
    _ = subject.subscribe(observer)
    return observer
  }

  @Test("Completion brings the last element out to early and late")
  func completionBringsTheLastElementOutToEarlyAndLate() {
    subject.onNext(1)
    subject.onNext(2)
    let early = record()
    #expect(subject.hasObservers)
    subject.onNext(3)
    #expect(early.events == [])
    subject.onCompleted()
    subject.onNext(4)
    subject.onError(Failure())
    #expect(early.events == [.next(0, 3), .completed(0)])
    #expect(record().events == [.next(0, 3), .completed(0)])
    #expect(!subject.hasObservers)
  }

  @Test("An error is all that comes out") func anErrorIsAllThatComesOut() {
    subject.onNext(1)
    let early = record()
    subject.onNext(3)
    subject.onError(Failure())
    subject.onCompleted()
    #expect(early.events == [.error(0, Failure())])
    #expect(record().events == [.error(0, Failure())])
  }

  @Test("Without elements there is only completion") func withoutElementsThereIsOnlyCompletion() {
    let early = record()
    subject.onCompleted()
    #expect(early.events == [.completed(0)])
    #expect(record().events == [.completed(0)])
  }

  @Test("All observers get the element before any isCompleted")
  func allObserversGetTheElementBeforeAnyIsCompleted() {
    var log: [String] = []
    for name in ["a", "b"] { _ = subject.subscribe { log.append("\(name) \($0)") } }
    subject.onNext(1)
    subject.onCompleted()
    #expect(log == ["a next(1)", "b next(1)", "a completed", "b completed"])
  }

  @Test("C6: An element that an observer emits at the end is ignored")
  func c6WhatAnObserverEmitsAtTheEndIsIgnored() {
    var events: [Event<Int>] = []
    _ = subject.subscribe { event in
      events.append(event)
      subject.onNext(2)
      subject.onCompleted()
    }
    subject.onNext(1)
    subject.onCompleted()
    #expect(events == [.next(1), .completed])
  }

  @Test("C7: Disposal inside next is the end") func c7DisposalInsideNextIsTheEnd() {
    var events: [Event<Int>] = []
    let subscription = SerialDisposable()
    subscription.disposable = subject.subscribe { event in
      events.append(event)
      subscription.dispose()
    }
    subject.onNext(1)
    subject.onCompleted()
    #expect(events == [.next(1)])
  }

  @Test("C8: One element is held and an error releases it")
  func c8OneElementIsHeldAndAnErrorReleasesIt() {
    let tracker = LifetimeTracker()
    let subject = AsyncSubject<LifetimeTracker.Tracked>()
    for _ in 0..<5 { subject.onNext(tracker.track()) }
    #expect(tracker.alive == 1)
    subject.onError(Failure())
    #expect(tracker.alive == 0)
    withExtendedLifetime(subject) {}
  }

  @Test("An unbound ReplayRelay replays everything") func anUnboundReplayRelayReplaysEverything() {
    let relay = ReplayRelay<Int>.createUnbound()
    (0..<100).forEach(relay.accept)
    var values: [Int] = []
    _ = relay.subscribe(onNext: { values.append($0) })
    #expect(values == Array(0..<100))
    #expect(relay.hasObservers)
  }
}

@Suite struct AsyncSubjectConcurrencyTests {
  @Test("C5: All observers get the same element once") func c5AllObserversGetTheSameElementOnce() {
    for _ in 0..<200 {
      let subject = AsyncSubject<Int>()
      let logs = (0..<4).map { _ in SharedLog<Int>() }
      onThreads(4) { thread in
        _ = subject.subscribe(
          onNext: { logs[thread].append($0) }, onCompleted: { logs[thread].append(-1) })
        subject.onNext(thread)
        subject.onCompleted()
      }
      let first = logs[0].all
      #expect(first.count == 2)
      #expect(first.last == -1)
      for log in logs { #expect(log.all == first) }
    }
  }
}
