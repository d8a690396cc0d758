import Keyline
import TestSupport
import Testing

/// Chains whose hops lead from one object of a class to another, again and again.
@Suite struct ReplacedHopTests {
  /// Random graphs and sets, against paths that are walked anew after each.
  @Test("Chains emit as the table specifies") func chainsEmitWhatTheTableSays() {
    for seed in 0..<200 as Range<UInt64> {
      var program = ReplacingProgram(seed: seed)
      if let failure = program.failure() { Issue.record("seed \(seed): \(failure)") }
    }
  }

  /// The values of `item.next.next.value`, in a graph where both hops have been replaced before.
  private func follow(_ item: Stop, _ log: Log<Int?>) {
    log.follow(item.observeWeakly { $0.next.next.value })
    for _ in 0..<2 { item.next = Stop(0, next: Stop(0)) }
    _ = log.take()
  }

  @Test("A change that an observer makes behind a replaced hop is not emitted")
  func whatAnObserverChangesBehindAHopThatIsReplacedIsNotEmitted() throws {
    let root = Stop(0)
    let log = Log<Int?>()
    let other = Log<Int?>()
    var middle: Stop?
    other.follow(
      root.observeWeakly { $0.next.next.value }.do(onNext: { value in
        guard value == 1 else { return }
        root.next = Stop(0, next: Stop(3))
        // Both settle after the chain has been delivered, this one off the path.
        middle?.next = Stop(5)
        middle?.next?.value = 6
      }))
    follow(root, log)
    middle = root.next
    _ = other.take()
    root.next?.next?.value = 1
    other.expect([1, 3])
    // The other observer has replaced the hop before this one's turn came.
    log.expect([3])
    middle?.next = Stop(7)
    other.expect([])
    root.next?.next?.value = 8
    other.expect([8])
    log.expect([8])
  }

  @Test("Objects with an override are followed as such")
  func objectsWithAnOverrideAreFollowedAsSuch() {
    let root = Stop(0)
    let log = Log<Int?>()
    follow(root, log)
    root.next = Stop(0, next: DoubledStop(1))
    root.next?.next?.value = 2
    root.next = DoubledStop(0, next: Stop(3))
    root.next?.next?.value = 4
    root.next = Stop(0, next: Stop(5))
    root.next?.next?.value = 6
    log.expect([2, 4, 3, 4, 5, 6])
  }

  @Test("Wrappers that are replaced are joined again") func wrappersThatAreReplacedAreJoinedAgain()
  {
    let root = Stop(0)
    let log = Log<Int?>()
    follow(root, log)
    let kept = Stop(0, next: Stop(1))
    root.next = kept
    root.next = Stop(0, next: Stop(2))
    kept.replaceWrappers()
    root.next = kept
    kept.next = Stop(3)
    kept.next?.value = 4
    log.expect([1, 2, 0, 3, 4])
  }

  @Test("A chain whose hops are replaced retains nothing")
  func aChainWhoseHopsAreReplacedRetainsNothing() {
    let root = Stop(0)
    let log = Log<Int?>()
    follow(root, log)
    weak let former: Stop?
    do {
      let item = Stop(0, next: Stop(1))
      former = item
      root.next = item
      root.next = Stop(0, next: Stop(2))
    }
    #expect(former == nil)
    root.next = nil
    root.next = Stop(0, next: Stop(3))
    log.expect([1, 2, nil, 3])
  }

  @Test("A chain disposed while a hop is replaced stops")
  func aChainDisposedWhileAHopIsReplacedStops() {
    let root = Stop(0)
    let log = Log<Int?>()
    let bag = SerialDisposable()
    bag.disposable = log.follow(
      root.observeWeakly { $0.next.next.value }
        .do(onNext: { if $0 == 1 { bag.dispose() } }))
    for number in [-2, -1, 1, 2] { root.next = Stop(0, next: Stop(number)) }
    root.next?.next?.value = 3
    log.expect([nil, -2, -1])
  }
}

@Suite struct ReplacedHopConcurrencyTests {
  /// A hop is replaced that leads to an object that dies on another thread meanwhile, or by one.
  @Test("Objects die elsewhere while hops are replaced")
  func objectsDieElsewhereWhileHopsAreReplaced() throws {
    let root = Stop(0)
    let log = Log<Int?>()
    log.follow(root.observeWeakly { $0.peer.value })
    for round in 1...300 {
      let kept = Stop(round)
      var mortal: [Stop] = (0..<4).map { Stop(-$0) }
      for item in mortal { root.peer = item }
      let released = Guarded<[Stop]>([])
      // Proof of nonisolated(unsafe): handed over, and used by that thread only.
      nonisolated(unsafe) let handed = mortal
      released.withLock { $0 = handed }
      weak let first = mortal[0]
      mortal = []
      let thread = ownThread()
      thread.async { released.withLock { $0 = [] } }
      for _ in 0..<3 {
        root.peer = kept
        if let first { root.peer = first }
      }
      thread.sync {}
      root.peer = kept
      kept.value = round + 1
      #expect(log.elements.suffix(2) == [round, round + 1])
      log.elements = []
    }
  }
}

private class Stop: ReactiveObject {
  @Observed var next: Stop?
  @WeakObserved var peer: Stop?
  @Observed var value: Int

  init(_ value: Int, next: Stop? = nil) {
    self.value = value
    self.next = next
  }

  func replaceWrappers() {
    _next = Observed(wrappedValue: Stop(0))
    _value = Observed(wrappedValue: value)
  }
}

private final class DoubledStop: Stop {
  override var value: Int {
    get { super.value * 2 }
    set { super.value = newValue }
  }
}

/// Items that refer to each other, chains from one of them, and what these must emit.
private struct ReplacingProgram {
  private enum Link: CaseIterable { case next, peer }

  private struct Chain {
    let links: [Link]
    let log = Log<Int?>()
    var expected: [Int?] = []
  }

  private var random: SplitMix
  /// Those that only `peer` leads to may be replaced.
  private var items: [Stop]
  private let lasting = 4
  // The model: numbers of items, and plain values.
  private var next: [Int?] = []
  private var peer: [Int?] = []
  private var values: [Int] = []
  private var chains: [Chain] = []

  init(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let kinds = (0..<8).map { _ in random.chance(1, of: 4) }
    items = kinds.map(Self.stop)
    next = items.map { _ in nil }
    peer = next
    values = items.map { _ in 0 }
    self.random = random
  }

  private static func stop(_ isDoubled: Bool) -> Stop { isDoubled ? DoubledStop(0) : Stop(0) }

  /// What an item refers to is known by number; nil for one that does not exist.
  private func target(of item: Int, _ link: Link) -> Int? {
    link == .next ? next[item] : peer[item]
  }

  /// The items on the way of `links`, as far as they lead.
  private func walk(_ links: [Link]) -> [Int] {
    var way = [0]
    for link in links {
      guard let item = target(of: way[way.count - 1], link) else { break }
      way.append(item)
    }
    return way
  }

  private func value(_ links: [Link]) -> Int? {
    let way = walk(links)
    guard way.count > links.count else { return nil }
    return values[way[links.count]] * (items[way[links.count]] is DoubledStop ? 2 : 1)
  }

  /// Changes the model; each chain for which `concerns` is true of the way before has emitted.
  private mutating func change(
    concerning concerns: ([Link], [Int]) -> Bool, _ body: (inout Self) -> Void
  ) {
    let before = chains.map { (concerns($0.links, walk($0.links)), value($0.links)) }
    body(&self)
    for index in chains.indices where before[index].0 {
      let after = value(chains[index].links)
      if after != nil || before[index].1 != nil { chains[index].expected.append(after) }
    }
  }

  mutating func failure() -> String? {
    defer { for item in items { item.next = nil } }
    for step in 0..<60 {
      let item = random.number(0..<items.count)
      let isLast = random.chance(1, of: 6)
      switch random.number(0..<10) {
      case 0: follow()
      case 1: value(of: item, step)
      case 2...5: link(item, .next, isLast ? nil : random.number(0..<lasting))
      case 6...8: link(item, .peer, isLast ? nil : random.number(0..<items.count))
      default: if item >= lasting { replace(item) }
      }
      for chain in chains where chain.log.elements != chain.expected {
        return
          "step \(step): \(chain.links) has emitted \(chain.log.elements), not \(chain.expected)"
      }
    }
    return nil
  }

  private mutating func follow() {
    let length = random.number(1...3)
    var chain = Chain(links: (0..<length).map { _ in Link.allCases.randomElement(using: &random)! })
    chain.expected = [value(chain.links)]
    let links = chain.links
    chain.log.follow(
      items[0].observeWeakly { root in
        links.dropFirst().reduce(links[0] == .next ? root.next : root.peer) {
          $1 == .next ? $0.next : $0.peer
        }.value
      })
    chains.append(chain)
  }

  private mutating func value(of item: Int, _ value: Int) {
    items[item].value = value
    change(concerning: { $1.count > $0.count && $1[$0.count] == item }) { $0.values[item] = value }
  }

  private mutating func link(_ item: Int, _ link: Link, _ target: Int?) {
    let object = target.map { items[$0] }
    if link == .next { items[item].next = object } else { items[item].peer = object }
    change(
      concerning: { links, way in
        zip(links, way).contains { $0 == link && $1 == item }
      }
    ) {
      if link == .next { $0.next[item] = target } else { $0.peer[item] = target }
    }
  }

  /// The item dies, and another one takes its number.
  private mutating func replace(_ item: Int) {
    items[item] = Self.stop(items[item] is DoubledStop)
    change(concerning: { $1.contains(item) }) {
      for other in $0.items.indices where $0.peer[other] == item { $0.peer[other] = nil }
      $0.next[item] = nil
      $0.peer[item] = nil
      $0.values[item] = 0
    }
  }
}
