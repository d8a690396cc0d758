import Keyline

enum SubjectComments: SnippetFile {
  static let page = "Sources/KeylineCore/Subjects"

  static func run() async throws {
    behaviorrelaySwift1()
    try behaviorsubjectSwift1()
    publishsubjectSwift1()
  }

  static func behaviorrelaySwift1() {
    let bag = DisposeBag()
    // block BehaviorRelay
    end("BehaviorRelay")
  }

  static func behaviorsubjectSwift1() throws {
    let bag = DisposeBag()
    // block BehaviorSubject
    end("BehaviorSubject")
  }

  static func publishsubjectSwift1() {
    let bag = DisposeBag()
    // block PublishSubject
    end("PublishSubject")
  }
}
