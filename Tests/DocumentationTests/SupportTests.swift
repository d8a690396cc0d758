import Testing

/// How pages, Swift files and output are read, and that a difference between them is found.
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

  @Test("Snippets of a Swift file") func snippetsOfASwiftFile() {
    let snippets = Snippet.all(
      of: """
        // snippet
        struct A {}
        // end
          // snippet
          if true {
            #sourceLocation(file:"Form.swift",line:1)
            print(1)    // one
          }
          // end
          wait()
          end()
          // snippet
          print(2)
          end()
        """)
    #expect(
      snippets.map(\.lines) == [
        ["struct A {}"], ["if true {", "  print(1)  // one", "}"], ["print(2)"],
      ])
    #expect(snippets.map(\.line) == [1, 4, 12])
    #expect(snippets.map(\.run) == [nil, 11, 14])
  }

  @Test("Output belongs to the snippet that has ended") func outputIsThatOfTheSnippetWhichHasEnded()
  {
    let output = Output("a\nb\n\u{1E}11\n\nc\n\n\u{1E}14\nrest\n")
    #expect(output.ofRun == [11: ["a", "b"], 14: ["", "c"]])
  }

  @Test("Differences are found") @MainActor func differencesAreFound() throws {
    let page = try #require(Page.all.first { $0.name == "CorePage" })
    let mistakes = try PageCheck(page, Output("")).mistakes
    #expect(mistakes.count == 2)
    #expect(mistakes.first?.contains("this snippet was not run") == true)
    let wrong = Page(CorePage.self, compiled: 3, uncompiled: 1)
    #expect(try PageCheck(wrong, Output("")).mistakes.count == 4)
  }
}
