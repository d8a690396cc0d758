import Keyline

enum SubjectComments: SnippetFile {
  static let page = "Sources/KeylineCore/Subjects"
  static let file = #filePath

  static func run() async throws {
    behaviorrelaySwift1()
    try behaviorsubjectSwift1()
    publishsubjectSwift1()
  }

  static func behaviorrelaySwift1() {
    let bag = DisposeBag()
    // snippet
    let volume = BehaviorRelay(value: 3)
    volume.subscribe(onNext: { print($0) }).disposed(by: bag)
    volume.accept(volume.value + 1)
    end()
  }

  static func behaviorsubjectSwift1() throws {
    let bag = DisposeBag()
    // snippet
    let temperature = BehaviorSubject(value: 20)
    temperature.onNext(21)
    temperature.subscribe(onNext: { print($0) }).disposed(by: bag)
    print(try temperature.value())
    end()
  }

  static func publishsubjectSwift1() {
    let bag = DisposeBag()
    // snippet
    let clicks = PublishSubject<String>()
    clicks.onNext("lost")  // no observer
    clicks.subscribe(onNext: { print($0) }).disposed(by: bag)
    clicks.onNext("received")
    end()
  }
}
