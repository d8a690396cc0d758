import KeylineCore
import KeylineTest
import Testing

/// Virtual time: names, release, and the cost of its queue.
@Suite struct VirtualTimeTests {
  @Test("Ticks have the name of rx test") func ticksHaveTheNameOfRxTest() {
    let time: TestTime = 210
    #expect(Recorded(time: time, value: 1).time == 210)
  }

  @Test("A hot observable ends with its scheduler") func aHotObservableEndsWithItsScheduler() {
    let tracker = LifetimeTracker()
    var scheduler: TestScheduler? = TestScheduler(initialClock: 0)
    _ = scheduler?.createHotObservable([.next(210, 1)])
      .subscribe { [token = tracker.track()] in _ = token.pass($0) }
    #expect(tracker.alive == 1)
    scheduler = nil
    #expect(tracker.alive == 0)
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
