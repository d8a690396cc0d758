import Foundation
import Testing

// The code on the pages is compiled and run, and its output is compared with the pages. To add a
// page, or a block:
// 1. Write the block on the page, in a fence marked `swift`, and its output directly below, in a
//    fence marked `text`. `swift (not compiled)` marks code that cannot be compiled here. Other
//    fences (none, `sh`) are ignored.
// 2. Write the same lines into the page's Swift file, between `// snippet` and `end()`, at any
//    indentation; between `// snippet` and `// end` where they are declarations. Set-up that the
//    page does not show stands before `// snippet`, or between `// end` and `end()`.
// 3. A new page gets a new Swift file, `enum NewPage: SnippetFile`, whose `run()` calls its
//    functions in order, and a line in `Pages.swift`, with its number of blocks. Each page is run in
//    a process of its own, on the main actor; reports are printed. The `import` lines of a block
//    stand at the top of the file. A page whose name is the name of a module or type gets `Page`
//    behind it.
// 4. Where output names a line, `#sourceLocation(file: "Form.swift", line: 12)` stands before the
//    snippet, and `#sourceLocation()` before its `end()`.

@MainActor @Suite(.serialized) struct DocumentationTests {
  @Test("Each page shows the output that its code prints", arguments: Page.all)
  func showsWhatItPrints(_ page: Page) async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
    ) { [name = page.name as String] in
      try await Page.all.first { $0.name == name }?.snippets.runAlone()
      fflush(nil)
    }
    guard let result else { return }
    let errors = String(decoding: result.standardErrorContent, as: UTF8.self)
    if !errors.isEmpty { Issue.record("\(page.name), on standard error: \(errors)") }
    let output = String(decoding: result.standardOutputContent, as: UTF8.self)
    let check = try PageCheck(page, Output(output))
    for mistake in check.mistakes { Issue.record("\(mistake)") }
  }

  @Test("Covers every page") func coversEveryPage() throws {
    let covered = try Set(Page.all.flatMap { try Package.pages(at: $0.snippets.page) })
    for path in try Package.allPages() where !covered.contains(path) {
      for block in Block.all(of: path, try Package.contents(of: path)) where block.kind == .code {
        Issue.record("\(path):\(block.line): this page has no Swift file with its snippets")
      }
    }
    print("\(Page.all.count) pages, \(Page.all.reduce(0) { $0 + $1.compiled }) blocks compiled")
  }
}
