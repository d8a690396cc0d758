import Keyline
import KeylineTest

enum TestKitPage: SnippetFile {
  static let page = "Sources/KeylineTest/KeylineTest.docc/KeylineTest.md"
  static let file = #filePath

  static func run() async throws {
    // snippet
    let scheduler = TestScheduler(initialClock: 0)
    let words = scheduler.createHotObservable([
      .next(210, "k"), .next(220, "ke"), .next(290, "key"), .completed(400),
    ])
    let result = scheduler.start { words.debounce(.seconds(50), scheduler: scheduler) }
    print(result.events)
    end()
  }
}
