import Keyline

enum Observing: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Observing.md"

  static func run() async throws {
    values()
    computedPropertiesAndPaths()
    changes()
    try await asynchronousSequences()
    otherState()
    ending()
    whereWeakSelfIsNeeded()
  }

  // block Values

  static func values() {
    do {
      // block Values 2
      end("Values 2")
    }
    do {
      // block Values 3
      end("Values 3")
    }
  }

  static func computedPropertiesAndPaths() {
    do {
      // block Computed properties and paths
      end("Computed properties and paths")
    }
    do {
      // block Computed properties and paths 2
      end("Computed properties and paths 2")
    }
  }

  static func changes() {
    // block Changes
    end("Changes")
  }

  static func asynchronousSequences() async throws {
    do {
      // block Asynchronous sequences
      end("Asynchronous sequences")
    }
    do {
      // block Asynchronous sequences 2
      end("Asynchronous sequences 2")
    }
  }

  static func otherState() {
    // block Other state
    end("Other state")
  }

  static func ending() {
    // block Ending
    _ = view
    end("Ending")
  }

  static func whereWeakSelfIsNeeded() {
    // block Where `[weak self]` is needed
    end("Where `[weak self]` is needed")
  }
}
