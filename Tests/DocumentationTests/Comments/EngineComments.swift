import Keyline

enum EngineComments: SnippetFile {
  static let page = "Sources/Keyline/Engine"
  static let file = #filePath

  static func run() async throws { lifetimeSwift1() }

  static func lifetimeSwift1() {
    // snippet
    final class Document: LifetimeProviding {
      let lifetime = Lifetime()
    }
    var document: Document? = Document()
    _ = document?.lifetime.ended.subscribe(onCompleted: { print("closed") })
    document = nil
    end()
  }
}
