import ExampleSupport
import Keyline

/// The samples to show, and a notice if they come from the embedded recording.
struct Input {
  let snapshots: Observable<Snapshot>
  /// The first line to show, if the samples are recorded; nil for `/proc` and for `--root`.
  let notice: String?

  /// - Parameter proc: the directory that describes this machine.
  init(options: Options, proc: String = "/proc") throws {
    guard !options.isRecorded || options.root == nil else {
      throw UsageError("--recorded and --root exclude each other")
    }
    let all: Observable<Snapshot>
    if let root = options.root {
      notice = nil
      all = try Self.snapshots(in: root, every: options.interval)
    } else if options.isRecorded || !Self.isReadable(proc) {
      notice = Self.notice(isChosen: options.isRecorded)
      all = Self.samples(every: options.interval).map(try Recording.embedded().snapshot)
    } else {
      notice = nil
      all = try Self.snapshots(in: proc, every: options.interval)
    }
    let samples = options.samples ?? (options.graph == nil ? nil : 1)
    snapshots = samples.map { all.take($0) } ?? all
  }

  private static func notice(isChosen: Bool) -> String {
    isChosen
      ? "A recording, not this machine"
      : "A recording, not this machine: it has no /proc to read"
  }

  /// Some systems have the directory, and do not let programs read it.
  private static func isReadable(_ proc: String) -> Bool {
    (try? File.contents(of: "\(proc)/stat")) != nil
  }

  /// The numbers of the samples, from 0, each when it is due.
  private static func samples(every interval: Duration) -> Observable<Int> {
    Observable<Int>
      .interval(interval, scheduler: MainScheduler.instance)
      .map { $0 + 1 }
      .startWith(0)
  }

  /// The machine in `root`; or, from numbered copies, synchronously one after the other.
  private static func snapshots(
    in root: String, every interval: Duration
  ) throws -> Observable<Snapshot> {
    let directories: Observable<String>
    if File.exists("\(root)/stat") {
      directories = samples(every: interval).map { _ in root }
    } else {
      let numbers = try ProcReader.numberedEntries(of: root)
      guard !numbers.isEmpty else {
        throw InputError.garbled(
          path: root, line: nil, reason: "neither a copy of /proc nor numbered copies (1, 2, …)")
      }
      directories = .from(numbers.map { "\(root)/\($0)" })
    }
    return directories.map { try ProcReader(directory: $0).snapshot() }
  }
}
