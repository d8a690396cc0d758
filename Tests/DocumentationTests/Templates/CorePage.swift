import Keyline

enum CorePage: SnippetFile {
  static let page = "Sources/KeylineCore/KeylineCore.docc/KeylineCore.md"

  static func run() async throws {
    overview()
    hotAndCold()
  }

  static func overview() {
    // block Overview
    end("Overview")
  }

  static func hotAndCold() {
    // block Hot and cold
    end("Hot and cold")
  }
}
