import Keyline
import Synchronization

// A program with a main loop of its own, as a game has one: a turn for every frame. Neither it nor the
// library needs Dispatch; `.ci/run` builds both without.

final class FrameLoop: MainLoop {
  private struct Waiting {
    var work: [@Sendable () -> Void] = []
    var timers: [Timer] = []
  }

  private struct Timer {
    let due: SuspendingClock.Instant
    let work: @Sendable () -> Void
    let isCancelled: BooleanDisposable
  }

  private let waiting = Mutex(Waiting())

  // The program has one thread.
  var isCurrent: Bool { true }

  func perform(_ work: @escaping @Sendable () -> Void) {
    waiting.withLock { $0.work.append(work) }
  }

  func perform(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Disposable {
    let isCancelled = BooleanDisposable()
    waiting.withLock { waiting in
      waiting.timers.append(Timer(due: .now + delay, work: work, isCancelled: isCancelled))
    }
    return isCancelled
  }

  /// Does the work of one frame, and calls the timers that are due.
  ///
  /// - Returns: false if nothing waits any more.
  func turn() -> Bool {
    let (work, isWaiting) = waiting.withLock { waiting in
      let now = SuspendingClock.now
      let due = waiting.timers.filter { $0.due <= now }.sorted { $0.due < $1.due }
      waiting.timers.removeAll { $0.due <= now || $0.isCancelled.isDisposed }
      let work = waiting.work + due.filter { !$0.isCancelled.isDisposed }.map(\.work)
      waiting.work = []
      return (work, !work.isEmpty || !waiting.timers.isEmpty)
    }
    for work in work { work() }
    return isWaiting
  }
}

final class Player: ReactiveObject {
  @Observed var name = "Ada"
  @Observed var score = 0
}

let loop = FrameLoop()
MainScheduler.use(loop)

let (player, screen) = (Player(), Player())
player.bind(\.score, to: screen, \.score, on: .main)
player.observe(\.name, options: .new).debounce(.milliseconds(20), scheduler: MainScheduler.instance)
  .asDriver(onErrorJustReturn: "")
  .drive(onNext: { print("\($0) has \(screen.score)") })
  .disposed(by: DisposeBag.ofTheProgram)
for name in ["G", "Gr", "Grace"] { player.name = name }
player.score = 7
MainScheduler.asyncInstance.schedule(()) { _ in
  print("next frame")
  return Disposables.create()
}.disposed(by: DisposeBag.ofTheProgram)
while loop.turn() {}

extension DisposeBag {
  static let ofTheProgram = DisposeBag()
}
