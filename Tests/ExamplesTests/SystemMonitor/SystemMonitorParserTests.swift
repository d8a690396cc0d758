import Testing

@testable import SystemMonitor

@Suite("SystemMonitor: reading /proc")
struct SystemMonitorParserTests {
  private func file(_ text: String) -> ProcFile { ProcFile(path: "file", bytes: Array(text.utf8)) }

  private func garbled(line: Int?, _ reason: String) -> InputError {
    .garbled(path: "file", line: line, reason: reason)
  }

  // MARK: stat

  @Test("Cores are read and their sum is not") func coresAreReadAndTheirSumIsNot() throws {
    let cores = try file(
      """
      cpu  30 0 0 70 0 0 0 0 0 0
      cpu0 10 1 2 60 4 5 6 7 800 900
      cpu12 1 2 3 4
      intr 1 2 3

      """
    ).cores()
    #expect(
      cores == [
        CoreReading(index: 0, busyTicks: 31, totalTicks: 95),
        CoreReading(index: 12, busyTicks: 6, totalTicks: 10),
      ])
  }

  @Test("Garbled cores") func garbledCores() {
    #expect(throws: garbled(line: nil, "no line for any core")) { try file("").cores() }
    #expect(throws: garbled(line: nil, "no line for any core")) { try file("cpu 1 2 3 4").cores() }
    #expect(throws: garbled(line: 2, "expected 4 or more tick counts, found 3")) {
      try file("cpu 1\ncpu0 1 2 3").cores()
    }
    #expect(throws: garbled(line: 1, "expected a number, found '-4'")) {
      try file("cpu0 1 2 3 -4").cores()
    }
    #expect(throws: garbled(line: 1, "'cpux' is not the name of a core")) {
      try file("cpux 1 2 3 4").cores()
    }
    #expect(throws: garbled(line: 2, "core 0 is listed twice")) {
      try file("cpu0 1 2 3 4\ncpu0 1 2 3 4").cores()
    }
  }

  @Test("Counts too large to add are refused") func countsTooLargeToAddAreRefused() throws {
    let largest = "99999999999999999"
    #expect(try file("cpu0" + String(repeating: " \(largest)", count: 10)).cores().count == 1)
    #expect(throws: garbled(line: 1, "expected a number, found '18446744073709551615'")) {
      try file("cpu0 1 2 3 18446744073709551615").cores()
    }
  }

  // MARK: meminfo and loadavg

  @Test("Memory") func memory() throws {
    let memory = try file("MemTotal: 100 kB\nMemAvailable: 60 kB\nSwapTotal: 9 kB\nSwapFree: 4 kB")
      .memory()
    #expect(memory == MemoryReading(total: 100, available: 60, swapTotal: 9, swapFree: 4))
  }

  @Test("Old kernels do not report the available memory") func oldKernelsDoNotSayWhatIsAvailable()
    throws
  {
    let memory = try file("MemTotal: 100 kB\nMemFree: 10 kB\nBuffers: 2 kB\nCached: 30 kB")
      .memory()
    #expect(memory == MemoryReading(total: 100, available: 42, swapTotal: 0, swapFree: 0))
  }

  @Test("Garbled memory") func garbledMemory() {
    #expect(throws: garbled(line: nil, "no MemTotal")) { try file("MemFree: 10 kB").memory() }
    #expect(throws: garbled(line: 1, "MemTotal has no value")) { try file("MemTotal:").memory() }
    #expect(throws: garbled(line: 2, "expected a number, found 'lots'")) {
      try file("MemTotal: 1 kB\nMemFree: lots kB").memory()
    }
  }

  @Test("Load") func load() throws {
    #expect(
      try file("0.52 0.58 10.59 3/612 12345\n").load()
        == Load(oneMinute: 0.52, fiveMinutes: 0.58, fifteenMinutes: 10.59))
  }

  @Test(
    "Garbled load",
    arguments: ["", "0.5 0.5", "0.5 0.5 never", "0.5 nan 0.5", "inf 0 0", "-1 0 0", "1e9 0 0"])
  func garbledLoad(text: String) {
    #expect(throws: garbled(line: 1, "expected three load averages")) { try file(text).load() }
  }

  // MARK: Processes

  private func stat(_ name: String, pid: Int = 7, ticks: String = "20") -> String {
    "\(pid) (\(name)) S 1 7 7 0 -1 0 0 0 0 0 \(ticks) 3 0 0 20 0 1 0 900 0 0"
  }

  @Test(
    "Processes have any name", arguments: ["sh", "two words", "(sd-pam)", ") R 1 (", "a\nb", ""])
  func processesHaveAnyName(name: String) throws {
    #expect(
      try file(stat(name)).process(pid: 7, residentMemory: 64)
        == ProcessReading(
          pid: 7, name: name, state: "S", startTicks: 900, ticks: 23, residentMemory: 64))
  }

  @Test("A name that is no UTF 8 is repaired") func aNameThatIsNoUTF8IsRepaired() throws {
    var bytes = Array(stat("x").utf8)
    bytes[3] = 0xFF
    let process = try ProcFile(path: "file", bytes: bytes).process(pid: 7, residentMemory: 0)
    #expect(process.name == "\u{FFFD}")
  }

  @Test("Garbled processes") func garbledProcesses() {
    func process(_ text: String) throws -> ProcessReading {
      try file(text).process(pid: 7, residentMemory: 0)
    }
    #expect(throws: garbled(line: 1, "expected the process's name in parentheses")) {
      try process("")
    }
    #expect(throws: garbled(line: 1, "expected the process's name in parentheses")) {
      try process("7 )x( S")
    }
    #expect(throws: garbled(line: 1, "expected process id 7 at the start")) {
      try process(stat("sh", pid: 8))
    }
    #expect(throws: garbled(line: 1, "expected 22 or more fields, found 4")) {
      try process("7 (sh) S 1")
    }
    #expect(throws: garbled(line: 1, "expected a number in field 14, found 'x'")) {
      try process(stat("sh", ticks: "x"))
    }
  }

  @Test("Resident memory") func residentMemory() throws {
    #expect(try file("Name:\tsh\nVmRSS:\t    2048 kB\n").residentMemory() == 2048)
    #expect(try file("Name:\tkworker\n").residentMemory() == 0)
  }

  // MARK: Errors

  @Test("Errors name file and line") func errorsNameFileAndLine() {
    #expect("\(InputError.garbled(path: "p", line: 3, reason: "r"))" == "p, line 3: r")
    #expect("\(InputError.garbled(path: "p", line: nil, reason: "r"))" == "p: r")
  }
}
