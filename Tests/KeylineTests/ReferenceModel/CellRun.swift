import Keyline
import TestSupport

/// One object of a graph: a source, a leaf, or something derived.
final class Cell: ReactiveObject {
  @Observed var input = 0
  @Observed var strong: Cell?
  @WeakObserved var weak: Cell?
  @Derived({ (self: Cell) in self.run.evaluate(self.id) }) var value: Int
  /// The same, not cached.
  var computed: Int { run.evaluate(id) }

  let id: Int
  private unowned let run: CellRun

  init(_ id: Int, _ run: CellRun) { (self.id, self.run) = (id, run) }

  // Weak references to the object are nil already, and its observers have not received completion
  // yet.
  deinit { run.recordDeath(of: id) }
}

/// Runs a program over real objects, and records the emissions that its observers receive.
/// CellLaws.swift checks them, and CellEvaluations.swift checks each evaluation.
final class CellRun {
  /// The emissions and the state of an observer of the program.
  final class Record {
    var disposable: (any Disposable)?
    var isDisposed = false
    var isCompleted = false
    var emissions = 0
    /// Emissions before and in the step under way, the initial one not counted.
    var emitted: [Int] = []
    /// The value received last, or the value at the time of subscription.
    var last: Int
    /// The earliest state of the step that the last emission may belong to.
    var matched = 0
    /// Whether it was subscribed in the step under way.
    var isNew = true
    /// When it was subscribed; nil if that is not known from outside.
    var order: Int?

    init(_ value: Int) { last = value }

    var isActive: Bool { !isDisposed && !isCompleted }
  }

  /// The events of a step. A step has several scopes if objects die.
  struct Step {
    var index = 0
    /// The stored states since its beginning, the one before included.
    var states: [CellState] = []
    var lasts: [Int: Int] = [:]
    var evaluations: [Int: Int] = [:]
    var invalidated: Set<Int> = []
    /// The orders of the observers called when the scope closed.
    var called: [(order: Int, observer: Int)] = []
    var hasDeaths = false
    /// Whether a read, or a subscription, came between two stores.
    var hasReadsInside = false
    /// Whether an observer called at the end of the scope has set something.
    var hasFeedback = false
  }

  private struct Refusal: Error {}
  private struct WeakCell { weak var cell: Cell? }

  let program: CellProgram
  private var cells: [Cell?] = []
  private var allCells: [WeakCell] = []
  var evaluations: CellEvaluations
  private(set) var state: CellState
  private var oracleOfState: CellOracle?
  private(set) var records: [Int: Record] = [:]
  var step = Step()
  private(set) var failures: [LawFailure] = []
  private var isRecording = true
  /// How many observers are being called, and how many batches are open in the innermost one.
  private var calls = 0
  private var batches = 0
  private var deliveries = 0
  private var startOfBatch: CellState?
  private var subscriptions = 0

  private init(_ program: CellProgram) {
    self.program = program
    state = CellState(cells: program.expressions.count)
    evaluations = CellEvaluations(program)
    cells = program.expressions.indices.map { Cell($0, self) }
    allCells = cells.map { WeakCell(cell: $0) }
  }

  /// What `program` breaks in the first step that breaks something.
  static func failures(of program: CellProgram) -> [LawFailure] {
    let run = CellRun(program)
    if program.isReadBefore { run.readAll() }
    for (index, action) in program.steps.enumerated() where run.failures.isEmpty {
      run.perform(step: action, index)
    }
    run.readAll()
    run.stop()
    return run.failures
  }

  private func perform(step action: CellAction, _ index: Int) {
    step = Step()
    step.index = index
    step.states = [state]
    evaluations.beginStep()
    for (observer, record) in records {
      record.emitted = []
      record.isNew = false
      record.matched = 0
      step.lasts[observer] = record.last
    }
    perform(action)
    checkLaws()
    checkLeaves()
    if program.isEager { readAll() }
  }

  /// A leaf that neither the program nor a cell refers to is dead (D14).
  private func checkLeaves() {
    for leaf in program.leaves where cells[leaf] == nil && !state.strong.contains(leaf) {
      demand("D14", !state.isAlive[leaf], "c\(leaf) is retained")
    }
  }

  private func readAll() { for cell in program.derived { read(cell) } }

  /// Releases the graph; its observers stay subscribed.
  private func stop() {
    isRecording = false
    cells = []
    let leaked = allCells.indices.filter { allCells[$0].cell != nil }
    demand("D14", leaked.isEmpty, "cells \(leaked) are retained")
    for (index, record) in records where !record.isDisposed {
      demand("P5", record.isCompleted, "observer \(index) has not completed")
    }
  }

  func demand(_ law: String, _ isKept: Bool, _ message: @autoclosure () -> String) {
    guard !isKept, failures.count < 20 else { return }
    failures.append(LawFailure(law: law, step: step.index, message: message()))
  }

  // MARK: Stored states

  /// Of the state that is stored now.
  var oracle: CellOracle {
    if let oracleOfState { return oracleOfState }
    let made = CellOracle(program, state)
    oracleOfState = made
    return made
  }

  /// Called just before each store.
  private func record(
    _ slot: CellSlot, _ change: (inout CellState) -> Void
  ) {
    evaluations.recordStore(
      slot, replacing: state.stored(slot)!, isInBatch: batches > 0)
    change(&state)
    oracleOfState = nil
    step.states.append(state)
  }

  func recordDeath(of cell: Int) {
    guard isRecording else { return }
    let ends = state.weak.indices.filter { state.weak[$0] == cell }
    state.isAlive[cell] = false
    oracleOfState = nil
    step.states.append(state)
    step.hasDeaths = true
    for end in ends { evaluations.recordStore(.hop(end, .weak), replacing: cell, isInBatch: false) }
  }

  // MARK: Rules

  func evaluate(_ cell: Int) -> Int {
    guard isRecording else { return 0 }
    begin(cell)
    let value = evaluate(program.expressions[cell])
    end(cell, value)
    return value
  }

  private func evaluate(_ expression: CellExpression) -> Int {
    switch expression {
    case .constant(let constant): return constant
    case .input(let cell): return input(of: allCells[cell].cell!)
    case .value(let cell): return value(of: allCells[cell].cell!)
    case .hop(let cell, let hop, let ofInput):
      let owner = allCells[cell].cell!
      let end = hop == .strong ? owner.strong : owner.weak
      evaluations.didRead(.hop(cell, hop), end?.id ?? -1)
      guard let end else { return -1 }
      return ofInput ? input(of: end) : value(of: end)
    case .sum(let terms):
      return terms.reduce(0) { $0 + evaluate($1) } % CellExpression.modulus
    case .choice(let condition, let one, let other):
      return evaluate(condition) > 0 ? evaluate(one) : evaluate(other)
    case .quotient(let operand): return evaluate(operand) / 10
    case .isPositive(let operand): return evaluate(operand) > 0 ? 1 : 0
    case .untracked(let operand):
      let value = withoutReads { untracked { evaluate(operand) } }
      demand("D10 fresh", value == oracle.valueOfUntracked(operand), "\(operand) is \(value)")
      return 0
    }
  }

  private func input(of cell: Cell) -> Int {
    let value = cell.input
    evaluations.didRead(.input(cell.id), value)
    return value
  }

  private func value(of cell: Cell) -> Int {
    let value = reading(cell.id) { cell.value }
    evaluations.didRead(.value(cell.id), value)
    return value
  }

  // MARK: Actions

  private func perform(_ action: CellAction) {
    switch action {
    case .set(let cell, let value):
      guard let object = cells[cell] else { return }
      record(.input(cell)) { $0.inputs[cell] = value }
      object.input = value
    case .add(let cell, let value):
      guard let object = cells[cell] else { return }
      record(.input(cell)) { $0.inputs[cell] += value }
      object.input += value
    case .restore(let cell):
      perform(.set(cell, (startOfBatch ?? state).inputs[cell]))
    case .refer(let cell, let hop, let end):
      guard end == nil || cells[end!] != nil else { return }
      let (owner, object) = (cells[cell]!, end.flatMap { cells[$0] })
      record(.hop(cell, hop)) { state in
        if hop == .strong { state.strong[cell] = end } else { state.weak[cell] = end }
      }
      // Kept until the store is over, for the object not to die in it.
      withExtendedLifetime(owner.strong) {
        if hop == .strong { owner.strong = object } else { owner.weak = object }
      }
    case .drop(let cell): withExtendedLifetime(cells[cell]) { cells[cell] = nil }
    case .read(let cell): read(cell)
    case .invalidate(let cell):
      evaluations.invalidate(cell)
      step.invalidated.insert(cell)
      cells[cell]!.$value.invalidate()
    case .subscribe(let index): subscribe(index)
    case .dispose(let index):
      guard let record = records[index], let disposable = record.disposable else { return }
      disposable.dispose()
      record.isDisposed = true
    case .batch(let actions, let isThrowing): batch(actions, isThrowing: isThrowing)
    }
  }

  private func read(_ cell: Int) {
    if calls > 0 || batches > 0 { step.hasReadsInside = true }
    let value = reading(cell) { cells[cell]!.value }
    demand(
      "D11 read", value == oracle.value(cell),
      "c\(cell) is \(value), expected \(oracle.value(cell))")
  }

  private func batch(_ actions: [CellAction], isThrowing: Bool) {
    let isOutermost = batches == 0
    if isOutermost {
      startOfBatch = state
      evaluations.beginBatch()
    }
    deliveries += isOutermost ? 1 : 0
    do {
      try batchUpdates {
        batches += 1
        for action in actions { perform(action) }
        batches -= 1
        if isOutermost { endBatch() }
        if isThrowing { throw Refusal() }
      }
      demand("D33", !isThrowing, "the error is lost")
    } catch {
      demand("D33", isThrowing && error is Refusal, "\(error)")
    }
    deliveries -= isOutermost ? 1 : 0
  }

  /// Called before the changes of the batch are delivered.
  private func endBatch() {
    startOfBatch = nil
    evaluations.endBatch(state)
  }

  private func subscribe(_ index: Int) {
    let observer = program.observers[index]
    guard let cell = cells[observer.cell], records[index] == nil else { return }
    if calls > 0 || batches > 0 { step.hasReadsInside = true }
    let record = Record(current(observer))
    records[index] = record
    record.matched = step.states.count - 1
    record.order = orderOfNext(observer)
    let options: KeyValueObservingOptions = observer.isInitial ? [.initial, .new] : .new
    let values =
      switch observer.kind {
      case .value: cell.observe(\.value, options: options)
      case .computed: cell.observe(\.computed, options: options)
      case .input: cell.observe(\.input, options: options)
      case .weak: cell.observe(\.weak, options: options).map { $0?.id ?? -1 }
      }
    switch observer.kind {
    case .input: evaluations.track(.input(observer.cell))
    case .weak: evaluations.track(.hop(observer.cell, .weak))
    case .value, .computed: break
    }
    subscribing(to: observer.cell) {
      let disposable = values.subscribe(
        onNext: { [unowned self] in received($0, by: index) },
        onCompleted: { record.isCompleted = true })
      record.disposable = disposable
      if record.isDisposed { disposable.dispose() }
    }
  }

  /// The observers of a derived value are called at the turn of the first of them (D12).
  private func orderOfNext(_ observer: CellObserver) -> Int? {
    subscriptions += 1
    guard calls == 0 else { return nil }
    guard observer.kind == .value else { return subscriptions }
    let others = records.filter {
      $0.value.isActive && $0.value.disposable != nil && program.observers[$0.key].kind == .value
        && program.observers[$0.key].cell == observer.cell
    }
    return others.isEmpty ? subscriptions : others.first!.value.order
  }

  func current(_ observer: CellObserver) -> Int {
    switch observer.kind {
    case .value, .computed: oracle.value(observer.cell)
    case .input: oracle.value(of: .input(observer.cell))
    case .weak: oracle.value(of: .hop(observer.cell, .weak))
    }
  }

  private func received(_ value: Int, by index: Int) {
    guard isRecording, let record = records[index] else { return }
    let observer = program.observers[index]
    record.emissions += 1
    check(value, record, of: index)
    guard let actions = observer.script[record.emissions] else { return }
    if observer.isSettled, actions.contains(where: \.isStore) { step.hasFeedback = true }
    calls += 1
    for action in actions { perform(action) }
    calls -= 1
  }
}

extension CellAction {
  /// Whether it is anything but a read.
  fileprivate var isStore: Bool { if case .read = self { false } else { true } }
}
