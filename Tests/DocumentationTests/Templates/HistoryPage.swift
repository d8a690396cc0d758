import Keyline
import KeylineTest

enum HistoryPage: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/History.md"

  static func run() async throws {
    changeSets()
    undoAndRedo()
    aDirtyFlagAndAutosave()
    undoOfAList()
  }

  // block Change sets

  static func changeSets() {
    // block Change sets 2
    end("Change sets 2")
  }

  // block Undo and redo

  static func undoAndRedo() {
    // block Undo and redo 2
    end("Undo and redo 2")
  }

  static func aDirtyFlagAndAutosave() {
    // block A dirty flag, and autosave
    end("A dirty flag, and autosave")
  }

  static func undoOfAList() {
    do {
      // block Undo of a list
      end("Undo of a list")
    }
    do {
      // block Undo of a list 2
      end("Undo of a list 2")
    }
  }
}
