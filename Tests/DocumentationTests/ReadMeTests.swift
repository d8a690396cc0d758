import Foundation
import Testing

/// README stays short, the pages stay few, and their links resolve, in DocC and in other viewers.
@Suite struct ReadMeTests {
  private static let guides = "Sources/Keyline/Keyline.docc"
  static let pages = try! Package.allPages().filter {
    $0 == "README.md" || $0.contains(".docc/") && $0.hasSuffix(".md")
  }
  static let linked = pages + [".github/CONTRIBUTING.md"]

  /// The words of a page, and of its code and tables, without bars, braces and other signs.
  private static func words(of page: String) throws -> Int {
    try Package.contents(of: page).split(whereSeparator: \.isWhitespace)
      .count { $0.contains { $0.isLetter || $0.isNumber } }
  }

  @Test("README has at most 1,500 words") func readMeHasAtMost1500Words() throws {
    #expect(try Self.words(of: "README.md") <= 1_500)
  }

  @Test("The pages are few, and short") func thePagesAreFewAndShort() throws {
    #expect(Self.linked.count <= 24)
    #expect(try Self.pages.reduce(0) { $0 + (try Self.words(of: $1)) } <= 24_000)
  }

  /// A link outside of code: its page, and its anchor, which may be empty.
  private static func links(in page: String) throws -> [(target: String, anchor: String)] {
    try prose(of: page).replacing(/`[^`\n]*`/, with: "").matches(of: /\]\(([^)#\s]*)#?([^)\s]*)\)/)
      .map { (String($0.output.1), String($0.output.2)) }
      .filter { !$0.target.contains("://") }
  }

  /// A page without its blocks of code.
  private static func prose(of page: String) throws -> String {
    var isCode = false
    return try Package.contents(of: page).components(separatedBy: "\n").filter { line in
      if line.hasPrefix("```") { isCode.toggle() }
      return !isCode
    }.joined(separator: "\n")
  }

  /// The anchors of the headings of a page, as viewers of repositories make them.
  private static func anchors(of page: String) throws -> [String] {
    try prose(of: page).components(separatedBy: "\n").filter { $0.hasPrefix("#") }.map { heading in
      heading.drop { $0 == "#" || $0 == " " }.lowercased()
        .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }
        .replacing(" ", with: "-")
    }
  }

  @Test("Every link leads to a file, and to a heading in it", arguments: linked)
  func everyLinkLeadsToAFileAndToAHeadingInIt(_ page: String) throws {
    let folder = page.components(separatedBy: "/").dropLast().joined(separator: "/")
    for (target, anchor) in try Self.links(in: page) {
      let file = target.isEmpty ? page : Self.path(of: target, from: folder)
      let url = Package.root.appending(path: file)
      #expect(FileManager.default.fileExists(atPath: url.path), "\(page): \(target)")
      guard !anchor.isEmpty else { continue }
      #expect(try Self.anchors(of: file).contains(anchor), "\(page): \(target)#\(anchor)")
    }
  }

  private static func path(of target: String, from folder: String) -> String {
    var parts = folder.isEmpty ? [] : folder.components(separatedBy: "/")
    for part in target.components(separatedBy: "/") {
      if part == ".." { parts.removeLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }

  /// DocC gets a copy in which `.ci/docs` has replaced the links, so a page has one form of link.
  @Test("Pages and comments have no links that only DocC follows")
  func pagesAndCommentsHaveNoLinksThatOnlyDocCFollows() throws {
    for page in try Self.linked + Package.pages(at: "Sources") {
      #expect(!(try Package.contents(of: page)).contains("<doc:"), "\(page)")
    }
  }

  @Test("README links to every guide") func readMeLinksToEveryGuide() throws {
    let links = try Set(Self.links(in: "README.md").map(\.target))
    let landingPage = "\(Self.guides)/Keyline.md"
    #expect(
      Self.pages.filter { ![landingPage, "README.md"].contains($0) && !links.contains($0) } == [])
  }

  @Test("The landing page leads to every guide") func theLandingPageLeadsToEveryGuide() throws {
    let links = try Set(Self.links(in: "\(Self.guides)/Keyline.md").map(\.target))
    let names = Self.pages.filter { $0.hasPrefix(Self.guides + "/") }
      .compactMap { $0.components(separatedBy: "/").last }
    #expect(Set(names).subtracting(links) == ["Keyline.md"])
  }

  @Test("The walks of CONTRIBUTING name functions and files that exist")
  func theWalksNameFunctionsAndFilesThatExist() throws {
    let page = try Package.contents(of: ".github/CONTRIBUTING.md")
    let parts = page.components(separatedBy: "\n## ")
    let walks = try #require(parts.first { $0.hasPrefix("Walks\n") })
    let sources = try BudgetTests.files(of: "Keyline")
    let paths = Set(sources.map(\.path))
    let functions = Set(
      sources.flatMap(\.code).flatMap { $0.matches(of: /func (\w+)/).map(\.output.1) })
    let names = walks.matches(of: /`(?:\w+\.)?(\w+)\([\w:]*\)`/).map(\.output.1)
    let files = walks.matches(of: /`(\w+\/\w+\.swift)`/).map { "Keyline/" + $0.output.1 }
    #expect(names.count > 25 && files.count > 10)
    #expect(names.filter { !functions.contains($0) } == [])
    #expect(files.filter { !paths.contains($0) } == [])
  }
}
