import Dispatch
import KeylineCore
import KeylineTest
import Synchronization
import TestSupport
import Testing

@Suite struct SubjectConcurrencyTests {
  static let threads = 8
  static let perThread = 2_000

  @Test("C5: All observers see the same order and every element")
  func c5AllObserversSeeTheSameOrderAndEveryElement() {
    let subject = PublishSubject<Int>()
    let logs = (0..<3).map { _ in SharedLog<Int>() }
    for log in logs { _ = subject.subscribe(onNext: { log.append($0) }) }
    onThreads(Self.threads) { thread in
      for index in 0..<Self.perThread { subject.onNext(thread * Self.perThread + index) }
    }
    let first = logs[0].all
    #expect(first.count == Self.threads * Self.perThread)
    #expect(Set(first).count == first.count)
    for log in logs { #expect(log.all == first) }
    for thread in 0..<Self.threads {
      let own = first.filter { $0 / Self.perThread == thread }
      #expect(own == own.sorted())
    }
  }

  @Test("C1: A termination is delivered once and last") func c1ATerminationIsDeliveredOnceAndLast()
  {
    for _ in 0..<200 {
      let subject = PublishSubject<Int>()
      let log = SharedLog<Int>()
      _ = subject.subscribe(
        onNext: { log.append($0) }, onCompleted: { log.append(-1) })
      onThreads(4) { thread in
        subject.onNext(thread)
        subject.onCompleted()
      }
      let all = log.all
      #expect(all.last == -1)
      #expect(all.filter { $0 == -1 }.count == 1)
    }
  }

  @Test("C5: The last element delivered is the relays value")
  func c5TheLastElementDeliveredIsTheRelaysValue() {
    for _ in 0..<300 {
      let relay = BehaviorRelay(value: -1)
      let log = SharedLog<Int>()
      _ = relay.subscribe(onNext: { log.append($0) })
      onThreads(4) { thread in
        for index in 0..<20 { relay.accept(thread * 100 + index) }
      }
      #expect(log.all.count == 81)
      #expect(log.all.last == relay.value)
    }
  }

  @Test("C5: A value read while another thread writes is whole, and later reads are no older")
  func c5AValueReadWhileAnotherThreadWritesIsWhole() {
    for _ in 0..<10 {
      let (relay, wrong) = (BehaviorRelay(value: [0, 0]), SharedLog<[Int]>())
      onThreads(4) { thread in
        var latest = [0, 0]
        for index in 1...Self.perThread {
          guard thread != 0 else {
            relay.accept([index, -index])
            continue
          }
          let now = relay.value
          if now[0] != -now[1] || now[0] < latest[0] { wrong.append(now) }
          latest = now
        }
      }
      #expect(wrong.all.isEmpty)
      #expect(relay.value == [Self.perThread, -Self.perThread])
    }
  }

  @Test("C5: The value of a subject is whole while others write, and its error once it has failed")
  func c5TheValueOfASubjectIsWholeUntilItFails() {
    for _ in 0..<200 {
      let (subject, wrong) = (BehaviorSubject(value: [0, 0]), SharedLog<[Int]>())
      onThreads(4) { thread in
        var hasFailed = false
        for index in 1...100 {
          if thread == 0 {
            subject.onNext([index, -index])
            if index == 50 { subject.onError(Failure()) }
          } else if let now = try? subject.value() {
            if hasFailed || now[0] != -now[1] || now[0] > 50 { wrong.append(now) }
          } else {
            hasFailed = true
          }
        }
      }
      #expect(wrong.all.isEmpty)
      #expect(throws: Failure.self) { try subject.value() }
    }
  }

  @Test("C7: Subscribing with replay loses and doubles nothing")
  func c7SubscribingWithReplayLosesAndDoublesNothing() {
    let subject = ReplaySubject<Int>.createUnbounded()
    let logs = (0..<60).map { _ in SharedLog<Int>() }
    onThreads(4) { thread in
      if thread == 0 {
        for value in 0..<5_000 { subject.onNext(value) }
      } else {
        for index in stride(from: thread - 1, to: 60, by: 3) {
          _ = subject.subscribe(onNext: { logs[index].append($0) })
        }
      }
    }
    for log in logs { #expect(log.all == Array(0..<5_000)) }
  }

  @Test("C7: The elements that a new observer receives are contiguous")
  func c7ANewObserversElementsAreContiguous() {
    let relay = BehaviorRelay(value: 0)
    let logs = (0..<300).map { _ in SharedLog<Int>() }
    onThreads(3) { thread in
      if thread == 0 {
        for value in 1...20_000 { relay.accept(value) }
      } else {
        for index in stride(from: thread - 1, to: 300, by: 2) {
          let log = logs[index]
          _ = relay.take(20).subscribe(onNext: { log.append($0) })
        }
      }
    }
    for log in logs {
      let all = log.all
      #expect(all == Array((all.first ?? 0)..<((all.first ?? 0) + all.count)))
      #expect(all.count == 20 || all.last == 20_000)
    }
  }

  @Test("C8: Disposal from other threads releases the closures")
  func c8DisposalFromOtherThreadsReleasesTheClosures() {
    let subject = PublishSubject<Int>()
    let tracker = LifetimeTracker()
    let isDone = Atomic<Bool>(false)
    let delivered = Atomic<Int>(0)
    let counting = subject.subscribe(onNext: { delivered.add($0, ordering: .relaxed) })
    onThreads(4) { thread in
      if thread == 0 {
        // Waits for the thread that delivers: a flood that never pauses could keep that thread for
        // ever.
        var emitted = 0
        while !isDone.load(ordering: .acquiring) {
          guard emitted - delivered.load(ordering: .relaxed) < 100 else { continue }
          subject.onNext(1)
          emitted += 1
        }
        return
      }
      for _ in 0..<1_000 {
        let token = tracker.track()
        let subscription = subject.subscribe(onNext: { _ = token.pass($0) })
        subscription.dispose()
      }
      if thread == 1 { isDone.store(true, ordering: .releasing) }
    }
    counting.dispose()
    // An emission begun before the last disposal may have left the release to its end, which has
    // come.
    #expect(tracker.alive == 0)
    #expect(!subject.hasObservers)
  }

  @Test("C8: Many subscribe emit and dispose at once") func c8ManySubscribeEmitAndDisposeAtOnce() {
    let subject = PublishSubject<Int>()
    let tracker = LifetimeTracker()
    let delivered = Atomic<Int>(0)
    _ = subject.subscribe(onNext: { delivered.add($0, ordering: .relaxed) })
    onThreads(Self.threads) { _ in
      for _ in 0..<500 {
        let token = tracker.track()
        let subscription = subject.subscribe(onNext: { _ = token.pass($0) })
        subject.onNext(1)
        subscription.dispose()
      }
    }
    #expect(delivered.load(ordering: .relaxed) == Self.threads * 500)
    #expect(tracker.alive == 0)
  }
}
