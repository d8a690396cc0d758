import Keyline

enum DerivedValues: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/DerivedValues.md"

  static func run() async throws {
    derivedValues()
    aRuleThatThrows()
    cycles()
    batches()
    settlingOrWhyThereAreNoGlitches()
  }

  // block Derived values

  static func derivedValues() {
    do {
      // block Derived values 2
      end("Derived values 2")
    }
    do {
      // block Derived values 3
      end("Derived values 3")
    }
  }

  // block A rule that throws

  static func aRuleThatThrows() {
    // block A rule that throws 2
    end("A rule that throws 2")
  }

  static func cycles() {
    // block Cycles
    end("Cycles")
  }

  static func batches() {
    // block Batches
    end("Batches")
  }

  static func settlingOrWhyThereAreNoGlitches() {
    // block Settling, or why there are no glitches
    end("Settling, or why there are no glitches")
  }
}
