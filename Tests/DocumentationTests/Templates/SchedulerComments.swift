import Keyline

// block ThreadConfinement

enum SchedulerComments: SnippetFile {
  static let page = "Sources/KeylineCore/Schedulers"

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

  // block MainLoop

  static func currentthreadschedulerSwift1() {
    // block CurrentThreadScheduler
    end("CurrentThreadScheduler")
  }
}
