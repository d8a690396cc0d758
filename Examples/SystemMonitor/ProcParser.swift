/// A file of `/proc`, read and ready to be understood: numbered lines of fields.
///
/// Parsing is pure: bytes in, values or an ``InputError`` that names file and line out. It works on
/// bytes because the name of a process may consist of any bytes.
struct ProcFile {
  typealias Field = ArraySlice<UInt8>

  let path: String
  let bytes: [UInt8]

  /// The lines with their numbers, from 1.
  private var lines: some Sequence<(number: Int, fields: [Field])> {
    bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .lazy.enumerated().map { index, line in (number: index + 1, fields: Self.fields(of: line)) }
  }

  private func garbled(line: Int? = nil, _ reason: String) -> InputError {
    .garbled(path: path, line: line, reason: reason)
  }
}

// MARK: - The files

extension ProcFile {
  /// `/proc/stat`: the ticks of every core, in the file's order.
  func cores() throws(InputError) -> [CoreReading] {
    var cores: [CoreReading] = []
    var known: Set<Int> = []
    for (number, fields) in lines {
      guard let name = fields.first, name.starts(with: "cpu".utf8), name.count > 3 else { continue }
      guard let index = Self.number(name.dropFirst(3)).map(Int.init) else {
        throw garbled(line: number, "'\(Self.text(name))' is not the name of a core")
      }
      guard known.insert(index).inserted else {
        throw garbled(line: number, "core \(index) is listed twice")
      }
      // user nice system idle [iowait irq softirq steal]; guest times are part of user and nice.
      let ticks = try numbers(in: fields.dropFirst().prefix(8), line: number)
      guard ticks.count >= 4 else {
        throw garbled(line: number, "expected 4 or more tick counts, found \(ticks.count)")
      }
      let idle = ticks[3] + (ticks.count > 4 ? ticks[4] : 0)
      let total = ticks.reduce(0, +)
      cores.append(CoreReading(index: index, busyTicks: total - idle, totalTicks: total))
    }
    guard !cores.isEmpty else { throw garbled("no line for any core") }
    return cores
  }

  /// `/proc/meminfo`: lines such as `MemTotal:  16316412 kB`.
  func memory() throws(InputError) -> MemoryReading {
    let sizes = try sizes(named: [
      "MemTotal", "MemAvailable", "MemFree", "Buffers", "Cached", "SwapTotal", "SwapFree",
    ])
    guard let total = sizes["MemTotal"], total > 0 else { throw garbled("no MemTotal") }
    // Kernels before 3.14 have no line `MemAvailable`.
    let available =
      sizes["MemAvailable"]
      ?? ["MemFree", "Buffers", "Cached"].reduce(0) { $0 + (sizes[$1] ?? 0) }
    return MemoryReading(
      total: total, available: available,
      swapTotal: sizes["SwapTotal"] ?? 0, swapFree: sizes["SwapFree"] ?? 0)
  }

  /// `/proc/loadavg`: `0.52 0.58 0.59 3/612 12345`.
  func load() throws(InputError) -> Load {
    let fields = Self.fields(of: bytes[...]).prefix(3)
    let averages = fields.compactMap { Double(Self.text($0)) }.filter { (0..<1e9).contains($0) }
    guard averages.count == 3 else { throw garbled(line: 1, "expected three load averages") }
    return Load(
      oneMinute: averages[0], fiveMinutes: averages[1], fifteenMinutes: averages[2])
  }

  /// `/proc/<pid>/stat`: `12 (name) S …`. The name may hold spaces, parentheses and line breaks.
  ///
  /// - Parameter residentMemory: the process's memory in KiB, which stands in another file.
  func process(pid: Int, residentMemory: UInt64) throws(InputError) -> ProcessReading {
    guard
      let open = bytes.firstIndex(of: UInt8(ascii: "(")),
      let close = bytes.lastIndex(of: UInt8(ascii: ")")), open < close
    else { throw garbled(line: 1, "expected the process's name in parentheses") }
    guard Self.fields(of: bytes[..<open]).first.flatMap(Self.number) == UInt64(pid) else {
      throw garbled(line: 1, "expected process id \(pid) at the start")
    }
    // The field after the name is number 3 in the manual's count.
    let fields = Self.fields(of: bytes[(close + 1)...])
    guard fields.count >= 20 else {
      throw garbled(line: 1, "expected 22 or more fields, found \(fields.count + 2)")
    }
    func field(_ number: Int) throws(InputError) -> UInt64 {
      guard let value = Self.number(fields[number - 3]) else {
        throw garbled(
          line: 1, "expected a number in field \(number), found '\(Self.text(fields[number - 3]))'")
      }
      return value
    }
    return ProcessReading(
      pid: pid,
      name: Self.text(bytes[(open + 1)..<close]),
      state: Self.text(fields[0]),
      startTicks: try field(22),
      ticks: try field(14) + field(15),
      residentMemory: residentMemory)
  }

  /// `/proc/<pid>/status`: the memory held, in KiB; kernel threads and zombies hold none.
  ///
  /// `statm` has it too, but in pages, whose size a recorded copy does not tell.
  func residentMemory() throws(InputError) -> UInt64 {
    try sizes(named: ["VmRSS"])["VmRSS"] ?? 0
  }
}

// MARK: - Fields

extension ProcFile {
  /// The values, in KiB, of the lines that begin with one of `names` and a colon.
  private func sizes(named names: [String]) throws(InputError) -> [String: UInt64] {
    var sizes: [String: UInt64] = [:]
    for (number, fields) in lines {
      guard let label = fields.first, label.last == UInt8(ascii: ":") else { continue }
      let name = Self.text(label.dropLast())
      guard names.contains(name) else { continue }
      guard let size = try numbers(in: fields.dropFirst().prefix(1), line: number).first else {
        throw garbled(line: number, "\(name) has no value")
      }
      sizes[name] = size
    }
    return sizes
  }

  private func numbers(
    in fields: ArraySlice<Field>, line: Int
  ) throws(InputError) -> [UInt64] {
    var numbers: [UInt64] = []
    for field in fields {
      guard let number = Self.number(field) else {
        throw garbled(line: line, "expected a number, found '\(Self.text(field))'")
      }
      numbers.append(number)
    }
    return numbers
  }

  private static func fields(of line: Field) -> [Field] {
    line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\n") }
  }

  private static func text(_ field: Field) -> String { String(decoding: field, as: UTF8.self) }

  /// Digits and nothing else. The result is below 2⁵⁹, so that a dozen of them can be summed.
  private static func number(_ field: Field) -> UInt64? {
    guard !field.isEmpty else { return nil }
    var value: UInt64 = 0
    for byte in field {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), value < 1 << 55 else {
        return nil
      }
      value = value * 10 + UInt64(byte - UInt8(ascii: "0"))
    }
    return value
  }
}
