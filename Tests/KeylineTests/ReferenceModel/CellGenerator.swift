import TestSupport

/// Makes random graphs of derived values, and programs over them that end: scripts are finite.
struct CellGenerator {
  private var random: SplitMix
  private var program = CellProgram()
  /// Whether observers of derived and computed values set something, so that a scope has several
  /// passes.
  private var hasFeedback = false

  init(seed: UInt64) { random = SplitMix(seed: seed) }

  mutating func make() -> CellProgram {
    hasFeedback = random.chance(2, of: 5)
    program.isEager = random.chance(1, of: 4)
    makeCells()
    for _ in 0..<random.number(2...7) { makeObserver() }
    for index in program.observers.indices { makeScript(of: index) }
    makeSteps()
    return program
  }

  // MARK: Choices

  /// Small ones for the most part: sets of equal values, and values that cut-offs hide.
  private mutating func value() -> Int {
    random.chance(4, of: 5) ? random.number(-3...12) : random.number(-50...200)
  }

  // MARK: Cells

  private mutating func makeCells() {
    let (layers, width): (Int, ClosedRange<Int>)
    switch random.number(1...20) {
    case 1: (layers, width) = (random.number(1...2), 40...100)
    case 2, 3: (layers, width) = (random.number(15...50), 1...2)
    case 4, 5: (layers, width) = (random.number(4...8), 2...6)
    default: (layers, width) = (random.number(1...4), 1...4)
    }
    program.sources = 0..<random.number(1...4)
    program.leaves =
      program.sources.upperBound..<(program.sources.upperBound + random.number(0...3))
    program.isReadBefore = layers > 10
    for cell in 0..<program.leaves.upperBound {
      program.expressions.append(
        program.leaves.contains(cell) ? .quotient(.input(cell)) : .constant(0))
    }
    var former = 0..<0
    for _ in 0..<layers {
      let start = program.expressions.count
      for _ in 0..<random.number(width) {
        program.expressions.append(expression(former, program.leaves.upperBound..<start))
      }
      former = start..<program.expressions.count
    }
    if former.count > 8 { makeBroadCell(over: former) }
    program.derived = program.leaves.upperBound..<program.expressions.count
  }

  /// A cell that reads a whole layer, in an order that depends on a source.
  private mutating func makeBroadCell(over layer: Range<Int>) {
    let all = layer.map(CellExpression.value)
    let part = all.shuffled(using: &random).prefix(random.number(1...all.count))
    program.expressions.append(
      .choice(.input(random.number(program.sources)), .sum(all), .sum(Array(part))))
  }

  private mutating func expression(_ former: Range<Int>, _ all: Range<Int>) -> CellExpression {
    switch random.number(1...12) {
    case 1...3: .sum((0..<random.number(2...4)).map { _ in atom(former, all) })
    case 4, 5: .choice(atom(former, all), atom(former, all), atom(former, all))
    case 6: .choice(.isPositive(atom(former, all)), sum(former, all), atom(former, all))
    case 7, 8: .quotient(sum(former, all))
    case 9: .isPositive(sum(former, all))
    case 10: .sum([atom(former, all), .untracked(atom(former, all))])
    case 11:
      .choice(
        atom(former, all), .untracked(sum(former, all)), .sum([atom(former, all), .constant(1)]))
    default: atom(former, all)
    }
  }

  private mutating func sum(_ former: Range<Int>, _ all: Range<Int>) -> CellExpression {
    .sum([atom(former, all), atom(former, all)])
  }

  private mutating func atom(_ former: Range<Int>, _ all: Range<Int>) -> CellExpression {
    switch random.number(1...10) {
    case 1...5 where !former.isEmpty: .value(random.number(former))
    case 6 where !all.isEmpty: .value(random.number(all))
    case 7 where !program.leaves.isEmpty, 8 where !program.leaves.isEmpty:
      .hop(
        random.number(program.sources), random.chance(1, of: 2) ? .strong : .weak,
        ofInput: random.chance(1, of: 2))
    case 9: .constant(random.number(-2...3))
    default: .input(random.number(program.sources))
    }
  }

  // MARK: Observers

  private mutating func makeObserver() {
    let isInitial = random.chance(3, of: 4)
    let kind: CellObserver.Kind
    var cell = random.number(program.derived)
    switch random.number(1...12) {
    case 1...5: kind = .value
    case 6...8: kind = .computed
    case 9 where !program.leaves.isEmpty: (kind, cell) = (.value, random.number(program.leaves))
    case 10 where !program.leaves.isEmpty: (kind, cell) = (.weak, random.number(program.sources))
    default: (kind, cell) = (.input, random.number(program.sources))
    }
    if kind == .computed {
      // The observer gets a cell of its own, so that its evaluations are counted separately.
      let all = program.derived
      let made = random.chance(1, of: 2) ? program.expressions[cell] : expression(all, all)
      cell = program.expressions.count
      program.expressions.append(made)
    }
    program.observers.append(CellObserver(kind: kind, cell: cell, isInitial: isInitial))
  }

  private mutating func makeScript(of index: Int) {
    let isSettled = program.observers[index].isSettled
    guard random.chance(isSettled ? 2 : 4, of: 5) else { return }
    for _ in 0..<random.number(1...2) {
      program.observers[index].script[random.number(1...3)] = (0..<random.number(1...3)).map { _ in
        isSettled && !hasFeedback ? .read(random.number(program.derived)) : scripted(index)
      }
    }
  }

  private mutating func scripted(_ index: Int) -> CellAction {
    switch random.number(1...16) {
    case 1: .dispose(index)
    case 2: .dispose(observer())
    case 3: .subscribe(observer())
    case 4:
      .batch((0..<random.number(1...4)).map { _ in action() }, isThrowing: random.chance(1, of: 6))
    case 5...8: .read(random.number(program.derived))
    default: store()
    }
  }

  private mutating func observer() -> Int { random.number(0..<program.observers.count) }

  // MARK: Actions

  private mutating func store() -> CellAction {
    let settable = 0..<program.leaves.upperBound
    switch random.number(1...16) {
    case 1 where !program.leaves.isEmpty, 2 where !program.leaves.isEmpty:
      return refer()
    case 3 where !program.leaves.isEmpty: return .drop(random.number(program.leaves))
    case 4: return .invalidate(random.number(program.derived))
    case 5, 6: return .add(random.number(settable), random.number(0...3))
    case 7: return .restore(random.number(settable))
    default: return .set(random.number(settable), value())
    }
  }

  private mutating func refer() -> CellAction {
    .refer(
      random.number(program.sources), random.chance(1, of: 2) ? .strong : .weak,
      to: random.chance(1, of: 4) ? nil : random.number(program.leaves))
  }

  private mutating func action() -> CellAction {
    switch random.number(1...20) {
    case 1: .subscribe(observer())
    case 2: .dispose(observer())
    case 3...6: .read(random.number(program.derived))
    case 7:
      .batch((0..<random.number(0...3)).map { _ in store() }, isThrowing: random.chance(1, of: 4))
    case 8, 9: .restore(random.number(0..<program.leaves.upperBound))
    default: store()
    }
  }

  private mutating func batch() -> CellAction {
    var actions = (0..<random.number(1...6)).map { _ in action() }
    // Away and back, often.
    if random.chance(1, of: 2) {
      actions += (0..<program.leaves.upperBound).map(CellAction.restore)
    }
    return .batch(actions, isThrowing: random.chance(1, of: 8))
  }

  private mutating func makeSteps() {
    if !program.leaves.isEmpty {
      for source in program.sources {
        for hop in [CellHop.strong, .weak] {
          program.steps.append(.refer(source, hop, to: random.number(program.leaves)))
        }
      }
    }
    for source in program.sources { program.steps.append(.set(source, value())) }
    let observers = program.observers.indices.shuffled(using: &random)
    program.steps += observers.prefix(random.number(1...observers.count)).map(CellAction.subscribe)
    for _ in 0..<random.number(5...14) {
      switch random.number(1...20) {
      case 1: program.steps.append(.subscribe(observer()))
      case 2: program.steps.append(.dispose(observer()))
      case 3...5: program.steps.append(.read(random.number(program.derived)))
      case 6...10: program.steps.append(batch())
      default: program.steps.append(store())
      }
    }
  }
}
