import ExampleSupport
import Keyline
import Testing

@testable import SystemMonitor

@Suite("SystemMonitor: view model and views")
struct SystemMonitorViewTests {
  private let machine = Machine()

  private func snapshot(_ number: Int) throws -> Snapshot {
    try ProcReader(directory: "\(SystemMonitorProgram.recording)/\(number)").snapshot()
  }

  private func show(_ numbers: Int...) throws {
    for number in numbers { try machine.update(with: try snapshot(number)) }
  }

  // MARK: View model

  @Test("The view model keeps nothing of the model alive")
  func theViewModelKeepsNothingOfTheModelAlive() throws {
    var machine: Machine? = Machine()
    let viewModel = MonitorViewModel(machine: try #require(machine))
    try machine?.update(with: try snapshot(1))
    weak let process = machine?.selected
    weak let released = machine
    #expect(viewModel.selectedName == "web (main) worker")
    #expect(viewModel.processes.count == 4)
    machine = nil
    #expect(released == nil)
    #expect(process == nil)
    #expect(viewModel.selectedName == "—")
    #expect(viewModel.processCount == 4)
    #expect(viewModel.processes.map(\.name).first == "web (main) worker")
  }

  @Test("The model keeps nothing of the view model alive")
  func theModelKeepsNothingOfTheViewModelAlive() throws {
    var viewModel: MonitorViewModel? = MonitorViewModel(machine: machine)
    weak let released = viewModel
    try show(1)
    weak let row = viewModel?.cores.first
    viewModel = nil
    #expect(released == nil)
    #expect(row == nil)
    try show(2)
  }

  @Test("A row lives as long as its core") func aRowLivesAsLongAsItsCore() throws {
    let viewModel = MonitorViewModel(machine: machine)
    try show(1, 2)
    weak let row = viewModel.cores.last
    #expect(row?.usage == "25%")
    #expect(row?.history.values == [0.25])
    try show(3)
    #expect(row == nil)
    #expect(viewModel.cores.map(\.name) == ["cpu0", "cpu1"])
    #expect(viewModel.cores.first?.history.values == [0.5, 0.8])
  }

  @Test("Histories take one value per sample") func historiesTakeOneValuePerSample() throws {
    let viewModel = MonitorViewModel(machine: machine)
    try show(1, 2, 3, 4)
    #expect(viewModel.memoryHistory.values == [0.25, 0.375, 0.3125, 0.3125])
    #expect(viewModel.usageHistory.values.map(Format.percent) == ["25%", "50%", "10%"])
  }

  // MARK: Keys

  @Test("Arrows move the selection along the table") func arrowsMoveTheSelectionAlongTheTable()
    throws
  {
    let viewModel = MonitorViewModel(machine: machine)
    let keys = PublishRelay<Key>()
    let subscription = keys.subscribe(onNext: { [unowned viewModel] in viewModel.press($0) })
    keys.accept(.down)
    #expect(viewModel.selectedRow == nil)
    try show(1, 2)
    var rows: [Int?] = []
    let rowsSubscription = viewModel.observe(\.selectedRow).subscribe(onNext: { rows.append($0) })
    for key: Key in [.up, .down, .text("x"), .delete, .clear, .down, .down, .down, .up] {
      keys.accept(key)
    }
    #expect(rows == [0, 1, 2, 3, 2])
    #expect(machine.selected?.name == "systemd")
    #expect(viewModel.selectedName == "systemd")
    #expect(viewModel.selectedPID == 1)
    rowsSubscription.dispose()
    subscription.dispose()
  }

  @Test("The selection follows its process until that ends")
  func theSelectionFollowsItsProcessUntilThatEnds() throws {
    let viewModel = MonitorViewModel(machine: machine)
    try show(1, 2)
    #expect(viewModel.selectedRow == 0)
    viewModel.press(.down)
    #expect(viewModel.selectedName == "swiftc")
    try show(3)
    #expect(viewModel.selectedRow == 0)
    #expect(viewModel.selectedName == "swiftc")
    try show(2)
    machine.select(pid: 101)
    #expect(viewModel.selectedRow == 1)
    try show(3)
    #expect(viewModel.selectedRow == nil)
    #expect(viewModel.selectedPID == nil)
    viewModel.press(.up)
    #expect(viewModel.selectedRow == 0)
    machine.select(pid: 7)
    #expect(machine.selected == nil)
  }

  @Test("A key is no sample") func aKeyIsNoSample() throws {
    let viewModel = MonitorViewModel(machine: machine)
    try show(1, 2)
    let rows = viewModel.processes.elements
    viewModel.press(.down)
    #expect(viewModel.sample == 2)
    #expect(viewModel.processes.elementsEqual(rows, by: ===))
    #expect(viewModel.usageHistory.values.count == 1)
    #expect(viewModel.memoryHistory.values.count == 2)
  }

  @Test("A row stays with its process and moves with its usage") func rowsMove() throws {
    let viewModel = MonitorViewModel(machine: machine)
    try show(1, 2)
    let former = viewModel.processes.elements
    #expect(former.map(\.pid) == [101, 202, 1, 42])
    try show(3)
    // The process 101 has ended.
    #expect(viewModel.processes.elementsEqual([former[1], former[2], former[3]], by: ===))
    #expect(viewModel.processes[0].usage == "75%")
    try show(4)
    #expect(viewModel.processes.map(\.pid) == [202, 1, 101, 42])
    #expect(!former.contains { $0 === viewModel.processes[2] })
  }

  @Test("Keys do nothing once the model is gone") func keysDoNothingOnceTheModelIsGone() throws {
    var machine: Machine? = Machine()
    let viewModel = MonitorViewModel(machine: try #require(machine))
    try machine?.update(with: try snapshot(1))
    machine = nil
    viewModel.press(.down)
    #expect(viewModel.selectedRow == nil)
  }

  // MARK: Views

  @Test("A frame") func aFrame() throws {
    let viewModel = MonitorViewModel(machine: machine)
    try show(1, 2)
    let lines = Frame.lines(of: viewModel, size: .init(columns: 60, rows: 20))
    #expect(
      lines.map(\.text) == [
        "SystemMonitor   load 0.75 0.45 0.32   4 processes   sample 2",
        "",
        "cpu    25%  ▃",
        "cpu0   50%  ▅",
        "cpu1    0%  ▁",
        "cpu2   25%  ▃",
        "mem   3.0 GiB of 8.0 GiB (38%)  ▃▄",
        "swap  0.0 KiB of 2.0 GiB (0%)",
        "",
        "selected  web (main) worker   50%   640.0 MiB",
        "",
        "       PID S    CPU      MEMORY COMMAND                     ",
        ">      101 R    50%   640.0 MiB web (main) worker",
        "       202 R    25%   384.0 MiB swiftc",
        "         1 S     1%    12.0 MiB systemd",
        "        42 I     0%     0.0 KiB kworker/0:1",
      ])
    #expect(lines.filter { $0.style == .inverse }.count == 1)
  }

  @Test("A frame begins with the notice") func aFrameBeginsWithTheNotice() throws {
    let viewModel = MonitorViewModel(machine: machine, notice: "A recording")
    try show(1)
    let lines = Frame.lines(of: viewModel, size: .init(columns: 60, rows: 20)).map(\.text)
    #expect(lines.prefix(2).map { $0.prefix(13) } == ["A recording", "SystemMonitor"])
    var written = ""
    let view = PlainView(of: viewModel, write: { written += $0 })
    #expect(written == "A recording\n")
    withExtendedLifetime(view) {}
  }

  @Test("The table is scrolled down to the selection") func theTableIsScrolledDownToTheSelection()
    throws
  {
    let viewModel = MonitorViewModel(machine: machine)
    try show(1, 2)
    let table = {
      Frame.lines(of: viewModel, size: .init(columns: 10, rows: 13)).suffix(2).map(\.text)
    }
    #expect(table() == [">      101", "       202"])
    for _ in 1...3 { viewModel.press(.down) }
    #expect(table() == ["         1", ">       42"])
    viewModel.press(.up)
    #expect(table() == ["       202", ">        1"])
  }

  @Test("A frame fits any window") func aFrameFitsAnyWindow() throws {
    let viewModel = MonitorViewModel(machine: machine)
    try show(1, 2, 3)
    for columns in [-1, 0, 1, 7, 500] {
      for rows in [-1, 0, 1, 2, 9, 500] {
        let lines = Frame.lines(of: viewModel, size: .init(columns: columns, rows: rows))
        #expect(lines.count <= max(rows, 0))
        #expect(lines.allSatisfy { $0.text.count <= max(columns, 0) })
      }
    }
  }

  @Test("Cores leave room for the table") func coresLeaveRoomForTheTable() throws {
    let viewModel = MonitorViewModel(machine: machine)
    var many = try snapshot(1)
    many.cores = (0..<64).map { CoreReading(index: $0, busyTicks: 0, totalTicks: 0) }
    try machine.update(with: many)
    let lines = Frame.lines(of: viewModel, size: .init(columns: 60, rows: 24)).map(\.text)
    #expect(lines[9] == "cpu6     —  ")
    #expect(lines[10] == "… 57 more cores")
    #expect(lines.count == 21)
  }

  @Test("A screen is overwritten not cleared") func aScreenIsOverwrittenNotCleared() {
    let text = Screen.frame([
      .init(text: "a"), .init(text: "b", style: .bold), .init(text: "c", style: .inverse),
    ])
    #expect(
      text.split(separator: "\u{1B}", omittingEmptySubsequences: false) == [
        "", "[?2026h", "[H", "[Ka\r\n", "[K", "[1mb", "[0m\r\n", "[J", "[7mc", "[0m", "[?2026l",
      ])
  }

  @Test("A plain view writes the changes") func aPlainViewWritesWhatHasChanged() throws {
    let viewModel = MonitorViewModel(machine: machine)
    var written: [String] = []
    let view = PlainView(of: viewModel, write: { written.append($0) })
    try show(3, 3, 4)
    #expect(written.count == 3)
    #expect(written[1] == "sample 2\n")
    #expect(
      written[2] == """
        sample 3
          load: 0.69 0.44 0.32
          cpu: 10%
          processes: 4
          busiest: swiftc 5%, systemd 1%, sh —
          selected cpu: 5%
          selected memory: 200.0 MiB
          cpu0: 10%
          cpu1: 10%

        """)
    withExtendedLifetime(view) {}
  }
}
