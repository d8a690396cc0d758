import Keyline

enum ReadMe: SnippetFile {
  static let page = "README.md"

  static func run() async throws {
    aFirstExample()
  }

  static func aFirstExample() {
    // block A first example
    _ = view
    end("A first example")
  }
}
