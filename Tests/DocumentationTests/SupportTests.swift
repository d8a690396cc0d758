import Testing

@testable import SnippetTemplates

/// How pages, templates and output are read, and that a difference between them is found.
@Suite struct SupportTests {
  @Test("Blocks of a Markdown file") func blocksOfAMarkdownFile() {
    let blocks = Block.all(
      of: "Page.md",
      """
      ```swift
      print(1)
      ```

      ```text
      1
      ```
      Words.
      ```text
      no code above
      ```
      ```swift (not compiled)
      import RxSwift
      ```
      ```sh
      ls
      ```
      """)
    #expect(blocks.map(\.kind) == [.code, .output, .uncompiled, .other])
    #expect(blocks.map(\.line) == [1, 9, 12, 15])
    #expect(blocks[0].lines == ["print(1)"])
    #expect(blocks[0].output == ["1"])
  }

  @Test("Blocks of documentation comments") func blocksOfDocumentationComments() {
    let blocks = Block.all(
      of: "Type.swift",
      """
      /// ```swift
      /// let a = 1
      ///   print(a)
      /// ```
      /// ```text
      /// 1
      /// ```
        let text = "```swift"
        ///   ```swift
        ///   first()
        ///     second()
        ///   ```
      """)
    #expect(blocks.map(\.kind) == [.code, .code])
    #expect(blocks[0].lines == ["let a = 1", "  print(a)"])
    #expect(blocks[0].output == ["1"])
    #expect(blocks[1].lines == ["first()", "  second()"])
  }

  @Test("Names of blocks") func namesOfBlocks() {
    let text = """
      # Page
      ## Batches
      ```swift
      ```
      ### `Codable`, as usual
      ```swift (not compiled)
      ```
      ```swift
      ```
      ```swift
      ```
      """
    let blocks = Block.all(of: "Page.md", text).filter { $0.kind == .code }
    #expect(blocks.map(\.name) == ["Batches", "`Codable`, as usual", "`Codable`, as usual 2"])
    let comment = "/// # A\n/// ```swift\n/// ```\n/// ```swift\n/// ```"
    #expect(Block.all(of: "Sources/Type.swift", comment).map(\.name) == ["Type", "Type 2"])
  }

  private static let template = """
    import Keyline
    static let page = "Page.md"
      // block Page
      end("Page")
      #sourceLocation(file: "Form.swift", line: 1)
      // block Page 2
      #sourceLocation()
    """

  private static let page = """
    # Page
    ```swift
    import Keyline

    f()
    ```
    ```text
    1
    ```
    ```swift
    if true {
      g()
    }
    ```
    """

  private func fill(_ template: String = template, from page: String = page) throws -> String {
    try Template("Page.swift", template).filled(with: Block.all(of: "Page.md", page), root: "/root")
  }

  @Test("A template is filled with the blocks of its page") func templates() throws {
    #expect(
      try fill() == """
        import Keyline
        static let page = "Page.md"
        #sourceLocation(file: "/root/Page.md", line: 3)


          f()
        #sourceLocation()
          end("Page")
          #sourceLocation(file: "Form.swift", line: 1)
          if true {
            g()
          }
          #sourceLocation()
        """)
  }

  @Test("A template and a page that do not fit are an error of the build")
  func aTemplateAndAPageThatDoNotFit() {
    func expect(
      _ message: String, _ template: String = Self.template, _ page: String = Self.page,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let error = #expect(throws: Template.Mistake.self, sourceLocation: sourceLocation) {
        try fill(template, from: page)
      }
      #expect(error?.description == message, sourceLocation: sourceLocation)
    }
    let template = Self.template
    expect("Page.swift:1: error: it names no page: static let page = \"…\"", "import Keyline")
    expect(
      "Page.swift:3: error: Page.md has no block of this name",
      template.replacing("// block Page\n", with: "// block Other\n"))
    expect(
      "Page.md:10: error: Page.swift lacks this block: // block Page 2",
      template.replacing("  // block Page 2\n", with: ""))
    expect(
      "Page.md:2: error: Page.swift does not import Keyline",
      template.replacing("import Keyline\n", with: ""))
    expect(
      "Page.md:2: error: it shows output; Page.swift needs end(\"Page\")",
      template.replacing("  end(\"Page\")\n", with: ""))
    expect(
      "Page.md:16: error: this output does not stand below any code", template,
      Self.page + "\nWords.\n```text\n```")
  }

  @Test("Output belongs to the block that has ended") func outputBelongsToTheBlockThatHasEnded() {
    let output = Output("a \nb\n\u{1E}One\n\nc\n\n\u{1E}One 2\nrest\n")
    #expect(output.ofRun == ["One": "a\nb", "One 2": "\nc"])
  }

  @Test("Differences are found") @MainActor func differencesAreFound() throws {
    let page = try #require(allPages.first { $0.name == "CorePage" })
    #expect(page.blocks.count == 2)
    #expect(page.mistakes(in: Output("")).count == 2)
    let printed = page.blocks.map { "\($0.output)\n\u{1E}\($0.name)\n" }.joined()
    #expect(page.mistakes(in: Output(printed)) == [])
    #expect(page.mistakes(in: Output("more\n" + printed)).count == 1)
  }
}
