// The values of one read of `/proc`: plain, not observable. The model copies them into observable
// properties.

/// The whole machine at one moment.
struct Snapshot: Equatable {
  var cores: [CoreReading]
  var memory: MemoryReading
  var load: Load
  var processes: [ProcessReading]
}

/// A core's clock ticks since it was started.
struct CoreReading: Equatable {
  var index: Int
  var busyTicks: UInt64
  var totalTicks: UInt64
}

/// Memory sizes in KiB, as `/proc/meminfo` has them.
struct MemoryReading: Equatable {
  var total: UInt64
  var available: UInt64
  var swapTotal: UInt64
  var swapFree: UInt64
}

/// How many processes wanted to run, on average over 1, 5 and 15 minutes.
struct Load: Equatable {
  var oneMinute: Double
  var fiveMinutes: Double
  var fifteenMinutes: Double
}

/// One process.
struct ProcessReading: Equatable {
  var pid: Int
  var name: String
  /// `R` running, `S` sleeping, `D` waiting for a disk, `Z` zombie, …
  var state: String
  /// When it started, in ticks since boot: distinguishes a process from a later one with the same id.
  var startTicks: UInt64
  /// Processor time used, in ticks.
  var ticks: UInt64
  /// Memory held, in KiB.
  var residentMemory: UInt64
}

/// Input that cannot be understood. Its description names the file, and the line where there is one.
enum InputError: Error, Equatable, CustomStringConvertible {
  case garbled(path: String, line: Int?, reason: String)
  case noSuchProcess(pid: Int)

  var description: String {
    switch self {
    case .garbled(let path, let line?, let reason): "\(path), line \(line): \(reason)"
    case .garbled(let path, nil, let reason): "\(path): \(reason)"
    case .noSuchProcess(let pid): "--select: the first sample has no process \(pid)"
    }
  }
}
