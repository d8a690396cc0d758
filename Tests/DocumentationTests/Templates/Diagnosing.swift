import Keyline

enum Diagnosing: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Diagnosing.md"

  static func run() async throws {
    whySomethingFires()
    whyAComputedValueDoesNotChange()
    observersAndBindings()
    descriptionsAndTheEventsOfASequence()
  }

  // block Questions

  static func whySomethingFires() {
    Diagnostics.isRecording = true
    #sourceLocation(file:"Form.swift",line:1)
    // block Why something fires
    #sourceLocation()
    end("Why something fires")
  }

  static func whyAComputedValueDoesNotChange() {
    #sourceLocation(file:"Form.swift",line:1)
    // block Why a computed value does not change
    #sourceLocation()
    end("Why a computed value does not change")
  }

  static func observersAndBindings() {
    #sourceLocation(file:"Form.swift",line:1)
    // block Observers and bindings
    #sourceLocation()
    end("Observers and bindings")
  }

  static func descriptionsAndTheEventsOfASequence() {
    #sourceLocation(file:"Form.swift",line:1)
    // block Descriptions, and the events of a sequence
    #sourceLocation()
    end("Descriptions, and the events of a sequence")
  }
}
