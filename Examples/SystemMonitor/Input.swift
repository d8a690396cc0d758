import Dispatch
import Keyline

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

// The world outside as observables: samples of the machine, and signals.

/// The samples to show, and whether there is any waiting between them.
struct Input {
  let snapshots: Observable<Snapshot>
  /// A recording comes synchronously, all of it while being subscribed to, and completes.
  let isRecording: Bool

  init(options: Options) throws(InputError) {
    let root = options.root ?? "/proc"
    let directories: Observable<String>
    if ProcReader.exists("\(root)/stat") {
      isRecording = false
      directories = Observable<Int>
        .interval(options.interval, scheduler: MainScheduler.instance)
        .map { _ in root }
        .startWith(root)
    } else if options.root == nil {
      throw .noProc
    } else {
      isRecording = true
      let numbers = try ProcReader.numberedEntries(of: root)
      guard !numbers.isEmpty else {
        throw .garbled(
          path: root, line: nil, reason: "neither a copy of /proc nor numbered copies (1, 2, …)")
      }
      directories = .from(numbers.map { "\(root)/\($0)" })
    }
    let all = directories.map { try ProcReader(directory: $0).snapshot() }
    let samples = options.samples ?? (options.graph == nil ? nil : 1)
    snapshots = samples.map { all.take($0) } ?? all
  }
}

/// Signals, as they arrive, on the main thread. They no longer do what they do by default.
func signals(_ numbers: Int32...) -> Observable<Int32> {
  .create { observer in
    let sources = numbers.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler { observer.onNext(number) }
      source.activate()
      return source
    }
    return Disposables.create {
      for source in sources { source.cancel() }
      for number in numbers { signal(number, SIG_DFL) }
    }
  }
}
