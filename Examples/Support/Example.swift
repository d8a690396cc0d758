// Code shared by the examples: options, commands, the console, files, formats, the terminal and signals.
// The calls to the C library need a POSIX system; they stand in File.swift, Console.swift,
// Screen.swift and Signals.swift.

/// The options of an example.
public protocol ExampleOptions {
  /// The text that `--help` writes.
  static var usage: String { get }

  /// Whether to write ``usage`` and do nothing else.
  var wantsHelp: Bool { get set }

  /// The options of a command line without arguments.
  init()

  /// Takes an argument in, any but `--help`; false if there is no such option, or no room for such
  /// an operand.
  ///
  /// - Parameter arguments: the arguments after this one, among them the values of options.
  mutating func take(
    _ argument: Argument, from arguments: inout Arguments
  ) throws(UsageError) -> Bool
}

extension ExampleOptions {
  /// Reads the arguments, the program's name not among them. A value follows its option as the next
  /// argument or after `=`; of an option given twice, the last one counts.
  public init(parsing arguments: some Sequence<String>) throws(UsageError) {
    self.init()
    var arguments = Arguments(arguments)
    while let argument = arguments.next() {
      if argument == .option("--help") {
        wantsHelp = try arguments.flag()
      } else if try !take(argument, from: &arguments) {
        throw argument.isUnexpected
      }
    }
  }
}

/// The options of an example that shows a file and carries out commands.
public protocol ScriptedOptions: ExampleOptions {
  /// The file to show; nil if there is none on the command line.
  var file: String? { get set }
  /// The file to read commands from; nil for standard input.
  var script: String? { get set }
}

extension ScriptedOptions {
  public mutating func take(
    _ argument: Argument, from arguments: inout Arguments
  ) throws(UsageError) -> Bool {
    switch argument {
    case .option("--script"): script = try arguments.value("a file")
    case .operand(let path) where file == nil && !path.isEmpty: file = path
    default: return false
    }
    return true
  }
}

/// Runs an example with the options on its command line. An error that `run` throws is one line on
/// standard error, and exit status 2.
public func runExample<Options: ExampleOptions>(_ run: (Options) throws -> Void) {
  do {
    let options = try Options(parsing: CommandLine.arguments.dropFirst())
    if options.wantsHelp {
      try Console.write(Options.usage)
    } else {
      try run(options)
    }
  } catch {
    Console.fail(error)
  }
}
