import TestSupport
import Testing

@testable import Invoice

/// Random sessions, from seeds that are printed when one fails.
@Suite("Invoice: random sessions")
struct InvoiceRandomTests {
  private static let names = [
    "set", "set", "set", "add", "remove", "select", "watch", "unwatch", "show",
  ]
  private static let lines = ["1", "2", "3", "4", "selected", "-1", "99999999999999999999", ""]
  private static let fields = [
    ".quantity", ".price", ".tax", ".description", ".net", ".gross", ".colour", ".", "",
  ]
  private static let values = [
    "1", "0", "-5", "12.50", "7 %", "100.01", "1000000", "9999999999.99", "-9999999999.99", "abc",
    "\"", "\u{1B}[2J", "", " a  b", "340282366920938463463374607431768211456",
  ]
  private static let rows = [
    "a,1,2,3", "\"a\"\"b\",1000000,9999999999.99,100", "a,1", "\"", "", "a,b,c,d", "a\r,1,1,1",
  ]

  private static func command(_ random: inout SplitMix) -> String {
    func any(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
    return switch any(names) {
    case "set": "set \(any(lines))\(any(fields)) \(any(values))"
    case "add": "add \(any(rows))"
    case let name where name.hasSuffix("watch"):
      "\(name) " + any(["net", "tax", "total", "\(any(lines))\(any(fields))"])
    case let name: "\(name) \(any(lines))"
    }
  }

  @Test("Undoing everything restores the start and redoing the end")
  func undoingEverythingRestoresTheStartAndRedoingTheEnd() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix(seed: seed)
    var changed = 0
    for round in 1...25 {
      let place: Comment = "seed \(seed), round \(round)"
      var text = ""
      let invoice = try Invoice(
        csv: Array("description,quantity,unit price,tax rate\na,1,2.50,19\nb,3,-0.05,7".utf8))
      let session = Session(invoice) { text += $0 }
      func answer(_ command: String) -> String {
        text = ""
        session.perform(command)
        return text
      }

      let start = answer("show")
      for _ in 1...60 {
        _ = answer(Self.command(&random))
        #expect(invoice.lines.reduce(.zero) { $0 + $1.gross } == invoice.total, place)
        if random.number(0...5) == 0 { _ = answer("undo") }
      }
      while !answer("redo").hasPrefix("error: there is nothing") {}
      let end = answer("show")
      if end != start { changed += 1 }
      while !answer("undo").hasPrefix("error: there is nothing") {}
      #expect(answer("show") == start, place)
      while !answer("redo").hasPrefix("error: there is nothing") {}
      #expect(answer("show") == end, place)
    }
    #expect(changed > 12, "seed \(seed)")
  }
}
