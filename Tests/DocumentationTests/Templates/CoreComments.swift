import Keyline

enum CoreComments: SnippetFile {
  static let page = "Sources/KeylineCore/Observing"

  static func run() async throws {
    diagnosticsSwift1()
    observableSwift1()
  }

  final class Person: ReactiveObject { @Observed var name = "Ada" }
  struct Log: Sendable { func warning(_ text: String) { print(text) } }

  static func diagnosticsSwift1() {
    let log = Log()
    // block Diagnostics
    end("Diagnostics")
  }

  // block DisposeBag

  static func observableSwift1() {
    // block Observable
    subscription.dispose()
    end("Observable")
  }
}
