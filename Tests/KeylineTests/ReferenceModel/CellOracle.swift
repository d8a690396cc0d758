/// A readable part of a cell.
enum CellSlot: Hashable, CustomStringConvertible {
  case input(Int)
  case hop(Int, CellHop)
  case value(Int)

  var description: String {
    switch self {
    case .input(let cell): "c\(cell).input"
    case .hop(let cell, let hop): "c\(cell).\(hop)"
    case .value(let cell): "c\(cell)"
    }
  }
}

/// A stored state of all cells, as plain values.
struct CellState {
  var inputs: [Int]
  var strong: [Int?]
  var weak: [Int?]
  var isAlive: [Bool]

  init(cells: Int) {
    inputs = Array(repeating: 0, count: cells)
    strong = Array(repeating: nil, count: cells)
    weak = strong
    isAlive = Array(repeating: true, count: cells)
  }

  func end(of cell: Int, _ hop: CellHop) -> Int? {
    guard hop == .weak else { return strong[cell] }
    return weak[cell].flatMap { isAlive[$0] ? $0 : nil }
  }

  /// A stored value, an object as its index.
  func stored(_ slot: CellSlot) -> Int? {
    switch slot {
    case .input(let cell): inputs[cell]
    case .hop(let cell, let hop): end(of: cell, hop) ?? -1
    case .value: nil
    }
  }
}

/// Computes what cells have as their values, from a stored state and nothing else.
final class CellOracle {
  private let expressions: [CellExpression]
  private let state: CellState
  /// So that a lattice does not take as long as it has paths.
  private var known: [Int?]

  init(_ program: CellProgram, _ state: CellState) {
    expressions = program.expressions
    self.state = state
    known = Array(repeating: nil, count: program.expressions.count)
  }

  func value(_ cell: Int) -> Int {
    if let value = known[cell] { return value }
    let value = value(expressions[cell])
    known[cell] = value
    return value
  }

  func value(of slot: CellSlot) -> Int {
    if case .value(let cell) = slot { return value(cell) }
    return state.stored(slot)!
  }

  private func value(_ expression: CellExpression) -> Int {
    switch expression {
    case .constant(let constant): return constant
    case .input(let cell): return state.inputs[cell]
    case .value(let cell): return value(cell)
    case .hop(let cell, let hop, let ofInput):
      guard let end = state.end(of: cell, hop) else { return -1 }
      return ofInput ? state.inputs[end] : value(end)
    case .sum(let terms):
      return terms.reduce(0) { $0 + value($1) } % CellExpression.modulus
    case .choice(let condition, let one, let other):
      return value(condition) > 0 ? value(one) : value(other)
    case .quotient(let operand): return value(operand) / 10
    case .isPositive(let operand): return value(operand) > 0 ? 1 : 0
    case .untracked: return 0
    }
  }

  /// The value of an expression that a rule reads untracked.
  func valueOfUntracked(_ expression: CellExpression) -> Int { value(expression) }
}
