import Foundation
import Keyline
import KeylineFoundation
import Testing

/// A clock of dates.
@Suite struct DateTests {
  let start = Date(timeIntervalSince1970: 1_000)

  @Test("The clock starts and advances by date") func theClockStartsAndAdvancesByDate() {
    let scheduler = HistoricalScheduler(initialClock: start)
    var seen: [RxTime] = []
    let minute: RxTimeInterval = .seconds(60)
    _ = Observable<Int>.interval(minute, scheduler: scheduler).subscribe(onNext: { _ in
      seen.append(scheduler.clock)
    })
    scheduler.advanceTo(start.addingTimeInterval(150))
    #expect(seen == [start.addingTimeInterval(60), start.addingTimeInterval(120)])
    #expect(scheduler.clock == start.addingTimeInterval(150))
    #expect(scheduler.now == .seconds(1_150))
    #expect(HistoricalScheduler().clock == Date(timeIntervalSince1970: 0))
  }

  @Test("An action is scheduled at a date") func anActionIsScheduledAtADate() {
    let scheduler = HistoricalScheduler(initialClock: start)
    var log: [String] = []
    for (name, offset) in [("late", 20), ("early", 10), ("cancelled", 15)] {
      let action = scheduler.scheduleAbsoluteVirtual(
        name, time: start.addingTimeInterval(TimeInterval(offset))
      ) { name in
        log.append("\(name) \(scheduler.clock.timeIntervalSince(self.start))")
        return Disposables.create()
      }
      if name == "cancelled" { action.dispose() }
    }
    scheduler.start()
    #expect(log == ["early 10.0", "late 20.0"])
  }
}
