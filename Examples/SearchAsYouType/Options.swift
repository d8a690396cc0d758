import ExampleSupport

/// The options on the command line.
struct Options: Equatable {
  /// A directory, all of whose files are searched, or a file with a word on each line; nil for the
  /// sources of this package.
  var path: String?
  /// The file to read key strokes from, in virtual time; nil for the terminal.
  var script: String?
  /// The time given to each part of a search.
  var pace = Duration.milliseconds(5)
  /// Whether to explain the options and do nothing else.
  var wantsHelp = false
}

extension Options: ExampleOptions {
  static let usage = """
    usage: SearchAsYouType [PATH] [--script FILE] [--pace MILLISECONDS]

    Searches while you type. PATH is a directory, whose files are searched line by line, or a file with a
    word on each line (default: Sources). A search begins when you pause, and stops when the next begins.

      --script FILE        read key strokes from FILE instead of the terminal, in virtual time
      --pace MILLISECONDS  time for each file of a search, or each part of a word list (default: 5)
      --help               show this help

    Keys: Backspace deletes a character, Ctrl-U all of them, Ctrl-D and Ctrl-C end the program.

    \(Stroke.helpText)

    Exit status: 0 at the end, 2 after a bad option or unreadable or malformed input, 128 + the signal's
    number when stopped by one (130 for Ctrl-C).

    """

  mutating func take(
    _ argument: Argument, from arguments: inout Arguments
  ) throws(UsageError) -> Bool {
    switch argument {
    case .option("--script"): script = try arguments.value("a file")
    case .option("--pace"):
      pace = .milliseconds(try arguments.positiveNumber("a number of milliseconds"))
    case .operand(let text) where path == nil && !text.isEmpty: path = text
    default: return false
    }
    return true
  }
}
