/// Samples of `/proc` in one text, for systems without it.
///
/// Each sample is a paragraph of lines such as `14/stat:14 (ksoftirqd/0) S 0 …`: the name of a file and
/// one of its lines, as `grep "" stat meminfo loadavg */stat */status` writes them. A file that a
/// sample does not name is the same as in the sample before. A process has ended once its `stat` is empty.
struct Recording {
  /// At least two.
  private let samples: [Snapshot]

  /// The recording that is part of the program.
  static func embedded() throws(InputError) -> Recording { try Recording(parsing: recordedSamples) }

  init(parsing text: String) throws(InputError) {
    var samples: [Snapshot] = []
    var files: [Substring: [Substring]] = [:]
    for paragraph in text.split(separator: "\n\n") {
      let lines = paragraph.split(separator: "\n")
      let named = lines.map { $0.prefix { $0 != ":" } }
      for name in named { files[name] = [] }
      for (name, line) in zip(named, lines) { files[name]?.append(line.dropFirst(name.count + 1)) }
      samples.append(try Self.snapshot(of: files))
    }
    guard samples.count > 1 else {
      throw .garbled(path: Self.path, line: nil, reason: "expected two or more samples")
    }
    self.samples = samples
  }

  /// The sample of that number, from 0. The recording has no end: after its last sample but one comes
  /// the first again, with clocks that go on.
  ///
  /// The last sample is the moment at which the next round begins. Only its clocks count.
  func snapshot(_ number: Int) -> Snapshot {
    let (round, index) = number.quotientAndRemainder(dividingBy: samples.count - 1)
    var snapshot = samples[index]
    snapshot.cores = snapshot.cores.map { core in
      var core = core
      let same = { (snapshot: Snapshot) in snapshot.cores.first { $0.index == core.index } }
      core.busyTicks += UInt64(round) * advance(of: \.busyTicks, same)
      core.totalTicks += UInt64(round) * advance(of: \.totalTicks, same)
      return core
    }
    snapshot.processes = snapshot.processes.map { process in
      var process = process
      process.ticks +=
        UInt64(round)
        * advance(of: \.ticks) { snapshot in
          snapshot.processes.first { ($0.pid, $0.startTicks) == (process.pid, process.startTicks) }
        }
      return process
    }
    return snapshot
  }

  /// The ticks of a clock from the first sample to the last; 0 if it is not in both of them.
  private func advance<Reading>(
    of clock: KeyPath<Reading, UInt64>, _ reading: (Snapshot) -> Reading?
  ) -> UInt64 {
    guard let start = reading(samples[0]), let end = reading(samples[samples.count - 1]) else {
      return 0
    }
    return end[keyPath: clock] - min(start[keyPath: clock], end[keyPath: clock])
  }

  private static func snapshot(of files: [Substring: [Substring]]) throws(InputError) -> Snapshot {
    func file(_ name: String) -> ProcFile {
      let text = files[name[...], default: []].joined(separator: "\n")
      return ProcFile(path: "\(path)/\(name)", bytes: Array(text.utf8))
    }
    var processes: [ProcessReading] = []
    let pids = Set(files.keys.compactMap { Int($0.prefix { $0 != "/" }) })
    for pid in pids.sorted() {
      let (stat, status) = (file("\(pid)/stat"), file("\(pid)/status"))
      guard !stat.bytes.isEmpty else { continue }
      processes.append(try stat.process(pid: pid, residentMemory: try status.residentMemory()))
    }
    return Snapshot(
      cores: try file("stat").cores(),
      memory: try file("meminfo").memory(),
      load: try file("loadavg").load(),
      processes: processes)
  }

  /// How errors name the text.
  private static let path = "recording"
}
