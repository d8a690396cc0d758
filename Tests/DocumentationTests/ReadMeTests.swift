import Foundation
import Testing

/// README stays short, leads to every guide, and its links resolve.
@Suite struct ReadMeTests {
  private static let guides = "Sources/Keyline/Keyline.docc"

  /// The targets of the links in `page` that are paths and not addresses.
  private static func links(in page: String) throws -> [String] {
    try Package.contents(of: page).matches(of: /\]\(([^)]+)\)/).map { String($0.output.1) }
      .filter { !$0.contains("://") }
  }

  @Test("Has at most two thousand words") func hasAtMostTwoThousandWords() throws {
    let words = try Package.contents(of: "README.md").split(whereSeparator: \.isWhitespace)
    #expect(words.count <= 2_000)
  }

  @Test(
    "Every link leads to a file",
    arguments: [("README.md", ""), (".github/CONTRIBUTING.md", ".github/")])
  func everyLinkLeadsToAFile(_ page: String, _ folder: String) throws {
    let links = try Self.links(in: page)
    #expect(!links.isEmpty)
    for link in links {
      let target = Package.root.appending(path: folder + link).standardizedFileURL
      #expect(FileManager.default.fileExists(atPath: target.path), "\(page): \(link)")
    }
  }

  @Test("Links to every guide") func linksToEveryGuide() throws {
    let links = try Set(Self.links(in: "README.md"))
    let pages = try Package.allPages().filter {
      $0.hasPrefix(Self.guides + "/") && !$0.hasSuffix("/Keyline.md")
    }
    #expect(pages.filter { !links.contains($0) } == [])
  }

  @Test("The landing page leads to every guide") func theLandingPageLeadsToEveryGuide() throws {
    let landingPage = try Package.contents(of: "\(Self.guides)/Keyline.md")
    for page in try Package.allPages() where page.hasPrefix(Self.guides + "/") {
      let name = page.components(separatedBy: "/").last?.replacing(".md", with: "") ?? ""
      guard name != "Keyline" else { continue }
      #expect(landingPage.contains("- <doc:\(name)>\n"), "\(name)")
    }
  }
}
