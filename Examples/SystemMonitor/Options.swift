import ExampleSupport

/// The options on the command line.
struct Options: Equatable {
  /// The time between two samples.
  var interval = Duration.seconds(1)
  /// How many samples to take before exiting; nil for no end.
  var samples: Int?
  /// The process to follow; nil for the process with the most memory.
  var selectedPID: Int?
  /// Whether to print one line per change instead of drawing a screen.
  var isPlain = false
  /// The directory to read instead of `/proc`.
  var root: String?
  /// Whether to show the recording that is part of the program instead of this machine.
  var isRecorded = false
  /// The file to write the live graph to, in place of showing samples.
  var graph: String?
  /// Whether to explain the options and do nothing else.
  var wantsHelp = false
}

extension Options: ExampleOptions {
  static let usage = """
    usage: SystemMonitor [options]

    Shows processor, memory, load and processes of this machine, live; where there is no /proc,
    of a recorded machine.

      --interval SECONDS  time between two samples, 0.01 to 86400 (default: 1)
      --samples N         take N samples, then exit
      --select PID        follow this process (default: the one that holds the most memory)
      --plain             print one line per change; the default when standard output is no terminal
      --root DIR          read DIR instead of /proc: a copy of it, or numbered copies DIR/1, DIR/2, …
                          which are shown one after the other, without waiting
      --recorded          show the recording, which is part of the program and begins again at its end
      --graph FILE        write what observes what to FILE, which ends in .dot or .txt, after one
                          sample or as many as --samples says, and exit
      --help              show this help

    Keys, on a terminal: the arrows up and down select a process, q and Ctrl-D end the program.

    Exit status: 0 after q, --samples or the last sample in DIR, 2 after a bad option or unreadable
    or garbled input, 128 + the signal's number when stopped by one (130 for Ctrl-C).

    """

  mutating func take(
    _ argument: Argument, from arguments: inout Arguments
  ) throws(UsageError) -> Bool {
    switch argument {
    case .option("--interval"):
      interval = try Self.seconds(try arguments.value("a number of seconds"))
    case .option("--samples"): samples = try arguments.positiveNumber("a number")
    case .option("--select"): selectedPID = try arguments.positiveNumber("a process id")
    case .option("--root"): root = try arguments.value("a directory")
    case .option("--recorded"): isRecorded = try arguments.flag()
    case .option("--graph"): graph = try arguments.graphFile()
    case .option("--plain"): isPlain = try arguments.flag()
    default: return false
    }
    return true
  }

  private static func seconds(_ text: String) throws(UsageError) -> Duration {
    guard let seconds = Double(text), (0.01...86_400).contains(seconds) else {
      throw UsageError("--interval must be from 0.01 to 86400 seconds, not '\(text)'")
    }
    return .seconds(seconds)
  }
}
