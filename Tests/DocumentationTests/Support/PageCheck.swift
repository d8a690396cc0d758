/// Compares a page with its Swift file and with what that has printed.
@MainActor struct PageCheck {
  /// One line each, with the place on the page or in the Swift file.
  private(set) var mistakes: [String] = []
  private let file: String
  private let imports: Set<String>
  private let snippets: [Snippet]
  private let output: Output
  private var shown: Set<Int> = []

  init(_ page: Page, _ output: Output) throws {
    let text = try Package.contents(ofFile: page.snippets.file)
    file = Package.relative(page.snippets.file)
    imports = Set(text.components(separatedBy: "\n").filter { $0.hasPrefix("import ") })
    snippets = Snippet.all(of: text)
    self.output = output
    let blocks = try Package.pages(at: page.snippets.page).flatMap { path in
      Block.all(of: path, try Package.contents(of: path))
    }
    for block in blocks { check(block) }
    check(blocks, .code, page.compiled, "blocks of code")
    check(blocks, .uncompiled, page.uncompiled, "blocks of code that is not compiled")
    for snippet in snippets where !shown.contains(snippet.line) {
      mistakes.append("\(file):\(snippet.line): this snippet is not on its page")
    }
  }

  private mutating func check(_ block: Block) {
    switch block.kind {
    case .code: checkCode(block)
    case .output:
      mistakes.append("\(block.page):\(block.line): this output does not stand below any code")
    case .uncompiled, .other: break
    }
  }

  private mutating func check(
    _ blocks: [Block], _ kind: Block.Kind, _ expected: Int, _ name: String
  ) {
    let count = blocks.count { $0.kind == kind }
    guard count != expected else { return }
    mistakes.append("\(file): Pages.swift counts \(expected) \(name), the page has \(count)")
  }

  private mutating func checkCode(_ block: Block) {
    let place = "\(block.page):\(block.line)"
    let code = block.lines.drop { $0.hasPrefix("import ") || $0.isEmpty }
    for missing in block.lines where missing.hasPrefix("import ") && !imports.contains(missing) {
      mistakes.append("\(place): \(file) does not \(missing)")
    }
    let lines = Snippet.normalized(Array(code))
    guard let snippet = snippets.first(where: { $0.lines == lines }) else {
      mistakes.append("\(place): \(file) has no such snippet\(nearest(to: lines))")
      return
    }
    shown.insert(snippet.line)
    guard let run = snippet.run else {
      if block.output != nil { mistakes.append("\(place): shows output, but is not run") }
      return
    }
    guard let printed = output.ofRun[run] else {
      mistakes.append("\(file):\(snippet.line): this snippet was not run; \(place) shows it")
      return
    }
    if printed != Output.withoutLastBlankLines(block.output ?? []) {
      mistakes.append("\(place): prints\n\(printed.joined(separator: "\n"))")
    }
  }

  /// The snippet that begins with the same lines as `lines`, and where it goes on otherwise.
  private func nearest(to lines: [String]) -> String {
    func common(_ snippet: Snippet) -> Int {
      zip(snippet.lines, lines).prefix { $0 == $1 }.count
    }
    guard let snippet = snippets.max(by: { common($0) < common($1) }) else { return "" }
    let same = common(snippet)
    guard same > 0 else { return "; its first line is: \(lines.first ?? "")" }
    func line(_ lines: [String]) -> String { same < lines.count ? lines[same] : "(the end)" }
    return """
      ; from line \(same + 1) on it differs from the one at line \(snippet.line):
        page:    \(line(lines))
        snippet: \(line(snippet.lines))
      """
  }
}
