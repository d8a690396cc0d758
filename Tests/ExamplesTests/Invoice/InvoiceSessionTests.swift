import Keyline
import KeylineDiagnostics
import TestSupport
import Testing

@testable import Invoice

/// Commands and their answers, one line each.
@Suite("Invoice: commands")
struct InvoiceSessionTests {
  /// A session over two lines, and its output.
  final class Transcript {
    private(set) var session: Session?
    private var text = ""

    init() throws {
      session = try Session(.two()) { [unowned self] in text += $0 }
    }

    /// The answer to each of `commands`.
    func answers(_ commands: String...) -> [String] {
      commands.map { command in
        text = ""
        session?.perform(command)
        return text
      }
    }

    func answer(_ command: String) -> String { answers(command)[0] }
    func close() { session = nil }
  }

  let transcript: Transcript

  init() throws { transcript = try Transcript() }

  @Test("A set is reported with its consequences") func aSetIsReportedWithWhatFollowsFromIt() {
    #expect(
      transcript.answers("watch total", "watch 2.gross", "set 2.quantity 3", "set 1.tax 19 %") == [
        "total 44.00\n", "2.gross 22.00\n",
        "total 44.00 → 55.00\n2.gross 22.00 → 33.00\n2.quantity 2 → 3 (set)\n",
        "total 55.00 → 56.80\n1.tax 10 % → 19 % (set)\n",
      ])
  }

  @Test("A command that changes nothing is not reported") func whatChangesNothingIsNotReported() {
    #expect(
      transcript.answers("watch net", "set 1.quantity 2", "set 1.quantity 02", "undo") == [
        "net 40.00\n", "", "", "error: there is nothing to undo\n",
      ])
  }

  @Test("Empty lines and comments do nothing") func emptyLinesAndCommentsDoNothing() {
    #expect(transcript.answers("", "  \t ", "# show", "#show") == ["", "", "", ""])
  }

  static let mistakes: [(command: String, message: String)] = [
    ("set 1.quantity abc", "1.quantity: 'abc' is not a whole number such as 12"),
    ("set 1.quantity 1.5", "1.quantity: '1.5' is not a whole number such as 12"),
    ("set 1.quantity", "1.quantity: '' is not a whole number such as 12"),
    ("set 1.quantity -1", "1.quantity: -1 is not from 0 to 1000000"),
    ("set 1.quantity 1000001", "1.quantity: 1000001 is not from 0 to 1000000"),
    (
      "set 1.quantity 9223372036854775808",
      "1.quantity: '9223372036854775808' is not a whole number such as 12"
    ),
    ("set 1.price abc", "1.price: 'abc' is not an amount such as 12.50"),
    (
      "set 1.price 10000000000",
      "1.price: 10000000000.00 is not from -9999999999.99 to 9999999999.99"
    ),
    (
      "set 1.price -99999999999999999999999",
      "1.price: -99999999999999999999999.00 is not from -9999999999.99 to 9999999999.99"
    ),
    ("set 1.tax much", "1.tax: 'much' is not a percentage such as 7.5 %"),
    ("set 1.tax 100.01", "1.tax: 100.01 % is not from 0 % to 100 %"),
    ("set 1.tax -1", "1.tax: -1 % is not from 0 % to 100 %"),
    ("set 1.\u{1B}[2J 1", "1.?[2J: no such field; there are description, quantity, price, tax"),
    ("set 1.colour red", "1.colour: no such field; there are description, quantity, price, tax"),
    ("set 3.price 1", "there is no line 3"),
    ("set -1.price 1", "there is no line -1"),
    ("set x.price 1", "'x' is not the number of a line"),
    (
      "set 99999999999999999999.price 1", "'99999999999999999999' is not the number of a line"
    ),
    ("set price 1", "set needs LINE.FIELD VALUE, not 'price 1'"),
    ("set", "set needs LINE.FIELD VALUE, not ''"),
    ("set selected.price 1", "no line is selected"),
    ("show 3", "there is no line 3"),
    ("remove", "'' is not the number of a line"),
    ("remove 3", "there is no line 3"),
    ("remove selected", "no line is selected"),
    ("select 3", "there is no line 3"),
    ("add", "3: expected 4 fields, found 0"),
    ("add a,b", "3: expected 4 fields, found 2"),
    ("add a,1,1,1,1", "3: expected 4 fields, found 5"),
    ("add a,b,1,1", "3.quantity: 'b' is not a whole number such as 12"),
    ("add a,1,1,101", "3.tax: 101 % is not from 0 % to 100 %"),
    ("add \"a,1,1,1", "3: row 1, column 1: the quote is never closed"),
    ("undo", "there is nothing to undo"),
    ("redo", "there is nothing to redo"),
    ("undo 2", "undo takes nothing, not '2'"),
    (
      "watch everything",
      "'everything' is nothing to watch: that is net, tax, total, LINE.net or LINE.gross"
    ),
    (
      "watch 1.price",
      "'1.price' is nothing to watch: that is net, tax, total, LINE.net or LINE.gross"
    ),
    ("watch 3.net", "3.net: there is no such line"),
    ("unwatch total", "total is not watched"),
    ("print", "unknown command 'print' (try help)"),
  ]

  @Test("A wrong command prints a line and changes nothing", arguments: mistakes)
  func whatIsWrongIsALineAndChangesNothing(command: String, message: String) {
    let before = transcript.answer("show")
    #expect(transcript.answer(command) == "error: \(message)\n")
    #expect(transcript.answer("show") == before)
    #expect(transcript.session?.isOpen == true)
  }

  @Test("A text that cannot be taken stays in its form") func aTextThatCannotBeTakenStaysInItsForm()
  {
    #expect(
      transcript.answers("set 1.price abc", "show 1", "set 2.price 5", "show 1", "set 1.price 8")
        == [
          "error: 1.price: 'abc' is not an amount such as 12.50\n",
          """
          1.description: Apples
          1.quantity: 2
          1.price: abc  ('abc' is not an amount such as 12.50)
          1.tax: 10 %

          """,
          "2.price 10.00 → 5.00 (set)\n",
          """
          1.description: Apples
          1.quantity: 2
          1.price: abc  ('abc' is not an amount such as 12.50)
          1.tax: 10 %

          """,
          "1.price 10.00 → 8.00 (set)\n",
        ])
    #expect(
      transcript.answer("show 1") == """
        1.description: Apples
        1.quantity: 2
        1.price: 8
        1.tax: 10 %

        """)
  }

  @Test("A description is put right in the form too") func aDescriptionIsPutRightInTheFormToo() {
    #expect(
      transcript.answers("set 1.description  Red \t apples ", "show 1") == [
        "1.description Apples → Red apples (set)\n",
        """
        1.description: Red apples
        1.quantity: 2
        1.price: 10.00
        1.tax: 10 %

        """,
      ])
  }

  // MARK: Undo

  @Test("Undo goes back to the start and redo to the end")
  func undoGoesBackToTheStartAndRedoToTheEnd() {
    let commands = [
      "set 1.quantity 3", "set 1.price abc", "set 1.price 7", "add Plums,1,2,3", "set 3.tax 9",
      "remove 1", "set 2.description Quinces", "remove 3", "add Figs,1,1,1",
    ]
    let start = transcript.answer("show")
    for command in commands { _ = transcript.answer(command) }
    let end = transcript.answer("show")
    #expect(start != end)
    for _ in 1...2 {
      for _ in 1...8 { #expect(!transcript.answer("undo").hasPrefix("error")) }
      #expect(transcript.answer("undo") == "error: there is nothing to undo\n")
      #expect(transcript.answer("show") == start)
      for _ in 1...8 { #expect(!transcript.answer("redo").hasPrefix("error")) }
      #expect(transcript.answer("redo") == "error: there is nothing to redo\n")
      #expect(transcript.answer("show") == end)
    }
  }

  @Test("An edit after an undo leaves nothing to redo") func anEditAfterAnUndoLeavesNothingToRedo()
  {
    #expect(
      transcript.answers("set 1.quantity 3", "undo", "set 1.quantity 4", "redo", "undo") == [
        "1.quantity 2 → 3 (set)\n", "1.quantity 3 → 2 (undo)\n", "1.quantity 2 → 4 (set)\n",
        "error: there is nothing to redo\n", "1.quantity 4 → 2 (undo)\n",
      ])
  }

  @Test("Undo puts the form right") func undoPutsTheFormRight() {
    _ = transcript.answers("set 1.quantity 3", "set 1.quantity x", "undo")
    #expect(transcript.answer("show 1").split(separator: "\n")[1] == "1.quantity: 2")
  }

  // MARK: Watching

  @Test("A watch ends with its line and can be made again")
  func aWatchEndsWithItsLineAndCanBeMadeAgain() {
    #expect(
      transcript.answers("watch 1.net", "watch 1.net", "remove 1", "undo", "unwatch 1.net") == [
        "1.net 20.00\n", "error: 1.net is watched already\n",
        "1 Apples, 2 × 10.00 + 10 % → — (removed)\n1.net — (line gone)\n",
        "1 — → Apples, 2 × 10.00 + 10 % (undo)\n", "error: 1.net is not watched\n",
      ])
    #expect(
      transcript.answers("watch 1.net", "set 1.quantity 3", "unwatch 1.net", "set 1.quantity 4")
        == [
          "1.net 20.00\n", "1.net 20.00 → 30.00\n1.quantity 2 → 3 (set)\n", "",
          "1.quantity 3 → 4 (set)\n",
        ])
  }

  @Test("The selected line is followed") func theSelectedLineIsFollowed() {
    #expect(
      transcript.answers(
        "watch selected.gross", "select 1", "set 2.price 20", "select 2", "set selected.quantity 1",
        "remove 2", "set selected.quantity 1") == [
          "selected.gross —\n",
          "selected 1 (set)\nselected.gross — → 22.00 (another line)\n",
          "2.price 10.00 → 20.00 (set)\n",
          "selected 2 (set)\nselected.gross 22.00 → 44.00 (another line)\n",
          "selected.gross 44.00 → 22.00\n2.quantity 2 → 1 (set)\n",
          "2 Pears, 1 × 20.00 + 10 % → — (removed)\nselected — (line gone)\n"
            + "selected.gross 22.00 → — (line gone)\n",
          "error: no line is selected\n",
        ])
  }

  // MARK: Why

  @Test("why names the cause of a change") func whyNamesWhatAChangeHasComeFrom() throws {
    let recording = RecordingSession()
    Diagnostics.isTracing = true
    defer { Diagnostics.isTracing = false }
    let transcript = try Transcript()
    let answers = transcript.answers(
      "why total", "set 2.quantity 3", "why total", "why selected.net", "remove 1", "why total")
    withExtendedLifetime(recording) {}
    #expect(
      answers.joined().replacing(/\.swift:[0-9]+/, with: ".swift") == #"""
        evaluate Invoice#1.total for the first time: 44.00
        2.quantity 2 → 3 (set)
        set TextField#14.text: "2" → "3"
        deliver "3" to bind(\.text) (LineForm.swift)
        write 3 to LineItem#2.quantity
        set LineItem#2.quantity: 2 → 3
        evaluate LineItem#2.net, because LineItem#2.quantity changed: 20.00 → 30.00
        evaluate Invoice#1.net, because LineItem#2.net changed: 40.00 → 50.00
        evaluate Invoice#1.total, because Invoice#1.net changed: 44.00 → 55.00
        error: selected.net has not changed lately
        1 Apples, 2 × 10.00 + 10 % → — (removed)
        set ObservableArray<LineItem>#1, changed to [removal([LineItem#1], at: 0)]
        evaluate Invoice#1.net, because ObservableArray<LineItem>#1 changed: 50.00 → 30.00
        evaluate Invoice#1.total, because Invoice#1.net changed: 55.00 → 33.00

        """#)
  }

  @Test("Quit closes") func quitCloses() {
    #expect(transcript.answer("quit") == "")
    #expect(transcript.session?.isOpen == false)
  }

  // MARK: Lifetime

  @Test("A removed line dies with its form though it is watched selected and can come back")
  func aRemovedLineDiesWithItsFormThoughItIsWatchedSelectedAndCanComeBack() throws {
    let editor = Editor(try .two())
    weak let line = editor.invoice.line(1)
    weak let form = editor.form(1)
    weak let field = form?.price
    let gross = try #require(editor.changes(of: .grossOfLine(.number(1))))
    var isCompleted = false
    let watch = gross.subscribe(onCompleted: { isCompleted = true })
    editor.selected = line
    #expect(line != nil && form != nil && field != nil)
    editor.invoice.remove(1)
    #expect(line == nil && form == nil && field == nil)
    #expect(isCompleted)
    #expect(editor.selected == nil)
    #expect(editor.history.undo())
    #expect(editor.form(1)?.price.text == "10.00")
    watch.dispose()
  }

  @Test("A session that ends leaves nothing behind") func aSessionThatEndsLeavesNothingBehind()
    throws
  {
    let deaths = Deaths()
    weak var invoice: Invoice?
    do {
      let mortal = try Invoice.two()
      invoice = mortal
      let session = Session(mortal) { _ in }
      for command in ["watch total", "watch 1.net", "watch selected.net", "select 1"] {
        session.perform(command)
      }
      deaths.follow(mortal)
    }
    #expect(invoice == nil)
    #expect(deaths.count == 3)
  }

  /// Counts the deaths of an invoice and its lines.
  private final class Deaths {
    private(set) var count = 0

    func follow(_ invoice: Invoice) {
      for object in [invoice] as [any PropertyObservable] + invoice.lines.elements {
        _ = object.deallocated.subscribe(onNext: { self.count += 1 })
      }
    }
  }
}

extension Invoice {
  fileprivate static func two() throws -> Invoice {
    try Invoice(
      csv: Array("description,quantity,unit price,tax rate\nApples,2,10,10\nPears,2,10,10".utf8))
  }
}
