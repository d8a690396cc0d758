import ExampleSupport
import Keyline

// The view model: the contents of the screen, as texts and histories. It is bound to the model and keeps
// no object of the model alive. Views observe the view model only.

/// Everything a view can show, and the keys that act on it.
///
///     key ──▶ press ──▶ Machine.selected ──bindings──▶ selectedPID, selectedName, … ──▶ selectedRow
///
/// A key sets the model and nothing else; everything shown follows from the model.
final class MonitorViewModel: ReactiveObject {
  /// The line above all others, if there is one; it never changes.
  let notice: String?
  /// The number of the sample shown.
  @Observed private(set) var sample = 0
  @Observed private(set) var load = Format.absent
  @Observed private(set) var usage = Format.absent
  @Observed private(set) var usageHistory = History()
  @Observed private(set) var memory = Format.absent
  @Observed private(set) var memoryHistory = History()
  @Observed private(set) var swap = Format.absent
  @Observed private(set) var cores: [CoreRow] = []
  @Observed private(set) var processCount = 0
  /// One row for each process: the busiest first, then by memory.
  let processes: LiveArray<ProcessRow>
  /// Nil once the selected process has ended.
  @Observed private(set) var selectedPID: Int?
  @Observed private(set) var selectedName = Format.absent
  @Observed private(set) var selectedUsage = Format.absent
  @Observed private(set) var selectedMemory = Format.absent

  /// The index of the selected process in ``processes``; nil once it has ended.
  @Derived({ (self: MonitorViewModel) in
    let pid = self.selectedPID
    return self.processes.firstIndex { $0.pid == pid }
  }) var selectedRow: Int?

  /// The first three processes.
  @Derived({ (self: MonitorViewModel) in
    self.processes.isEmpty
      ? Format.absent
      : self.processes.prefix(3).map { "\($0.name) \($0.usage)" }.joined(separator: ", ")
  }) var busiest: String

  private weak var machine: Machine?
  private let bag = DisposeBag()

  init(machine: Machine, notice: String? = nil) {
    self.machine = machine
    self.notice = notice
    // The properties that are compared are followed: a process moves when its usage changes.
    processes = machine.processes
      .sorted { first, second in
        (second.usage ?? 0, second.residentMemory, first.pid)
          < (first.usage ?? 0, first.residentMemory, second.pid)
      }
      .mapped { ProcessRow(process: $0) }
    super.init()

    // Property to property: now and on every change, as long as both ends live.
    machine.bind(\.processes.count, to: self, \.processCount)

    // Formatted on the way. The key paths lead through objects and computed properties alike.
    machine.observe(\.load).map { $0.map(Format.load) ?? Format.absent }.bind(to: self, \.load)
    machine.observe(\.usage).map(Format.percent).bind(to: self, \.usage)

    // Two sources, one text, once for both.
    machine.observe(\.memory.used, \.memory.total).map { Format.part($0, of: $1) }
      .bind(to: self, \.memory)
    machine.observe(\.memory.swapUsed, \.memory.swapTotal).map { Format.part($0, of: $1) }
      .bind(to: self, \.swap)

    // Chains with a weak hop: nil, here "—", from the moment the process is gone.
    machine.observeWeakly { $0.selected.pid }.bind(to: self, \.selectedPID)
    machine.observeWeakly { $0.selected.name }
      .map { $0.map(Format.printable) ?? Format.absent }
      .bind(to: self, \.selectedName)
    machine.observeWeakly { $0.selected.usage }
      .map(Format.percent)
      .bind(to: self, \.selectedUsage)
    machine.observeWeakly { $0.selected.residentMemory }
      .map { $0.map(Format.size) ?? Format.absent }
      .bind(to: self, \.selectedMemory)

    // Histories: one value per sample. All of a sample is set once its number is emitted.
    let samples = machine.observe(\.sample, options: .new)
      .compactMap { [weak machine] _ in machine }
    samples.compactMap(\.usage)
      .subscribe(with: self, onNext: { $0.usageHistory.append($1) })
      .disposed(by: bag)
    samples.map(\.memory.usedShare)
      .subscribe(with: self, onNext: { $0.memoryHistory.append($1) })
      .disposed(by: bag)

    machine.observe(\.cores)
      .subscribe(with: self, onNext: { $0.show($1) })
      .disposed(by: bag)
    machine.bind(\.sample, to: self, \.sample)
  }

  /// Takes a key in: the arrows select the row above or below.
  func press(_ key: Key) {
    switch key {
    case .up: moveSelection(by: -1)
    case .down: moveSelection(by: 1)
    case .text, .delete, .clear, .end: break
    }
  }

  /// Stops at both ends of the table, and begins at its top if nothing is selected.
  private func moveSelection(by offset: Int) {
    let row = selectedRow.map { $0 + offset } ?? 0
    guard processes.indices.contains(row) else { return }
    machine?.select(pid: processes[row].pid)
  }

  /// Keeps the rows of known cores, and drops the rows of removed cores.
  private func show(_ cores: [Core]) {
    let known = Dictionary(uniqueKeysWithValues: self.cores.map { ($0.index, $0) })
    self.cores = cores.map { known[$0.index] ?? CoreRow(core: $0) }
  }
}

/// A core's line.
final class CoreRow: ReactiveObject, CustomStringConvertible {
  let index: Int
  @Observed private(set) var usage = Format.absent
  @Observed private(set) var history = History()

  private let bag = DisposeBag()

  init(core: Core) {
    index = core.index
    super.init()
    core.observe(\.usage).map(Format.percent).bind(to: self, \.usage)
    core.observe(\.usage)
      .compactMap { $0 }
      .subscribe(with: self, onNext: { $0.history.append($1) })
      .disposed(by: bag)
  }

  var name: String { Self.name(index) }
  var description: String { name }

  static func name(_ index: Int) -> String { "cpu\(index)" }
}

/// A process's line in the table.
final class ProcessRow: ReactiveObject, CustomStringConvertible {
  let pid: Int
  @Observed private(set) var name = Format.absent
  @Observed private(set) var state = Format.absent
  @Observed private(set) var usage = Format.absent
  @Observed private(set) var memory = Format.absent

  var description: String { "\(pid)" }

  init(process: Process) {
    pid = process.pid
    super.init()
    process.observe(\.name).map(Format.printable).bind(to: self, \.name)
    process.observe(\.state).map(Format.printable).bind(to: self, \.state)
    process.observe(\.usage).map(Format.percent).bind(to: self, \.usage)
    process.observe(\.residentMemory).map(Format.size).bind(to: self, \.memory)
  }
}
