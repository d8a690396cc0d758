import ExampleSupport

/// What can be done to a company.
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
      move NAME [under NAME] give somebody another manager, or none
      rename NAME to NAME
      replace NAME by NAME   put somebody new in the place of one who leaves
      leave NAME             let somebody go; the others stay where they are
      select NAME            show the badge of this person, and what becomes of it
      follow NAME            show every change of the manager's manager, and its cause
      graph                  what observes what
      help
      quit
    """

  /// Reads a line; nil if there is no command on it.
  static func parse(_ line: String) throws(CommandError) -> Command? {
    let (verb, rest) = Format.firstWord(of: Format.trimmed(line))
    guard !verb.isEmpty, !verb.hasPrefix("#") else { return nil }
    let plain: [Substring: Command] = [
      "show": .show, "graph": .graph, "help": .help, "quit": .quit,
    ]
    if let command = plain[verb] {
      guard rest.isEmpty else { throw CommandError("\(verb) takes nothing, not '\(rest)'") }
      return command
    }
    switch verb {
    case "hire":
      let (name, manager) = try names(in: rest, "under")
      return .hire(name, under: manager)
    case "move":
      let (name, manager) = try names(in: rest, "under")
      return .move(name, under: manager)
    case "rename", "replace":
      let word = verb == "rename" ? "to" : "by"
      guard case (let old, let new?) = try names(in: rest, word) else {
        throw CommandError("\(verb) needs NAME \(word) NAME")
      }
      return verb == "rename" ? .rename(old, to: new) : .replace(old, by: new)
    case "leave": return .leave(try name(rest))
    case "select": return .select(try name(rest))
    case "follow": return .follow(try name(rest))
    default: throw CommandError("unknown command '\(verb)' (try help)")
    }
  }

  /// The names before and after `word`, which need not be there.
  private static func names(
    in text: Substring, _ word: String
  ) throws(CommandError) -> (String, String?) {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard let index = words.firstIndex(where: { $0 == word }) else { return (try name(text), nil) }
    return (
      try name(words[..<index].joined(separator: " ")),
      try name(words[(index + 1)...].joined(separator: " "))
    )
  }

  private static func name(_ text: some StringProtocol) throws(CommandError) -> String {
    let name = Format.oneLine(text)
    guard !name.isEmpty else { throw CommandError("a name is missing") }
    return name
  }
}
