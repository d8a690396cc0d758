import ExampleSupport
import Foundation
import Keyline
import KeylineFoundation
import Testing

@testable import SearchAsYouType

@Suite("SearchAsYouType: options, keys and corpus")
struct SearchAsYouTypeTests {
  static let program = ExampleProgram(name: "SearchAsYouType")
  static let tree = program.fixtures + "/Tree"
  static let words = program.fixtures + "/words.txt"

  @Test("Options") func options() throws {
    #expect(try Options(parsing: []) == Options())
    #expect(
      try Options(parsing: ["words", "--script", "x", "--pace=20"])
        == Options(path: "words", script: "x", pace: .milliseconds(20)))
  }

  // MARK: Keys

  @Test(
    "A line of a script",
    arguments: [
      ("", []), (" # 1 clear", []), ("0 clear", [Stroke(wait: .zero, key: .clear)]),
      (
        "50 type a b",
        [
          Stroke(wait: .milliseconds(50), key: .text("a")),
          Stroke(wait: .milliseconds(80), key: .text(" ")),
          Stroke(wait: .milliseconds(80), key: .text("b")),
        ]
      ),
      (
        "1\tdelete 2",
        [
          Stroke(wait: .milliseconds(1), key: .delete),
          Stroke(wait: .milliseconds(80), key: .delete),
        ]
      ),
    ] as [(Substring, [Stroke])])
  func aLineOfAScript(line: Substring, strokes: [Stroke]) throws {
    #expect(try Stroke.parse(line) == strokes)
  }

  @Test(
    "A line that is none",
    arguments: [
      ("soon clear", "'soon' is not a number of milliseconds"),
      ("-1 clear", "'-1' is not a number of milliseconds"),
      ("1", "'' is not type TEXT, delete NUMBER or clear"),
      ("1 type", "'type' is not type TEXT, delete NUMBER or clear"),
      ("1 delete all", "'delete all' is not type TEXT, delete NUMBER or clear"),
      ("1 clear 2", "'clear 2' is not type TEXT, delete NUMBER or clear"),
    ] as [(Substring, String)])
  func aLineThatIsNone(line: Substring, message: String) {
    #expect(throws: CommandError(message)) { try Stroke.parse(line) }
  }

  // MARK: The corpus

  @Test("The files of a directory that are text") func theFilesOfADirectoryThatAreText() throws {
    let corpus = try Corpus(path: Self.tree)
    #expect(corpus.parts.map(\.name) == ["a.txt", "deep/b.txt"])
    #expect(
      corpus.parts.flatMap { $0.hits(of: "GREEN") }.map(\.description) == [
        "a.txt:1: Tea, green", "a.txt:4: Green paint", "deep/b.txt:1: evergreen",
      ])
  }

  @Test("A word list in parts") func aWordListInParts() throws {
    let corpus = try Corpus(path: Self.words)
    let words = try String(contentsOfFile: Self.words, encoding: .utf8).split(separator: "\n")
    #expect(corpus.parts.count == 13)
    #expect(corpus.parts.flatMap(\.lines) == words)
    let hits: [String] = corpus.parts.flatMap { $0.hits(of: "deb").map(\.text) }
    let expected: [String] = words.filter { $0.contains("deb") }.map { String($0) }
    #expect(hits == expected)
  }

  @Test("Nothing there") func nothingThere() {
    #expect(throws: FileError.unreadable(path: "/no/where", SystemError(code: ENOENT))) {
      try Corpus(path: "/no/where")
    }
  }
}

@Suite("SearchAsYouType: the view model") @MainActor
struct SearchModelTests {
  private let clock = HistoricalScheduler()
  private let searcher: Searcher
  private let model: SearchModel
  private let total = 13

  init() throws {
    searcher = Searcher(
      try Corpus(path: SearchAsYouTypeTests.words), pace: .milliseconds(30))
    model = SearchModel(searcher, on: .init(main: clock, background: clock))
  }

  private func wait(_ milliseconds: Double) { clock.advanceTo(clock.clock + milliseconds / 1000) }

  private func type(_ text: String) {
    for character in text { model.press(.text(String(character))) }
  }

  @Test("Nothing is searched while typing") func nothingIsSearchedWhileTyping() {
    for character in "observe" {
      type(String(character))
      wait(150)
    }
    #expect(searcher.work == 0)
    #expect(model.status == "type to search 13 parts")
    wait(1000)
    #expect(searcher.work == total)
    #expect(model.search.hits.map(\.text) == ["observed", "observers", "unobserved"])
    #expect(model.status == "'observe': 3 lines in 13 parts")
  }

  @Test("Hits come while it searches") func hitsComeWhileItSearches() {
    type("e")
    wait(300)
    #expect(model.search.searched == 3)
    #expect(model.status == "'e': searching, 3 of 13 parts")
    let hits = model.search.hits
    #expect(!hits.isEmpty)
    wait(1000)
    #expect(Array(model.search.hits.prefix(hits.count)) == hits)
    #expect(model.search.hits.count > hits.count)
  }

  @Test("The next query stops the search") func theNextQueryStopsTheSearch() {
    type("e")
    wait(250)
    type("x")
    wait(199)
    #expect(searcher.work == 8)
    #expect(model.ended == [])
    wait(2)
    #expect(model.ended.map(\.outcome) == ["stopped 'e' after 8 of 13"])
    #expect(model.search == Search(query: "ex", total: total))
    wait(28)
    #expect(searcher.work == 8)
    wait(1000)
    #expect(searcher.work == 8 + total)
    #expect(model.ended.map(\.query) == ["e", "ex"])
  }

  @Test("An empty query stops the search") func anEmptyQueryStopsTheSearch() {
    type("e")
    wait(250)
    model.press(.clear)
    wait(201)
    #expect(model.search == Search())
    wait(1000)
    #expect(searcher.work == 8)
    #expect(model.ended.map(\.outcome) == ["stopped 'e' after 8 of 13"])
  }

  @Test("The same query is not searched again") func theSameQueryIsNotSearchedAgain() {
    type("obs")
    wait(1000)
    type("x")
    wait(100)
    model.press(.delete)
    type("  ")
    wait(1000)
    #expect(searcher.work == total)
    #expect(model.query == "obs  ")
  }

  @Test("A model that dies stops its search") func aModelThatDiesStopsItsSearch() throws {
    let searcher = Searcher(
      try Corpus(path: SearchAsYouTypeTests.words), pace: .milliseconds(10))
    var model: SearchModel? = SearchModel(
      searcher, on: .init(main: clock, background: clock))
    model?.query = "e"
    wait(235)
    #expect(searcher.work == 3)
    weak let released = model
    model = nil
    #expect(released == nil)
    wait(1000)
    #expect(searcher.work == 3)
  }

  @Test("Only the latest searches are kept") func onlyTheLatestSearchesAreKept() {
    for letter in "abcdefg" {
      model.query = String(letter)
      wait(1000)
    }
    #expect(model.ended.map(\.query) == ["c", "d", "e", "f", "g"])
    #expect(searcher.work == 7 * total)
  }

  /// The schedulers of the terminal: searches in the background, results on the main thread.
  @Test("Results come from another thread", .timeLimit(.minutes(5)))
  func resultsComeFromAnotherThread() async throws {
    let searcher = Searcher(
      try Corpus(path: SearchAsYouTypeTests.tree), pace: .milliseconds(1))
    let model = SearchModel(
      searcher,
      on: .init(
        main: MainScheduler.instance,
        background: ConcurrentDispatchQueueScheduler(qos: .userInitiated)))
    model.query = "green"
    for await search in model.values(of: \.search) where search.isComplete && search.total > 0 {
      #expect(search.hits.count == 3)
      break
    }
    #expect(searcher.work == 2)
  }

  @Test("A frame fits any window") func aFrameFitsAnyWindow() {
    type("e")
    wait(1000)
    for columns in [-1, 0, 1, 7, 500] {
      for rows in [-1, 0, 1, 2, 9, 500] {
        let lines = TerminalView.lines(of: model, size: .init(columns: columns, rows: rows))
        #expect(lines.count <= max(rows, 0))
        #expect(lines.allSatisfy { $0.text.count <= max(columns, 0) })
      }
    }
  }

  @Test("A frame") func aFrame() {
    type("observe")
    wait(1000)
    #expect(
      TerminalView.lines(of: model, size: .init(columns: 30, rows: 9)).map(\.text) == [
        "> observe▏", "'observe': 3 lines in 13 parts", "", "observed", "observers",
        "unobserved", "", "", "found 'observe' in 3 lines",
      ])
  }
}

/// Runs the built example and holds its output to the letter.
@Suite("SearchAsYouType: the program")
struct SearchAsYouTypeProgramTests {
  private let program = SearchAsYouTypeTests.program

  @Test("A script is answered the same every time") func aScriptIsAnsweredTheSameEveryTime() throws
  {
    let expected = try String(contentsOfFile: program.fixtures + "/keys.out", encoding: .utf8)
    for _ in 1...2 {
      let result = try program.run([
        SearchAsYouTypeTests.words, "--script", program.fixtures + "/keys.txt", "--pace", "30",
      ])
      #expect(result == .init(output: expected, errors: "", status: 0))
    }
  }

  @Test("A directory is searched") func aDirectoryIsSearched() throws {
    try withTemporaryDirectory { directory in
      let script = directory + "/keys"
      try File.write("0 type green", to: script)
      let result = try program.run([SearchAsYouTypeTests.tree, "--script", script])
      #expect(
        result
          == .init(
            output: """
                  0 ms  typed 'g'
                 80 ms  typed 'gr'
                160 ms  typed 'gre'
                240 ms  typed 'gree'
                320 ms  typed 'green'
                520 ms  searching 'green'
                530 ms  found 'green' in 3 lines
                530 ms    a.txt:1: Tea, green
                530 ms    a.txt:4: Green paint
                530 ms    deep/b.txt:1: evergreen
              searched 2 files in all

              """, errors: "", status: 0))
    }
  }

  @Test("Help is no error") func helpIsNoError() throws {
    let result = try program.run(["--help"])
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(result.output.hasPrefix("usage: SearchAsYouType [PATH] [--script FILE]"))
  }

  @Test(
    "A bad command line is one line and status 2",
    arguments: [
      ([], "there is no terminal: --script FILE is needed (try --help)"),
      (["--fast"], "unknown option '--fast' (try --help)"),
      (["a", "b"], "unexpected argument 'b' (try --help)"),
      (["--pace=0"], "--pace must be a whole number from 1 up, not '0' (try --help)"),
      (["/no/where"], "cannot read /no/where: No such file or directory"),
      (["--script=/no/where"], "cannot read /no/where: No such file or directory"),
    ])
  func aBadCommandLineIsOneLineAndStatus2(arguments: [String], message: String) throws {
    let path = arguments.contains { !$0.hasPrefix("-") } ? [] : [SearchAsYouTypeTests.tree]
    #expect(
      try program.run(path + arguments)
        == .init(output: "", errors: "SearchAsYouType: \(message)\n", status: 2))
  }

  @Test("A malformed script is one line and status 2") func aMalformedScriptIsOneLineAndStatus2()
    throws
  {
    try withTemporaryDirectory { directory in
      let script = directory + "/keys"
      try File.write("0 type a\n0 press b\n", to: script)
      #expect(
        try program.run([SearchAsYouTypeTests.tree, "--script", script])
          == .init(
            output: "",
            errors: "SearchAsYouType: \(script), line 2: 'press b' is not type TEXT, "
              + "delete NUMBER or clear\n", status: 2))
    }
  }
}
