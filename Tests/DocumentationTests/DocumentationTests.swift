import Foundation
import Testing

// The code on the pages is compiled and run, and its output is compared with the pages. It stands on
// the pages only: the plugin in Tests/Snippets writes it into the files of the folder Templates, before
// they are compiled. To add a page, or a block:
// 1. Write the block on the page, in a fence marked `swift`, and its output directly below, in a
//    fence marked `text`. `swift (not compiled)` marks code that cannot be compiled here. Other
//    fences (none, `sh`) are ignored.
// 2. Write `// block NAME` into the page's template, and `end("NAME")` behind it if the block is
//    run; `Tests/Snippets/Templates/Template.swift` defines the names. Set-up that the page does not
//    show stands around the two. The `import` lines of a block stand at the top of the template.
// 3. A new page gets a new template, `enum NewPage: SnippetFile`, whose `run()` calls its functions
//    in order. Each page is run in a process of its own, on the main actor; reports are printed. A page
//    whose name is the name of a module or type gets `Page` behind it.
// 4. Where output names a line, `#sourceLocation(file: "Form.swift", line: 1)` stands before the
//    block, and `#sourceLocation()` behind it.

@MainActor @Suite(.serialized) struct DocumentationTests {
  @Test("Each page shows the output that its code prints", arguments: allPages)
  func showsWhatItPrints(_ page: Page) async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
    ) { [name = page.name as String] in
      try await allPages.first { $0.name == name }?.snippets.runAlone()
      fflush(nil)
    }
    guard let result else { return }
    let errors = String(decoding: result.standardErrorContent, as: UTF8.self)
    if !errors.isEmpty { Issue.record("\(page.name), on standard error: \(errors)") }
    let output = Output(String(decoding: result.standardOutputContent, as: UTF8.self))
    for mistake in page.mistakes(in: output) { Issue.record("\(mistake)") }
  }
}
