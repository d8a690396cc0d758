// Lines from texts. They go through a form, as what is typed does: there is one way into the model,
// with the same converters, rules and errors.

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
    guard let header = rows.popFirst() else { throw Self.headerError(row: 1, column: 0, []) }
    let names = header.fields.map { Format.trimmed($0.lowercased()) }
    for column in 0..<max(names.count, Self.header.count)
    where column >= min(names.count, Self.header.count)
      || names[column] != Self.header[column]
    {
      throw Self.headerError(row: header.number, column: column, header.fields)
    }
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

  private static func headerError(row: Int, column: Int, _ found: [String]) -> CSVError {
    let wanted = column < header.count ? "'\(header[column])'" : "no more columns"
    let name = column < found.count ? "'\(found[column])'" : "none"
    return CSVError(row: row, column: column + 1, "expected \(wanted) in the header, found \(name)")
  }
}
