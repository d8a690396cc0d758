import Dispatch
import KeylineTest
import TestSupport
import Testing

@testable import KeylineCore

@Suite struct SchedulerTests {
  @MainActor @Test func theMainSchedulerRunsAtOnceUnlessSomethingIsUnderWay() async {
    let scheduler = MainScheduler(isAlwaysAsync: false)
    var log: [Int] = []
    await withCheckedContinuation { continuation in
      _ = scheduler.schedule(1) { value in
        log.append(value)
        _ = scheduler.schedule(3) { value in
          log.append(value)
          continuation.resume()
          return Disposables.create()
        }
        log.append(2)
        return Disposables.create()
      }
      #expect(log == [1, 2])
    }
    #expect(log == [1, 2, 3])
  }

  @MainActor @Test func whatIsDisposedBeforeItRunsIsDropped() async {
    let scheduler = MainScheduler(isAlwaysAsync: true)
    var log: [Int] = []
    let dropped = scheduler.schedule(1) { value in
      log.append(value)
      return Disposables.create()
    }
    let late = scheduler.scheduleRelative(2, dueTime: .zero) { value in
      log.append(value)
      return Disposables.create()
    }
    #expect(log == [])
    dropped.dispose()
    late.dispose()
    await withCheckedContinuation { continuation in
      _ = scheduler.scheduleRelative(3, dueTime: .milliseconds(1)) { value in
        log.append(value)
        continuation.resume()
        return Disposables.create()
      }
    }
    #expect(log == [3])
  }

  @Test func c8DisposalReleasesATimerThatItsQueueStillRetains() {
    let tracker = LifetimeTracker()
    let queue = DispatchQueue(label: "busy")
    let isFree = DispatchSemaphore(value: 0)
    queue.async { isFree.wait() }
    let scheduler = SerialDispatchQueueScheduler(serialQueue: queue)
    for timer in [
      Observable<Int>.timer(.milliseconds(1), scheduler: scheduler),
      Observable<Int>.interval(.milliseconds(1), scheduler: scheduler),
    ] {
      let subscription = timer.subscribe(onNext: { [token = tracker.track()] _ in _ = token })
      #expect(tracker.alive == 1)
      subscription.dispose()
      #expect(tracker.alive == 0)
    }
    isFree.signal()
  }

  @Test func virtualTimeRunsInOrderOfTimeThenOfScheduling() {
    let scheduler = TestScheduler(initialClock: 0)
    var log: [String] = []
    for (time, name) in [(20, "c"), (10, "a"), (20, "d"), (10, "b"), (0, "now")] {
      scheduler.scheduleAt(time) { log.append("\(name) @ \(scheduler.clock)") }
    }
    scheduler.advanceTo(15)
    #expect(log == ["now @ 0", "a @ 10", "b @ 10"])
    #expect(scheduler.clock == 15)
    scheduler.start()
    #expect(log == ["now @ 0", "a @ 10", "b @ 10", "c @ 20", "d @ 20"])
  }

  @Test func onlyRelativeTimesAreAdjusted() {
    let scheduler = TestScheduler(initialClock: 10)
    var log: [String] = []
    func record(_ name: String) -> any Disposable {
      log.append("\(name) @ \(scheduler.clock)")
      return Disposables.create()
    }
    scheduler.scheduleAt(20) {
      _ = scheduler.schedule("soon", action: record)
      _ = scheduler.scheduleRelative("before", dueTime: .seconds(-5), action: record)
      _ = scheduler.scheduleRelativeVirtual("in 0 ticks", dueTime: 0, action: record)
      _ = scheduler.scheduleAbsoluteVirtual("now", time: 20, action: record)
      _ = scheduler.scheduleAbsoluteVirtual("past", time: 5, action: record)
    }
    _ = scheduler.scheduleAbsoluteVirtual("first", time: 0, action: record)
    scheduler.start()
    #expect(
      log == [
        "first @ 10", "past @ 20", "in 0 ticks @ 20", "now @ 20", "soon @ 21", "before @ 21",
      ])
  }

  @Test func manyActionsRunInOrderOfTimeThenOfScheduling() {
    let scheduler = TestScheduler(initialClock: 0)
    var random = SplitMix(seed: 7)
    var log: [[Int]] = []
    let times = (0..<20_000).map { _ in random.number(0..<5_000) }
    for (index, time) in times.enumerated() {
      scheduler.scheduleAt(time) { log.append([time, index, scheduler.clock]) }
    }
    scheduler.start()
    let expected = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
    let isInOrder = log == expected.map { [times[$0], $0, times[$0]] }
    #expect(isInOrder)
  }

  @Test func aSerialSchedulerOfAClassTargetsTheGlobalQueueOfThatClass() async {
    await #expect(processExitsWith: .success) {
      SerialDispatchQueueScheduler(qos: .utility).queue.sync {
        dispatchPrecondition(condition: .onQueue(.global(qos: .utility)))
      }
    }
  }

  @Test func sleepingAndGoingBackRunNothing() {
    let scheduler = TestScheduler(initialClock: 10)
    var times: [Int] = []
    scheduler.scheduleAt(20) { times.append(scheduler.clock) }
    scheduler.advanceTo(5)
    scheduler.sleep(-3)
    #expect(scheduler.clock == 10)
    scheduler.sleep(30)
    #expect(times == [])
    scheduler.start()
    #expect(times == [40])
  }

  @Test func stoppingEndsTheRunAfterTheCurrentAction() {
    let scheduler = TestScheduler(initialClock: 0)
    var log: [Int] = []
    scheduler.scheduleAt(10) {
      log.append(10)
      scheduler.stop()
    }
    scheduler.scheduleAt(20) { log.append(20) }
    scheduler.start()
    #expect(log == [10])
    scheduler.start()
    #expect(log == [10, 20])
  }

  @Test func resolutionTranslatesDurationsToTicks() {
    let scheduler = TestScheduler(initialClock: 0, resolution: .milliseconds(100))
    var times: [Int] = []
    _ = scheduler.scheduleRelative((), dueTime: .seconds(1)) { _ in
      times.append(scheduler.clock)
      return Disposables.create()
    }
    scheduler.start()
    #expect(times == [10])
    #expect(scheduler.now == .seconds(1))
  }

  @Test func intervalTicksUntilItIsDisposed() {
    let scheduler = TestScheduler(initialClock: 0)
    let result = scheduler.start(disposed: 360) {
      Observable<Int>.interval(.seconds(50), scheduler: scheduler)
    }
    #expect(result.events == [.next(250, 0), .next(300, 1), .next(350, 2)])
  }
}
