import Keyline
import KeylineTest

enum TestingPage: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Testing.md"

  static func run() async throws {
    virtualTime()
    try sourcesWithAScriptAndMarbles()
    try waitingForTheRealWorld()
    leaks()
  }

  // block Virtual time

  static func virtualTime() {
    // block Virtual time 2
    end("Virtual time 2")
  }

  static func sourcesWithAScriptAndMarbles() throws {
    // block Sources with a script, and marbles
    end("Sources with a script, and marbles")
  }

  static func waitingForTheRealWorld() throws {
    // block Waiting for the real world
    end("Waiting for the real world")
  }

  static func leaks() {
    // block Leaks
    end("Leaks")
  }
}
