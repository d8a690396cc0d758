import ExampleSupport

/// The invoice as it is printed.
struct Table {
  private static let header = [
    "#", "description", "quantity", "unit price", "tax rate", "net", "tax", "gross",
  ]

  let lines: [String]

  init(of invoice: Invoice) {
    let rows = invoice.lines.map { line in
      [
        "\(line.number)", line.title, "\(line.quantity)", "\(line.unitPrice)", "\(line.taxRate)",
        "\(line.net)", "\(line.tax)", "\(line.gross)",
      ]
    }
    let totals = ["", "total", "", "", "", "\(invoice.net)", "\(invoice.tax)", "\(invoice.total)"]
    let all = [Self.header] + rows + [totals]
    let widths = Self.header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    lines = all.map { row in
      zip(row, widths).enumerated()
        .map { column, cell in (column == 1 ? Format.left : Format.right)(cell.0, cell.1) }
        .joined(separator: "  ")
    }
  }

  /// The form of a line: each typed text, and the reason if the model has not taken it.
  init(of form: LineForm) {
    lines = form.fields.map { field in
      let problem = field.problem.map { "  (\($0))" } ?? ""
      return "\(form.number).\(field.name): \(field.text)\(problem)"
    }
  }
}
