import Keyline
import TestSupport
import Testing

/// A chain behaves as `flatMapLatest` (DESIGN §3.4): here is the composition that it stands for, put
/// together from public operators, and all single sets, after which both have emitted the same.
///
/// Inside a batch or an observer they differ: a chain is emitted once per transaction.
@Suite struct ChainCompositionTests {
  private final class Leaf: ReactiveObject {
    @Observed var c: Int
    init(_ c: Int) { self.c = c }
  }

  private final class Middle: ReactiveObject {
    @Observed var b: Leaf?
    @WeakObserved var weakB: Leaf?
  }

  private final class Root: ReactiveObject {
    @Observed var a: Middle?
    @WeakObserved var weakA: Middle?
  }

  /// A value, or a broken chain: nil as a value of the leaf is another thing.
  private enum End: Equatable {
    case value(Int)
    case broken

    var value: Int? { if case .value(let value) = self { value } else { nil } }
  }

  private func composed(
    _ root: Root, _ a: KeyPath<Root, Middle?>, _ b: KeyPath<Middle, Leaf?>
  ) -> Observable<Int?> {
    let leaves: Observable<Leaf?> = root.observe(a).flatMapLatest { middle -> Observable<Leaf?> in
      middle?.observe(b) ?? .just(nil)
    }
    let ends: Observable<End> = leaves.flatMapLatest { leaf -> Observable<End> in
      leaf?.observe(\.c).map { .value($0) } ?? .just(.broken)
    }
    return ends.distinctUntilChanged { $0 == .broken && $1 == .broken }.map(\.value)
  }

  /// Where a graph of two middles and two leaves begins: indices, nil for none.
  private struct Start {
    let a: Int?
    let b: [Int?]

    static let all: [Start] = [nil, 0, 1].flatMap { a in
      [nil, 0, 1].flatMap { first in [nil, 0, 1].map { Start(a: a, b: [first, $0]) } }
    }
  }

  private enum Step: CaseIterable {
    case a(Int?)
    case b(of: Int, Int?)
    case c(of: Int, Int)
    case newMiddle(Int?)
    case newLeaf(of: Int)
    case deathOfMiddle(Int)
    case deathOfLeaf(Int)

    static let allCases: [Step] =
      [nil, 0, 1].map { .a($0) }
      + [0, 1].flatMap { middle in [nil, 0, 1].map { .b(of: middle, $0) } }
      + [0, 1].flatMap { leaf in [leaf, 7].map { .c(of: leaf, $0) } }
      + [nil, 0, 1].map { .newMiddle($0) } + [0, 1].map { .newLeaf(of: $0) }
      + [0, 1].flatMap { [.deathOfMiddle($0), .deathOfLeaf($0)] }
  }

  private struct Graph {
    let root = Root()
    let isWeak: (a: Bool, b: Bool)
    var middles: [Middle?] = [Middle(), Middle()]
    var leaves: [Leaf?] = [Leaf(0), Leaf(1)]

    init(_ start: Start, isWeak: (a: Bool, b: Bool)) {
      self.isWeak = isWeak
      for (middle, leaf) in start.b.enumerated() { setB(of: middle, leaf.flatMap { leaves[$0] }) }
      setA(start.a.flatMap { middles[$0] })
    }

    func setA(_ middle: Middle?) { if isWeak.a { root.weakA = middle } else { root.a = middle } }

    func setB(of middle: Int, _ leaf: Leaf?) {
      if isWeak.b { middles[middle]?.weakB = leaf } else { middles[middle]?.b = leaf }
    }

    /// Performs one set, or one death: an object is released last, and no other dies with it.
    mutating func perform(_ step: Step) {
      switch step {
      case .a(let middle): setA(middle.flatMap { middles[$0] })
      case .b(let middle, let leaf): setB(of: middle, leaf.flatMap { leaves[$0] })
      case .c(let leaf, let value): leaves[leaf]?.c = value
      case .newMiddle(let leaf):
        let middle = Middle()
        middles.append(middle)
        setB(of: middles.count - 1, leaf.flatMap { leaves[$0] })
        setA(middle)
      case .newLeaf(let middle):
        leaves.append(Leaf(2))
        setB(of: middle, leaves[leaves.count - 1])
      case .deathOfMiddle(let middle):
        withExtendedLifetime(middles[middle]) { middles[middle] = nil }
      case .deathOfLeaf(let leaf):
        withExtendedLifetime(leaves[leaf]) { leaves[leaf] = nil }
      }
    }
  }

  private func chain(_ root: Root, isWeak: (a: Bool, b: Bool)) -> Observable<Int?> {
    switch isWeak {
    case (false, false): root.observeWeakly { $0.a.b.c }
    case (false, true): root.observeWeakly { $0.a.weakB.c }
    case (true, false): root.observeWeakly { $0.weakA.b.c }
    case (true, true): root.observeWeakly { $0.weakA.weakB.c }
    }
  }

  /// Each set from each state, and after it each of a few others; a debug build runs every eleventh of these
  /// scripts, which is each pair of steps from several states.
  @Test(
    "A chain emits the same as its composition for every single set", arguments: [false, true],
    [false, true])
  func aChainEmitsWhatItsCompositionEmitsForEverySingleSet(isWeakA: Bool, isWeakB: Bool) {
    let others: [Step] = [
      .a(nil), .a(0), .b(of: 0, 1), .c(of: 0, 8), .deathOfMiddle(0), .deathOfLeaf(0),
    ]
    var differences: [String] = []
    var script = 0
    for start in Start.all {
      for first in Step.allCases {
        for second in others {
          script += 1
          guard script.isMultiple(of: rounds(11, optimised: 1)) else { continue }
          var graph = Graph(start, isWeak: (isWeakA, isWeakB))
          let (emitted, expected) = (Log<Int?>(), Log<Int?>())
          let subscriptions = [
            emitted.follow(chain(graph.root, isWeak: (isWeakA, isWeakB))),
            expected.follow(
              composed(graph.root, isWeakA ? \.weakA : \.a, isWeakB ? \.weakB : \.b)),
          ]
          for step in [first, second] {
            graph.perform(step)
            guard emitted.elements != expected.elements else { continue }
            differences.append(
              "from \(start), \(step): \(emitted.elements), not \(expected.elements)")
          }
          for subscription in subscriptions { subscription.dispose() }
        }
      }
    }
    #expect(differences.prefix(10) == [], "\(differences.count) in all")
  }

  /// Longer scripts, in which objects die that nothing leads to any more.
  @Test("A chain emits the same as its composition in random scripts", arguments: 0..<200)
  func aChainEmitsWhatItsCompositionEmitsInRandomScripts(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let root = Root()
    let (emitted, expected) = (Log<Int?>(), Log<Int?>())
    emitted.follow(root.observeWeakly { $0.a.b.c })
    expected.follow(composed(root, \.a, \.b))
    var middles = [Middle(), Middle()]
    var leaves = [Leaf(1), Leaf(2)]
    for step in 0..<40 {
      switch random.next() % 7 {
      case 0: root.a = nil
      case 1: root.a = middles.randomElement(using: &random)
      case 2: root.a?.b = nil
      case 3: middles.randomElement(using: &random)?.b = leaves.randomElement(using: &random)
      case 4: leaves.randomElement(using: &random)?.c = step
      case 5:
        middles.append(Middle())
        middles.last?.b = leaves.randomElement(using: &random)
      default: leaves.append(Leaf(step))
      }
      #expect(emitted.elements == expected.elements, "seed \(seed), step \(step)")
    }
  }
}
