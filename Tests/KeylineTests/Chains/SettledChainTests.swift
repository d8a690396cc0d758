import Keyline
import TestSupport
import Testing

/// Chains are settled (P4): a chain emits once per transaction, with the final value; the cause
/// belongs to the outermost hop that has changed (D37). ChainTable.swift lists the emissions; these
/// tests check the order, disposal, and observers that join or read meanwhile.
@Suite struct SettledChainTests {
  /// P4, D12: observers of stored properties first, then computations in the order of creation, chains
  /// and ends of bindings among them.
  @Test("D12: Chains come in the order of creation among computations")
  func d12ChainsComeInTheOrderOfCreationAmongComputations() {
    let (root, target) = (ChainItem(), ChainItem())
    let branch = ChainItem(1)
    root.next = branch
    var order: [String] = []
    func follow(_ name: String, _ source: Observable<Int?>) -> any Disposable {
      source.subscribe(onNext: { order.append("\(name) \($0 ?? -1)") })
    }
    let targets = target.observe(\.value, options: .new)
      .subscribe(onNext: { order.append("target \($0)") })
    let subscriptions = [
      follow("chain", root.observeWeakly(options: .new) { $0.next.value }),
      follow("double", branch.observe(\.double, options: .new).map { $0 }),
      follow("one hop", branch.observeWeakly(options: .new) { $0.value }),
      root.bind({ $0.next.value }, to: target, \.value),
      follow("path", root.observe(\.next?.value, options: .new)),
      follow("tuple", branch.observe(\.value, \.double, options: .new).map { $0.0 }),
      follow("late chain", root.observeWeakly(options: .new) { $0.next.value }),
      follow("stored", branch.observe(\.value, options: .new).map { $0 }),
    ]
    order = []
    branch.value = 2
    let expected = [
      "stored", "chain", "double", "one hop", "target", "path", "tuple", "late chain",
    ]
    #expect(order == expected.map { $0 == "double" ? "double 4" : "\($0) 2" })
    order = []
    root.next = ChainItem(3)
    #expect(order == ["chain 3", "target 3", "path 3", "late chain 3"])
    for subscription in subscriptions + [targets] { subscription.dispose() }
  }

  /// D12: neither evaluated nor emitted, whoever disposes it.
  @Test("D12: A chain that is disposed while pending is not emitted")
  func d12AChainThatIsDisposedWhilePendingIsNotEmitted() {
    let root = ChainItem()
    let branch = ChainItem(1)
    root.next = branch
    let (first, second, third) = (Log<Int?>(), Log<Int?>(), Log<Int?>())
    let (disposed, later) = (SerialDisposable(), SerialDisposable())
    first.follow(
      root.observeWeakly(options: .new) { $0.next.value }
        .do(onNext: { _ in later.dispose() }))
    disposed.disposable = second.follow(root.observeWeakly(options: .new) { $0.next.value })
    later.disposable = third.follow(root.observeWeakly(options: .new) { $0.next.value })
    let subscription = branch.observe(\.value, options: .new)
      .subscribe(onNext: { _ in disposed.dispose() })
    branch.value = 2
    #expect(first.take() == [2] && second.take() == [] && third.take() == [])
    #expect(second.isDisposed && third.isDisposed)
    subscription.dispose()
  }

  /// A getter on the path disposes the chain that evaluates it.
  @Test("D12: A chain that is disposed while it is evaluated is not emitted")
  func d12AChainThatIsDisposedWhileItIsEvaluatedIsNotEmitted() {
    final class Curious: ReactiveObject {
      @Observed var next: ChainItem?
      var onRead: () -> Void = {}
      var read: ChainItem? {
        onRead()
        return next
      }
    }
    let (root, other) = (Curious(), ChainItem(2))
    weak var former: ChainItem?
    do {
      let branch = ChainItem(1)
      former = branch
      root.next = branch
    }
    let values = Log<Int?>()
    let disposable = SerialDisposable()
    disposable.disposable = values.follow(root.observeWeakly(options: .new) { $0.read.value })
    root.onRead = { disposable.dispose() }
    root.next = other
    #expect(values.take() == [] && values.isDisposed)
    var reads = 0
    root.onRead = { reads += 1 }
    other.value = 3
    root.next = ChainItem(4)
    // No link is left behind.
    #expect(values.take() == [] && reads == 0 && former == nil)
  }

  /// Reading the path inside an observer gives the current value, though the chain has not been emitted.
  @Test("P4: The chain is emitted after the observers of stored properties")
  func p4TheChainIsEmittedAfterTheObserversOfStoredProperties() {
    let root = ChainItem()
    let branch = ChainItem(1)
    root.next = branch
    let values = Log<Int?>()
    values.follow(root.observeWeakly(options: .new) { $0.next.value })
    var seen: [[Int?]] = []
    let subscription = branch.observe(\.value, options: .new).subscribe(onNext: {
      seen.append([root.next?.value, values.elements.last ?? 0])
      if $0 == 2 { branch.value = 3 }
    })
    branch.value = 2
    #expect(seen == [[2, 0], [3, 0]])
    values.expect([3])
    subscription.dispose()
  }

  /// The hop has changed when the chain joins it, and is restored at the end: its other observer
  /// receives nothing.
  @Test(
    "D37: A branch that a chain has joined in a batch is not emitted after it",
    arguments: [false, true])
  func d37ABranchThatAChainHasJoinedInABatchIsNotEmittedAfterIt(isSetAfter: Bool) {
    let (root, left, values) = (ChainItem(), ChainItem(1), Log<Int?>())
    let other = root.observe(\.derived).subscribe()
    batchUpdates {
      root.next = left
      values.follow(root.observeWeakly { $0.derived.value })
      if !isSetAfter { left.value = 6 }
      root.flag = true
      if isSetAfter { left.value = 6 }
    }
    values.expect([1, nil])
    other.dispose()
  }
}
