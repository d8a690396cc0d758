import Keyline
import TestSupport

/// What a program is made of, and which checks it undergoes.
enum ModelCategory: String, CaseIterable {
  /// Stored properties, one-way bindings: one exact sequence of deliveries.
  case stored
  /// As `stored`, with rules on the properties.
  case rules
  /// Computed properties, paths of several hops and tuples, deaths.
  case computed
  /// Chains that retain nothing, deaths.
  case chains
  /// Bindings of every mode, observers that set their ends.
  case bindings
  /// As `bindings`, with rules, also ones that read another property.
  case governed
  /// Everything but rules; bindings write where each store is recorded.
  case mixed
  /// As `mixed`, with derived properties.
  case derived
  /// As `stored`, `rules`, `bindings`, `chains` and `derived`, with batches.
  case batchedStored, batchedRules, batchedBindings, batchedChains, batched

  /// Whether the interpreter computes the whole sequence of deliveries.
  var isExact: Bool { [.stored, .rules, .batchedStored, .batchedRules].contains(self) }

  /// Whether each store is recorded.
  var isRecorded: Bool {
    [.computed, .chains, .mixed, .derived, .batchedChains, .batched].contains(self)
  }

  fileprivate var hasBatches: Bool {
    [.batchedStored, .batchedRules, .batchedBindings, .batchedChains, .batched].contains(self)
  }

  fileprivate var hasRules: Bool { [.rules, .governed, .batchedRules].contains(self) }

  /// Whether objects refer to each other.
  fileprivate var isGraph: Bool { !hasRules && self != .bindings && self != .batchedBindings }

  /// How many of a hundred programs are of this category.
  var share: Int {
    switch self {
    case .batched: 16
    case .derived, .batchedChains: 12
    case .batchedStored: 10
    case .computed, .mixed, .stored, .chains: 8
    case .rules, .bindings, .governed, .batchedBindings: 4
    case .batchedRules: 2
    }
  }

  fileprivate var paths: [ModelPath] {
    func all(_ kinds: ModelPath.Kind...) -> [ModelPath] {
      ModelPath.allCases.filter { kinds.contains($0.kind) }
    }
    func plain(_ kinds: ModelPath.Kind...) -> [ModelPath] {
      ModelPath.allCases.filter { kinds.contains($0.kind) && !$0.readsDerived }
    }
    return switch self {
    case .stored, .batchedStored: all(.stored)
    case .rules, .bindings, .governed, .batchedRules, .batchedBindings: [.a, .b, .c]
    case .computed: all(.stored) + plain(.computed) + plain(.computed)
    case .chains: all(.stored) + plain(.chain) + plain(.chain) + plain(.chain)
    case .batchedChains: all(.chain) + [.chainNearestA, .chainNextA, .chainNextNextB]
    case .mixed: all(.stored) + plain(.computed, .chain)
    case .derived, .batched: ModelPath.allCases + all(.derived) + all(.derived)
    }
  }
}

/// Makes random programs that end: scripts are finite, bindings of one direction form no circle.
struct ModelGenerator {
  private var random: SplitMix
  private let category: ModelCategory
  private var program: ModelProgram
  /// Where a whole sequence is computed: the object that is dropped, which no other leads to.
  private var mortal: Int?
  private var fresh = 0
  /// What bindings write to.
  private var written: Set<ModelSlot> = []

  init(seed: UInt64, _ category: ModelCategory) {
    random = SplitMix(seed: seed)
    self.category = category
    program = ModelProgram(category: category, nodes: random.number(3...6))
  }

  mutating func make() -> ModelProgram {
    if category.isExact { mortal = Bool.random(using: &random) ? program.nodes - 1 : nil }
    makeBindings()
    makeRules()
    for _ in 0..<random.number(3...7) { makeObserver() }
    for index in program.observers.indices { makeScript(of: index) }
    makeSteps()
    return program
  }

  // MARK: Values

  /// Often the first one, for steps to meet each other.
  private mutating func node() -> Int {
    Bool.random(using: &random) ? 0 : random.number(0..<program.nodes)
  }

  /// Often one that has not been there, to tell states apart.
  private mutating func value() -> Int {
    fresh += 1
    return random.number(0..<3) > 0
      ? 10 + fresh : random.number(-3...9)
  }

  private mutating func slot(_ properties: [ModelProperty] = ModelProperty.numbers) -> ModelSlot {
    ModelSlot(node: node(), property: properties.randomElement(using: &random)!)
  }

  /// Sometimes a property that is bound, or under a rule.
  private mutating func boundSlot() -> ModelSlot? {
    guard random.chance(1, of: 3) else { return nil }
    let ends = program.bindings.flatMap { [$0.source, $0.target] } + program.rules.map(\.slot)
    return ends.randomElement(using: &random)
  }

  private mutating func hop() -> Int? {
    let end = node()
    return end == mortal || random.chance(1, of: 5) ? nil : end
  }

  /// Often an object that comes later, for objects to die that nothing leads to.
  private mutating func setNext(of node: Int) -> ModelAction {
    let isLast = node == program.nodes - 1
    guard !isLast, random.number(0..<4) > 0 else { return .setNext(node, hop()) }
    let next = random.number((node + 1)..<program.nodes)
    return .setNext(node, next == mortal || random.chance(1, of: 4) ? nil : next)
  }

  // MARK: Parts

  /// A property is what one binding writes to at most, and an end of one both ways of no other that
  /// reads it.
  private mutating func makeBindings() {
    let count: ClosedRange<Int>
    switch category {
    case .stored, .rules, .batchedStored, .batchedRules: count = 0...2
    case .mixed: count = 1...3
    case .derived, .batched: count = 0...2
    case .bindings, .governed, .batchedBindings: count = 1...4
    case .computed, .chains, .batchedChains: return
    }
    var (read, paired): (Set<ModelSlot>, Set<ModelSlot>) = ([], [])
    for _ in 0..<random.number(count) {
      let modes: [BindingMode] =
        category.isExact ? [.oneWay] : [.oneWay, .twoWay, .twoWay, .oneTime]
      let mode = modes.randomElement(using: &random)!
      let properties = category.isRecorded ? [.c] : ModelProperty.numbers
      let isOneWay = mode == .oneWay || mode == .oneTime
      let ends = [slot(isOneWay ? ModelProperty.numbers : properties), slot(properties)].sorted {
        ($0.node, $0.property.rawValue) < ($1.node, $1.property.rawValue)
      }
      // Values flow to the later of two properties: no circles.
      let (from, to) = (ends[0], ends[1])
      guard from != to, properties.contains(to.property), !written.contains(to),
        !paired.contains(from)
      else { continue }
      if mode == .twoWay {
        guard !paired.contains(to), !read.contains(from), !read.contains(to),
          properties.contains(from.property)
        else { continue }
        paired.formUnion([from, to])
      }
      // One-way values may arrive at one end of a pair.
      written.insert(to)
      if mode == .twoWay { written.insert(from) }
      read.insert(from)
      program.bindings.append(
        ModelBinding(
          source: from, target: to, mode: mode,
          converter: Bool.random(using: &random) ? .lossy : .identity))
    }
  }

  private mutating func makeRules() {
    guard category.hasRules else { return }
    for _ in 0..<random.number(1...3) {
      let slot = slot([.a, .b])
      // No rule has a bound that a binding writes to: the bound might follow the property that it
      // limits, and the two would never come to rest.
      let isFixed = !written.contains(ModelSlot(node: slot.node, property: .c))
      let kinds: [ModelRule.Kind] =
        category == .governed && isFixed ? ModelRule.Kind.allCases : [.clamp, .reject]
      program.rules.append(ModelRule(slot: slot, kind: kinds.randomElement(using: &random)!))
    }
  }

  private mutating func makeObserver() {
    var (node, path) = (node(), category.paths.randomElement(using: &random)!)
    if let end = boundSlot() { (node, path) = (end.node, ModelPath(rawValue: "\(end.property)")!) }
    program.observers.append(
      ModelObserver(
        node: node, path: path, isInitial: random.number(0..<4) > 0))
  }

  private mutating func makeScript(of index: Int) {
    guard random.number(0..<5) < 3 else { return }
    // The first delivery of an observer that gets the value there is comes while it subscribes.
    let first = category.isExact && program.observers[index].isInitial ? 2 : 1
    for _ in 0..<random.number(1...2) {
      let count = random.number(first...(first + 2))
      let actions = (0..<random.number(1...3)).map { _ in scripted(index) }
      program.observers[index].script[count] = actions
    }
  }

  private mutating func scripted(_ index: Int) -> ModelAction {
    switch random.number(0..<20) {
    case 0: return .dispose(index)
    case 1: return .dispose(observer())
    case 2, 3: return .subscribe(observer())
    // The observer's own property again.
    case 4, 5:
      if let property = program.observers[index].path.property,
        ModelProperty.numbers.contains(property)
      {
        return .set(ModelSlot(node: program.observers[index].node, property: property), value())
      }
    case 6 where !category.isExact: return .drop(node())
    case 7, 8:
      if category.hasBatches {
        return batch(random.number(1...3), isScripted: true)
      }
    default: break
    }
    return store()
  }

  /// A batch of random actions. It restores some of the properties that it sets, hops included, in
  /// any order.
  ///
  /// - Parameter isScripted: whether an observer opens the batch. Exact categories drop no object
  ///   then: an object whose observers are being called dies when the caller releases it, and the
  ///   laws leave that time open.
  private mutating func batch(_ count: Int, isScripted: Bool = false) -> ModelAction {
    var actions: [ModelAction] = []
    for _ in 0..<count {
      switch random.number(0..<24) {
      case 0: actions.append(.subscribe(observer()))
      case 1: actions.append(.dispose(observer()))
      case 2, 3:
        actions.append(batch(random.number(0...2), isScripted: isScripted))
      case 4: actions.append(.removeLast(node()))
      case 5:
        if !category.isExact {
          actions.append(.drop(mortal ?? node()))
        } else if let mortal, !isScripted {
          actions.append(.drop(mortal))
        }
      case 6 where !program.bindings.isEmpty:
        let index = random.number(program.bindings.indices)
        actions.append(Bool.random(using: &random) ? .bind(index) : .unbind(index))
      default: actions.append(store())
      }
    }
    for action in actions.shuffled(using: &random) where random.chance(1, of: 3) {
      if let slot = restored(action) { actions.append(.restore(slot)) }
    }
    return .batch(actions, isThrowing: random.chance(1, of: 8))
  }

  private func restored(_ action: ModelAction) -> ModelSlot? {
    switch action {
    case .set(let slot, _), .add(let slot, _): slot
    case .setNext(let node, _): ModelSlot(node: node, property: .next)
    case .setWeak(let node, _): ModelSlot(node: node, property: .weak)
    default: nil
    }
  }

  private mutating func observer() -> Int {
    random.number(0..<program.observers.count)
  }

  private mutating func store() -> ModelAction {
    switch random.number(0..<20) {
    case 0..<4 where category.isGraph: return setNext(of: node())
    case 4..<7 where category.isGraph: return .setWeak(node(), hop())
    case 7, 8: return .append(node(), value())
    case 9..<12: return .add(boundSlot() ?? slot(), value())
    case 12 where !category.hasRules: return .swap(node())
    default: return .set(boundSlot() ?? slot(), value())
    }
  }

  private mutating func makeSteps() {
    let bindings = program.bindings.indices.map(ModelAction.bind)
    let rules = program.rules.indices.map(ModelAction.validate)
    if category.isExact { program.steps += rules + bindings }
    // A few hops at first, for paths to lead somewhere.
    if category.isRecorded {
      for node in 0..<program.nodes {
        program.steps.append(setNext(of: node))
        program.steps.append(.setWeak(node, hop()))
      }
    }
    let observers = program.observers.indices.shuffled(using: &random)
    program.steps += observers.prefix(observers.count - 1).map(ModelAction.subscribe)
    if !category.isExact { program.steps += rules + bindings }
    for _ in 0..<random.number(4...10) {
      switch random.number(0..<24) {
      case 0: program.steps.append(.dispose(observer()))
      case 1: program.steps.append(.subscribe(observer()))
      case 2 where !program.bindings.isEmpty:
        program.steps.append(.unbind(random.number(program.bindings.indices)))
      case 3 where !program.rules.isEmpty:
        program.steps.append(.invalidate(random.number(program.rules.indices)))
      case 4...6 where mortal != nil: program.steps.append(.drop(mortal!))
      case 4...6 where !category.isExact: program.steps.append(.drop(node()))
      case 7..<15 where category.hasBatches:
        program.steps.append(batch(random.number(1...5)))
      default: program.steps.append(store())
      }
    }
  }
}
