import Foundation
import Testing

/// The page with the laws repeats them word for word from the headers of the types that keep them.
@Suite struct LawsPageTests {
  static let sources = [
    "KeylineCore/Observing/Observable", "Keyline/Properties/ReactiveObject",
    "Keyline/Bindings/PropertyBinding", "Keyline/Properties/Derived", "Keyline/Settling/Batch",
  ]

  @Test("The page has the laws of the headers") func thePageHasTheLawsOfTheHeaders() throws {
    let headers = try Self.sources.flatMap {
      laws(try Package.contents(of: "Sources/\($0).swift"), "/// - ", "///   ")
    }
    let page = laws(
      try Package.contents(of: "Sources/Keyline/Keyline.docc/Laws.md"), "- **", "  ")
    #expect(page.count > 50)
    #expect(page == headers)
  }

  /// The items `C1. …` that begin with `marker` and go on with `margin`, each in one line, without
  /// the signs between the number and the sentence, whose first letter is a capital.
  private func laws(_ text: String, _ marker: String, _ margin: String) -> [String] {
    var laws: [String] = []
    var isOpen = false
    for line in text.components(separatedBy: "\n") {
      if let law = line.wholeMatch(of: /(?:\/\/\/ - |- \*\*)([CPBD]\d+)[.:]\S* (.*)/),
        line.hasPrefix(marker)
      {
        laws.append("\(law.1) \(law.2.prefix(1).uppercased())\(law.2.dropFirst())")
        isOpen = true
      } else if isOpen, line.hasPrefix(margin) {
        laws[laws.count - 1] += " \(line.dropFirst(margin.count))"
      } else {
        isOpen = false
      }
    }
    return laws
  }
}
