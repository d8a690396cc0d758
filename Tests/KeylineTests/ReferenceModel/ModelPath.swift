import Keyline

/// The properties, expressions and chains that a program observes. A star marks a derived value.
enum ModelPath: String, CaseIterable {
  case a, b, c, list, next, weak
  case sameA, sum, total, choice, reach, far, diamond
  case nextA = "next?.a"
  case nextNextB = "next?.next?.b"
  case weakC = "weak?.c"
  case nextSum = "next?.sum"
  case pair = "a, b"
  case triple = "sum, next?.a, c"
  case chainNextA = "{ next.a }"
  case chainWeakB = "{ weak.b }"
  case chainNextWeakC = "{ next.weak.c }"
  case chainWeakNextA = "{ weak.next.a }"
  case chainNextNextB = "{ next.next.b }"
  case chainNextSum = "{ next.sum }"
  case derivedSum = "*sum"
  case derivedTens = "*tens"
  case derivedChoice = "*choice"
  case derivedTotal = "*total"
  case derivedReach = "*reach"
  case derivedFar = "*far"
  case derivedDiamond = "*diamond"
  case nearest = "*nearest"
  case label
  case nextDerivedSum = "next?.*sum"
  case derivedPair = "b, *tens"
  case chainNextDerivedSum = "{ next.*sum }"
  case chainWeakDerivedTens = "{ weak.*tens }"
  case chainNearestA = "{ *nearest.a }"

  enum Kind { case stored, computed, chain, derived }

  var kind: Kind {
    if property != nil { return .stored }
    if derived != nil { return .derived }
    return rawValue.hasPrefix("{") ? .chain : .computed
  }

  /// The property, if the path is a stored one.
  var property: ModelProperty? { ModelProperty(rawValue: rawValue) }

  /// The derived property, if the path is one.
  private var derived: ModelDerived? {
    rawValue.hasPrefix("*") ? ModelDerived(rawValue: String(rawValue.dropFirst())) : nil
  }

  /// Whether something on the path is derived.
  var readsDerived: Bool { rawValue.contains("*") || self == .label }

  /// The properties on the way to the leaf of a chain.
  private var hops: [ModelProperty] {
    switch self {
    case .chainNextA, .chainNextSum, .chainNextDerivedSum: [.next]
    case .chainWeakB, .chainWeakDerivedTens: [.weak]
    case .chainNextWeakC: [.next, .weak]
    case .chainWeakNextA: [.weak, .next]
    case .chainNextNextB: [.next, .next]
    default: []
    }
  }

  private func observable(
    _ node: ModelNode, _ options: KeyValueObservingOptions
  ) -> Observable<ModelValues> {
    switch self {
    case .a: node.observe(\.a, options: options).map { [$0] }
    case .b: node.observe(\.b, options: options).map { [$0] }
    case .c: node.observe(\.c, options: options).map { [$0] }
    case .list: node.observe(\.list, options: options).map { $0 }
    case .next: node.observe(\.next, options: options).map { [$0?.id] }
    case .weak: node.observe(\.weak, options: options).map { [$0?.id] }
    case .sameA: node.observe(\.sameA, options: options).map { [$0] }
    case .sum: node.observe(\.sum, options: options).map { [$0] }
    case .total: node.observe(\.total, options: options).map { [$0] }
    case .choice: node.observe(\.choice, options: options).map { [$0] }
    case .reach: node.observe(\.reach, options: options).map { [$0] }
    case .far: node.observe(\.far, options: options).map { [$0] }
    case .diamond: node.observe(\.diamond, options: options).map { [$0] }
    default: longer(node, options)
    }
  }

  private func longer(
    _ node: ModelNode, _ options: KeyValueObservingOptions
  ) -> Observable<ModelValues> {
    switch self {
    case .nextA: node.observe(\.next?.a, options: options).map { [$0] }
    case .nextNextB: node.observe(\.next?.next?.b, options: options).map { [$0] }
    case .weakC: node.observe(\.weak?.c, options: options).map { [$0] }
    case .nextSum: node.observe(\.next?.sum, options: options).map { [$0] }
    case .pair: node.observe(\.a, \.b, options: options).map { [$0, $1] }
    case .triple: node.observe(\.sum, \.next?.a, \.c, options: options).map { [$0, $1, $2] }
    case .chainNextA: node.observeWeakly(options: options) { $0.next.a }.map { [$0] }
    case .chainWeakB: node.observeWeakly(options: options) { $0.weak.b }.map { [$0] }
    case .chainNextWeakC: node.observeWeakly(options: options) { $0.next.weak.c }.map { [$0] }
    case .chainWeakNextA: node.observeWeakly(options: options) { $0.weak.next.a }.map { [$0] }
    case .chainNextNextB: node.observeWeakly(options: options) { $0.next.next.b }.map { [$0] }
    case .chainNextSum: node.observeWeakly(options: options) { $0.next.sum }.map { [$0] }
    default: overDerived(node, options)
    }
  }

  private func overDerived(
    _ node: ModelNode, _ options: KeyValueObservingOptions
  ) -> Observable<ModelValues> {
    switch self {
    case .derivedSum: node.observe(\.derivedSum, options: options).map { [$0] }
    case .derivedTens: node.observe(\.derivedTens, options: options).map { [$0] }
    case .derivedChoice: node.observe(\.derivedChoice, options: options).map { [$0] }
    case .derivedTotal: node.observe(\.derivedTotal, options: options).map { [$0] }
    case .derivedReach: node.observe(\.derivedReach, options: options).map { [$0] }
    case .derivedFar: node.observe(\.derivedFar, options: options).map { [$0] }
    case .derivedDiamond: node.observe(\.derivedDiamond, options: options).map { [$0] }
    case .nearest: node.observe(\.nearest, options: options).map { [$0?.id] }
    case .label: node.observe(\.label, options: options).map { [$0] }
    case .nextDerivedSum: node.observe(\.next?.derivedSum, options: options).map { [$0] }
    case .derivedPair: node.observe(\.b, \.derivedTens, options: options).map { [$0, $1] }
    case .chainNextDerivedSum:
      node.observeWeakly(options: options) { $0.next.derivedSum }.map { [$0] }
    case .chainWeakDerivedTens:
      node.observeWeakly(options: options) { $0.weak.derivedTens }.map { [$0] }
    default: node.observeWeakly(options: options) { $0.nearest.a }.map { [$0] }
    }
  }

  func observable(_ node: ModelNode, isInitial: Bool) -> Observable<ModelValues> {
    let options: KeyValueObservingOptions = isInitial ? [.initial, .new] : .new
    guard let leaf = node as? ModelLeaf else { return observable(node, options) }
    // Some paths through the subclass, which inherits what they lead to. It might override the stored
    // property: so that one is a computed path here.
    return switch self {
    case .sameA: leaf.observe(\.a, options: options).map { [$0] }
    case .sum: leaf.observe(\.sum, options: options).map { [$0] }
    case .nextA: leaf.observe(\.next?.a, options: options).map { [$0] }
    case .derivedSum: leaf.observe(\.derivedSum, options: options).map { [$0] }
    case .chainWeakB: leaf.observeWeakly(options: options) { $0.weak.b }.map { [$0] }
    default: observable(node, options)
    }
  }

  /// The value on a stored state, with the reads that it takes.
  func evaluate(_ node: Int, on state: [ModelNodeState]) -> ModelEvaluation {
    var reader = ModelReader(state)
    let values =
      property.map { reader.all(node, $0) } ?? derived.map { [reader.derived(node, $0)] }
      ?? evaluate(node, with: &reader)
    return reader.evaluation(of: values)
  }

  private func evaluate(_ node: Int, with reader: inout ModelReader) -> ModelValues {
    switch self {
    case .sameA: return [reader.number(node, .a)]
    case .sum: return [reader.sum(node)]
    case .total: return [reader.total(node)]
    case .choice: return [reader.choice(node)]
    case .reach:
      let next = reader.hop(node, .next)
      return [(reader.optional(next, .a) ?? -1) * 100 + reader.number(node, .b)]
    case .far:
      let weak = reader.hop(node, .weak)
      return [(reader.optional(weak, .c) ?? -1) * 100 + reader.number(node, .a)]
    case .diamond: return [reader.sum(node) * 1000 + reader.choice(node)]
    case .nextA:
      let next = reader.hop(node, .next)
      return [reader.optional(next, .a)]
    case .nextNextB:
      let next = reader.hop(reader.hop(node, .next), .next)
      return [reader.optional(next, .b)]
    case .weakC:
      let weak = reader.hop(node, .weak)
      return [reader.optional(weak, .c)]
    case .nextSum:
      let next = reader.hop(node, .next)
      return [next.map { reader.sum($0) }]
    case .pair: return [reader.number(node, .a), reader.number(node, .b)]
    case .triple:
      let sum = reader.sum(node)
      let next = reader.hop(node, .next)
      return [sum, reader.optional(next, .a), reader.number(node, .c)]
    case .label: return [reader.derived(node, .diamond)! + reader.derived(node, .tens)!]
    case .nextDerivedSum:
      let next = reader.hop(node, .next)
      return [next.flatMap { reader.derived($0, .sum) }]
    case .derivedPair: return [reader.number(node, .b), reader.derived(node, .tens)]
    case .chainNearestA: return [reader.optional(reader.derived(node, .nearest), .a)]
    default:
      guard let end = leafOwner(node, with: &reader) else { return [nil] }
      switch self {
      case .chainNextDerivedSum: return [reader.derived(end, .sum)]
      case .chainWeakDerivedTens: return [reader.derived(end, .tens)]
      case .chainNextA, .chainWeakNextA: return [reader.number(end, .a)]
      case .chainWeakB, .chainNextNextB: return [reader.number(end, .b)]
      case .chainNextWeakC: return [reader.number(end, .c)]
      default: return [reader.sum(end)]
      }
    }
  }

  /// The object that a chain leads to, nil if it is broken.
  private func leafOwner(_ node: Int, with reader: inout ModelReader) -> Int? {
    hops.reduce(node) { reader.hop($0, $1) }
  }
}
