import Testing

@testable import Invoice

@Suite("Invoice: options and commands")
struct InvoiceOptionsTests {
  @Test("Options") func options() throws {
    #expect(try Options(parsing: []) == Options())
    #expect(
      try Options(parsing: ["a=b.csv", "--script", "x", "--script=y=z"])
        == Options(file: "a=b.csv", script: "y=z"))
    #expect(try Options(parsing: ["--help"]).wantsHelp)
  }

  static let commands: [(line: String, command: Command?)] = [
    ("", nil), (" # show", nil), (" show ", .show), ("show 12", .showLine(.number(12))),
    ("set 3.quantity 12", .set(.number(3), field: "quantity", text: "12")),
    ("set\tselected.tax   7 % ", .set(.selected, field: "tax", text: "7 %")),
    ("set 3.price", .set(.number(3), field: "price", text: "")),
    ("set 3.a.b c", .set(.number(3), field: "a.b", text: "c")),
    ("add \"a, b\",1, 2,3", .add("\"a, b\",1, 2,3")), ("remove selected", .remove(.selected)),
    ("select 1", .select(.number(1))), ("undo", .undo), ("redo", .redo),
    ("watch total", .watch(.total)), ("watch 3.net", .watch(.netOfLine(.number(3)))),
    ("unwatch selected.gross", .unwatch(.grossOfLine(.selected))), ("help", .help),
    ("quit", .quit),
  ]

  @Test("A line is a command", arguments: commands)
  func aLineIsACommand(line: String, command: Command?) throws {
    #expect(try Command.parse(line) == command)
  }

  @Test(
    "An amount is read as it is written",
    arguments: [Amount.net, .tax, .total, .netOfLine(.number(3)), .grossOfLine(.selected)])
  func anAmountIsReadAsItIsWritten(amount: Amount) throws {
    #expect(try Command.parse("watch \(amount)") == .watch(amount))
  }
}
