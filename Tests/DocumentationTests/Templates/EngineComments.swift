import Keyline

enum EngineComments: SnippetFile {
  static let page = "Sources/Keyline/Engine"

  static func run() async throws { lifetimeSwift1() }

  static func lifetimeSwift1() {
    // block Lifetime
    end("Lifetime")
  }
}
