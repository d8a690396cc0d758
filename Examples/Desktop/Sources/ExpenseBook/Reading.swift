import KeylineGTK

// The window as a test or a script reads it.

extension BookWindow {
  /// The widget that scripts call `name`; nil if there is none.
  func find(_ name: String) -> Widget? {
    let widgets: [String: Widget] = [
      "title": form.title, "amount": form.amount, "category": form.category, "paid": form.isPaid,
      "share": form.share, "filter": filter, "list": list, "undo": undo, "redo": redo, "add": add,
      "remove": remove, "by-title": sortByTitle, "by-amount": sortByAmount,
    ]
    return widgets[name]
  }

  /// The widget that scripts call `name`.
  public func widget(_ name: String) -> Widget {
    guard let widget = find(name) else { fatalError("there is no widget '\(name)'") }
    return widget
  }

  /// What the window shows, in a few lines.
  public var lines: [String] {
    let rows = book.visible.indices.map { index in
      let expense = book.visible[index]
      return "\(index == list.selected ? ">" : " ") \(expense.title) | \(expense.amount)"
    }
    let category = form.category.selected.map { Expense.Category.allCases[$0].rawValue } ?? "none"
    let fields = [
      form.title.text, form.amount.text, category, form.isPaid.isActive ? "paid" : "open",
      "\(Int(form.share.value)) % = \(form.own.text)",
    ]
    let enabled = ["undo", "redo", "add", "remove"].filter { widget($0).isSensitive }
    return ["\(sortByTitle.label) | \(sortByAmount.label)"] + rows + [
      "form: \(fields.joined(separator: " | "))", "problem: \(form.problem.text)",
      "summary: \(summary.text)", "status: \(status.text)",
      "enabled: \(enabled.joined(separator: " "))",
    ]
  }
}
