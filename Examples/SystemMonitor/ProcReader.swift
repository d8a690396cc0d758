import ExampleSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Reads snapshots of a machine from `/proc` or a copy of it.
struct ProcReader {
  /// The directory that holds `stat`, `meminfo`, `loadavg` and one directory per process.
  let directory: String

  /// Reads one sample of all figures. A process that ends meanwhile is left out.
  func snapshot() throws -> Snapshot {
    Snapshot(
      cores: try file("stat").cores(),
      memory: try file("meminfo").memory(),
      load: try file("loadavg").load(),
      processes: try processes())
  }

  private func processes() throws -> [ProcessReading] {
    var processes: [ProcessReading] = []
    for pid in try Self.numberedEntries(of: directory) {
      guard
        let status = try fileOfProcess("\(pid)/status"),
        let stat = try fileOfProcess("\(pid)/stat")
      else { continue }
      processes.append(
        try stat.process(pid: pid, residentMemory: try status.residentMemory()))
    }
    return processes
  }

  private func file(_ name: String) throws(FileError) -> ProcFile {
    let path = "\(directory)/\(name)"
    return ProcFile(path: path, bytes: try File.contents(of: path))
  }

  /// Nil if the process is gone, or is none of ours and hidden (`hidepid`).
  private func fileOfProcess(_ name: String) throws(FileError) -> ProcFile? {
    do {
      return try file(name)
    } catch  where [ENOENT, ESRCH, EPERM].contains(error.reason?.code) {
      return nil
    }
  }

  /// The entries of a directory whose names are numbers from 1 up, in the order of the numbers.
  static func numberedEntries(of directory: String) throws(FileError) -> [Int] {
    try File.entries(of: directory)
      .compactMap { name in Int(name).flatMap { $0 > 0 && String($0) == name ? $0 : nil } }
      .sorted()
  }
}
