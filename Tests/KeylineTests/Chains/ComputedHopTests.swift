import Keyline
import TestSupport
import Testing

/// Chains whose hops are computed, derived, or members of a struct: where these lead is known when the
/// set, or the batch, settles.
@Suite struct ComputedHopTests {
  private final class Leaf: ReactiveObject {
    @Observed var value: Int
    init(_ value: Int) { self.value = value }
  }

  private struct Box {
    var leaf: Leaf?
  }

  private final class Root: ReactiveObject {
    @Observed var flag = false
    @Observed var left: Leaf?
    @Observed var right: Leaf?
    @Observed var box = Box()
    @Derived({ (root: Root) in root.flag ? root.right : root.left }) var derived: Leaf?
    var computed: Leaf? { flag ? right : left }
    @Derived({ (root: Root) in (root.left?.value ?? 0) + (root.right?.value ?? 0) }) var sum: Int
    var larger: Leaf? {
      guard let left, let right else { return nil }
      return left.value > right.value ? left : right
    }

    init(_ left: Leaf?, _ right: Leaf? = nil) {
      self.left = left
      self.right = right
    }
  }

  private let values = Log<Int?>()

  @Test func d37WhatComesBehindAHopThatFlipsBackIsEmitted() {
    let (left, target) = (Leaf(1), Leaf(0))
    let root = Root(left, Leaf(9))
    values.follow(root.observeWeakly { $0.derived.value })
    root.bind({ $0.derived.value }, to: target, \.value)
    let subscription = left.observe(\.value, options: .new).subscribe(onNext: { _ in
      root.flag = false
    })
    batchUpdates {
      root.flag = true
      left.value = 2
    }
    #expect(values.take() == [1, 2])
    #expect(target.value == 2)
    subscription.dispose()
  }

  /// The hop has changed when the chain joins it, and is restored at the end: its other observer
  /// receives nothing.
  @Test(arguments: [false, true])
  func d37ABranchThatAChainHasJoinedInABatchIsNotEmittedAfterIt(isSetAfter: Bool) {
    let left = Leaf(1)
    let root = Root(nil)
    let other = root.observe(\.derived).subscribe()
    batchUpdates {
      root.left = left
      values.follow(root.observeWeakly { $0.derived.value })
      if !isSetAfter { left.value = 6 }
      root.flag = true
      if isSetAfter { left.value = 6 }
    }
    #expect(values.take() == [1, nil])
    other.dispose()
  }

  @Test func whatComesBehindAHopThatFlipsBackInSettlingIsEmitted() {
    let left = Leaf(1)
    let root = Root(left, Leaf(9))
    let subscription = root.observe(\.sum, options: .new).subscribe(onNext: { _ in
      guard !root.flag else { return }
      batchUpdates {
        root.flag = true
        left.value = 50
      }
      root.flag = false
    })
    values.follow(root.observeWeakly { $0.derived.value })
    root.right?.value = 10
    #expect(values.take() == [1, 50])
    subscription.dispose()
  }

  @Test func theDeathOfAnObjectThatIsReplacedIsNotEmitted() {
    let root = Root(Leaf(1))
    root.box.leaf = Leaf(1)
    let logs = (0..<4).map { _ in Log<ChangeCause>() }
    logs[0].follow(root.observeChanges { $0.left.value }.map(\.cause))
    logs[1].follow(root.observeChanges { $0.computed.value }.map(\.cause))
    logs[2].follow(root.observeChanges { $0.derived.value }.map(\.cause))
    logs[3].follow(root.observeChanges { $0.box.leaf.value }.map(\.cause))
    batchUpdates {
      root.left = Leaf(2)
      root.box = Box(leaf: Leaf(2))
    }
    for log in logs { #expect(log.take() == [.hopReplaced(0)]) }
    root.box.leaf = Leaf(3)
    #expect(logs[3].take() == [.hopReplaced(0)])
  }

  @Test func aLeafThatMovesItsOwnHopIsNotEmittedFromTheBranchThatIsLeft() {
    let root = Root(Leaf(10), Leaf(5))
    values.follow(root.observeWeakly(options: .new) { $0.larger.value })
    root.left?.value = 1
    #expect(values.take() == [5])
    root.right?.value = 7
    #expect(values.take() == [7])
  }

  @Test func d37ALaterHopThatOthersObserveIsNotFollowedBefore() {
    final class Node: ReactiveObject {
      @Observed var value: Int
      @Observed var flag = false
      @Observed var left: Node?
      @Observed var right: Node?
      @Derived({ (node: Node) in node.flag ? node.right : node.left }) var derived: Node?
      @Derived({ (node: Node) in node.value * 2 }) var double: Int
      var computed: Node? { flag ? right : left }
      init(_ value: Int, _ left: Node? = nil, _ right: Node? = nil) {
        (self.value, self.left, self.right) = (value, left, right)
      }
    }
    let inner = Node(1, Node(10), Node(20))
    let root = Node(0, inner, Node(2, Node(30)))
    let others = [
      inner.observe(\.derived).subscribe(onNext: { _ in }),
      inner.observe(\.double).subscribe(onNext: { _ in }),
    ]
    let doubles = Log<Int?>()
    values.follow(root.observeWeakly(options: .new) { $0.computed.derived.value })
    doubles.follow(root.observeWeakly(options: .new) { $0.computed.double })
    batchUpdates {
      inner.flag = true
      inner.value = 100
      root.flag = true
    }
    #expect(values.take() == [30] && doubles.take() == [4])
    others.forEach { $0.dispose() }
  }
}
