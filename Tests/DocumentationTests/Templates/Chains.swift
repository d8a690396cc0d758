import Keyline

enum Chains: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Chains.md"

  static func run() async throws {
    keyPathOrChain()
    emissions()
    weakProperties()
    try byName()
  }

  // block Words

  static func keyPathOrChain() {
    let person = Person()
    person.address = Address()
    // block Key path or chain
    end("Key path or chain")
  }

  static func emissions() {
    discardOutput()
    // block Emissions
    end("Emissions")
  }

  static func weakProperties() {
    // block Weak properties
    end("Weak properties")
  }

  static func byName() throws {
    discardOutput()
    // block By name
    end("By name")
  }
}
