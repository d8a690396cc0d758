import Keyline

enum CoreComments: SnippetFile {
  static let page = "Sources/KeylineCore/Observing"
  static let file = #filePath

  static func run() async throws {
    diagnosticsSwift1()
    observableSwift1()
  }

  final class Person: ReactiveObject { @Observed var name = "Ada" }
  struct Log: Sendable { func warning(_ text: String) { print(text) } }

  static func diagnosticsSwift1() {
    let log = Log()
    // snippet
    Diagnostics.handler = { report in log.warning("\(report)") }
    end()
  }

  // snippet
  final class ViewModel {
    let bag = DisposeBag()
    init(person: Person) {
      person.observe(\.name).subscribe(onNext: { print($0) }).disposed(by: bag)
    }
  }
  // end

  static func observableSwift1() {
    // snippet
    let subscription = Observable.of(1, 2, 3)
      .map { $0 * 10 }
      .subscribe(onNext: { print($0) })
    // end
    subscription.dispose()
    end()
  }
}
