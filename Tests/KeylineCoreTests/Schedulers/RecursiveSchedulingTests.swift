import KeylineCore
import KeylineTest
import TestSupport
import Testing

/// `scheduleRecursive`.
@Suite struct RecursiveSchedulingTests {
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
}
