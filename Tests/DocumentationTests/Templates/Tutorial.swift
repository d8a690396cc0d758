import Keyline
import KeylineTest
import Testing

// block The model

// block The payer

#sourceLocation(file:"Form.swift",line:2)
// block The form
#sourceLocation()

// block Totals

enum Tutorial: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Tutorial.md"

  static func run() async throws {
    theModel()
    thePayer()
    theForm()
    totals()
    undo()
  }

  static func theModel() {
    // block The model 2
    end("The model 2")
  }

  static func thePayer() {
    // block The payer 2
    end("The payer 2")
  }

  static func theForm() {
    // block The form 2
    end("The form 2")
  }

  static func totals() {
    // block Totals 2
    end("Totals 2")
  }

  static func undo() {
    // block Undo
    end("Undo")
  }

  struct Checks {
    // block Tests
  }
}
