import Foundation
import Testing

/// Runs the built example on recorded machines and holds its output to the letter.
@Suite("SystemMonitor: the program")
struct SystemMonitorTests {
  /// Four samples. Before the third the selected process ends and core 2 disappears; in the second
  /// a process vanishes while it is read; in the fourth the ended one's id is used again.
  static let transcript = """
    sample 1
      load: 0.50 0.40 0.30
      cpu: —
      memory: 2.0 GiB of 8.0 GiB (25%)
      swap: 0.0 KiB of 2.0 GiB (0%)
      processes: 4
      busiest: web (main) worker —, swiftc —, systemd —
      selected: web (main) worker
      selected cpu: —
      selected memory: 512.0 MiB
      cpu0: —
      cpu1: —
      cpu2: —
    sample 2
      load: 0.75 0.45 0.32
      cpu: 25%
      memory: 3.0 GiB of 8.0 GiB (38%)
      busiest: web (main) worker 50%, swiftc 25%, systemd 1%
      selected cpu: 50%
      selected memory: 640.0 MiB
      cpu0: 50%
      cpu1: 0%
      cpu2: 25%
    sample 3
      cpu: 50%
      memory: 2.5 GiB of 8.0 GiB (31%)
      swap: 256.0 MiB of 2.0 GiB (13%)
      processes: 3
      busiest: swiftc 75%, systemd 0%, kworker/0:1 0%
      selected: —
      selected cpu: —
      selected memory: —
      cpu0: 80%
      cpu1: 20%
      cpu2: gone
    sample 4
      load: 0.69 0.44 0.32
      cpu: 10%
      processes: 4
      busiest: swiftc 5%, systemd 1%, sh —
      cpu0: 10%
      cpu1: 10%

    """

  @Test("A recording is shown sample by sample") func aRecordingIsShownSampleBySample() throws {
    let result = try SystemMonitorProgram.run("--root", SystemMonitorProgram.recording)
    #expect(result == .init(output: Self.transcript, errors: "", status: 0))
  }

  @Test("The output is the same every time") func theOutputIsTheSameEveryTime() throws {
    let root = SystemMonitorProgram.recording
    let first = try SystemMonitorProgram.run("--root", root, "--plain")
    let second = try SystemMonitorProgram.run("--root", root, "--plain", "--interval", "3600")
    #expect(first == second)
    #expect(first.output == Self.transcript)
  }

  @Test("Samples ends a recording early") func samplesEndsARecordingEarly() throws {
    let result = try SystemMonitorProgram.run(
      "--root", SystemMonitorProgram.recording, "--samples", "2")
    let third = try #require(Self.transcript.range(of: "sample 3\n"))
    #expect(
      result == .init(output: String(Self.transcript[..<third.lowerBound]), errors: "", status: 0))
  }

  @Test("Another process can be selected") func anotherProcessCanBeSelected() throws {
    let result = try SystemMonitorProgram.run(
      "--root", SystemMonitorProgram.recording, "--select", "202")
    #expect(result.status == 0)
    #expect(
      result.output.split(separator: "\n").filter { $0.hasPrefix("  selected") } == [
        "  selected: swiftc", "  selected cpu: —", "  selected memory: 256.0 MiB",
        "  selected cpu: 25%", "  selected memory: 384.0 MiB",
        "  selected cpu: 75%", "  selected memory: 400.0 MiB",
        "  selected cpu: 5%", "  selected memory: 200.0 MiB",
      ])
  }

  @Test("A copy of proc is read like proc") func aCopyOfProcIsReadLikeProc() throws {
    let result = try SystemMonitorProgram.run(
      "--root", SystemMonitorProgram.recording + "/4", "--samples", "1")
    #expect(
      result
        == .init(
          output: """
            sample 1
              load: 0.69 0.44 0.32
              cpu: —
              memory: 2.5 GiB of 8.0 GiB (31%)
              swap: 256.0 MiB of 2.0 GiB (13%)
              processes: 4
              busiest: swiftc —, systemd —, sh —
              selected: swiftc
              selected cpu: —
              selected memory: 200.0 MiB
              cpu0: —
              cpu1: —

            """, errors: "", status: 0))
  }

  @Test("The embedded recording is announced in the first line")
  func theEmbeddedRecordingIsAnnouncedInTheFirstLine() throws {
    let result = try SystemMonitorProgram.run(
      "--recorded", "--samples", "3", "--interval", "0.01", "--plain")
    #expect(
      result
        == .init(
          output: """
            A recording, not this machine
            sample 1
              load: 0.77 1.98 3.05
              cpu: —
              memory: 607.9 MiB of 23.5 GiB (3%)
              swap: —
              processes: 20
              busiest: swift-frontend —, swift-build —, swiftc —
              selected: swift-frontend
              selected cpu: —
              selected memory: 155.9 MiB
              cpu0: —
              cpu1: —
            sample 2
              cpu: 76%
              memory: 616.9 MiB of 23.5 GiB (3%)
              processes: 19
              busiest: swift-frontend 81%, gzip 29%, swiftc 1%
              selected cpu: 81%
              selected memory: 169.9 MiB
              cpu0: 52%
              cpu1: 100%
            sample 3
              cpu: 67%
              memory: 683.7 MiB of 23.5 GiB (3%)
              busiest: swift-frontend 96%, gzip 30%, python3 1%
              selected cpu: 96%
              selected memory: 263.6 MiB
              cpu0: 44%
              cpu1: 90%

            """, errors: "", status: 0))
  }

  @Test("Help is no error") func helpIsNoError() throws {
    let result = try SystemMonitorProgram.run("--help")
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(result.output.hasPrefix("usage: SystemMonitor [options]\n"))
    for option in ["interval", "samples", "select", "plain", "root", "recorded", "graph", "help"] {
      #expect(result.output.range(of: "\n  --\(option) ") != nil)
    }
  }

  @Test(
    "A bad option is one line and status 2",
    arguments: [
      (["--fast"], "unknown option '--fast' (try --help)"),
      (["now"], "unexpected argument 'now' (try --help)"),
      (["--samples"], "--samples needs a number (try --help)"),
      (
        ["--samples", "0"], "--samples must be a whole number from 1 up, not '0' (try --help)"
      ),
      (
        ["--interval", "soon"],
        "--interval must be from 0.01 to 86400 seconds, not 'soon' (try --help)"
      ),
      (["--recorded", "--root", "x"], "--recorded and --root exclude each other (try --help)"),
      (["--plain=no"], "--plain takes no value (try --help)"),
      (["--line\nbreak"], "unknown option '--line?break' (try --help)"),
    ])
  func aBadOptionIsOneLineAndStatus2(arguments: [String], message: String) throws {
    #expect(
      try SystemMonitorProgram.run(arguments)
        == .init(output: "", errors: "SystemMonitor: \(message)\n", status: 2))
  }

  @Test("A process that is not there cannot be selected")
  func aProcessThatIsNotThereCannotBeSelected() throws {
    #expect(
      try SystemMonitorProgram.run("--root", SystemMonitorProgram.recording, "--select", "7")
        == .init(
          output: "",
          errors: "SystemMonitor: --select: the first sample has no process 7\n", status: 2))
  }

  @Test(
    "Garbled input is one line and status 2",
    arguments: [
      ("EmptyStat", "/stat: no line for any core"),
      ("TruncatedStat", "/stat, line 3: expected 4 or more tick counts, found 2"),
      ("LettersInMemory", "/meminfo, line 3: expected a number, found 'lots'"),
      ("ShortProcess", "/7/stat, line 1: expected 22 or more fields, found 6"),
      ("NoSamples", ": neither a copy of /proc nor numbered copies (1, 2, …)"),
    ])
  func garbledInputIsOneLineAndStatus2(fixture: String, message: String) throws {
    let root = SystemMonitorProgram.fixtures + "/Garbled/" + fixture
    #expect(
      try SystemMonitorProgram.run("--root", root)
        == .init(output: "", errors: "SystemMonitor: \(root)\(message)\n", status: 2))
  }

  @Test(
    "Unreadable input is one line and status 2", arguments: ["NoLoad": "/loadavg", "Nowhere": ""])
  func unreadableInputIsOneLineAndStatus2(fixture: String, file: String) throws {
    let root = SystemMonitorProgram.fixtures + "/Garbled/" + fixture
    #expect(
      try SystemMonitorProgram.run("--root", root)
        == .init(
          output: "",
          errors: "SystemMonitor: cannot read \(root)\(file): No such file or directory\n",
          status: 2))
  }

  @Test("Samples before the garbled one are shown") func samplesBeforeTheGarbledOneAreShown() throws
  {
    let root = SystemMonitorProgram.fixtures + "/Garbled/SecondSample"
    let result = try SystemMonitorProgram.run("--root", root)
    #expect(result.output.hasPrefix("sample 1\n  load: 0.50 0.40 0.30\n"))
    #expect(result.output.range(of: "sample 2") == nil)
    #expect(
      result.errors == "SystemMonitor: \(root)/2/loadavg, line 1: expected three load averages\n")
    #expect(result.status == 2)
  }

  #if os(Linux)
    @Test("This machine is read") func thisMachineIsRead() throws {
      let result = try SystemMonitorProgram.run("--samples", "2", "--interval", "0.01")
      #expect(result.errors == "")
      #expect(result.status == 0)
      let lines = result.output.split(separator: "\n")
      #expect(lines.filter { !$0.hasPrefix("  ") } == ["sample 1", "sample 2"])
    }
  #endif
}
