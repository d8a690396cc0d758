/// What the command line asks for.
struct Options: Equatable {
  /// The file with the lines of the invoice; nil for the sample that is built in.
  var file: String?
  /// The file to read commands from; nil for standard input.
  var script: String?
  /// Whether to explain the options and do nothing else.
  var wantsHelp = false

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

/// A command line that cannot be understood.
struct UsageError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = "\(description) (try --help)" }
}

extension Options {
  /// Reads the arguments, the program's name not among them. A value follows its option as the next
  /// argument or after `=`; of an option given twice, the last one counts.
  init(parsing arguments: some Sequence<String>) throws(UsageError) {
    var arguments = Array(arguments)[...]
    while let argument = arguments.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      switch parts.first.map(String.init) ?? "" {
      case "--script":
        guard let value = parts.count > 1 ? String(parts[1]) : arguments.popFirst(), !value.isEmpty
        else { throw UsageError("--script needs a file") }
        script = value
      case "--help" where parts.count == 1: wantsHelp = true
      case "--help": throw UsageError("--help takes no value")
      case let name where name.hasPrefix("-"): throw UsageError("unknown option '\(name)'")
      case _ where file == nil && !argument.isEmpty: file = argument
      default: throw UsageError("unexpected argument '\(argument)'")
      }
    }
  }
}
