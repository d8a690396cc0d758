import Keyline

// The model: the state of the machine, in the machine's own terms. Every property that changes is
// `@Observed`. The model depends on no view.
//
//     Machine ──▶ memory
//        │ └────▶ cores      ──▶ Core …
//        ├──────▶ processes  ──▶ Process …      the only strong owner of a process
//        └ ─ ─ ─▶ selected    ─ ▶ one of them   weak: it dies when its process ends

/// A machine, sample by sample. Each sample is one batch: every observer finds all its properties
/// set.
final class Machine: ReactiveObject {
  /// How many samples have been taken in.
  @Observed private(set) var sample = 0
  @Observed private(set) var load: Load?
  @Observed private(set) var memory = Memory()
  @Observed private(set) var cores: [Core] = []
  /// In the order in which they came up.
  let processes = ObservableArray<Process>()
  /// The process that is followed, until it ends or ``select(pid:)`` names another.
  @WeakObserved private(set) var selected: Process?

  private let firstSelection: Int?

  /// - Parameter selecting: the process to follow, one of the first sample; if nil, the process with
  ///   the most memory in that sample.
  init(selecting pid: Int? = nil) { firstSelection = pid }

  /// How busy the cores are on average; nil before the second sample. Derived from `cores` and the
  /// `usage` of each, and observable like any other.
  @Derived({ (self: Machine) in
    let usages = self.cores.compactMap(\.usage)
    return usages.isEmpty ? nil : usages.reduce(0, +) / Double(usages.count)
  }) var usage: Double?

  /// Takes in the next sample.
  func update(with snapshot: Snapshot) throws(InputError) {
    let isFirst = sample == 0
    if isFirst, let pid = firstSelection, !snapshot.processes.contains(where: { $0.pid == pid }) {
      throw .noSuchProcess(pid: pid)
    }
    let elapsed = elapsedTicks(until: snapshot)
    batchUpdates {
      sample += 1
      load = snapshot.load
      memory.update(with: snapshot.memory)
      cores = updatedCores(with: snapshot.cores)
      updateProcesses(with: snapshot.processes, elapsedTicks: elapsed)
      if isFirst { selected = firstSelected }
    }
  }

  /// Follows another process from now on; none if there is no process of that id.
  func select(pid: Int) { selected = processes.first { $0.pid == pid } }

  private var firstSelected: Process? {
    guard let firstSelection else { return processes.max { $0.residentMemory < $1.residentMemory } }
    return processes.first { $0.pid == firstSelection }
  }

  /// The ticks one core has had since the last sample: the clock that processes are measured by.
  private func elapsedTicks(until snapshot: Snapshot) -> UInt64 {
    let known = coresByIndex
    return snapshot.cores
      .compactMap { reading in known[reading.index]?.elapsedTicks(until: reading) }
      .max() ?? 0
  }

  /// Known cores keep their object, new ones get one, and those no longer listed are let go.
  private func updatedCores(with readings: [CoreReading]) -> [Core] {
    let known = coresByIndex
    return readings.map { reading in
      let core = known[reading.index] ?? Core(reading)
      core.update(with: reading)
      return core
    }
  }

  private func updateProcesses(with readings: [ProcessReading], elapsedTicks: UInt64) {
    var unused = Dictionary(uniqueKeysWithValues: readings.map { ($0.pid, $0) })
    // An id is used again: it takes the start time to tell one process from the next.
    processes.removeAll { unused[$0.pid]?.startTicks != $0.startTicks }
    for process in processes {
      unused.removeValue(forKey: process.pid)
        .map { process.update(with: $0, elapsedTicks: elapsedTicks) }
    }
    processes.append(contentsOf: readings.filter { unused[$0.pid] != nil }.map(Process.init))
  }

  private var coresByIndex: [Int: Core] {
    Dictionary(uniqueKeysWithValues: cores.map { ($0.index, $0) })
  }
}

/// The machine's memory, in KiB.
final class Memory: ReactiveObject {
  @Observed private(set) var total: UInt64 = 0
  @Observed private(set) var available: UInt64 = 0
  @Observed private(set) var swapTotal: UInt64 = 0
  @Observed private(set) var swapFree: UInt64 = 0

  /// The memory in use that is not available at once.
  @Derived({ (self: Memory) in self.total - min(self.available, self.total) }) var used: UInt64
  @Derived({ (self: Memory) in self.swapTotal - min(self.swapFree, self.swapTotal) })
  var swapUsed: UInt64
  @Derived({ (self: Memory) in self.total > 0 ? Double(self.used) / Double(self.total) : 0 })
  var usedShare: Double

  func update(with reading: MemoryReading) {
    total = reading.total
    available = reading.available
    swapTotal = reading.swapTotal
    swapFree = reading.swapFree
  }
}

/// A processor core.
final class Core: ReactiveObject, CustomStringConvertible {
  let index: Int
  /// How busy it was since the sample before, from 0 to 1; nil before the second sample. Set once
  /// per sample, also when equal, and every set is an emission: a history needs nothing else.
  @Observed private(set) var usage: Double?

  var description: String { CoreRow.name(index) }

  private var busyTicks: UInt64
  private var totalTicks: UInt64

  init(_ reading: CoreReading) {
    index = reading.index
    busyTicks = reading.busyTicks
    totalTicks = reading.totalTicks
  }

  /// The kernel corrects its counts now and then: a clock that went backwards stood still.
  func elapsedTicks(until reading: CoreReading) -> UInt64 {
    reading.totalTicks - min(totalTicks, reading.totalTicks)
  }

  func update(with reading: CoreReading) {
    let elapsed = elapsedTicks(until: reading)
    let busy = reading.busyTicks - min(busyTicks, reading.busyTicks)
    busyTicks = reading.busyTicks
    totalTicks = reading.totalTicks
    usage = elapsed > 0 ? min(Double(busy) / Double(elapsed), 1) : usage
  }
}

/// A process.
final class Process: ReactiveObject, CustomStringConvertible {
  let pid: Int
  let startTicks: UInt64
  @Observed private(set) var name: String
  @Observed private(set) var state: String
  /// The share of one core it used since the sample before; above 1 if it kept several busy, nil
  /// before its second sample.
  @Observed private(set) var usage: Double?
  /// Memory held, in KiB.
  @Observed private(set) var residentMemory: UInt64

  var description: String { "\(pid)" }

  private var ticks: UInt64

  init(_ reading: ProcessReading) {
    pid = reading.pid
    startTicks = reading.startTicks
    name = reading.name
    state = reading.state
    residentMemory = reading.residentMemory
    ticks = reading.ticks
  }

  func update(with reading: ProcessReading, elapsedTicks: UInt64) {
    let used = reading.ticks - min(ticks, reading.ticks)
    ticks = reading.ticks
    name = reading.name
    state = reading.state
    usage = elapsedTicks > 0 ? Double(used) / Double(elapsedTicks) : usage
    residentMemory = reading.residentMemory
  }
}
