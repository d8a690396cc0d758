import ExampleSupport

/// The options on the command line.
struct Options: Equatable {
  /// The file with the lines of the invoice; nil for the sample that is built in.
  var file: String?
  /// The file to read commands from; nil for standard input.
  var script: String?
  /// Whether to explain the options and do nothing else.
  var wantsHelp = false
}

extension Options: ScriptedOptions {
  static let usage = """
    usage: Invoice [FILE.csv] [--script FILE]

    Shows an invoice and edits it. FILE.csv has a header row, description,quantity,unit price,tax rate,
    and a row for each line; without one, a sample is shown.

      --script FILE  read commands from FILE instead of standard input
      --help         show this help

    \(Command.helpText)

    Exit status: 0 at the end of the commands, 2 after a bad option or unreadable or malformed input.

    """
}
