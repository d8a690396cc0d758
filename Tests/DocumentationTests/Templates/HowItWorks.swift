import Keyline

// block Extending

enum HowItWorks: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/HowItWorks.md"

  static func run() async throws {
    extending()
  }

  static func extending() {
    // block Extending 2
    end("Extending 2")
  }
}
