import ExampleSupport

/// The commands for a company.
enum Command: Equatable {
  case show
  case hire(String, under: String?)
  case move(String, under: String?)
  case rename(String, to: String)
  case replace(String, by: String)
  case leave(String)
  case select(String)
  case follow(String)
  case graph
  case help
  case quit

  static let helpText = """
    Commands, one on a line; what follows a # at its beginning is a comment:
      show                   the chart
      hire NAME [under NAME]
      move NAME [under NAME] give a person another manager, or none
      rename NAME to NAME
      replace NAME by NAME   put a new person in the place of one who leaves
      leave NAME             remove a person; the others stay where they are
      select NAME            show the badge of this person, and what becomes of it
      follow NAME            show every change of the manager's manager, and its cause
      graph                  what observes what
      help
      quit
    """
}

extension Command: ExampleCommand {
  static var plain: [String: Command] {
    ["show": .show, "graph": .graph, "help": .help, "quit": .quit]
  }

  static func named(_ name: String, _ rest: Substring) throws(CommandError) -> Command? {
    switch name {
    case "hire":
      let (name, manager) = try names(in: rest, "under")
      return .hire(name, under: manager)
    case "move":
      let (name, manager) = try names(in: rest, "under")
      return .move(name, under: manager)
    case "rename":
      let (old, new) = try bothNames(in: rest, "to", of: name)
      return .rename(old, to: new)
    case "replace":
      let (old, new) = try bothNames(in: rest, "by", of: name)
      return .replace(old, by: new)
    case "leave": return .leave(try person(rest))
    case "select": return .select(try person(rest))
    case "follow": return .follow(try person(rest))
    default: return nil
    }
  }

  private static func bothNames(
    in text: Substring, _ word: String, of command: String
  ) throws(CommandError) -> (String, String) {
    guard case (let first, let second?) = try names(in: text, word) else {
      throw CommandError("\(command) needs NAME \(word) NAME")
    }
    return (first, second)
  }

  /// The names before and after `word`, which need not be there.
  private static func names(
    in text: Substring, _ word: String
  ) throws(CommandError) -> (String, String?) {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard let index = words.firstIndex(where: { $0 == word }) else {
      return (try person(text), nil)
    }
    return (
      try person(words[..<index].joined(separator: " ")),
      try person(words[(index + 1)...].joined(separator: " "))
    )
  }

  private static func person(_ text: some StringProtocol) throws(CommandError) -> String {
    let name = Format.oneLine(text)
    guard !name.isEmpty else { throw CommandError("a name is missing") }
    return name
  }
}
