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

  /// Reads everything there is to know. A process that ends meanwhile is left out.
  func snapshot() throws(InputError) -> Snapshot {
    Snapshot(
      cores: try file("stat").cores(),
      memory: try file("meminfo").memory(),
      load: try file("loadavg").load(),
      processes: try processes())
  }

  private func processes() throws(InputError) -> [ProcessReading] {
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

  private func file(_ name: String) throws(InputError) -> ProcFile {
    let path = "\(directory)/\(name)"
    switch Self.contents(of: path) {
    case .success(let bytes): return ProcFile(path: path, bytes: bytes)
    case .failure(let error): throw Self.unreadable(path, error)
    }
  }

  /// Nil if the process is gone, or is none of ours and hidden (`hidepid`).
  private func fileOfProcess(_ name: String) throws(InputError) -> ProcFile? {
    let path = "\(directory)/\(name)"
    switch Self.contents(of: path) {
    case .success(let bytes): return ProcFile(path: path, bytes: bytes)
    case .failure(let error) where [ENOENT, ESRCH, EPERM].contains(error.code): return nil
    case .failure(let error): throw Self.unreadable(path, error)
    }
  }
}

// MARK: - The file system

extension ProcReader {
  /// A failed system call.
  struct SystemError: Error {
    let code: Int32
  }

  /// Whether there is anything at `path`.
  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The entries of a directory whose names are numbers from 1 up, in the order of the numbers.
  static func numberedEntries(of directory: String) throws(InputError) -> [Int] {
    guard let stream = opendir(directory) else {
      throw unreadable(directory, SystemError(code: errno))
    }
    defer { closedir(stream) }
    var numbers: [Int] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard let number = Int(name), number > 0, String(number) == name else { continue }
      numbers.append(number)
    }
    return numbers.sorted()
  }

  /// A whole file. Files in `/proc` have no size to ask for, so it is read until it ends.
  private static func contents(of path: String) -> Result<[UInt8], SystemError> {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return .failure(SystemError(code: errno)) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = read(file, &chunk, chunk.count)
      if count > 0 {
        bytes += chunk[..<count]
        guard bytes.count <= maximumSize else { return .failure(SystemError(code: EFBIG)) }
      } else if count == 0 {
        return .success(bytes)
      } else if errno != EINTR {
        return .failure(SystemError(code: errno))
      }
    }
  }

  /// Enough for thousands of cores; nothing in `/proc` that is read here comes near it.
  private static let maximumSize = 16 << 20

  private static func unreadable(_ path: String, _ error: SystemError) -> InputError {
    .unreadable(path: path, reason: systemError(error.code))
  }
}
