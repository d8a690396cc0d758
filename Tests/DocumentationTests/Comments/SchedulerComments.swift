import Keyline

// snippet
extension ObservableType {
  func retry(after pause: Duration, scheduler: any SchedulerType) -> Observable<Element> {
    retry { errors in errors.delay(pause, scheduler: scheduler.unsafelyConfined) }
  }
}
// end

enum SchedulerComments: SnippetFile {
  static let page = "Sources/KeylineCore/Schedulers"
  static let file = #filePath

  static func run() async throws {
    currentthreadschedulerSwift1()
  }

  struct Frames: Sendable {
    struct Timer: Sendable { func cancel() {} }
    let isOnItsThread = true
    func nextFrame(_ work: @escaping @Sendable () -> Void) { work() }
    func timer(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> Timer { Timer() }
  }
  nonisolated static let frames = Frames()

  // snippet
  struct FrameLoop: MainLoop {
    var isCurrent: Bool { frames.isOnItsThread }
    func perform(_ work: @escaping @Sendable () -> Void) { frames.nextFrame(work) }
    func perform(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Disposable {
      let timer = frames.timer(delay, work)
      return Disposables.create { timer.cancel() }
    }
  }
  // end

  static func currentthreadschedulerSwift1() {
    // snippet
    _ = CurrentThreadScheduler.instance.schedule(()) { _ in
      _ = CurrentThreadScheduler.instance.schedule(()) { _ in
        print("inner")
        return Disposables.create()
      }
      print("outer")
      return Disposables.create()
    }
    end()
  }
}
