import Testing

/// The pages of the cookbook keep their form: one heading for each recipe, below it a few lines of
/// code and what they print.
struct CookbookTests {
  private static let folder = "Sources/Keyline/Keyline.docc/"

  /// The headings of a page of recipes, without its overview, each with the blocks below it.
  private static func recipes(of page: String) throws -> [(heading: String, blocks: [Block])] {
    let text = try Package.contents(of: folder + page)
    let headings = text.components(separatedBy: "\n").enumerated()
      .filter { $0.element.hasPrefix("## ") }
    let blocks = Block.all(of: page, text).filter { $0.kind == .code }
    return headings.indices.dropFirst().map { index in
      let end = index + 1 < headings.count ? headings[index + 1].offset : .max
      return (
        headings[index].element,
        blocks.filter { (headings[index].offset..<end).contains($0.line - 1) }
      )
    }
  }

  @Test(
    "Every recipe is short",
    arguments: [("Cookbook.md", 17), ("CookbookForms.md", 16), ("CookbookTasks.md", 17)])
  func everyRecipeIsShort(_ page: String, _ count: Int) throws {
    let recipes = try Self.recipes(of: page)
    #expect(recipes.count == count, "\(page)")
    for (heading, blocks) in recipes {
      #expect(!blocks.isEmpty, "\(page): \(heading) shows no code")
      for block in blocks {
        #expect(block.lines.count <= 15, "\(page):\(block.line): the block is too long")
      }
    }
  }

  @Test("The landing page leads to it") func theLandingPageLeadsToIt() throws {
    let landingPage = try Package.contents(of: Self.folder + "Keyline.md")
    for name in ["Cookbook", "CookbookForms", "CookbookTasks"] {
      #expect(landingPage.contains("- <doc:\(name)>\n"), "\(name)")
    }
  }
}
