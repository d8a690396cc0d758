/// What the command line asks for.
struct Options: Equatable {
  /// The time between two samples.
  var interval = Duration.seconds(1)
  /// How many samples to take before exiting; nil for no end.
  var samples: Int?
  /// The process to follow; nil for the one that holds the most memory.
  var selectedPID: Int?
  /// Whether to print one line per change instead of drawing a screen.
  var isPlain = false
  /// The directory to read instead of `/proc`.
  var root: String?
  /// The file to write the live graph to, in place of showing samples.
  var graph: String?
  /// Whether to explain the options and do nothing else.
  var wantsHelp = false

  static let usage = """
    usage: SystemMonitor [options]

    Shows processor, memory, load and processes of this machine, live.

      --interval SECONDS  time between two samples, 0.01 to 86400 (default: 1)
      --samples N         take N samples, then exit
      --select PID        follow this process (default: the one that holds the most memory)
      --plain             print one line per change; the default when standard output is no terminal
      --root DIR          read DIR instead of /proc: a copy of it, or numbered copies DIR/1, DIR/2, …
                          which are shown one after the other, without waiting
      --graph FILE        write what observes what to FILE, which ends in .dot, .mmd or .txt, after one
                          sample or as many as --samples says, and exit
      --help              show this help

    Exit status: 0 after --samples or the last recorded sample, 2 after a bad option or unreadable
    or garbled input, 128 + the signal's number when stopped by one (130 for Ctrl-C).

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
      let name = parts.first.map(String.init) ?? ""
      let inlineValue = parts.count > 1 ? String(parts[1]) : nil

      func value(_ meaning: String) throws(UsageError) -> String {
        guard let value = inlineValue ?? arguments.popFirst(), !value.isEmpty else {
          throw UsageError("\(name) needs \(meaning)")
        }
        return value
      }
      func flag() throws(UsageError) -> Bool {
        guard inlineValue == nil else { throw UsageError("\(name) takes no value") }
        return true
      }

      switch name {
      case "--interval": interval = try Self.seconds(try value("a number of seconds"))
      case "--samples": samples = try Self.positive(try value("a number"), for: name)
      case "--select": selectedPID = try Self.positive(try value("a process id"), for: name)
      case "--root": root = try value("a directory")
      case "--graph": graph = try Self.graphFile(try value("a file"))
      case "--plain": isPlain = try flag()
      case "--help": wantsHelp = try flag()
      case _ where name.hasPrefix("-"): throw UsageError("unknown option '\(name)'")
      default: throw UsageError("unexpected argument '\(argument)'")
      }
    }
  }

  private static func seconds(_ text: String) throws(UsageError) -> Duration {
    guard let seconds = Double(text), (0.01...86_400).contains(seconds) else {
      throw UsageError("--interval must be from 0.01 to 86400 seconds, not '\(text)'")
    }
    return .seconds(seconds)
  }

  private static func graphFile(_ name: String) throws(UsageError) -> String {
    guard [".dot", ".mmd", ".txt"].contains(where: name.hasSuffix) else {
      throw UsageError("--graph needs a file that ends in .dot, .mmd or .txt, not '\(name)'")
    }
    return name
  }

  private static func positive(_ text: String, for name: String) throws(UsageError) -> Int {
    guard let number = Int(text), number > 0 else {
      throw UsageError("\(name) must be a whole number from 1 up, not '\(text)'")
    }
    return number
  }
}
