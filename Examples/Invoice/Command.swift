import ExampleSupport

/// The commands for an invoice.
enum Command: Equatable {
  case show
  case showLine(LineName)
  case set(LineName, field: String, text: String)
  case add(String)
  case remove(LineName)
  case select(LineName)
  case undo
  case redo
  case watch(Amount)
  case unwatch(Amount)
  case graph(file: String?)
  case why(Amount)
  case help
  case quit

  static let helpText = """
    Commands, one on a line; what follows a # at its beginning is a comment:
      show                   the invoice
      show LINE              what is typed in the form of a line, and what is wrong with it
      set LINE.FIELD VALUE   edit a line; fields are description, quantity, price and tax
      add DESCRIPTION,QUANTITY,UNIT PRICE,TAX RATE
      remove LINE
      select LINE            make a line the one that 'selected' stands for
      undo, redo             take the last change back, make it again
      watch AMOUNT           tell of every change of net, tax, total, LINE.net or LINE.gross
      unwatch AMOUNT
      graph [FILE]           what observes what; in FILE, if that ends in .dot or .txt
      why AMOUNT             what the last change of an amount has come from
      help
      quit
    LINE is the number of a line, or 'selected'.
    """
}

/// A line, as commands name it.
enum LineName: Hashable, CustomStringConvertible {
  case number(Int)
  case selected

  var description: String {
    switch self {
    case .number(let number): "\(number)"
    case .selected: "selected"
    }
  }
}

/// Something to watch.
enum Amount: Hashable, CustomStringConvertible {
  case net, tax, total
  case netOfLine(LineName), grossOfLine(LineName)

  var description: String {
    switch self {
    case .net: "net"
    case .tax: "tax"
    case .total: "total"
    case .netOfLine(let line): "\(line).net"
    case .grossOfLine(let line): "\(line).gross"
    }
  }
}

// MARK: - Parsing

extension Command: ExampleCommand {
  static var plain: [String: Command] {
    ["undo": .undo, "redo": .redo, "help": .help, "quit": .quit]
  }

  static func named(_ name: String, _ rest: Substring) throws(CommandError) -> Command? {
    switch name {
    case "show" where rest.isEmpty: return .show
    case "show": return .showLine(try LineName(rest))
    case "set":
      let (subject, text) = Format.firstWord(of: rest)
      guard let dot = subject.firstIndex(of: ".") else {
        throw CommandError("set needs LINE.FIELD VALUE, not '\(rest)'")
      }
      let field = subject[subject.index(after: dot)...]
      return .set(try LineName(subject[..<dot]), field: String(field), text: String(text))
    case "add": return .add(String(rest))
    case "remove": return .remove(try LineName(rest))
    case "select": return .select(try LineName(rest))
    case "watch": return .watch(try Amount(rest))
    case "unwatch": return .unwatch(try Amount(rest))
    case "graph": return .graph(file: rest.isEmpty ? nil : String(rest))
    case "why": return .why(try Amount(rest))
    default: return nil
    }
  }
}

extension LineName {
  init(_ text: Substring) throws(CommandError) {
    if text == "selected" {
      self = .selected
    } else if let number = Int(text) {
      self = .number(number)
    } else {
      throw CommandError("'\(text)' is not the number of a line")
    }
  }
}

extension Amount {
  init(_ text: Substring) throws(CommandError) {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    switch (parts.first, parts.dropFirst().first) {
    case ("net", nil): self = .net
    case ("tax", nil): self = .tax
    case ("total", nil): self = .total
    case (let line?, "net"): self = .netOfLine(try LineName(line))
    case (let line?, "gross"): self = .grossOfLine(try LineName(line))
    default:
      throw CommandError(
        "'\(text)' is nothing to watch: that is net, tax, total, LINE.net or LINE.gross")
    }
  }
}
