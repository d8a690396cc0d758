import Keyline
import KeylineTest

enum HistoryPage: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/History.md"

  static func run() async throws {
    undoAndRedo()
    changeSets()
    aDirtyFlagAndAutosave()
  }

  // block Undo and redo

  static func undoAndRedo() {
    // block Undo and redo 2
    end("Undo and redo 2")
  }

  static func changeSets() {
    // block Change sets
    end("Change sets")
  }

  static func aDirtyFlagAndAutosave() {
    // block A dirty flag, and autosave
    end("A dirty flag, and autosave")
  }
}
