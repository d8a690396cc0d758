import Foundation
import KeylineCore
import TestSupport
import Testing

/// A main loop that is not Dispatch's: a queue and timers, run by the thread that made it.
final class HandLoop: MainLoop {
  private struct Timer {
    let due: ContinuousClock.Instant
    let work: @Sendable () -> Void
    let isCancelled: BooleanDisposable
  }

  private struct Waiting {
    var work: [@Sendable () -> Void] = []
    var timers: [Timer] = []
  }

  private let waiting = Protected(Waiting())
  nonisolated(unsafe) private let thread = Thread.current

  var isCurrent: Bool { Thread.current === thread }

  func perform(_ work: @escaping @Sendable () -> Void) {
    waiting.withLock { $0.work.append(work) }
  }

  func perform(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Disposable {
    let timer = Timer(due: .now + delay, work: work, isCancelled: BooleanDisposable())
    waiting.withLock { $0.timers.append(timer) }
    return timer.isCancelled
  }

  static func pause(_ seconds: Double) { Thread.sleep(forTimeInterval: seconds) }

  /// Runs until nothing waits any more.
  func run() {
    while true {
      let turn = waiting.withLock { waiting -> [@Sendable () -> Void]? in
        waiting.timers.removeAll { $0.isCancelled.isDisposed }
        if waiting.work.isEmpty, waiting.timers.isEmpty { return nil }
        // One instant, or a timer that is due between two would be lost.
        let now = ContinuousClock.now
        let due = waiting.timers.filter { $0.due <= now }.sorted { $0.due < $1.due }
        waiting.timers.removeAll { $0.due <= now }
        defer { waiting.work = [] }
        return waiting.work + due.map(\.work)
      }
      guard let turn else { return }
      for work in turn { work() }
      if turn.isEmpty { Self.pause(0.0005) }
    }
  }
}

/// The main schedulers, drivers, signals and binders run on the loop that the program has named. Each
/// test is a process of its own, because a process names its loop once.
@Suite struct MainLoopTests {
  @Test("The main scheduler runs on the loop") func theMainSchedulerRunsOnTheLoop() async {
    await #expect(processExitsWith: .success) {
      let loop = HandLoop()
      MainScheduler.use(loop)
      let log = Protected<[String]>([])
      @Sendable func note(_ text: String) { log.withLock { $0.append(text) } }
      _ = MainScheduler.instance.schedule(()) { _ in
        note("at once")
        return Disposables.create()
      }
      _ = MainScheduler.asyncInstance.schedule(()) { _ in
        note("later")
        return Disposables.create()
      }
      _ = Observable.of(1, 2).observe(on: ConcurrentMainScheduler.instance)
        .subscribe(onNext: { note("\($0)") })
      onAnotherThread {
        _ = Observable.just("from a thread").observe(on: MainScheduler.instance)
          .subscribe(onNext: { note("\($0), \(loop.isCurrent)") })
      }
      #expect(log.withLock { $0 } == ["at once", "1", "2"])
      loop.run()
      #expect(log.withLock { $0 } == ["at once", "1", "2", "later", "from a thread, true"])
    }
  }

  @Test("Timed operators run on the loop") func timedOperatorsRunOnTheLoop() async {
    await #expect(processExitsWith: .success) {
      let loop = HandLoop()
      MainScheduler.use(loop)
      let log = Protected<[String]>([])
      @Sendable func note(_ text: String) { log.withLock { $0.append(text) } }
      let typed = PublishRelay<String>()
      _ = typed.asSignal().debounce(.milliseconds(5)).emit(onNext: { note($0) })
      _ = Driver<Int>.interval(.milliseconds(2)).take(3)
        .drive(onNext: { note("tick \($0), \(loop.isCurrent)") })
      let dropped = Observable<Int>.timer(.milliseconds(1), scheduler: MainScheduler.instance)
        .subscribe(onNext: { _ in note("disposed of too late") })
      dropped.dispose()
      typed.accept("a")
      typed.accept("ab")
      loop.run()
      let seen = log.withLock { $0.sorted() }
      #expect(seen == ["ab", "tick 0, true", "tick 1, true", "tick 2, true"])
    }
  }

  @Test("A period that is overdue is called once") func aPeriodThatIsOverdueIsCalledOnce() async {
    await #expect(processExitsWith: .success) {
      let loop = HandLoop()
      MainScheduler.use(loop)
      var ticks = 0
      let timer = SerialDisposable()
      timer.disposable = Observable<Int>.interval(.milliseconds(2), scheduler: MainScheduler())
        .subscribe(onNext: { _ in
          ticks += 1
          if ticks == 1 { HandLoop.pause(0.05) } else { timer.dispose() }
        })
      loop.run()
      #expect(ticks == 2)
    }
  }

  @Test("A binder sets on the loop") func aBinderSetsOnTheLoop() async {
    await #expect(processExitsWith: .success) {
      let loop = HandLoop()
      MainScheduler.use(loop)
      final class Label: Sendable {
        let text = Protected("")
      }
      let label = Label()
      onAnotherThread {
        let binder = Binder<String>(label) { label, text in
          #expect(loop.isCurrent)
          label.text.withLock { $0 = text }
        }
        Observable.just("done").subscribe(binder).dispose()
      }
      loop.run()
      #expect(label.text.withLock { $0 } == "done")
    }
  }

  @Test("A loop is named once, and before the first use", arguments: [false, true])
  func aLoopIsNamedOnceAndBeforeTheFirstUse(isUsed: Bool) async {
    await #expect(processExitsWith: .success) { [isUsed] in
      let reports = Protected<[String]>([])
      Diagnostics.handler = { report in reports.withLock { $0.append(report.message) } }
      let loop = HandLoop()
      if isUsed {
        _ = MainScheduler.asyncInstance.schedule(()) { _ in Disposables.create() }
      } else {
        MainScheduler.use(loop)
        #expect(reports.withLock { $0 } == [])
      }
      MainScheduler.use(HandLoop())
      let expected = "HandLoop comes too late: a main loop is in use, or was named before"
      #expect(reports.withLock { $0 } == [expected])
    }
  }
}
