import Keyline
import TestSupport
import Testing

/// Chains whose observers change the graph, in batches and without: whatever order things come in, the
/// last value emitted is the one at the end of the path, once all is delivered.
@Suite struct ReactingChainTests {
  @Test("The last emission is the value that the path reads")
  func theLastEmissionIsWhatThePathReads() {
    for seed in 0..<UInt64(rounds(20, optimised: 400)) {
      let program = ReactingProgram(seed: seed)
      if let failure = program.failure() { Issue.record("seed \(seed): \(failure)") }
    }
  }

  @Test(
    "D37: A set by a chain's observer behind a pending hop is emitted", arguments: [true, false])
  func d37WhatTheObserverOfAChainSetsBehindAPendingHopIsEmitted(isPending: Bool) {
    let (root, middle, leaf) = (Link(0), Link(10), Link(30))
    // Observed, so that it waits in the batch.
    let other = isPending ? middle.observe(\.next, options: .new).subscribe() : nil
    let log = Log<Int?>()
    log.follow(
      root.observeWeakly { $0.next.next.value }.do(onNext: { if $0 == 30 { leaf.value = 23 } }))
    batchUpdates {
      root.next = middle
      middle.next = leaf
    }
    leaf.value = 24
    log.expect([nil, 30, 23, 24])
    other?.dispose()
  }

  /// The observer sets in the initial delivery, and then something that is not on the path any more.
  @Test("A branch that is left in the initial delivery is not emitted")
  func aBranchThatIsLeftInTheInitialDeliveryIsNotEmitted() {
    let links = [0, 10, 20, 30, 40, 50].map { Link($0) }
    (links[0].next, links[1].next, links[2].next) = (links[1], links[3], links[4])
    var seen: [Int?] = []
    let subscription = links[0].observeWeakly { $0.next.next.value }.subscribe(onNext: {
      seen.append($0)
      if seen.count == 1 {
        links[0].next = links[2]
        links[0].next = links[1]
      } else if seen.count == 2, links[0].next === links[1] {
        links[2].next = links[5]
        links[4].value = 41
      }
    })
    // Whether the two sets in the initial delivery, which no other set encloses, are emitted one by
    // one is left open (D12: each is the observer's next value).
    #expect(seen == [30, 40, 30] || seen == [30, 30])
    subscription.dispose()
  }

  @Test("P3: A loop through the leaf in the initial delivery is stopped")
  func p3ALoopThroughTheLeafInTheInitialDeliveryIsStopped() async {
    await #expect(processExitsWith: .success) {
      Diagnostics.feedbackLimit = 100
      final class Spinning: ReactiveObject {
        @Observed var leaf: Leaf? = Leaf()
      }
      final class Leaf: ReactiveObject {
        @Observed var turns = 0
      }
      Reports.collect()
      let spinning = Spinning()
      var told = 0
      let subscription = spinning.observeWeakly { $0.leaf.turns }.subscribe(onNext: { _ in
        told += 1
        if told < 30_000 { spinning.leaf?.turns = told }
      })
      #expect(Diagnostics.feedbackLimit...(Diagnostics.feedbackLimit + 3) ~= told)
      #expect(Reports.of(.feedbackLoop).contains { $0.type == "Leaf" && $0.property == "turns" })
      spinning.leaf?.turns = -1
      #expect(Diagnostics.feedbackLimit + 1...(Diagnostics.feedbackLimit * 2 + 9) ~= told)
      subscription.dispose()
    }
  }

  /// An observer of the death sets the weak property, which is nil already.
  @Test("A death in a batch is delivered though its observer sets nil")
  func aDeathInABatchIsDeliveredThoughItsObserverSetsNil() {
    let (root, target) = (Link(0), Link(5))
    var peer: Link? = Link(10)
    root.peer = peer
    let subscription = peer?.deallocating.subscribe(onNext: { root.peer = nil })
    let peers = Log<Bool>()
    peers.follow(root.observe(\.peer, options: .new).map { $0 == nil })
    root.bind({ $0.peer.value }, to: target, \.value, whenBroken: .value(-1))
    batchUpdates { peer = nil }
    peers.expect([true])
    #expect(target.value == -1)
    subscription?.dispose()
  }
}

private final class Link: ReactiveObject {
  @Observed var next: Link?
  @WeakObserved var peer: Link?
  @Observed var value: Int
  @Observed var flag = false
  @Derived({ (link: Link) in link.flag ? link.next : link.peer }) var derived: Link?
  @Derived({ (link: Link) in link.next ?? link.peer }) var nearest: Link?
  var computed: Link? { flag ? peer : next }
  init(_ value: Int) { self.value = value }
}

private final class ReactingProgram {
  private struct Chain {
    let name: String
    let observe: (Link) -> Observable<Int?>
    let read: (Link) -> Int?
  }

  private let kinds = [
    Chain(
      name: "next.value", observe: { $0.observeWeakly { $0.next.value } }, read: { $0.next?.value }),
    Chain(
      name: "next.next.next.value", observe: { $0.observeWeakly { $0.next.next.next.value } },
      read: { $0.next?.next?.next?.value }),
    Chain(
      name: "peer.next.value", observe: { $0.observeWeakly { $0.peer.next.value } },
      read: { $0.peer?.next?.value }),
    Chain(
      name: "next.peer.value", observe: { $0.observeWeakly { $0.next.peer.value } },
      read: { $0.next?.peer?.value }),
    Chain(
      name: "computed.next.value", observe: { $0.observeWeakly { $0.computed.next.value } },
      read: { $0.computed?.next?.value }),
    Chain(
      name: "derived.computed.value", observe: { $0.observeWeakly { $0.derived.computed.value } },
      read: { $0.derived?.computed?.value }),
    Chain(
      name: "a path, next.next.value", observe: { $0.observe(\.next?.next?.value) },
      read: { $0.next?.next?.value }),
  ]

  private final class Follower {
    let chain: Chain
    let root: Link
    var last: Int??
    init(_ chain: Chain, _ root: Link) { (self.chain, self.root) = (chain, root) }
  }

  private var random: SplitMix
  private var links: [Link] = []
  /// All that there have been: cycles are cut at the end.
  private var made: [() -> Link?] = []
  private var followers: [Follower] = []
  private var subscriptions: [any Disposable] = []
  /// What observers may still do in this step.
  private var reactions = 0

  init(seed: UInt64) {
    random = SplitMix(seed: seed)
    for value in 0..<5 { links.append(make(value)) }
  }

  private func make(_ value: Int) -> Link {
    let link = Link(value)
    made.append { [weak link] in link }
    return link
  }

  func failure() -> String? {
    defer {
      subscriptions.forEach { $0.dispose() }
      for link in made { link()?.next = nil }
    }
    for step in 0..<40 {
      reactions = 6
      act()
      for follower in followers where follower.last != .some(follower.chain.read(follower.root)) {
        return
          "step \(step): \(follower.chain.name) has emitted \(follower.last as Any) last, "
          + "and reads \(follower.chain.read(follower.root) as Any)"
      }
    }
    return nil
  }

  private func act() {
    let link = links.randomElement(using: &random)!
    let target =
      random.chance(1, of: 4) ? nil : links.randomElement(using: &random)
    switch random.number(0..<18) {
    case 0...3: link.value = random.number(0..<50)
    case 4...7:
      // Its death may call observers, when the property is not being changed any more: in debug builds,
      // that would trap, as in plain Swift.
      let former = link.next
      link.next = target
      withExtendedLifetime(former) {}
    case 8...10: link.peer = target
    case 11:
      let index = random.number(links.indices)
      let former = links[index]
      links[index] = make(7)
      withExtendedLifetime(former) {}
    case 12: link.flag.toggle()
    case 13, 14:
      batchUpdates { for _ in 0..<random.number(1...3) { act() } }
    default: follow(link)
    }
  }

  private func follow(_ root: Link) {
    let follower = Follower(kinds.randomElement(using: &random)!, root)
    let isReacting = random.chance(1, of: 3)
    followers.append(follower)
    subscriptions.append(
      follower.chain.observe(root).subscribe(onNext: { [unowned self, unowned follower] in
        follower.last = .some($0)
        guard isReacting, reactions > 0 else { return }
        reactions -= 1
        act()
      }))
  }
}
