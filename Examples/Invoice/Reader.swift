import ExampleSupport

// Makes lines from texts. The texts go through a form, as typed text does: there is one way into the
// model, with the same converters, rules and errors.

/// A text that is no value for its field.
struct FieldError: Error, Equatable, CustomStringConvertible {
  /// Counted from 0.
  let column: Int
  /// Nil if there are too many or too few.
  let field: String?
  let reason: String

  var description: String { field.map { "\($0): \(reason)" } ?? reason }
}

extension LineItem {
  /// - Parameter texts: one for each field of ``LineForm``.
  convenience init(number: Int, typing texts: [String]) throws(FieldError) {
    self.init(number: number)
    let fields = LineForm(of: self).fields
    guard texts.count == fields.count else {
      throw FieldError(
        column: min(texts.count, fields.count), field: nil,
        reason: "expected \(fields.count) fields, found \(texts.count)")
    }
    for (column, (field, text)) in zip(fields, texts).enumerated() {
      field.text = text
      if let problem = field.problem {
        throw FieldError(column: column, field: field.name, reason: problem)
      }
    }
  }
}

extension Invoice {
  static let header = ["description", "quantity", "unit price", "tax rate"]

  /// Reads a file with a header and a row for each line.
  convenience init(csv bytes: [UInt8]) throws(CSVError) {
    var rows = try CSV.rows(of: bytes)[...]
    try Self.check(header: rows.popFirst() ?? CSVRow(number: 1, fields: []))
    var lines: [LineItem] = []
    for row in rows {
      do {
        lines.append(try LineItem(number: lines.count + 1, typing: row.fields))
      } catch {
        throw CSVError(row: row.number, column: error.column + 1, "\(error)")
      }
    }
    self.init(lines: lines)
  }

  private static func check(header row: CSVRow) throws(CSVError) {
    let names = row.fields.map { String(Format.trimmed($0.lowercased())) }
    guard names != header else { return }
    let column = zip(names, header).prefix { $0 == $1 }.count
    let wanted = column < header.count ? "'\(header[column])'" : "no more columns"
    let found = column < names.count ? "'\(row.fields[column])'" : "none"
    throw CSVError(
      row: row.number, column: column + 1, "expected \(wanted) in the header, found \(found)")
  }
}
