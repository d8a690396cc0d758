import Keyline

/// What the observers of a program observe.
enum ModelPath: String, CaseIterable {
  case a, b, c, list, next, weak
  case sum, total, choice, reach, far, diamond
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

  enum Kind { case stored, computed, chain }

  var kind: Kind {
    if property != nil { return .stored }
    return rawValue.hasPrefix("{") ? .chain : .computed
  }

  /// The property, if the path is a stored one.
  var property: ModelProperty? { ModelProperty(rawValue: rawValue) }

  /// The properties on the way to the leaf of a chain.
  private var hops: [ModelProperty] {
    switch self {
    case .chainNextA, .chainNextSum: [.next]
    case .chainWeakB: [.weak]
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
    default: node.observeWeakly(options: options) { $0.next.sum }.map { [$0] }
    }
  }

  func observable(_ node: ModelNode, isInitial: Bool) -> Observable<ModelValues> {
    let options: KeyValueObservingOptions = isInitial ? [.initial, .new] : .new
    guard let leaf = node as? ModelLeaf else { return observable(node, options) }
    // Some paths through the subclass, which inherits what they lead to.
    return switch self {
    case .a: leaf.observe(\.a, options: options).map { [$0] }
    case .sum: leaf.observe(\.sum, options: options).map { [$0] }
    case .nextA: leaf.observe(\.next?.a, options: options).map { [$0] }
    case .chainWeakB: leaf.observeWeakly(options: options) { $0.weak.b }.map { [$0] }
    default: observable(node, options)
    }
  }

  /// The value on a stored state, and what is read for it.
  func evaluate(
    _ node: Int, on state: [ModelNodeState]
  ) -> (values: ModelValues, reads: [ModelSlot]) {
    var reader = ModelReader(state)
    let values = property.map { reader.all(node, $0) } ?? evaluate(node, with: &reader)
    return (values, reader.reads)
  }

  private func evaluate(_ node: Int, with reader: inout ModelReader) -> ModelValues {
    switch self {
    case .sum: return [reader.sum(node)]
    case .total:
      let list = reader.all(node, .list)
      return [list.reduce(reader.number(node, .a)) { $0 + $1! }]
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
    default:
      guard let end = leafOwner(node, with: &reader) else { return [nil] }
      switch self {
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
