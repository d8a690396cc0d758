import Keyline
import TestSupport
import Testing

/// Random bindings whose ends are chains with stored, computed and derived hops, against plain arrays:
/// whatever is set, in batches or not, a binding writes to the leaf that its chain leads to when all is
/// set, once, and nowhere else (B6, D38).
///
/// `KEYLINE_PROGRAMS=100000` runs as many of each mode.
@Suite struct ChainBindingProgramTests {
  @Test("B6: Only the current leaf is written", arguments: [BindingMode.oneWay, .twoWay])
  func b6OnlyTheCurrentLeafIsWritten(mode: BindingMode) {
    let count =
      RandomPrograms.number("KEYLINE_PROGRAMS") ?? rounds(50, optimised: 1000)
    for seed in 0..<count {
      if let failure = BindingProgram(seed: UInt64(seed), mode).failure() {
        Issue.record("seed \(seed): \(failure)")
      }
    }
  }
}

private final class Node: ReactiveObject {
  @Observed var source = 0
  @Observed var target = 0
  @Observed var next: Node?
  @Observed var other: Node?
  @Observed var flag = false
  var computed: Node? { flag ? other : next }
  @Derived({ (node: Node) in node.flag ? node.other : node.next }) var derived: Node?
}

private final class BindingProgram {
  private enum Hop: String { case next, computed, derived }

  private enum Step: CustomStringConvertible {
    case source(Int, Int)
    case target(Int, Int)
    case next(Int, Int?)
    case other(Int, Int?)
    case flag(Int)

    var description: String {
      switch self {
      case .source(let node, let value): "\(node).source = \(value)"
      case .target(let node, let value): "\(node).target = \(value)"
      case .next(let node, let value): "\(node).next = \(value.map { "\($0)" } ?? "nil")"
      case .other(let node, let value): "\(node).other = \(value.map { "\($0)" } ?? "nil")"
      case .flag(let node): "\(node).flag.toggle()"
      }
    }
  }

  /// The naive model: what each property is, and no more.
  private struct State {
    var source: [Int]
    var target: [Int]
    var next: [Int?]
    var other: [Int?]
    var flag: [Bool]

    /// Where `hop` leads from `node`.
    func reach(_ hop: Hop, from node: Int) -> Int? {
      hop != .next && flag[node] ? other[node] : next[node]
    }

    func end(of hops: [Hop]) -> Int? {
      hops.reduce(0) { node, hop in node.flatMap { reach(hop, from: $0) } }
    }

    /// Whether one of `sets` has been undone by another one, or has set an equal value.
    func isRestored(by sets: [Step], in now: State) -> Bool {
      sets.contains { step in
        switch step {
        case .source(let node, _): source[node] == now.source[node]
        case .target(let node, _): target[node] == now.target[node]
        case .next(let node, _): next[node] == now.next[node]
        case .other(let node, _): other[node] == now.other[node]
        case .flag(let node): flag[node] == now.flag[node]
        }
      }
    }

    /// Whether a hop is replaced where `sets` lead to `now`, if only by the object that is there.
    func isReplaced(_ hops: [Hop], by sets: [Step], in now: State, isBatch: Bool) -> Bool {
      var reached: Int? = 0
      for hop in hops {
        guard let node = reached else { return false }
        let isNextSet =
          isBatch
          ? next[node] != now.next[node]
          : sets.contains { if case .next(node, _) = $0 { true } else { false } }
        let isOtherSet =
          isBatch
          ? other[node] != now.other[node]
          : sets.contains { if case .other(node, _) = $0 { true } else { false } }
        switch hop {
        case .next where isNextSet: return true
        case .computed where flag[node] != now.flag[node] || (flag[node] ? isOtherSet : isNextSet):
          return true
        case .derived where reach(hop, from: node) != now.reach(hop, from: node): return true
        default: reached = reach(hop, from: node)
        }
      }
      return false
    }
  }

  private static let paths: [[Hop]] = [
    [], [.next], [.computed], [.derived], [.next, .next], [.computed, .next], [.next, .derived],
    [.derived, .computed],
  ]

  private var random: SplitMix
  private let mode: BindingMode
  private let nodes = (0..<4).map { _ in Node() }
  private var state: State
  private var writes: [String: Int] = [:]
  /// The objects at the ends, if either end may write the other.
  private var undecided: (from: Int, to: Int)?
  private var text: [String] = []

  init(seed: UInt64, _ mode: BindingMode) {
    random = SplitMix(seed: seed)
    self.mode = mode
    let count = nodes.count
    state = State(
      source: Array(repeating: 0, count: count), target: Array(repeating: 0, count: count),
      next: Array(repeating: nil, count: count), other: Array(repeating: nil, count: count),
      flag: Array(repeating: false, count: count))
  }

  /// - Returns: the first step after which an object differs from the model.
  func failure() -> String? {
    let keeping = DisposeBag()
    for _ in 0..<6 { set(randomStep()) }
    for (index, node) in nodes.enumerated() {
      node.observe(\.source, options: .new)
        .subscribe(onNext: { _ in self.writes["\(index).source", default: 0] += 1 })
        .disposed(by: keeping)
      node.observe(\.target, options: .new)
        .subscribe(onNext: { _ in self.writes["\(index).target", default: 0] += 1 })
        .disposed(by: keeping)
    }
    let paths = (source: randomPath(), target: randomPath())
    let names = [paths.source, paths.target].map { $0.map(\.rawValue).joined(separator: ".") }
    text = ["\(mode), source: \(names[0]), target: \(names[1]), \(state)"]
    let binding = bind(paths.source, paths.target)
    defer {
      binding.dispose()
      for node in nodes { (node.next, node.other) = (nil, nil) }
    }
    transfer(from: state.end(of: paths.source), to: state.end(of: paths.target), false)
    for _ in 0..<12 {
      let isBatch = Bool.random(using: &random)
      let steps = (0..<(isBatch ? random.number(1...4) : 1)).map { _ in
        randomStep()
      }
      text.append("\(isBatch ? "batch " : "")\(steps)")
      writes = [:]
      let expected = follow(steps, isBatch, paths)
      if isBatch { batchUpdates { for step in steps { set(step) } } } else { set(steps[0]) }
      if let difference = difference(expected) {
        return (text + [difference]).joined(separator: "\n  ")
      }
    }
    return nil
  }

  private func randomPath() -> [Hop] { Self.paths.randomElement(using: &random) ?? [] }

  private func randomStep() -> Step {
    let node = random.number(0..<nodes.count)
    let other = random.number(-1..<nodes.count)
    let value = random.number(1...99)
    switch random.number(0..<7) {
    case 0, 1: return .source(node, value)
    case 2: return .target(node, value)
    case 3, 4: return .next(node, other < 0 ? nil : other)
    case 5: return .other(node, other < 0 ? nil : other)
    default: return .flag(node)
    }
  }

  private func set(_ step: Step) {
    switch step {
    case .source(let node, let value): nodes[node].source = value
    case .target(let node, let value): nodes[node].target = value
    case .next(let node, let value): nodes[node].next = value.map { nodes[$0] }
    case .other(let node, let value): nodes[node].other = value.map { nodes[$0] }
    case .flag(let node): nodes[node].flag.toggle()
    }
    if text.isEmpty { apply(step) }
  }

  // MARK: The model

  private func apply(_ step: Step) {
    switch step {
    case .source(let node, let value): state.source[node] = value
    case .target(let node, let value): state.target[node] = value
    case .next(let node, let value): state.next[node] = value
    case .other(let node, let value): state.other[node] = value
    case .flag(let node): state.flag[node].toggle()
    }
  }

  /// - Returns: how often each value may be delivered.
  private func follow(
    _ steps: [Step], _ isBatch: Bool, _ paths: (source: [Hop], target: [Hop])
  ) -> [String: Int] {
    let former = state
    for step in steps { apply(step) }
    var expected: [String: Int] = [:]
    var changed: (source: Set<Int>, target: Set<Int>) = ([], [])
    for step in steps {
      // In a batch, a property restored to its value is not delivered (D31).
      switch step {
      case .source(let node, _) where !isBatch || state.source[node] != former.source[node]:
        changed.source.insert(node)
        expected["\(node).source"] = 1
      case .target(let node, _) where !isBatch || state.target[node] != former.target[node]:
        changed.target.insert(node)
        expected["\(node).target"] = 1
      default: break
      }
    }
    let isLinked =
      former.isReplaced(paths.source, by: steps, in: state, isBatch: isBatch)
      || former.isReplaced(paths.target, by: steps, in: state, isBatch: isBatch)
    guard let from = state.end(of: paths.source), let to = state.end(of: paths.target) else {
      return expected
    }
    let isSourceSet = changed.source.contains(from)
    let isTargetSet = changed.target.contains(to)
    if isBatch, !isLinked, !isSourceSet, former.isRestored(by: steps, in: state) {
      undecided = (from, to)
      return expected.merging(["\(from).source": 1, "\(to).target": 1], uniquingKeysWith: +)
    }
    let isBackward = mode == .twoWay && !isLinked && !isSourceSet && isTargetSet
    guard isLinked || (isBackward ? isTargetSet : isSourceSet) else { return expected }
    transfer(from: from, to: to, isBackward)
    expected[isBackward ? "\(from).source" : "\(to).target", default: 0] += 1
    return expected
  }

  private func transfer(from source: Int?, to target: Int?, _ isBackward: Bool) {
    guard let source, let target else { return }
    if isBackward {
      state.source[source] = state.target[target]
    } else {
      state.target[target] = state.source[source]
    }
  }

  /// A chain may emit an equal value if a batch has restored a property on it (D37), and either end may
  /// then count as set.
  private func decide() {
    guard let (from, to) = undecided.take() else { return }
    let (source, target) = (state.source[from], state.target[to])
    if nodes[to].target == source { state.target[to] = source }
    if mode == .twoWay, nodes[from].source == target { state.source[from] = target }
  }

  private func difference(_ expected: [String: Int]) -> String? {
    decide()
    for index in nodes.indices {
      if nodes[index].source != state.source[index] {
        return "\(index).source is \(nodes[index].source), not \(state.source[index])"
      }
      if nodes[index].target != state.target[index] {
        return "\(index).target is \(nodes[index].target), not \(state.target[index])"
      }
    }
    for (name, count) in writes where count > expected[name, default: 0] {
      return "\(name) was delivered \(count) times, not \(expected[name, default: 0])"
    }
    return nil
  }

  // MARK: The binding

  private typealias End = (inout ChainStart<Node>, Bool) -> WritableKeyPathChain<Node, Int>

  private func bind(_ source: [Hop], _ target: [Hop]) -> PropertyBinding {
    let (from, to) = (Self.end(source), Self.end(target))
    return nodes[0].bind(
      { from(&$0, true) }, to: nodes[0], { to(&$0, false) }, mode: mode, converter: .identity)
  }

  private static func end(_ hops: [Hop]) -> End {
    switch hops {
    case []: { $1 ? $0.source : $0.target }
    case [.next]: { $1 ? $0.next.source : $0.next.target }
    case [.computed]: { $1 ? $0.computed.source : $0.computed.target }
    case [.derived]: { $1 ? $0.derived.source : $0.derived.target }
    case [.next, .next]: { $1 ? $0.next.next.source : $0.next.next.target }
    case [.computed, .next]: { $1 ? $0.computed.next.source : $0.computed.next.target }
    case [.next, .derived]: { $1 ? $0.next.derived.source : $0.next.derived.target }
    default: { $1 ? $0.derived.computed.source : $0.derived.computed.target }
    }
  }
}
