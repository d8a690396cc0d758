/// An error in a table, and its place. The header is row 1; blank lines count.
struct CSVError: Error, Equatable, CustomStringConvertible {
  let row: Int
  let column: Int
  let reason: String

  init(row: Int, column: Int, _ reason: String) {
    (self.row, self.column, self.reason) = (row, column, reason)
  }

  var description: String { "row \(row), column \(column): \(reason)" }
}

/// A row of a table, and which one it is.
struct CSVRow: Equatable {
  let number: Int
  var fields: [String]
}

/// Reads comma-separated values as RFC 4180 has them.
///
/// A field in quotes may hold commas, line breaks and quotes, the last doubled. Lines end in CR LF or
/// LF, the last one in nothing if it likes; blank lines are skipped, and so is a byte order mark.
struct CSV {
  private var rest: ArraySlice<UInt8>

  /// The rows of a file.
  static func rows(of bytes: [UInt8]) throws(CSVError) -> [CSVRow] {
    var parser = CSV(rest: bytes[...])
    parser.skip([0xEF, 0xBB, 0xBF])
    var rows: [CSVRow] = []
    var number = 0
    while !parser.rest.isEmpty {
      number += 1
      if !parser.skipLineBreak() { rows.append(try parser.row(number)) }
    }
    return rows
  }

  private mutating func row(_ number: Int) throws(CSVError) -> CSVRow {
    var row = CSVRow(number: number, fields: [])
    repeat {
      let column = row.fields.count + 1
      row.fields.append(try field(row: number, column: column))
    } while skip([Byte.comma])
    guard rest.isEmpty || skipLineBreak() else {
      throw CSVError(
        row: number, column: row.fields.count,
        rest.first == Byte.carriageReturn
          ? "a carriage return without a line feed" : "text after the closing quote")
    }
    return row
  }

  private mutating func field(row: Int, column: Int) throws(CSVError) -> String {
    let bytes = try skip([Byte.quote]) ? quoted(row, column) : plain(row, column)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CSVError(row: row, column: column, "not UTF-8")
    }
    return text
  }

  private mutating func plain(_ row: Int, _ column: Int) throws(CSVError) -> [UInt8] {
    let field = rest.prefix {
      $0 != Byte.comma && $0 != Byte.carriageReturn && $0 != Byte.lineFeed
    }
    guard !field.contains(Byte.quote) else {
      throw CSVError(row: row, column: column, "a quote in a field that does not begin with one")
    }
    rest.removeFirst(field.count)
    return Array(field)
  }

  /// Reads the text after an opening quote, up to the closing quote.
  private mutating func quoted(_ row: Int, _ column: Int) throws(CSVError) -> [UInt8] {
    var field: [UInt8] = []
    while let end = rest.firstIndex(of: Byte.quote) {
      field += rest[..<end]
      rest = rest[(end + 1)...]
      guard skip([Byte.quote]) else { return field }
      field.append(Byte.quote)
    }
    throw CSVError(row: row, column: column, "the quote is never closed")
  }

  private mutating func skipLineBreak() -> Bool {
    skip([Byte.carriageReturn, Byte.lineFeed]) || skip([Byte.lineFeed])
  }

  @discardableResult
  private mutating func skip(_ bytes: [UInt8]) -> Bool {
    guard rest.starts(with: bytes) else { return false }
    rest.removeFirst(bytes.count)
    return true
  }

  private enum Byte {
    static let quote = UInt8(ascii: "\"")
    static let comma = UInt8(ascii: ",")
    static let carriageReturn = UInt8(ascii: "\r")
    static let lineFeed = UInt8(ascii: "\n")
  }
}
