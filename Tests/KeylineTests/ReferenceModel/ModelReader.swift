/// The derived properties of the model.
enum ModelDerived: String, CaseIterable {
  case sum, tens, choice, total, reach, far, diamond, nearest
}

/// The value of an expression on a stored state, with its reads.
struct ModelEvaluation {
  let values: ModelValues
  /// Stored properties, without those that derived ones read.
  let reads: [ModelSlot]
  let derived: [ModelReader.Derived]
  /// Stored properties, with those that derived ones read.
  let all: Set<ModelSlot>
}

/// Evaluates an expression on a stored state, and collects its reads.
struct ModelReader {
  struct Derived {
    let node: Int
    let property: ModelDerived
    let value: Int?
  }

  private let state: [ModelNodeState]
  private var reads: [ModelSlot] = []
  private var derived: [Derived] = []
  private var inner: Set<ModelSlot> = []

  init(_ state: [ModelNodeState]) { self.state = state }

  func evaluation(of values: ModelValues) -> ModelEvaluation {
    ModelEvaluation(values: values, reads: reads, derived: derived, all: inner.union(reads))
  }

  mutating func number(_ node: Int, _ property: ModelProperty) -> Int {
    reads.append(ModelSlot(node: node, property: property))
    return state[node][property][0]!
  }

  mutating func hop(_ node: Int?, _ property: ModelProperty) -> Int? {
    guard let node else { return nil }
    reads.append(ModelSlot(node: node, property: property))
    return state[node][property][0]
  }

  mutating func optional(_ node: Int?, _ property: ModelProperty) -> Int? {
    node.map { number($0, property) }
  }

  mutating func all(_ node: Int, _ property: ModelProperty) -> ModelValues {
    reads.append(ModelSlot(node: node, property: property))
    return state[node][property]
  }

  mutating func sum(_ node: Int) -> Int { number(node, .a) + number(node, .b) }

  mutating func choice(_ node: Int) -> Int {
    number(node, .a).isMultiple(of: 2) ? number(node, .b) : number(node, .c)
  }

  mutating func total(_ node: Int) -> Int {
    let list = all(node, .list)
    return list.reduce(number(node, .a)) { $0 + $1! }
  }

  // MARK: Derived properties

  /// The reads of its rule count as inner reads.
  mutating func derived(_ node: Int, _ property: ModelDerived) -> Int? {
    var reader = ModelReader(state)
    let value = reader.value(node, property)
    derived.append(Derived(node: node, property: property, value: value))
    inner.formUnion(reader.inner.union(reader.reads))
    return value
  }

  private mutating func value(_ node: Int, _ property: ModelDerived) -> Int? {
    switch property {
    case .sum: return sum(node)
    case .tens: return derived(node, .sum)! / 10
    case .choice:
      return number(node, .a).isMultiple(of: 2) ? number(node, .b) : derived(node, .tens)
    case .total: return total(node)
    case .reach:
      let next = hop(node, .next)
      return (next.flatMap { derived($0, .sum) } ?? -1) * 100 + number(node, .b)
    case .far:
      let weak = hop(node, .weak)
      return (weak.flatMap { derived($0, .tens) } ?? -1) * 100 + number(node, .c)
    case .diamond: return derived(node, .sum)! * 1000 + derived(node, .choice)!
    case .nearest: return hop(node, .next) ?? hop(node, .weak)
    }
  }
}
