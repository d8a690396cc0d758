import ExampleSupport

/// The options on the command line.
struct Options: Equatable {
  /// The file with the chart; nil for the sample that is built in.
  var file: String?
  /// The file to read commands from; nil for standard input.
  var script: String?
  /// The file to write the live graph to, at the end of the commands.
  var graph: String?
  /// Whether to explain the options and do nothing else.
  var wantsHelp = false
}

extension Options: ScriptedOptions {
  static let usage = """
    usage: OrgChart [FILE] [--script FILE] [--graph FILE]

    Shows who reports to whom, and follows it while people come and go. FILE has a name on each line,
    two blanks further in than the one of the manager; without FILE, a sample is shown.

      --script FILE  read commands from FILE instead of standard input
      --graph FILE   write what observes what to FILE, which ends in .dot or .txt, at the end
      --help         show this help

    \(Command.helpText)

    Exit status: 0 at the end of the commands, 2 after a bad option or unreadable or malformed input.

    """

  mutating func take(
    _ argument: Argument, from arguments: inout Arguments
  ) throws(UsageError) -> Bool {
    guard argument == .option("--graph") else {
      return try takeFileOrScript(argument, from: &arguments)
    }
    graph = try arguments.graphFile()
    return true
  }
}
