import Testing

/// Comments and guides are written in plain English. A *riddle* is a sentence that has to be solved:
/// most of them have a clause with "what" as a noun, a "that of", or an object that "knows".
///
/// The limits are the counts reached so far. They are only ever lowered; the aim is 20 in all.
@Suite struct RiddleTests {
  /// The most riddles in the Swift comments of each folder, and in the pages: the laws, which repeat
  /// headers of types; the table of reports, which repeats messages; and all others, with README.
  static let limits: KeyValuePairs = [
    "Sources/KeylineCore": 0,
    "Sources/Keyline": 0,
    "Sources/KeylineDiagnostics": 0,
    "Sources/KeylineFoundation": 0,
    "Sources/KeylineTest": 0,
    "Examples": 0,
    "Tests": 0,
    "Laws.md": 0,
    "Reports.md": 1,
    "other pages": 0,
  ]

  @Test("Sentences are plain", arguments: limits.map(\.key)) func sentencesArePlain(area: String)
    throws
  {
    let pages = try Package.allPages().filter { $0 == "README.md" || $0.contains(".docc/") }
    let files =
      switch area {
      case "Laws.md", "Reports.md": pages.filter { $0.hasSuffix("/\(area)") }
      case "other pages":
        pages.filter { !$0.hasSuffix("/Laws.md") && !$0.hasSuffix("/Reports.md") }
          + [".github/CONTRIBUTING.md"]
      // Without this file, whose examples are riddles.
      case "Tests": try Package.pages(at: area).filter { !$0.hasSuffix("/RiddleTests.swift") }
      default: try Package.pages(at: area)
      }
    #expect(!files.isEmpty)
    let riddles = try files.flatMap { file in
      findRiddles(in: prose(of: file, try Package.contents(of: file))).map { "\(file):\($0)" }
    }
    let limit = try #require(Self.limits.first { $0.key == area }?.value)
    #expect(riddles.count <= limit, "\(riddles.joined(separator: "\n"))")
  }

  @Test("Riddles are found") func riddlesAreFound() {
    let source = """
      /// What is kept, and for whom.
      let that = of  // Those
      // of others
      """
    #expect(findRiddles(in: prose(of: "A.swift", source)) == ["1: What is", "2: Those of"])
    let page = """
      Nobody tells.
      ```
      who
      ```
      Says who?
      """
    #expect(findRiddles(in: prose(of: "A.md", page)) == ["5: Says", "5: who"])
  }

  /// The lines of a file, without the code: the comments of Swift, and Markdown outside of fences.
  private func prose(of file: String, _ text: String) -> [Substring] {
    var isCode = false
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      if file.hasSuffix(".swift") {
        return line.utf8.firstRange(of: "//".utf8).map { line[$0.upperBound...].drop { $0 == "/" } }
          ?? ""
      }
      let isFence = line.contains(/^ *```/)
      if isFence { isCode.toggle() }
      return isCode || isFence ? "" : line
    }
  }

  /// The riddles in `lines`, each with the number of its line. A riddle may go on in the next line.
  private func findRiddles(in lines: [Substring]) -> [String] {
    let pattern =
      #/
      \b(?: what\s+(?: is | has | it ) | th(?: at | ose )\s+of | the\s+one\s+that
        | who | somebody | told | says | wants | knows )\b
      /#
    let text = lines.joined(separator: "\n")
    return text.matches(of: pattern.ignoresCase()).map { match in
      let line = text[..<match.range.lowerBound].count { $0 == "\n" } + 1
      return "\(line): \(match.output.split(whereSeparator: \.isWhitespace).joined(separator: " "))"
    }
  }
}
