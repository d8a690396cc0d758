import Foundation
import KeylineGTK
import Synchronization

/// The main scheduler, drivers and tasks of the main actor, under GLib's loop.
nonisolated(unsafe) let loopChecks = [
  Check(name: "MainScheduler runs at once, later, and from other threads") {
    let log = Log()
    _ = MainScheduler.instance.schedule(()) { _ in
      log.append("at once")
      return Disposables.create()
    }
    _ = MainScheduler.asyncInstance.schedule(()) { _ in
      log.append("later")
      return Disposables.create()
    }
    onAnotherThread {
      _ = Observable.just(1).observe(on: MainScheduler.instance).subscribe(onNext: { _ in
        log.append("from a thread: \(GLibLoop().isCurrent)")
      })
    }
    expect(log.all, ["at once"])
    serve { log.all.count == 3 }
    expect(log.all, ["at once", "later", "from a thread: true"])
  },
  Check(name: "Work is done in the order in which it comes") {
    let log = Log()
    for number in 0..<1_000 {
      _ = MainScheduler.asyncInstance.schedule(()) { _ in
        log.append("\(number)")
        return Disposables.create()
      }
    }
    serve { log.all.count == 1_000 }
    expect(log.all, (0..<1_000).map { "\($0)" })
  },
  Check(name: "Driver and Signal deliver on the main thread") {
    let log = Log()
    let relay = BehaviorRelay(value: 0)
    let subscription = relay.asDriver().drive(onNext: { log.append("\($0)") })
    let clicks = PublishRelay<Int>()
    let other = clicks.asSignal().emit(onNext: { log.append("clicked \($0)") })
    expect(log.all, ["0"])
    onAnotherThread {
      relay.accept(1)
      clicks.accept(2)
    }
    expect(log.all, ["0"])
    serve { log.all.count == 3 }
    expect(log.all, ["0", "1", "clicked 2"])
    subscription.dispose()
    other.dispose()
  },
  Check(name: "Debounce and delay keep their times") {
    let log = Log()
    let typed = PublishRelay<String>()
    let start = SuspendingClock.now
    let settled = typed.debounce(.milliseconds(40), scheduler: MainScheduler.instance)
      .delay(.milliseconds(20), scheduler: MainScheduler.instance)
      .subscribe(onNext: { log.append($0) })
    for text in ["a", "ab", "abc"] { typed.accept(text) }
    serve { log.all == ["abc"] }
    expect(.now - start >= .milliseconds(59))
    settled.dispose()
  },
  Check(name: "A timer that is disposed of does nothing, from any thread") {
    let log = Log()
    for index in 0..<100 {
      let timer = GLibLoop().perform(after: .milliseconds(20)) { log.append("late") }
      if index.isMultiple(of: 2) { timer.dispose() } else { onAnotherThread { timer.dispose() } }
      timer.dispose()
    }
    // Released without being disposed of: it fires.
    _ = GLibLoop().perform(after: .milliseconds(20)) { log.append("kept") }
    serve(for: .milliseconds(60))
    expect(log.all, ["kept"])
  },
  Check(name: "A delay longer than GLib's milliseconds does not fire") {
    let log = Log()
    let timers = [Duration.seconds(Int64.max), .seconds(86_400 * 50), .never].map { delay in
      GLibLoop().perform(after: delay) { log.append("fired") }
    }
    serve(for: .milliseconds(30))
    expect(log.all, [])
    timers.forEach { $0.dispose() }
  },
  Check(name: "Tasks of the main actor run") {
    let log = Log()
    Task { @MainActor in
      log.append("begun")
      try await Task.sleep(for: .milliseconds(5))
      log.append("slept: \(GLibLoop().isCurrent || Thread.isMainThread)")
    }
    serve { log.all.count == 2 }
    expect(log.all, ["begun", "slept: true"])
  },
  Check(name: "Dispatch's main queue runs") {
    let log = Log()
    DispatchQueue.main.async { log.append("main") }
    DispatchQueue.global().async {
      DispatchQueue.main.async { log.append("from a queue") }
    }
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.02) { log.append("after") }
    serve { log.all.count == 3 }
    expect(log.all, ["main", "from a queue", "after"])
  },
  Check(name: "Values arrive in a loop") {
    let log = Log()
    let label = Label("a")
    let relay = BehaviorRelay(value: 0)
    let values = relay.observe(on: MainScheduler.instance).values
    Task { @MainActor in
      for try await value in values.prefix(3) { log.append("\(value)") }
      log.append("over")
    }
    serve { log.all == ["0"] }
    relay.accept(1)
    serve { log.all.count == 2 }
    relay.accept(2)
    serve { log.all.count == 4 }
    expect(log.all, ["0", "1", "2", "over"])
    expect(label.text, "a")
  },
]

/// Lines that any thread may add to.
final class Log: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func append(_ line: String) { lines.withLock { $0.append(line) } }
}
