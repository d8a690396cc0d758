import ExampleSupport
import Keyline
import Testing

@testable import SystemMonitor

@Suite("SystemMonitor: recordings")
struct SystemMonitorRecordingTests {
  private static func stat(_ pid: Int, ticks: Int, start: Int = 900) -> String {
    "\(pid)/stat:\(pid) (sh) S 0 0 0 0 0 0 0 0 0 0 \(ticks) 0 0 0 0 0 0 0 \(start)"
  }

  /// Two samples to show, and one whose clocks the next round goes on from.
  private static let text = """
    stat:cpu0 10 0 0 90
    stat:cpu1 20 0 0 80
    meminfo:MemTotal: 100 kB
    meminfo:MemAvailable: 60 kB
    loadavg:0.50 0.40 0.30
    \(stat(1, ticks: 5))
    1/status:VmRSS: 8 kB
    \(stat(2, ticks: 7))

    stat:cpu0 15 0 0 185
    stat:cpu1 20 0 0 180
    1/status:VmRSS: 9 kB
    2/stat:
    \(stat(3, ticks: 1))

    stat:cpu0 60 0 0 240
    stat:cpu1 30 0 0 270
    \(stat(1, ticks: 25))
    \(stat(2, ticks: 9, start: 950))
    """

  private let recording: Recording

  init() throws { recording = try Recording(parsing: Self.text) }

  @Test("Files that are not named stay as they are") func filesThatAreNotNamedStayAsTheyAre() {
    let (first, second) = (recording.snapshot(0), recording.snapshot(1))
    #expect(first.memory == second.memory)
    #expect(first.load == Load(oneMinute: 0.5, fiveMinutes: 0.4, fifteenMinutes: 0.3))
    #expect(first.load == second.load)
    #expect(second.processes[0].ticks == 5)
    #expect(second.processes[0].residentMemory == 9)
  }

  @Test("A process has ended once its file is empty") func aProcessHasEndedOnceItsFileIsEmpty() {
    #expect(recording.snapshot(0).processes.map(\.pid) == [1, 2])
    #expect(recording.snapshot(1).processes.map(\.pid) == [1, 3])
  }

  @Test("The recording begins again with clocks that go on")
  func theRecordingBeginsAgainWithClocksThatGoOn() {
    let samples = (0..<5).map(recording.snapshot)
    #expect(samples.map { $0.cores[0].busyTicks } == [10, 15, 60, 65, 110])
    #expect(samples.map { $0.cores[0].totalTicks } == [100, 200, 300, 400, 500])
    #expect(samples.map { $0.processes[0].ticks } == [5, 5, 25, 25, 45])
    // Another process has got the number in the last sample: there is no clock to go on from.
    #expect(samples.map { $0.processes[1].ticks } == [7, 1, 7, 1, 7])
    #expect(samples[2].processes[0].residentMemory == 8)
  }

  @Test("The embedded recording is round") func theEmbeddedRecordingIsRound() throws {
    let recording = try Recording.embedded()
    let machine = Machine()
    var usages: [Double?] = []
    for number in 0..<30 {
      let snapshot = recording.snapshot(number)
      #expect(snapshot.cores.count == 2)
      #expect((18...24).contains(snapshot.processes.count))
      try machine.update(with: snapshot)
      usages.append(machine.usage)
    }
    #expect(usages[0] == nil)
    #expect(usages[1..<10] == usages[10..<19])
    #expect(Set(usages[1..<10]).count > 4)
    #expect(usages[1...].allSatisfy { (0.1...1).contains($0 ?? 0) })
  }

  @Test("Garbled recordings") func garbledRecordings() {
    let garbled = { (path: String, line: Int?, reason: String) in
      InputError.garbled(path: path, line: line, reason: reason)
    }
    #expect(throws: garbled("recording", nil, "expected two or more samples")) {
      try Recording(parsing: "")
    }
    #expect(throws: garbled("recording/loadavg", 1, "expected three load averages")) {
      try Recording(parsing: Self.text.replacing("0.50", with: "half"))
    }
    #expect(throws: garbled("recording/3/stat", 1, "expected process id 3 at the start")) {
      try Recording(parsing: Self.text.replacing("3/stat:3", with: "3/stat:4"))
    }
  }

  // MARK: When it is shown

  private func firstSample(_ input: Input) throws -> Snapshot {
    var samples: [Snapshot] = []
    let subscription = input.snapshots.subscribe(onNext: { samples.append($0) })
    subscription.dispose()
    return try #require(samples.first)
  }

  @Test("Without /proc, a recording is played") func whereThereIsNoProc() throws {
    let input = try Input(options: Options(), proc: "/no/where")
    #expect(input.notice == "A recording, not this machine: it has no /proc to read")
    #expect(try firstSample(input) == (try Recording.embedded().snapshot(0)))
  }

  @Test("Where it is asked for") func whereItIsAskedFor() throws {
    let proc = SystemMonitorProgram.recording + "/1"
    let input = try Input(options: Options(isRecorded: true), proc: proc)
    #expect(input.notice == "A recording, not this machine")
    #expect(try firstSample(input) == (try Recording.embedded().snapshot(0)))
  }

  @Test("A directory of processes is read without a notice") func nowhereElse() throws {
    let proc = SystemMonitorProgram.recording + "/1"
    let machine = try Input(options: Options(), proc: proc)
    #expect(machine.notice == nil)
    #expect(try firstSample(machine) == (try ProcReader(directory: proc).snapshot()))
    let copy = try Input(options: Options(root: proc), proc: "/no/where")
    #expect(copy.notice == nil)
    #expect(try firstSample(copy) == (try ProcReader(directory: proc).snapshot()))
  }
}
