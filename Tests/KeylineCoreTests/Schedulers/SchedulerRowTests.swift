import Dispatch
import KeylineCore
import KeylineTest
import Testing

/// What a table of requirements lists for schedulers, a test for each of its rows.
@Suite struct RowTests {
  // MARK: Drivers and signals of given elements

  /// What happens around a subscription on the main queue, `turn` being the queue's next turn.
  @MainActor private func log<Trait>(
    _ source: TraitSequence<Trait, Int>
  ) async -> [String] where Trait: SharingStrategyProtocol {
    var log: [String] = []
    await withCheckedContinuation { continuation in
      _ = source.asObservable().subscribe(
        onNext: { log.append("\($0)") },
        onCompleted: {
          log.append("completed")
          continuation.resume()
        })
      log.append("subscribed")
      DispatchQueue.main.async { MainActor.assumeIsolated { log.append("turn") } }
    }
    return log
  }

  @MainActor @Test("Drivers of elements take a turn of the main queue for each")
  func driversOfElementsTakeATurnOfTheMainQueueForEach() async {
    let expected = ["1", "subscribed", "2", "turn", "3", "completed"]
    #expect(await log(Driver.of(1, 2, 3)) == expected)
    #expect(await log(Driver.from([1, 2, 3])) == expected)
    #expect(await log(Driver.from(optional: 1)) == ["1", "subscribed", "completed", "turn"])
  }

  @MainActor @Test("Signals of elements take a turn of the main queue for each")
  func signalsOfElementsTakeATurnOfTheMainQueueForEach() async {
    let expected = ["1", "subscribed", "2", "turn", "3", "completed"]
    #expect(await log(Signal.of(1, 2, 3)) == expected)
    #expect(await log(Signal.from([1, 2, 3])) == expected)
  }

  // MARK: Names

  @Test("Ticks have the name of rx test") func ticksHaveTheNameOfRxTest() {
    let time: TestTime = 210
    #expect(Recorded(time: time, value: 1).time == 210)
  }

  // MARK: Released without disposal

  @Test("A hot observable ends with its scheduler") func aHotObservableEndsWithItsScheduler() {
    let tracker = LifetimeTracker()
    var scheduler: TestScheduler? = TestScheduler(initialClock: 0)
    _ = scheduler?.createHotObservable([.next(210, 1)])
      .subscribe { [token = tracker.track()] in _ = token.pass($0) }
    #expect(tracker.alive == 1)
    scheduler = nil
    #expect(tracker.alive == 0)
  }

  @Test("A driver stays when its relay is released") func aDriverStaysWhenItsRelayIsReleased() {
    let tracker = LifetimeTracker()
    SharingScheduler.mock(scheduler: TestScheduler(initialClock: 0)) {
      var relay: BehaviorRelay<Int>? = BehaviorRelay(value: 0)
      let subscription = relay?.asDriver().asObservable()
        .subscribe(onNext: { [token = tracker.track()] in _ = token.pass($0) })
      relay = nil
      #expect(tracker.alive == 1)
      subscription?.dispose()
      #expect(tracker.alive == 0)
    }
  }

  // MARK: Cost in virtual time

  @Test("Superseded timers leave the clock") func supersededTimersLeaveTheClock() {
    // Each element is compared with few others, however many are superseded.
    let few = comparisonsPerElement(of: 200)
    let many = comparisonsPerElement(of: 20_000)
    #expect(many <= 2 * few)
    #expect(many <= 6)
  }

  @Test("A hundred times as many actions are compared at most three times as often")
  func aHundredTimesAsManyActionsAreComparedAtMostThreeTimesAsOften() {
    #expect(comparisonsPerAction(of: 20_000) <= 3 * comparisonsPerAction(of: 200))
  }

  private func comparisonsPerElement(of count: Int) -> Double {
    let comparisons = Comparisons()
    let scheduler = VirtualTimeScheduler(
      initialClock: 0, converter: CountingConverter(comparisons: comparisons))
    let subject = PublishSubject<Int>()
    var received: [Int] = []
    let subscription = subject.debounce(.seconds(count + 1), scheduler: scheduler)
      .subscribe(onNext: { received.append($0) })
    for element in 0..<count {
      subject.onNext(element)
      scheduler.sleep(1)
    }
    scheduler.start()
    #expect(received == [count - 1])
    subscription.dispose()
    return Double(comparisons.count) / Double(count)
  }

  private func comparisonsPerAction(of count: Int) -> Double {
    let comparisons = Comparisons()
    let scheduler = VirtualTimeScheduler(
      initialClock: 0, converter: CountingConverter(comparisons: comparisons))
    var times: [Int] = []
    for action in 0..<count {
      let time = action * 7919 % count
      _ = scheduler.scheduleAbsoluteVirtual((), time: time) { _ in
        times.append(time)
        return Disposables.create()
      }
    }
    scheduler.start()
    #expect(times == Array(0..<count))
    return Double(comparisons.count) / Double(count)
  }

  private final class Comparisons { var count = 0 }

  /// Ticks of a second, whose comparisons are counted.
  private struct CountingConverter: VirtualTimeConverterType {
    let comparisons: Comparisons

    func convertFromVirtualTime(_ virtualTime: Int) -> Duration { .seconds(virtualTime) }
    func convertToVirtualTime(_ time: Duration) -> Int { Int(time / .seconds(1)) }
    func convertFromVirtualTimeInterval(_ interval: Int) -> Duration { .seconds(interval) }
    func convertToVirtualTimeInterval(_ interval: Duration) -> Int { Int(interval / .seconds(1)) }
    func offsetVirtualTime(_ time: Int, offset: Int) -> Int { time + offset }

    func compareVirtualTime(_ lhs: Int, _ rhs: Int) -> VirtualTimeComparison {
      comparisons.count += 1
      if lhs == rhs { return .equal }
      return lhs < rhs ? .lessThan : .greaterThan
    }
  }
}

/// Schedulers that run an action at once, with 100,000 of them.
@Suite struct ImmediateSchedulerRowTests {
  @Test("Elements that wait for the main thread do not grow the stack")
  func elementsThatWaitForTheMainThreadDoNotGrowTheStack() async {
    await #expect(processExitsWith: .success) { @MainActor in
      let subject = PublishSubject<Int>()
      var count = 0
      let subscription = subject.observe(on: ConcurrentMainScheduler.instance)
        .subscribe(onNext: { number in
          count += 1
          // Emitted during the delivery of the first: all of them wait.
          if number == 0 { for number in 1...100_000 { subject.onNext(number) } }
        })
      subject.onNext(0)
      subscription.dispose()
      #expect(count == 100_001)
    }
  }

  @Test("Sequences on the main thread do not grow the stack")
  func sequencesOnTheMainThreadDoNotGrowTheStack() async {
    await #expect(processExitsWith: .success) { @MainActor in
      var sum = 0
      let scheduler = ConcurrentMainScheduler.instance
      Observable.range(start: 1, count: 100_000, scheduler: scheduler)
        .subscribe(onNext: { sum += $0 }).dispose()
      #expect(sum == 5_000_050_000)
      var rounds = 0
      scheduler.scheduleRecursive(0) { round, recurse in
        rounds += 1
        if round < 100_000 { recurse(round + 1) }
      }.dispose()
      #expect(rounds == 100_001)
    }
  }
}
