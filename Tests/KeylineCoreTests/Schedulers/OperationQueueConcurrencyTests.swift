import Dispatch
import Foundation
import KeylineCore
import KeylineFoundation
import KeylineTest
import TestSupport
import Testing

@Suite struct OperationQueueConcurrencyTests {
  @Test("Elements observed on an operation queue stay in order")
  func whatIsObservedOnAnOperationQueueStaysInOrder() async {
    let queue = OperationQueue()
    let scheduler = OperationQueueScheduler(operationQueue: queue, queuePriority: .high)
    #expect(scheduler.operationQueue === queue)
    #expect(scheduler.queuePriority == .high)
    let log = SharedLog<Int>()
    await withCheckedContinuation { continuation in
      _ = Observable.from(0..<1_000).observe(on: scheduler).subscribe(
        onNext: { log.append($0) }, onCompleted: { continuation.resume() })
    }
    #expect(log.all == Array(0..<1_000))
  }

  @Test("An action that is disposed before it runs is dropped")
  func whatIsDisposedBeforeItRunsIsDropped() async {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.isSuspended = true
    let scheduler = OperationQueueScheduler(operationQueue: queue)
    let log = SharedLog<Int>()
    func schedule(_ value: Int) -> any Disposable {
      scheduler.schedule(value) { value in
        log.append(value)
        return Disposables.create()
      }
    }
    schedule(1).dispose()
    _ = schedule(2)
    let tracker = LifetimeTracker()
    let held = scheduler.schedule(tracker.track()) { $0.pass(Disposables.create()) }
    held.dispose()
    #expect(tracker.alive == 0)
    queue.isSuspended = false
    await withCheckedContinuation { continuation in
      queue.addBarrierBlock { continuation.resume() }
    }
    #expect(log.all == [2])
  }
}
