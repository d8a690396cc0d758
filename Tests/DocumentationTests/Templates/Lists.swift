import Keyline

enum Lists: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Lists.md"

  static func run() async throws {
    arraysThatEmitEdits()
    propertiesOfTheElements()
    filteredSortedAndMappedViews()
    lifetime()
    dictionariesAndSets()
  }

  static func arraysThatEmitEdits() {
    // block Arrays that emit edits
    end("Arrays that emit edits")
  }

  static func propertiesOfTheElements() {
    // block Properties of the elements
    end("Properties of the elements")
  }

  static func filteredSortedAndMappedViews() {
    // block Filtered, sorted and mapped views
    end("Filtered, sorted and mapped views")
    // block Lists of lists, sections, and pages
    end("Lists of lists, sections, and pages")
    // block Rows
    end("Rows")
  }

  static func lifetime() {
    // block Lifetime
    end("Lifetime")
  }

  static func dictionariesAndSets() {
    // block Dictionaries and sets
    end("Dictionaries and sets")
  }
}
