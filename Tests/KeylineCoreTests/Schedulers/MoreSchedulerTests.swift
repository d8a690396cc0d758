import Dispatch
import Foundation
import KeylineFoundation
import KeylineTest
import TestSupport
import Testing

@testable import KeylineCore

@Suite struct MoreSchedulerTests {
  // MARK: Recursion

  @Test("Recursion runs round by round") func recursionRunsRoundByRound() {
    let scheduler = TestScheduler(initialClock: 0)
    var log: [[Int]] = []
    _ = scheduler.scheduleRecursive(3) { state, recurse in
      log.append([state, scheduler.clock])
      if state > 0 { recurse(state - 1) }
    }
    scheduler.start()
    #expect(log == [[3, 1], [2, 2], [1, 3], [0, 4]])
  }

  @Test("A round may schedule several") func aRoundMayScheduleSeveral() {
    let scheduler = TestScheduler(initialClock: 0)
    var log: [Int] = []
    _ = scheduler.scheduleRecursive(1) { state, recurse in
      log.append(state)
      if state < 4 {
        recurse(state * 2)
        recurse(state * 2 + 1)
      }
    }
    scheduler.start()
    #expect(log == [1, 2, 3, 4, 5, 6, 7])
  }

  @Test("Disposal ends a recursion and releases it") func disposalEndsARecursionAndReleasesIt() {
    let scheduler = TestScheduler(initialClock: 0)
    let tracker = LifetimeTracker()
    var rounds = 0
    let recursion = scheduler.scheduleRecursive(tracker.track()) { token, recurse in
      rounds += 1
      recurse(token)
    }
    scheduler.scheduleAt(5) { recursion.dispose() }
    scheduler.start()
    #expect(rounds == 4)
    #expect(tracker.alive == 0)
  }

  @Test("A round may end its own recursion") func aRoundMayEndItsOwnRecursion() {
    let scheduler = TestScheduler(initialClock: 0)
    let recursion = SerialDisposable()
    var rounds = 0
    recursion.disposable = scheduler.scheduleRecursive(()) { _, recurse in
      rounds += 1
      recurse(())
      recursion.dispose()
      recurse(())
    }
    scheduler.start()
    #expect(rounds == 1)
  }

  // MARK: Virtual time

  @Test("The clock does not advance to disposed actions")
  func theClockDoesNotGoOnToWhatHasBeenDisposed() {
    let scheduler = TestScheduler(initialClock: 0)
    let timer = scheduler.scheduleRelative((), dueTime: .seconds(500)) { _ in Disposables.create() }
    scheduler.scheduleAt(10, action: timer.dispose)
    scheduler.start()
    #expect(scheduler.clock == 10)
    let ticks = Observable<Int>.interval(.seconds(10), scheduler: scheduler)
    _ = ticks.take(3).subscribe()
    scheduler.start()
    #expect(scheduler.clock == 40)
  }

  @Test("An interval too long for ticks never ends") func whatIsTooLongForTicksIsForEver() {
    for resolution in [Duration.seconds(1), .nanoseconds(1)] {
      let scheduler = TestScheduler(initialClock: 0, resolution: resolution)
      for dueTime in [Duration.seconds(Int64.max), .seconds(Int64.min)] {
        _ = scheduler.scheduleRelative((), dueTime: dueTime) { _ in Disposables.create() }
      }
      _ = scheduler.scheduleRelativeVirtual((), dueTime: .max) { _ in Disposables.create() }
      scheduler.advanceTo(100)
      let result = scheduler.start {
        Observable.just(1).timeout(.seconds(Int64.max), scheduler: scheduler)
      }
      #expect(result.events == [.next(200, 1), .completed(200)])
    }
  }

  // MARK: The main queue

  @MainActor @Test("The ConcurrentMainScheduler runs at once on the main queue")
  func theConcurrentMainSchedulerRunsAtOnceOnTheMainQueue() async {
    let scheduler = ConcurrentMainScheduler.instance
    var log: [Int] = []
    _ = scheduler.schedule(1) { value in
      log.append(value)
      _ = scheduler.schedule(2) { value in
        log.append(value)
        return Disposables.create()
      }
      log.append(3)
      return Disposables.create()
    }
    #expect(log == [1, 2, 3])
    await withCheckedContinuation { continuation in
      _ = scheduler.scheduleRelative(4, dueTime: .milliseconds(1)) { value in
        log.append(value)
        continuation.resume()
        return Disposables.create()
      }
    }
    #expect(log == [1, 2, 3, 4])
  }

  @Test("The ConcurrentMainScheduler hops from elsewhere")
  func theConcurrentMainSchedulerHopsFromElsewhere() async {
    let isMain = await withCheckedContinuation { continuation in
      ownThread().async {
        _ = ConcurrentMainScheduler.instance.schedule(()) { _ in
          continuation.resume(returning: MainScheduler.isCurrent)
          return Disposables.create()
        }
      }
    }
    #expect(isMain)
  }

  @Test("The main thread is ensured") func theMainThreadIsEnsured() async {
    Reports.collect()
    await withCheckedContinuation { continuation in
      ownThread().async {
        MainScheduler.ensureExecutingOnScheduler(errorMessage: "off the main thread, in a test")
        continuation.resume()
      }
    }
    let messages = Reports.of(.misuse).map(\.message).filter { $0.hasPrefix("off the main thread") }
    #if DEBUG
      #expect(messages == ["off the main thread, in a test"])
    #else
      #expect(messages == [])
    #endif
  }

  @Test("The queue of a serial scheduler may be configured")
  func theQueueOfASerialSchedulerMayBeConfigured() {
    let key = DispatchSpecificKey<Int>()
    let scheduler = SerialDispatchQueueScheduler(
      internalSerialQueueName: "configured",
      serialQueueConfiguration: { $0.setSpecific(key: key, value: 7) })
    let queue = (scheduler.loop as? QueueLoop)?.queue
    #expect(queue?.sync { DispatchQueue.getSpecific(key: key) } == 7)
    #expect(queue?.label == "configured")
  }

  // MARK: Foundation

  @Test("A HistoricalScheduler runs at dates") func aHistoricalSchedulerRunsAtDates() {
    let scheduler = HistoricalScheduler(initialClock: Date(timeIntervalSince1970: 1_000))
    #expect(scheduler.now == .seconds(1_000))
    var log: [TimeInterval] = []
    func record() -> any Disposable {
      log.append(scheduler.clock.timeIntervalSince1970)
      return Disposables.create()
    }
    _ = scheduler.scheduleAbsoluteVirtual((), time: Date(timeIntervalSince1970: 3_000)) {
      record()
    }
    _ = scheduler.scheduleRelative((), dueTime: .seconds(60)) { record() }
    let dropped = scheduler.scheduleRelativeVirtual((), dueTime: 30) { record() }
    dropped.dispose()
    scheduler.advanceTo(Date(timeIntervalSince1970: 2_000))
    #expect(log == [1_060])
    scheduler.start()
    #expect(log == [1_060, 3_000])
    #expect(HistoricalScheduler().clock == Date(timeIntervalSince1970: 0))
  }

  @Test("Interval runs on a historical clock") func intervalRunsOnAHistoricalClock() {
    let scheduler = HistoricalScheduler()
    var log: [TimeInterval] = []
    let ticks = Observable<Int>.interval(.seconds(10), scheduler: scheduler)
    _ = ticks.take(3).subscribe(onNext: { _ in log.append(scheduler.clock.timeIntervalSince1970) })
    scheduler.start()
    #expect(log == [10, 20, 30])
  }
}

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
