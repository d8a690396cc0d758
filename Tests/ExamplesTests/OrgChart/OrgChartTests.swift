import ExampleSupport
import Foundation
import Keyline
import TestSupport
import Testing

@testable import OrgChart

@Suite("OrgChart: options, commands and model")
struct OrgChartTests {
  private static let chart: [Substring] = ["Ada", "  Grace", "    Alan", "  Edsger"]
  private let company: Company

  init() throws { company = try Company(chart: Self.chart) }

  private func person(_ name: String) throws -> OrgChart.Person {
    try #require(company.person(name))
  }

  // MARK: Options and commands

  @Test("Options") func options() throws {
    #expect(try Options(parsing: []) == Options())
    #expect(
      try Options(parsing: ["a.txt", "--script", "x", "--graph=y.dot"])
        == Options(file: "a.txt", script: "x", graph: "y.dot"))
  }

  @Test(
    "A line is a command",
    arguments: [
      ("", nil), (" # show", nil), (" show ", .show), ("graph", .graph),
      ("hire Ada", .hire("Ada", under: nil)),
      ("hire  Ada  King under Grace", .hire("Ada King", under: "Grace")),
      ("move Ada under Grace", .move("Ada", under: "Grace")),
      ("rename Ada to Ada King", .rename("Ada", to: "Ada King")),
      ("replace Ada by Grace", .replace("Ada", by: "Grace")),
      ("leave Ada King", .leave("Ada King")),
      ("select Ada", .select("Ada")), ("follow Ada", .follow("Ada")), ("quit", .quit),
    ] as [(String, Command?)])
  func aLineIsACommand(line: String, command: Command?) throws {
    #expect(try Command.parse(line) == command)
  }

  @Test(
    "A line that is none",
    arguments: [
      ("hire", "a name is missing"), ("rename Ada", "rename needs NAME to NAME"),
      ("replace Ada by", "a name is missing"), ("help me", "help takes nothing, not 'me'"),
      ("fly", "unknown command 'fly' (try help)"),
    ])
  func aLineThatIsNone(line: String, message: String) {
    #expect(throws: CommandError(message)) { try Command.parse(line) }
  }

  // MARK: The chart

  @Test("A chart is written as it is read") func aChartIsWrittenAsItIsRead() throws {
    #expect(company.chart == Self.chart.map(String.init))
    #expect(company.size == 4)
    #expect(company.headNames == ["Ada"])
  }

  @Test(
    "A malformed chart",
    arguments: [
      (["  Ada"], 1, "'Ada' is indented under nobody"),
      (["Ada", "    Grace"], 2, "'Grace' is indented under nobody"),
      (["Ada", " Grace"], 2, "'Grace' is indented under nobody"),
      (["Ada", "", "  Ada"], 3, "there are two of the name 'Ada'"),
      (["Ada", "\tGrace"], 2, "'Grace' is not indented by blanks"),
      (["Ada", "  \tGrace"], 2, "'Grace' is not indented by blanks"),
    ] as [([Substring], Int, String)])
  func aMalformedChart(lines: [Substring], line: Int, reason: String) {
    #expect(throws: ChartError(line: line, reason: reason)) { try Company(chart: lines) }
  }

  // MARK: Ownership

  @Test("A person who leaves is released") func whoeverLeavesIsGone() throws {
    company.selected = company.person("Alan")
    weak let alan = company.person("Alan")
    #expect(alan != nil)
    let badge = Badge(of: company)
    company.dismiss("Alan")
    #expect(alan == nil)
    #expect(company.selected == nil)
    #expect(badge.text == "—, under —, under —")
  }

  @Test("The badge keeps nothing alive") func theBadgeKeepsNothingAlive() throws {
    var company: Company? = try Company(chart: Self.chart)
    company?.selected = company?.person("Alan")
    let badge = Badge(of: try #require(company))
    #expect(badge.text == "Alan, under Grace, under Ada")
    weak let released = company
    weak let alan = company?.person("Alan")
    company = nil
    #expect(released == nil)
    #expect(alan == nil)
    #expect(badge.way == "—")
  }

  // MARK: Chains

  @Test("A chain says where it has changed") func aChainSaysWhereItHasChanged() throws {
    var changes: [PropertyChange<String>] = []
    let alan = try person("Alan")
    let subscription = alan.observeChanges { $0.manager.manager.name }
      .subscribe(onNext: { changes.append($0) })
    company.person("Ada")?.name = "Augusta"
    company.replace(try person("Grace"), by: "Kristen")
    company.person("Kristen")?.manager = company.person("Edsger")
    company.dismiss("Edsger")
    company.person("Kristen")?.manager = company.person("Augusta")
    company.dismiss("Kristen")
    alan.manager = nil
    #expect(
      changes.map(\.cause) == [
        .set, .hopReplaced(0), .hopReplaced(1), .hopDied(1), .hopReplaced(1), .hopDied(0),
      ])
    #expect(changes.map(\.new) == ["Augusta", "Augusta", "Edsger", nil, "Augusta", nil])
    subscription.dispose()
  }

  @Test("Managers are derived from a chain of any length")
  func managersAreDerivedFromAChainOfAnyLength() throws {
    var emitted: [[String]] = []
    let alan = try person("Alan")
    let subscription = alan.observe(\.managers).subscribe(onNext: { emitted.append($0) })
    company.replace(try person("Grace"), by: "Kristen")
    company.dismiss("Ada")
    #expect(emitted == [["Grace", "Ada"], ["Kristen", "Ada"], ["Kristen"]])
    subscription.dispose()
  }

  @Test("A person is replaced in one step") func aPersonIsReplacedInOneStep() throws {
    var sizes: [Int] = []
    var badges: [String] = []
    company.selected = company.person("Alan")
    let badge = Badge(of: company)
    let bag = DisposeBag()
    company.observe(\.size).subscribe(onNext: { sizes.append($0) }).disposed(by: bag)
    badge.observe(\.text).subscribe(onNext: { badges.append($0) }).disposed(by: bag)
    company.replace(try person("Grace"), by: "Kristen")
    #expect(sizes == [4])
    #expect(badges == ["Alan, under Grace, under Ada", "Alan, under Kristen, under Ada"])
    #expect(company.chart == ["Ada", "  Kristen", "    Alan", "  Edsger"])
  }
}

/// Runs the built example and holds its output to the letter.
@Suite("OrgChart: the program")
struct OrgChartProgramTests {
  private let program = ExampleProgram(name: "OrgChart")

  private func fixture(_ name: String) throws -> String {
    try String(contentsOfFile: program.fixtures + "/" + name, encoding: .utf8)
  }

  @Test("A script is answered the same every time") func aScriptIsAnsweredTheSameEveryTime() throws
  {
    let expected = try fixture("session.out")
    for _ in 1...2 {
      #expect(
        try program.run(["--script", program.fixtures + "/session.txt"])
          == .init(output: expected, errors: "", status: 0))
    }
    // And from standard input.
    #expect(
      try program.run([], input: try fixture("session.txt"))
        == .init(output: expected, errors: "", status: 0))
  }

  @Test("The graph shows the chains") func theGraphShowsTheChains() throws {
    try withTemporaryDirectory { directory in
      let path = directory + "/graph.txt"
      let result = try program.run(
        ["--graph", path], input: "select Alan\nfollow Niklaus\nleave Tony\n")
      #expect(result.status == 0)
      #expect(
        try String(contentsOfFile: path, encoding: .utf8).replacing(/\.swift:\d+/, with: ".swift")
          == (try fixture("graph.txt")))
    }
  }

  @Test("The graph is a picture") func theGraphIsAPicture() throws {
    try withTemporaryDirectory { directory in
      let path = directory + "/graph.dot"
      let result = try program.run(["--graph", path], input: "select Alan\n")
      #expect(result.status == 0)
      let graph = try String(contentsOfFile: path, encoding: .utf8)
      #expect(graph.hasPrefix("digraph Keyline {\n"))
    }
  }

  @Test("Help is no error") func helpIsNoError() throws {
    let result = try program.run(["--help"])
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(result.output.hasPrefix("usage: OrgChart [FILE] [--script FILE] [--graph FILE]\n"))
  }

  @Test(
    "A bad command line is one line and status 2",
    arguments: [
      (["--fast"], "unknown option '--fast' (try --help)"),
      (["--script"], "--script needs a file (try --help)"),
      (["/no/where"], "cannot read /no/where: No such file or directory"),
      (["--script=/no/where"], "cannot read /no/where: No such file or directory"),
    ])
  func aBadCommandLineIsOneLineAndStatus2(arguments: [String], message: String) throws {
    #expect(
      try program.run(arguments)
        == .init(output: "", errors: "OrgChart: \(message)\n", status: 2))
  }

  @Test(
    "A file that is not a text is one line and status 2",
    arguments: [[0x41, 0xFF, 0x0A], [0x41, 0x00, 0x0A]] as [[UInt8]])
  func aFileThatIsNotATextIsOneLineAndStatus2(bytes: [UInt8]) throws {
    try withTemporaryDirectory { directory in
      let path = directory + "/chart"
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let expected = ExampleProgram.Result(
        output: "", errors: "OrgChart: \(path) is not a text\n", status: 2)
      #expect(try program.run([path]) == expected)
      #expect(try program.run(["--script", path]) == expected)
    }
  }

  @Test("A malformed chart is one line and status 2") func aMalformedChartIsOneLineAndStatus2()
    throws
  {
    let path = program.fixtures + "/malformed.txt"
    #expect(
      try program.run([path])
        == .init(
          output: "", errors: "OrgChart: \(path), line 2: 'Grace' is indented under nobody\n",
          status: 2))
  }
}
