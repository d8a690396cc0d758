import Dispatch
import KeylineTest
import Synchronization
import TestSupport
import Testing

@testable import KeylineCore

/// How observers leave a subject: from any thread, at any moment, in O(1).
@Suite struct LeavingTests {
  @Test("C8: An observer that leaves while nothing is delivered is released at once")
  func c8WhoLeavesWhileNothingIsDeliveredIsReleasedAtOnce() {
    let tracker = LifetimeTracker()
    let subject = PublishSubject<Int>()
    var subscriptions: [any Disposable] = []
    for _ in 0..<100 {
      let tracked = tracker.track()
      subscriptions.append(subject.subscribe(onNext: { _ = tracked.pass($0) }))
    }
    #expect(tracker.alive == 100)
    for (index, subscription) in subscriptions.shuffled().enumerated() {
      subscription.dispose()
      #expect(tracker.alive == 99 - index)
    }
    #expect(!subject.hasObservers)
  }

  @Test("C8: An observer that leaves during a delivery is released at its end")
  func c8WhoLeavesDuringADeliveryIsReleasedAtItsEnd() {
    let tracker = LifetimeTracker()
    let subject = PublishSubject<Int>()
    var subscriptions: [any Disposable] = []
    var received: [Int] = []
    for index in 0..<10 {
      let tracked = tracker.track()
      subscriptions.append(
        subject.subscribe(onNext: {
          received.append(tracked.pass(index))
          if $0 == 1, index == 4 {
            for subscription in subscriptions[2...] { subscription.dispose() }
          }
        }))
    }
    subject.onNext(1)
    #expect(received == [0, 1, 2, 3, 4])
    #expect(tracker.alive == 2)
    received = []
    subject.onNext(2)
    #expect(received == [0, 1])
  }

  /// Observers are called in the order of subscription, whichever of them join and leave (C4).
  @Test("C4: Any mix of joining and leaving keeps the order")
  func c4AnyMixOfJoiningAndLeavingKeepsTheOrder() {
    var random = SystemRandomNumberGenerator()
    let subject = PublishSubject<Void>()
    var expected: [(number: Int, subscription: any Disposable)] = []
    var received: [Int] = []
    for number in 0..<500 {
      if Bool.random(using: &random), !expected.isEmpty {
        let index = Int.random(in: expected.indices, using: &random)
        expected.remove(at: index).subscription.dispose()
      } else {
        expected.append((number, subject.subscribe(onNext: { received.append(number) })))
      }
      guard number.isMultiple(of: 10) else { continue }
      received = []
      subject.onNext(())
      #expect(received == expected.map(\.number))
    }
  }
}

@Suite struct LeavingConcurrencyTests {
  /// Disposing takes an observer out without taking over what another thread emits meanwhile.
  @Test("Disposing never delivers elements of other threads")
  func disposingNeverDeliversWhatOthersEmit() {
    let subject = PublishSubject<Int>()
    let disposer = ThreadLocal<Disposer>()
    let deliveredByDisposer = Atomic<Int>(0)
    let delivered = Atomic<Int>(0)
    _ = subject.subscribe(onNext: { _ in
      delivered.add(1, ordering: .relaxed)
      if disposer.value != nil { deliveredByDisposer.add(1, ordering: .relaxed) }
    })
    let isDone = Atomic<Bool>(false)
    let group = DispatchGroup()
    ownThread().async(group: group) {
      // Waits for the thread that delivers: a subscribing thread delivers the elements queued
      // meanwhile, and a flood without pauses could keep it busy for ever.
      var count = 0
      while !isDone.load(ordering: .relaxed) {
        guard count - delivered.load(ordering: .relaxed) < 100 else { continue }
        subject.onNext(count)
        count += 1
      }
      #expect(delivered.load(ordering: .relaxed) == count)
    }
    onThreads(4) { _ in
      for _ in 0..<500 {
        let subscription = subject.subscribe(onNext: { _ in })
        disposer.value = Disposer()
        subscription.dispose()
        disposer.value = nil
      }
    }
    isDone.store(true, ordering: .relaxed)
    group.wait()
    #expect(deliveredByDisposer.load(ordering: .relaxed) == 0)
  }

  private final class Disposer {}

  /// Whoever leaves first is gone: no place stays behind, and no closure.
  @Test("C8: Every observer that leaves is released") func c8EveryObserverThatLeavesIsReleased() {
    for _ in 0..<50 {
      let tracker = LifetimeTracker()
      let subject = PublishSubject<Int>()
      var subscriptions: [any Disposable] = []
      for _ in 0..<400 {
        let tracked = tracker.track()
        subscriptions.append(subject.subscribe(onNext: { _ = tracked.pass($0) }))
      }
      whileDisposing(subscriptions) { subject.onNext(1) }
      subscriptions = []
      #expect(tracker.alive == 0)
      #expect(!subject.hasObservers)
    }
  }
}
