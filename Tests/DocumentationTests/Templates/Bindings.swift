import Keyline

// block Converters

enum Bindings: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Bindings.md"

  static func run() async throws {
    oneWay()
    bothWays()
    converters()
    chainsAsEnds()
    anySequenceIntoAProperty()
    validation()
    messagesAndNormalisedFields()
  }

  // block One way

  static func oneWay() {
    // block One way 2
    end("One way 2")
  }

  static func bothWays() {
    // block Both ways
    end("Both ways")
  }

  static func converters() {
    // block Converters 2
    end("Converters 2")
  }

  static func chainsAsEnds() {
    // block Chains as ends
    end("Chains as ends")
  }

  static func anySequenceIntoAProperty() {
    do {
      // block Any sequence into a property
      end("Any sequence into a property")
    }
    do {
      // block Any sequence into a property 2
      end("Any sequence into a property 2")
    }
  }

  static func validation() {
    do {
      // block Validation
      end("Validation")
    }
    do {
      // block Validation 2
      end("Validation 2")
    }
  }

  static func messagesAndNormalisedFields() {
    // block Messages and normalised fields
    end("Messages and normalised fields")
  }
}
