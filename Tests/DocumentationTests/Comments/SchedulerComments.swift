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
