import ExampleSupport
import Keyline
import Testing

@testable import SystemMonitor

@Suite("SystemMonitor: model")
struct SystemMonitorModelTests {
  private let machine = Machine()

  private func show(_ numbers: Int...) throws {
    for number in numbers {
      let reader = ProcReader(directory: "\(SystemMonitorProgram.recording)/\(number)")
      try machine.update(with: try reader.snapshot())
    }
  }

  @Test("Objects live as long as the processes that they represent")
  func objectsLiveAsLongAsWhatTheyStandFor() throws {
    try show(1)
    weak let core = machine.cores.last
    weak let process = machine.selected
    try show(2)
    #expect(core === machine.cores.last)
    #expect(process === machine.processes.first { $0.pid == 101 })
    try show(3)
    #expect(core == nil)
    #expect(process == nil)
    #expect(machine.selected == nil)
  }

  @Test("An id used again is another process") func anIdUsedAgainIsAnotherProcess() throws {
    try show(1)
    let process = machine.processes.first { $0.pid == 101 }
    try show(4)
    let other = machine.processes.first { $0.pid == 101 }
    #expect(process?.name == "web (main) worker")
    #expect(other?.name == "sh")
    #expect(other?.usage == nil)
  }

  @Test("Clocks that go backwards stand still") func clocksThatGoBackwardsStandStill() throws {
    try show(1, 2, 1)
    #expect(machine.cores.map(\.usage) == [0.5, 0, 0.25])
    #expect(machine.usage == 0.25)
  }

  @Test("The largest process is selected unless one is named")
  func theLargestProcessIsSelectedUnlessOneIsNamed() throws {
    try show(1)
    #expect(machine.selected?.pid == 101)
    let other = Machine(selecting: 42)
    let reader = ProcReader(directory: SystemMonitorProgram.recording + "/1")
    try other.update(with: try reader.snapshot())
    #expect(other.selected?.name == "kworker/0:1")
    #expect(throws: InputError.noSuchProcess(pid: 7)) {
      try Machine(selecting: 7).update(with: try reader.snapshot())
    }
  }

  @Test("Usage follows every core") func usageFollowsEveryCore() throws {
    var seen: [String] = []
    let subscription = machine.observe(\.usage).subscribe(onNext: {
      seen.append(Format.percent($0))
    })
    try show(1, 2)
    // Once for each sample that changes it: the first one does not.
    #expect(seen == ["—", "25%"])
    subscription.dispose()
  }

  @Test("Every observer finds all properties of a sample set")
  func whoeverObservesAnythingFindsAllOfASampleSet() throws {
    var seen: [[Int]] = []
    let record = { [unowned machine] in
      seen.append([machine.sample, machine.cores.count, machine.processes.count])
    }
    let subscription =
      Observable
      .merge(machine.observe(\.sample).map { _ in }, machine.observe(\.load).map { _ in })
      .subscribe(onNext: record)
    try show(1, 3)
    #expect(seen == [[0, 0, 0], [0, 0, 0], [1, 3, 4], [1, 3, 4], [2, 2, 3], [2, 2, 3]])
    subscription.dispose()
  }
}
