import Dispatch
import KeylineTest
import TestSupport
import Testing

@testable import KeylineCore

/// The ConcurrentMainScheduler, on the main thread and from elsewhere.
@Suite struct ConcurrentMainSchedulerTests {
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
