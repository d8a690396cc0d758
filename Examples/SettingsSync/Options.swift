import ExampleSupport

/// The options on the command line.
struct Options: Equatable {
  /// The file with the settings; nil if it is missing on the command line.
  var file: String?
  /// The file to read commands from, in virtual time; nil for standard input, as time passes.
  var script: String?
  /// Whether to explain the options and do nothing else.
  var wantsHelp = false
}

extension Options: ScriptedOptions {
  static let usage = """
    usage: SettingsSync FILE.json [--script FILE]

    Keeps settings and a JSON file equal. Edit FILE.json with an editor while this runs: what has changed
    in it is taken over, and what is set here is written. Without a file, one is made.

      --script FILE  read commands from FILE instead of standard input, in virtual time
      --help         show this help

    \(Command.helpText)

    What is not saved at the end is saved then. Exit status: 0 at the end of the commands, 128 + the
    signal's number when stopped by one (130 for Ctrl-C), 2 after a bad option, an unreadable script, and
    if at the end FILE.json is there and cannot be read, or the settings cannot be written to it.

    """
}
