import ExampleSupport
import Keyline

/// The samples to show, and whether there is any waiting between them.
struct Input {
  let snapshots: Observable<Snapshot>
  /// A recording comes synchronously, all of it while being subscribed to, and completes.
  let isRecording: Bool

  init(options: Options) throws {
    let root = options.root ?? "/proc"
    let directories: Observable<String>
    if File.exists("\(root)/stat") {
      isRecording = false
      directories = Observable<Int>
        .interval(options.interval, scheduler: MainScheduler.instance)
        .map { _ in root }
        .startWith(root)
    } else if options.root == nil {
      throw InputError.noProc
    } else {
      isRecording = true
      let numbers = try ProcReader.numberedEntries(of: root)
      guard !numbers.isEmpty else {
        throw InputError.garbled(
          path: root, line: nil, reason: "neither a copy of /proc nor numbered copies (1, 2, …)")
      }
      directories = .from(numbers.map { "\(root)/\($0)" })
    }
    let all = directories.map { try ProcReader(directory: $0).snapshot() }
    let samples = options.samples ?? (options.graph == nil ? nil : 1)
    snapshots = samples.map { all.take($0) } ?? all
  }
}
