import Dispatch
import Keyline

enum Threads: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Threads.md"

  static func run() async throws {
    modulesThatAreIsolatedToTheMainActor()
    try await toAnotherThreadAndBack()
    try await theMainQueueInACommandLineProgram()
    subjectsFromSeveralThreads()
    try await asyncAndAwait()
  }

  // block Modules that are isolated to the main actor

  static func modulesThatAreIsolatedToTheMainActor() {
    // block Modules that are isolated to the main actor 2
    _ = objects
    end("Modules that are isolated to the main actor 2")
  }

  // block The initialiser

  // block The initialiser 2

  // block To another thread, and back

  static func toAnotherThreadAndBack() async throws {
    // block To another thread, and back 2
    end("To another thread, and back 2")
  }

  static func theMainQueueInACommandLineProgram() async throws {
    // block The main queue in a command-line program
    end("The main queue in a command-line program")
  }

  static func subjectsFromSeveralThreads() {
    // block Subjects from several threads
    end("Subjects from several threads")
  }

  // block `async` and `await`

  static func asyncAndAwait() async throws {
    // block `async` and `await` 2
    end("`async` and `await` 2")
  }
}
