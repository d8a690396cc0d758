import Foundation
import Testing

/// Runs the built example and holds its output to the letter.
@Suite("Invoice: the program")
struct InvoiceProgramTests {
  typealias Result = ExampleProgram.Result

  static let program = ExampleProgram(name: "Invoice")
  static let file = program.fixtures + "/lines.csv"

  static let sample = """
    #  description                 quantity  unit price  tax rate      net     tax    gross
    1  Standing desk, oak, 160 cm         2      649.00      19 %  1298.00  246.62  1544.62
    2  Office chair                       2      289.50      19 %   579.00  110.01   689.01
    3  Monitor 27" with stand             3      319.95      19 %   959.85  182.37  1142.22
    4  Cable channel                     12        4.79      19 %    57.48   10.92    68.40
    5  Handbook "Working upright"         5       18.60       7 %    93.00    6.51    99.51
    6  Delivery and assembly              1       85.00      19 %    85.00   16.15   101.15
    7  Returned pallets                   4       -7.35       0 %   -29.40    0.00   -29.40
       total                                                       3042.93  572.58  3615.51

    """

  @Test("A recorded script of edits is answered the same every time")
  func aRecordedScriptOfEditsIsAnsweredTheSameEveryTime() throws {
    let expected = try String(
      contentsOfFile: Self.program.fixtures + "/session.out", encoding: .utf8)
    let script = Self.program.fixtures + "/session.txt"
    for _ in 1...2 {
      let result = try Self.program.run([Self.file, "--script", script])
      #expect(result == Result(output: expected, errors: "", status: 0))
    }
    // And from standard input.
    let commands = try String(contentsOfFile: script, encoding: .utf8)
    #expect(
      try Self.program.run([Self.file], input: commands)
        == Result(output: expected, errors: "", status: 0))
  }

  @Test("Undoing everything restores the first table") func undoingEverythingRestoresTheFirstTable()
    throws
  {
    let session = try String(
      contentsOfFile: Self.program.fixtures + "/session.out", encoding: .utf8)
    let tables = session.components(separatedBy: "#  description")
      .dropFirst()
      .map { table in table.prefix { $0 != ">" } }
    #expect(tables.count == 3)
    #expect(tables.first == tables.last)
    #expect(tables.first != tables.dropFirst().first)
  }

  @Test("Without a file the sample is shown") func withoutAFileTheSampleIsShown() throws {
    #expect(try Self.program.run([]) == Result(output: Self.sample, errors: "", status: 0))
  }

  @Test("The last command needs no line break and nothing follows quit")
  func theLastCommandNeedsNoLineBreakAndNothingFollowsQuit() throws {
    #expect(
      try Self.program.run([], input: "set 1.quantity 3")
        == Result(
          output: Self.sample + "> set 1.quantity 3\n1.quantity 2 → 3 (set)\n", errors: "",
          status: 0))
    #expect(
      try Self.program.run([], input: "quit\nshow\n")
        == Result(output: Self.sample + "> quit\n", errors: "", status: 0))
  }

  @Test("Help is no error") func helpIsNoError() throws {
    let result = try Self.program.run(["--help"])
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(result.output.hasPrefix("usage: Invoice [FILE.csv] [--script FILE]\n"))
  }

  @Test(
    "A bad command line is one line and status 2",
    arguments: [
      (["--fast"], "unknown option '--fast' (try --help)"),
      (["a.csv", "b.csv"], "unexpected argument 'b.csv' (try --help)"),
      ([""], "unexpected argument '' (try --help)"),
      (["--script"], "--script needs a file (try --help)"),
      (["--script="], "--script needs a file (try --help)"),
      (["--help=no"], "--help takes no value (try --help)"),
      (["--line\nbreak"], "unknown option '--line?break' (try --help)"),
      (["/no/where.csv"], "cannot read /no/where.csv: No such file or directory"),
      (["--script=/no/where"], "cannot read /no/where: No such file or directory"),
      (["/"], "cannot read /: Is a directory"),
    ])
  func aBadCommandLineIsOneLineAndStatus2(arguments: [String], message: String) throws {
    #expect(
      try Self.program.run(arguments)
        == Result(output: "", errors: "Invoice: \(message)\n", status: 2))
  }

  @Test(
    "Malformed input is one line and status 2",
    arguments: [
      ("Closed", "row 2, column 1: text after the closing quote"),
      ("Empty", "row 1, column 1: expected 'description' in the header, found none"),
      ("Encoding", "row 3, column 1: not UTF-8"),
      ("Header", "row 1, column 3: expected 'unit price' in the header, found 'price'"),
      (
        "LargePrice",
        "row 2, column 3: price: 99999999999.00 is not from -9999999999.99 to 9999999999.99"
      ),
      ("Long", "row 2, column 5: expected 4 fields, found 5"),
      ("LongHeader", "row 1, column 5: expected no more columns in the header, found 'note'"),
      ("NegativeQuantity", "row 2, column 2: quantity: -1 is not from 0 to 1000000"),
      ("Open", "row 2, column 1: the quote is never closed"),
      ("Price", "row 4, column 3: price: '1,50' is not an amount such as 12.50"),
      ("Quantity", "row 3, column 2: quantity: 'many' is not a whole number such as 12"),
      ("Quote", "row 2, column 1: a quote in a field that does not begin with one"),
      ("Return", "row 2, column 3: a carriage return without a line feed"),
      ("Short", "row 2, column 3: expected 4 fields, found 2"),
      ("ShortHeader", "row 1, column 3: expected 'unit price' in the header, found none"),
      ("Tax", "row 2, column 4: tax: 100.01 % is not from 0 % to 100 %"),
    ])
  func malformedInputIsOneLineAndStatus2(fixture: String, message: String) throws {
    let path = "\(Self.program.fixtures)/Malformed/\(fixture).csv"
    #expect(
      try Self.program.run([path])
        == Result(output: "", errors: "Invoice: \(path), \(message)\n", status: 2))
  }
}
