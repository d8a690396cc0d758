// Random graphs of derived values, and programs over them: data, so that they can be printed and
// shortened.

/// What a cell computes from other cells. The graph has no cycles: a cell reads earlier ones only.
indirect enum CellExpression: CustomStringConvertible {
  case constant(Int)
  case input(Int)
  case value(Int)
  /// Of the cell that a property refers to; -1 if there is none.
  case hop(Int, CellHop, ofInput: Bool)
  case sum([CellExpression])
  /// The second if the first is above 0, else the third.
  case choice(CellExpression, CellExpression, CellExpression)
  case quotient(CellExpression)
  case isPositive(CellExpression)
  /// Read, compared with the oracle, and counted as 0.
  case untracked(CellExpression)

  /// What sums are reduced to, for rows of them not to overflow.
  static let modulus = 1000

  var description: String {
    switch self {
    case .constant(let constant): "\(constant)"
    case .input(let cell): "c\(cell).input"
    case .value(let cell): "c\(cell)"
    case .hop(let cell, let hop, let ofInput): "c\(cell).\(hop)\(ofInput ? ".input" : "")"
    case .sum(let terms): "(" + terms.map(\.description).joined(separator: " + ") + ")"
    case .choice(let condition, let one, let other): "(\(condition) > 0 ? \(one) : \(other))"
    case .quotient(let dividend): "\(dividend) / 10"
    case .isPositive(let operand): "[\(operand) > 0]"
    case .untracked(let operand): "untracked { \(operand) }"
    }
  }
}

enum CellHop { case strong, weak }

/// One step of a program, or of an observer's script.
///
/// Leaves, which are cells that may be dropped, are set and referred to while the program holds
/// them.
enum CellAction: CustomStringConvertible {
  case set(Int, Int)
  /// In place: `+=`.
  case add(Int, Int)
  /// To the value before the outermost batch, or to the current one.
  case restore(Int)
  case refer(Int, CellHop, to: Int?)
  /// The program's own reference is dropped.
  case drop(Int)
  case read(Int)
  case invalidate(Int)
  /// Of the observer of that index. Each is subscribed once at most.
  case subscribe(Int)
  case dispose(Int)
  case batch([CellAction], isThrowing: Bool)

  var description: String {
    switch self {
    case .set(let cell, let value): "c\(cell).input = \(value)"
    case .add(let cell, let value): "c\(cell).input += \(value)"
    case .restore(let cell): "restore c\(cell).input"
    case .refer(let cell, let hop, let end):
      "c\(cell).\(hop) = \(end.map { "c\($0)" } ?? "nil")"
    case .drop(let cell): "drop c\(cell)"
    case .read(let cell): "read c\(cell)"
    case .invalidate(let cell): "invalidate c\(cell)"
    case .subscribe(let observer): "subscribe observer \(observer)"
    case .dispose(let observer): "dispose observer \(observer)"
    case .batch(let actions, let isThrowing):
      "batch { \(actions.map(\.description).joined(separator: "; "))\(isThrowing ? "; throw" : "") }"
    }
  }

  /// Every action with one part left out.
  fileprivate var shortened: [CellAction] {
    guard case .batch(let actions, let isThrowing) = self else { return [] }
    return actions.shortened.map { .batch($0, isThrowing: isThrowing) }
      + (isThrowing ? [.batch(actions, isThrowing: false)] : [])
  }
}

extension [CellAction] {
  fileprivate var shortened: [[CellAction]] {
    indices.flatMap { index in
      [Array(self[..<index] + self[(index + 1)...])]
        + self[index].shortened.map { action in
          var actions = self
          actions[index] = action
          return actions
        }
    }
  }
}

/// An observer, with its actions on its first emission, on its second, and so on.
struct CellObserver {
  enum Kind: Equatable {
    /// The derived value.
    case value
    /// A computed property with the cell's expression. Such a cell has one observer, and no derived
    /// value.
    case computed
    case input
    case weak
  }

  var kind: Kind
  var cell: Int
  var isInitial: Bool
  var script: [Int: [CellAction]] = [:]

  /// Whether it is called when the scope closes.
  var isSettled: Bool { kind == .value || kind == .computed }
}

struct CellProgram: RandomProgram {
  /// The expressions of sources, leaves, derived values and computed properties, in this order.
  var expressions: [CellExpression] = []
  var sources: Range<Int> = 0..<0
  var leaves: Range<Int> = 0..<0
  var derived: Range<Int> = 0..<0
  /// Whether every cell is read after each step.
  var isEager = false
  /// Whether derived values are read at first, dependencies first, so that rules do not recurse.
  var isReadBefore = false
  var observers: [CellObserver] = []
  var steps: [CellAction] = []

  /// The cells that compute something from others.
  private var composed: Range<Int> { derived.lowerBound..<expressions.count }

  var description: String {
    var lines = [
      "  sources \(sources), leaves \(leaves)\(isEager ? ", all are read after each step" : "")"
        + (isReadBefore ? ", all are read at first" : "")
    ]
    for cell in composed {
      if case .constant(0) = expressions[cell] { continue }
      lines.append("  c\(cell): \(expressions[cell])")
    }
    for (index, observer) in observers.enumerated() where mentions(index) {
      let options = observer.isInitial ? "" : ", .new"
      lines.append("  observer \(index): \(observer.kind) of c\(observer.cell)\(options)")
      for (count, actions) in observer.script.sorted(by: { $0.key < $1.key }) {
        lines.append("    on its emission \(count): \(actions)")
      }
    }
    lines += steps.enumerated().map { "  \($0). \($1)" }
    return lines.joined(separator: "\n")
  }

  private func mentions(_ observer: Int) -> Bool {
    func isIn(_ actions: some Sequence<CellAction>) -> Bool {
      actions.contains {
        switch $0 {
        case .subscribe(let index): index == observer
        case .batch(let actions, _): isIn(actions)
        default: false
        }
      }
    }
    return isIn(steps) || observers.contains { isIn($0.script.values.joined()) }
  }

  var failures: [LawFailure] { CellRun.failures(of: self) }

  // MARK: Shortening

  func shortened(while fails: (CellProgram) -> Bool) -> CellProgram {
    var program = self
    var attempts = 0
    while let shorter = program.candidates().first(where: {
      attempts += 1
      return attempts < 3000 && fails($0)
    }) { program = shorter }
    return program
  }

  /// Every program with one part left out; those that leave out most come first.
  private func candidates() -> [CellProgram] {
    var all: [CellProgram] = []
    func add(_ change: (inout CellProgram) -> Void) {
      var program = self
      change(&program)
      all.append(program)
    }
    if steps.count > 3 {
      for start in [steps.count / 2, 0] {
        add { $0.steps.removeSubrange(start..<(start + steps.count / 2)) }
      }
    }
    if isEager { add { $0.isEager = false } }
    if isReadBefore { add { $0.isReadBefore = false } }
    for shorter in steps.shortened { add { $0.steps = shorter } }
    for index in observers.indices where mentions(index) {
      for (count, actions) in observers[index].script.sorted(by: { $0.key < $1.key }) {
        add { $0.observers[index].script[count] = nil }
        for shorter in actions.shortened { add { $0.observers[index].script[count] = shorter } }
      }
    }
    for cell in composed {
      for simpler in expressions[cell].simpler { add { $0.expressions[cell] = simpler } }
    }
    return all
  }
}

extension CellExpression {
  fileprivate var simpler: [CellExpression] {
    switch self {
    case .constant(0): []
    case .constant, .input, .value, .hop: [.constant(0)]
    case .sum(let terms):
      [.constant(0)] + terms
        + (terms.count > 2
          ? terms.indices.map { index in
            .sum(Array(terms[..<index] + terms[(index + 1)...]))
          } : [])
        + terms.indices.flatMap { index in
          terms[index].simpler.map { simpler in
            var terms = terms
            terms[index] = simpler
            return .sum(terms)
          }
        }
    case .choice(let condition, let one, let other):
      [.constant(0), condition, one, other]
        + one.simpler.map { .choice(condition, $0, other) }
        + other.simpler.map { .choice(condition, one, $0) }
    case .quotient(let operand): [.constant(0), operand] + operand.simpler.map { .quotient($0) }
    case .isPositive(let operand):
      [.constant(0), operand] + operand.simpler.map { .isPositive($0) }
    case .untracked(let operand): [.constant(0), operand] + operand.simpler.map { .untracked($0) }
    }
  }
}
