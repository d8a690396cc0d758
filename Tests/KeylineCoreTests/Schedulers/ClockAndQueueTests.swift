import Dispatch
import Foundation
import KeylineFoundation
import KeylineTest
import TestSupport
import Testing

@testable import KeylineCore

/// Clocks that are virtual or count dates, the main thread, and configured queues.
@Suite struct ClockAndQueueTests {
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
