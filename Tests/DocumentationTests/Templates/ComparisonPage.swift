import Keyline
import Observation

enum ComparisonPage: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Comparison.md"

  static func run() async throws {
    await aClassOfBoth()
    await observableObjectsInKeyline()
  }

  // block A class of both

  static func aClassOfBoth() async {
    // block A class of both 2
    end("A class of both 2")
  }

  // block `@Observable` objects in Keyline

  static func observableObjectsInKeyline() async {
    // block `@Observable` objects in Keyline 2
    end("`@Observable` objects in Keyline 2")
  }
}
