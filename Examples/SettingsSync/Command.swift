import ExampleSupport

/// The commands for settings and their file.
enum Command: Equatable {
  case show
  case file
  case set(String, to: String)
  case edit(String, to: String)
  case put(String)
  case delete
  case overwrite
  case wait(Duration)
  case help
  case quit

  static let helpText = """
    Commands, one on a line; what follows a # at its beginning is a comment:
      show                   the settings, and whether they are saved
      file                   what is in the file
      set NAME VALUE         set name, theme (light or dark) or volume (0 to 100)
      edit NAME VALUE        change the file as another program would; VALUE is JSON
      put TEXT               put TEXT into the file as another program would
      delete                 delete the file as another program would
      overwrite              write the settings, even over what cannot be read
      wait SECONDS           let time pass: in a script
      help
      quit
    """
}

extension Command: ExampleCommand {
  static var plain: [String: Command] {
    [
      "show": .show, "file": .file, "delete": .delete, "overwrite": .overwrite, "help": .help,
      "quit": .quit,
    ]
  }

  static func named(_ name: String, _ rest: Substring) throws(CommandError) -> Command? {
    let (setting, value) = Format.firstWord(of: rest)
    switch name {
    case "set", "edit":
      guard !value.isEmpty else { throw CommandError("\(name) needs NAME VALUE") }
      let (setting, value) = (String(setting), String(value))
      return name == "set" ? .set(setting, to: value) : .edit(setting, to: value)
    case "put": return .put(String(rest))
    case "wait":
      guard let seconds = Double(rest), (0...86_400).contains(seconds) else {
        throw CommandError("wait needs a number of seconds from 0 to 86400, not '\(rest)'")
      }
      return .wait(.seconds(seconds))
    default: return nil
    }
  }
}
