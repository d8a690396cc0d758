import Foundation
import Testing

/// The page with the laws repeats them word for word from the headers of the types that keep them.
@Suite struct LawsPageTests {
  static let sources = [
    "KeylineCore/Observing/Observable", "Keyline/Properties/ReactiveObject",
    "Keyline/Bindings/PropertyBinding", "Keyline/Properties/Derived", "Keyline/Properties/Batch",
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

  /// Laws that no test of the suite can check, and where they are checked.
  static let checkedElsewhere = [
    "P7": "Tests/Benchmarks/instructions counts the allocations of each operation",
    "B8": "the compiler refuses such a binding",
  ]

  @Test("Each law has a test with its number") func eachLawHasATestWithItsNumber() throws {
    let page = laws(try Package.contents(of: "Sources/Keyline/Keyline.docc/Laws.md"), "- **", "  ")
    let numbers = Set(page.map { String($0.prefix { $0 != " " }) })
    let tests = try Package.pages(at: "Tests").map(Package.contents(of:))
    let tested = tests.flatMap {
      $0.matches(of: /@Test\(\s*"([CPBD]\d+):/).map { String($0.1) }
    }
    #expect(numbers.subtracting(tested) == Set(Self.checkedElsewhere.keys))
    #expect(Set(tested).subtracting(numbers) == [])
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
