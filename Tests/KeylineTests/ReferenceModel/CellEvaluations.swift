/// The reads of each evaluation, and whether the next evaluation is justified: a rule runs if its
/// value is requested, and if a value that it has read has changed.
///
/// The rules report their reads, and the program reports its stores. The bounds, for every single
/// evaluation:
///
/// - D1, D6, D9: the value is requested: the program or a running rule reads it, or it is observed;
///   or it is among the last reads of a requested value, and no read before it has changed.
/// - D3, D5, D8, D10: a value that the last run has read outside `untracked` has been set since, or
///   has a new result; or the cell has been invalidated.
/// - D7: nothing is evaluated twice on the same stored state.
/// - D31: whether a value that a batch has changed and restored counts as set is left open; and so is
///   whether an observed value counts as changed that equals the value delivered last.
struct CellEvaluations {
  struct Read {
    let slot: CellSlot
    /// How often the value had been set, or had had a new result.
    var count: Int
    /// How many of those changes were to be delivered.
    let deliveries: Int
    let value: Int
    /// Whether it may count as unchanged.
    var isUncertain = false
  }

  struct Evaluation {
    var reads: [Read] = []
    /// How many stores there had been.
    var stores = 0
    var value = 0
  }

  /// One under way.
  private struct Frame {
    let cell: Int
    var evaluation = Evaluation()
    var known: Set<CellSlot> = []
    var untracked = 0
  }

  private let program: CellProgram
  private(set) var last: [Evaluation?]
  private var frames: [Frame] = []
  private var counts: [CellSlot: Int] = [:]
  private var deliveries: [CellSlot: Int] = [:]
  /// The counts at the beginning of the step under way.
  private var countsBefore: [CellSlot: Int] = [:]
  private var stores = 0
  /// The slots set in the current batch, with their former counts and values.
  private var batch: [CellSlot: (count: Int, value: Int)] = [:]
  /// The slots that have been observed or read by a rule; batches ignore all others.
  private var tracked: Set<CellSlot> = []
  private var reading: [Int] = []
  private var subscribing: [Int] = []
  private var invalidated: Set<Int> = []

  init(_ program: CellProgram) {
    self.program = program
    last = Array(repeating: nil, count: program.expressions.count)
  }

  func count(of slot: CellSlot) -> Int { counts[slot, default: 0] }

  // MARK: Stores

  /// - Parameter former: the value before.
  mutating func recordStore(
    _ slot: CellSlot, replacing former: Int, isInBatch: Bool
  ) {
    stores += 1
    if isInBatch {
      if tracked.contains(slot), batch[slot] == nil {
        batch[slot] = (count(of: slot), former)
      }
    } else {
      deliveries[slot, default: 0] += 1
    }
    counts[slot, default: 0] += 1
  }

  mutating func beginBatch() { batch = [:] }

  mutating func endBatch(_ state: CellState) {
    for (slot, former) in batch {
      if state.stored(slot) != former.value {
        deliveries[slot, default: 0] += 1
      } else {
        mayBeUnchanged(slot, since: former.count)
      }
    }
    batch = [:]
  }

  private mutating func mayBeUnchanged(_ slot: CellSlot, since former: Int) {
    for cell in last.indices {
      for read in (last[cell]?.reads ?? []).indices
      where last[cell]!.reads[read].slot == slot && last[cell]!.reads[read].count == former {
        last[cell]!.reads[read].isUncertain = true
      }
    }
  }

  mutating func track(_ slot: CellSlot) { tracked.insert(slot) }

  mutating func beginStep() { countsBefore = counts }

  /// Leaves open whether the value has changed for reads that were recorded before the step.
  mutating func mayBeUnchanged(valueOf cell: Int) {
    mayBeUnchanged(.value(cell), since: countsBefore[.value(cell), default: 0])
  }

  mutating func invalidate(_ cell: Int) { invalidated.insert(cell) }

  // MARK: Evaluations

  mutating func begin(_ cell: Int) {
    invalidated.remove(cell)
    frames.append(Frame(cell: cell))
  }

  mutating func end(_ cell: Int, _ value: Int) {
    var evaluation = frames.removeLast().evaluation
    evaluation.stores = stores
    evaluation.value = value
    if let last = last[cell], last.value != value { counts[.value(cell), default: 0] += 1 }
    last[cell] = evaluation
  }

  mutating func didRead(_ slot: CellSlot, _ value: Int) {
    guard !frames.isEmpty else { return }
    if frames.last!.untracked == 0 { tracked.insert(slot) }
    guard let frame = frames.indices.last, frames[frame].untracked == 0,
      frames[frame].known.insert(slot).inserted
    else { return }
    frames[frame].evaluation.reads.append(
      Read(
        slot: slot, count: count(of: slot), deliveries: deliveries[slot, default: 0], value: value))
  }

  // MARK: Bounds

  func isRepeated(_ cell: Int) -> Bool {
    guard let last = last[cell] else { return false }
    return last.stores == stores && !invalidated.contains(cell) && !subscribing.contains(cell)
  }

  /// Whether a value that the cell has read has changed, or nothing is known of its last reads.
  func isJustified(_ cell: Int) -> Bool {
    guard let last = last[cell], !invalidated.contains(cell), !subscribing.contains(cell) else {
      return true
    }
    return last.reads.contains { $0.count != count(of: $0.slot) }
  }

  func hasReadWeakHop(_ cell: Int) -> Bool {
    last[cell]?.reads.contains { if case .hop(_, .weak) = $0.slot { true } else { false } } ?? false
  }

  /// Whether something asks for the value of `cell`.
  ///
  /// - Parameter isOrdered: whether the order in which dependencies are checked is known.
  func isAskedFor(_ cell: Int, isOrdered: Bool, _ isObserved: (Int) -> Bool) -> Bool {
    var known: [Int: Bool] = [:]
    func isAskedFor(_ cell: Int) -> Bool {
      if let answer = known[cell] { return answer }
      if reading.contains(cell) || subscribing.contains(cell) || isObserved(cell) { return true }
      known[cell] = false
      let answer = last.indices.contains { reader in
        guard let reads = last[reader]?.reads,
          let index = reads.firstIndex(where: { $0.slot == .value(cell) }),
          !isOrdered || reads[..<index].allSatisfy({ !isOutdated($0) })
        else { return false }
        return isAskedFor(reader)
      }
      known[cell] = answer
      return answer
    }
    return isAskedFor(cell)
  }

  /// Whether the value has certainly changed: a derived value may equal its former one.
  private func isOutdated(_ read: Read) -> Bool {
    if case .value(let cell) = read.slot, last[cell]?.value == read.value { return false }
    return read.count != count(of: read.slot) && !read.isUncertain
  }

  /// A read of a computed property whose value has changed since: the property should have been
  /// evaluated.
  func outdated(_ cell: Int, _ oracle: CellOracle) -> Read? {
    last[cell]?.reads.first { read in
      guard oracle.value(of: read.slot) == read.value else { return true }
      if case .value = read.slot { return false }
      return read.count != count(of: read.slot) && !read.isUncertain
        && read.deliveries != deliveries[read.slot, default: 0]
    }
  }
}

extension CellRun {
  func begin(_ cell: Int) {
    let isLenient = step.hasDeaths && evaluations.hasReadWeakHop(cell)
    demand(
      "D7 once", isLenient || !evaluations.isRepeated(cell),
      "c\(cell) is evaluated again on the same state")
    demand(
      "D3 needless", isLenient || evaluations.isJustified(cell),
      "c\(cell) is evaluated, and nothing that it has read has changed")
    demand(
      "D1, D6, D9 unasked",
      evaluations.isAskedFor(cell, isOrdered: !step.hasDeaths) { cell in
        records.contains {
          $0.value.isActive && program.observers[$0.key].cell == cell
            && program.observers[$0.key].isSettled
        }
      },
      "c\(cell) is evaluated, and nothing asks for it")
    step.evaluations[cell, default: 0] += 1
    evaluations.begin(cell)
  }

  func end(_ cell: Int, _ value: Int) {
    evaluations.end(cell, value)
    guard !step.hasFeedback, !step.hasDeaths else { return }
    let isBack = records.contains { index, record in
      let observer = program.observers[index]
      return observer.kind == .value && observer.cell == cell && record.isActive && !record.isNew
        && step.lasts[index] == value
    }
    if isBack { evaluations.mayBeUnchanged(valueOf: cell) }
  }
}

extension CellRun {
  /// A read of a cell by the program, a rule or a computed property.
  func reading(_ cell: Int, _ body: () -> Int) -> Int {
    evaluations.beginReading(cell)
    defer { evaluations.endReading() }
    return body()
  }

  func subscribing(to cell: Int, _ body: () -> Void) {
    evaluations.beginSubscribing(to: cell)
    defer { evaluations.endSubscribing() }
    body()
  }

  func withoutReads(_ body: () -> Int) -> Int {
    evaluations.beginUntracked()
    defer { evaluations.endUntracked() }
    return body()
  }
}

extension CellEvaluations {
  fileprivate mutating func beginReading(_ cell: Int) { reading.append(cell) }

  fileprivate mutating func endReading() { reading.removeLast() }

  fileprivate mutating func beginSubscribing(to cell: Int) { subscribing.append(cell) }

  fileprivate mutating func endSubscribing() { subscribing.removeLast() }

  fileprivate mutating func beginUntracked() {
    if let frame = frames.indices.last { frames[frame].untracked += 1 }
  }

  fileprivate mutating func endUntracked() {
    if let frame = frames.indices.last { frames[frame].untracked -= 1 }
  }
}
