import TestSupport
import Testing

@testable import Invoice

@Suite("Invoice: reading CSV")
struct InvoiceCSVTests {
  private func fields(_ text: String) throws -> [[String]] {
    try CSV.rows(of: Array(text.utf8)).map(\.fields)
  }

  static let tables: [(text: String, rows: [[String]]?)] = [
    ("", []),
    ("a,b", [["a", "b"]]),
    ("a,b\n", [["a", "b"]]),
    ("a,b\r\nc,d\r\n", [["a", "b"], ["c", "d"]]),
    ("\u{FEFF}a,b\nc,d", [["a", "b"], ["c", "d"]]),
    (",\n", [["", ""]]),
    ("\"\"", [[""]]),
    ("\"a,b\",\"c\"\"d\",\"e\r\nf\ng\"", [["a,b", "c\"d", "e\r\nf\ng"]]),
    ("\"\"\"\"", [["\""]]),
    ("\n\na\n\n", [["a"]]),
    (" a , \"", nil),
    ("\u{FEFF}", []),
    ("a\u{FEFF}", [["a\u{FEFF}"]]),
  ]

  @Test("Rows", arguments: tables)
  func rows(text: String, expected: [[String]]?) throws {
    if let expected {
      #expect(try fields(text) == expected)
    } else {
      #expect(throws: CSVError.self) { try fields(text) }
    }
  }

  @Test("Rows are numbered as a spreadsheet does") func rowsAreNumberedAsASpreadsheetDoes() throws {
    let rows = try CSV.rows(of: Array("a\n\n\"b\nc\"\nd".utf8))
    #expect(rows.map(\.number) == [1, 3, 4])
  }

  @Test(
    "Malformed text",
    arguments: [
      ("a\n\"b", 2, 1, "the quote is never closed"),
      ("a,b\"c", 1, 2, "a quote in a field that does not begin with one"),
      ("a,\"b\" ", 1, 2, "text after the closing quote"),
      ("a\rb", 1, 1, "a carriage return without a line feed"),
      ("a,b\r", 1, 2, "a carriage return without a line feed"),
    ])
  func malformedText(text: String, row: Int, column: Int, reason: String) {
    #expect(throws: CSVError(row: row, column: column, reason)) { try fields(text) }
  }

  @Test("Bytes that are no UTF 8 are refused") func bytesThatAreNoUTF8AreRefused() {
    #expect(throws: CSVError(row: 1, column: 2, "not UTF-8")) {
      try CSV.rows(of: [UInt8(ascii: "a"), UInt8(ascii: ","), 0xFF])
    }
  }

  // MARK: Properties

  @Test("A written file is read back") func whatIsWrittenIsReadBack() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix(seed: seed)
    let pieces = ["a", "ß", "\"", ",", "\n", "\r\n", "\r", " ", "🧾", "\u{FEFF}", ""]
    for round in 1...500 {
      let table = (0..<random.number(0...5)).map { _ in
        (0..<random.number(1...5)).map { _ in
          (0..<random.number(0...6))
            .compactMap { _ in pieces.randomElement(using: &random) }
            .joined()
        }
      }
      let lineBreak = Bool.random(using: &random) ? "\n" : "\r\n"
      let ending = Bool.random(using: &random) ? lineBreak : ""
      let text = table.map { $0.map(quoted).joined(separator: ",") }
        .joined(separator: lineBreak)
      #expect(try fields(text + ending) == table, "seed \(seed), round \(round): \(text)")
    }
  }

  /// A field as RFC 4180 writes it. One that is empty is quoted, too: alone it would be a blank
  /// line.
  private func quoted(_ field: String) -> String {
    let needsQuotes =
      field.isEmpty
      || field.unicodeScalars.contains { "\",\r\n\u{FEFF}".unicodeScalars.contains($0) }
    return needsQuotes ? "\"" + field.replacing("\"", with: "\"\"") + "\"" : field
  }

  @Test("Damaged files are read or refused with a place")
  func damagedFilesAreReadOrRefusedWithAPlace() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix(seed: seed)
    let header = Invoice.header.joined(separator: ",")
    let intact = Array(
      "\(header)\r\n\"Desk, \"\"oak\"\"\",2,649.00,19\r\nChair,2,-289.5,7.5 %\n".utf8)
    let bytes = Array("\",\r\n09.-% é\u{0}".utf8) + [0xFF, 0xC3]
    var (read, refused) = (0, 0)
    for round in 1...300 {
      var damaged = intact
      for _ in 1...random.number(1...4) where !damaged.isEmpty {
        let index = random.number(damaged.indices)
        switch random.number(0...3) {
        case 0: damaged.remove(at: index)
        case 1: damaged[index] = bytes.randomElement(using: &random) ?? 0
        case 2: damaged.insert(bytes.randomElement(using: &random) ?? 0, at: index)
        default: damaged.removeSubrange(random.number(0...index)...index)
        }
      }
      do throws(CSVError) {
        let invoice = try Invoice(csv: damaged)
        #expect(invoice.net + invoice.tax == invoice.total, "seed \(seed), round \(round)")
        read += 1
      } catch {
        #expect(error.row > 0 && error.column > 0, "seed \(seed), round \(round): \(error)")
        refused += 1
      }
    }
    #expect(read > 0 && refused > 0, "seed \(seed)")
  }
}
