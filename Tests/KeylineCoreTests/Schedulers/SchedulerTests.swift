import Dispatch
import KeylineTest
import TestSupport
import Testing

@testable import KeylineCore

@Suite struct SchedulerTests {
  @MainActor @Test("The MainScheduler runs at once unless something is under way")
  func theMainSchedulerRunsAtOnceUnlessSomethingIsUnderWay() async {
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

  @MainActor @Test("An action that is disposed before it runs is dropped")
  func whatIsDisposedBeforeItRunsIsDropped() async {
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

  @Test("C8: Disposal releases a timer that its queue still retains")
  func c8DisposalReleasesATimerThatItsQueueStillRetains() {
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

  @Test("VirtualTime runs in order of time then of scheduling")
  func virtualTimeRunsInOrderOfTimeThenOfScheduling() {
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

  @Test("Only relative times are adjusted") func onlyRelativeTimesAreAdjusted() {
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

  @Test("Many actions run in order of time then of scheduling")
  func manyActionsRunInOrderOfTimeThenOfScheduling() {
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

  @Test("A serial scheduler of a class targets the global queue of that class")
  func aSerialSchedulerOfAClassTargetsTheGlobalQueueOfThatClass() async {
    await #expect(processExitsWith: .success) {
      let loop = SerialDispatchQueueScheduler(qos: .utility).loop as? QueueLoop
      try #require(loop).queue.sync {
        dispatchPrecondition(condition: .onQueue(.global(qos: .utility)))
      }
    }
  }

  @Test("Sleeping and going back run nothing") func sleepingAndGoingBackRunNothing() {
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

  @Test("Stopping ends the run after the current action")
  func stoppingEndsTheRunAfterTheCurrentAction() {
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

  @Test("Resolution translates durations to ticks") func resolutionTranslatesDurationsToTicks() {
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

  @Test("Interval ticks until it is disposed") func intervalTicksUntilItIsDisposed() {
    let scheduler = TestScheduler(initialClock: 0)
    let result = scheduler.start(disposed: 360) {
      Observable<Int>.interval(.seconds(50), scheduler: scheduler)
    }
    #expect(result.events == [.next(250, 0), .next(300, 1), .next(350, 2)])
  }
}
