import Keyline
import TestSupport
import Testing

/// Chains are settled (P4): a chain emits once per transaction, with the final value; the cause
/// belongs to the outermost hop that has changed (D37). Whatever is set inside observers, in
/// batches and without, the value emitted last is the value at the end of the path.
@Suite struct SettledChainTests {
  private final class Root: ReactiveObject {
    @Observed var branch: Branch?
    @WeakObserved var weakBranch: Branch?
    @Observed var branches: [Branch] = []
    @Observed var selection = 0
    var selected: Branch? { branches.indices.contains(selection) ? branches[selection] : nil }
  }

  private final class Branch: ReactiveObject {
    @Observed var leaf: Leaf?
    @Observed var value = 0
    init(_ value: Int = 0, leaf: Leaf? = nil) {
      self.value = value
      self.leaf = leaf
    }
    var double: Int { value * 2 }
  }

  private final class Leaf: ReactiveObject {
    @Observed var number = 0
    init(_ number: Int) { self.number = number }
  }

  private final class Item: ReactiveObject {
    @Observed var next: Item?
    @Observed var value = 0
    @Derived({ (item: Item) in item.value * 2 }) var double: Int
  }

  private final class Trigger: ReactiveObject {
    @Observed var count = 0
  }

  /// A scope that makes several sets one transaction.
  enum Scope: CaseIterable {
    case batch, storedObserver, computedObserver

    func perform(_ body: @escaping () -> Void) {
      guard self != .batch else { return batchUpdates(body) }
      let trigger = Trigger()
      let count = trigger.observe(\.count, options: .new)
      let pair = trigger.observe(\.count, \.count, options: .new).map { $0.0 }
      let subscription = (self == .storedObserver ? count.asObservable() : pair)
        .subscribe(onNext: { _ in body() })
      trigger.count = 1
      subscription.dispose()
    }
  }

  @Test(arguments: Scope.allCases)
  func p4SetsOfTheLeafCollapseIntoTheFinalValue(scope: Scope) throws {
    let root = Root()
    root.branch = Branch(1, leaf: Leaf(1))
    let (built, named, path, stored) = (Log<Int?>(), Log<Int?>(), Log<Int?>(), Log<Int>())
    built.follow(root.observeWeakly(options: .new) { $0.branch.leaf.number })
    named.follow(try root.observeWeakly(Int.self, "branch.leaf.number", options: .new))
    path.follow(root.observe(\.branch?.leaf?.number, options: .new))
    if let leaf = root.branch?.leaf { stored.follow(leaf.observe(\.number, options: .new)) }
    scope.perform {
      for number in 2...4 { root.branch?.leaf?.number = number }
      #expect(built.elements == [] && named.elements == [] && path.elements == [])
    }
    for log in [built, named, path] { #expect(log.take() == [4]) }
    // Outside of batches, an observer of the stored property receives each value.
    #expect(stored.take() == (scope == .batch ? [4] : [2, 3, 4]))
  }

  @Test(arguments: Scope.allCases)
  func d37AReplacedHopAndASetLeafAreOneEmissionWithTheOutermostCause(scope: Scope) {
    let root = Root()
    let first = Branch(1, leaf: Leaf(1))
    root.branch = first
    let (values, causes) = (Log<Int?>(), Log<ChangeCause>())
    values.follow(root.observeWeakly(options: .new) { $0.branch.leaf.number })
    causes.follow(root.observeChanges(options: .new) { $0.branch.leaf.number }.map(\.cause))
    scope.perform {
      first.leaf?.number = 2
      first.leaf = Leaf(3)
      root.branch = Branch(4, leaf: Leaf(4))
      root.branch?.leaf?.number = 5
      root.branch?.leaf = Leaf(6)
      #expect(values.elements == [])
    }
    #expect(values.take() == [6] && causes.take() == [.hopReplaced(0)])
    scope.perform {
      root.branch?.leaf?.number = 7
      root.branch?.leaf = Leaf(8)
    }
    #expect(values.take() == [8] && causes.take() == [.hopReplaced(1)])
    scope.perform {
      root.branch?.leaf?.number = 9
      root.branch?.leaf?.number = 10
    }
    #expect(values.take() == [10] && causes.take() == [.set])
    scope.perform {
      root.branch?.leaf?.number = 11
      root.branch = nil
    }
    #expect(values.take() == [nil] && causes.take() == [.hopBecameNil(0)])
    scope.perform {
      root.branch = Branch(12, leaf: Leaf(12))
      root.branch = nil
    }
    #expect(values.take() == [] && causes.take() == [])
  }

  @Test func p4AChangeHoldsTheValueThatWasEmittedLastAndTheFinalOne() {
    let (root, trigger) = (Root(), Trigger())
    root.branch = Branch(1)
    let changes = Log<[Int?]>()
    changes.follow(root.observeChanges { $0.branch.value }.map { [$0.old, $0.new] })
    let subscription = trigger.observe(\.count, options: .new).subscribe(onNext: {
      root.branch?.value = 10 * $0
      root.branch?.value = 10 * $0 + 1
    })
    trigger.count = 1
    trigger.count = 2
    #expect(changes.take() == [[1, 11], [11, 21]])
    subscription.dispose()
  }

  /// P4, D12: observers of stored properties first, then computations in the order of creation, chains
  /// and ends of bindings among them.
  @Test func d12ChainsComeInTheOrderOfCreationAmongComputations() {
    let (root, target) = (Root(), Root())
    let branch = Branch(1)
    root.branch = branch
    var order: [String] = []
    func follow(_ name: String, _ source: Observable<Int?>) -> any Disposable {
      source.subscribe(onNext: { order.append("\(name) \($0 ?? -1)") })
    }
    let targets = target.observe(\.selection, options: .new)
      .subscribe(onNext: { order.append("target \($0)") })
    let subscriptions = [
      follow("chain", root.observeWeakly(options: .new) { $0.branch.value }),
      follow("double", branch.observe(\.double, options: .new).map { $0 }),
      follow("one hop", branch.observeWeakly(options: .new) { $0.value }),
      root.bind({ $0.branch.value }, to: target, \.selection),
      follow("path", root.observe(\.branch?.value, options: .new)),
      follow("tuple", branch.observe(\.value, \.double, options: .new).map { $0.0 }),
      follow("late chain", root.observeWeakly(options: .new) { $0.branch.value }),
      follow("stored", branch.observe(\.value, options: .new).map { $0 }),
    ]
    order = []
    branch.value = 2
    let expected = [
      "stored", "chain", "double", "one hop", "target", "path", "tuple", "late chain",
    ]
    #expect(order == expected.map { $0 == "double" ? "double 4" : "\($0) 2" })
    order = []
    root.branch = Branch(3)
    #expect(order == ["chain 3", "target 3", "path 3", "late chain 3"])
    for subscription in subscriptions + [targets] { subscription.dispose() }
  }

  /// D12: neither evaluated nor emitted, whoever disposes it.
  @Test func d12AChainThatIsDisposedWhilePendingIsNotEmitted() {
    let root = Root()
    let branch = Branch(1)
    root.branch = branch
    let (first, second, third) = (Log<Int?>(), Log<Int?>(), Log<Int?>())
    let (disposed, later) = (SerialDisposable(), SerialDisposable())
    first.follow(
      root.observeWeakly(options: .new) { $0.branch.value }
        .do(onNext: { _ in later.dispose() }))
    disposed.disposable = second.follow(root.observeWeakly(options: .new) { $0.branch.value })
    later.disposable = third.follow(root.observeWeakly(options: .new) { $0.branch.value })
    let subscription = branch.observe(\.value, options: .new)
      .subscribe(onNext: { _ in disposed.dispose() })
    branch.value = 2
    #expect(first.take() == [2] && second.take() == [] && third.take() == [])
    #expect(second.isDisposed && third.isDisposed)
    subscription.dispose()
  }

  /// A getter on the path disposes the chain that evaluates it.
  @Test func d12AChainThatIsDisposedWhileItIsEvaluatedIsNotEmitted() {
    final class Curious: ReactiveObject {
      @Observed var branch: Branch?
      var onRead: () -> Void = {}
      var read: Branch? {
        onRead()
        return branch
      }
    }
    let (root, other) = (Curious(), Branch(2))
    weak var former: Branch?
    do {
      let branch = Branch(1)
      former = branch
      root.branch = branch
    }
    let values = Log<Int?>()
    let disposable = SerialDisposable()
    disposable.disposable = values.follow(root.observeWeakly(options: .new) { $0.read.value })
    root.onRead = { disposable.dispose() }
    root.branch = other
    #expect(values.take() == [] && values.isDisposed)
    var reads = 0
    root.onRead = { reads += 1 }
    other.value = 3
    root.branch = Branch(4)
    // No link is left behind.
    #expect(values.take() == [] && reads == 0 && former == nil)
  }

  /// Reading the path inside an observer gives the current value, though the chain has not been emitted.
  @Test func p4TheChainIsEmittedAfterTheObserversOfStoredProperties() {
    let root = Root()
    let branch = Branch(1)
    root.branch = branch
    let values = Log<Int?>()
    values.follow(root.observeWeakly(options: .new) { $0.branch.value })
    var seen: [[Int?]] = []
    let subscription = branch.observe(\.value, options: .new).subscribe(onNext: {
      seen.append([root.branch?.value, values.elements.last ?? 0])
      if $0 == 2 { branch.value = 3 }
    })
    branch.value = 2
    #expect(seen == [[2, 0], [3, 0]])
    #expect(values.take() == [3])
    subscription.dispose()
  }

  @Test func d37AwayAndBackIsNoEmissionAndBrokenIsOneNil() {
    let root = Root()
    let branch = Branch(1)
    root.branch = branch
    let values = Log<Int?>()
    values.follow(root.observeWeakly(options: .new) { $0.branch.value }.asObservable())
    batchUpdates {
      root.branch = nil
      root.branch = Branch(2)
      root.branch = branch
    }
    #expect(values.take() == [])
    batchUpdates {
      root.branch = nil
      root.branch = branch
      branch.value = 2
    }
    #expect(values.take() == [2])
    batchUpdates {
      branch.value = 3
      root.branch = Branch(2)
      root.branch = nil
    }
    #expect(values.take() == [nil])
    batchUpdates { root.branch = branch }
    #expect(values.take() == [3])
  }

  @Test func d37AnObjectThatDiesOnTheWayIsNotSeen() {
    let root = Root()
    var branch: Branch? = Branch(1)
    root.weakBranch = branch
    root.branch = Branch(5)
    let values = Log<Int?>()
    let strong = Log<Int?>()
    values.follow(root.observeWeakly(options: .new) { $0.weakBranch.value }.asObservable())
    strong.follow(root.observeWeakly(options: .new) { $0.branch.value }.asObservable())
    let other = Branch(2)
    batchUpdates {
      branch = nil
      root.weakBranch = other
      root.branch = Branch(6)
      root.branch = Branch(7)
    }
    #expect(values.take() == [2])
    #expect(strong.take() == [7])
    var causes: [ChangeCause] = []
    let subscription = root.observeChanges(options: .new) { $0.weakBranch.value }
      .subscribe(onNext: { causes.append($0.cause) })
    branch = Branch(3)
    root.weakBranch = branch
    _ = values.take()
    batchUpdates { branch = nil }
    #expect(values.take() == [nil])
    #expect(causes == [.hopReplaced(0), .hopDied(0)])
    subscription.dispose()
    withExtendedLifetime((other, branch)) {}
  }

  @Test func d37ADeathThatNoPropertyTellsOfIsOneNil() {
    final class Owner: ReactiveObject {
      weak var plain: Branch?
      var branch: Branch? { plain }
    }
    let (owner, leaf) = (Owner(), Leaf(1))
    var branch: Branch? = Branch(0, leaf: leaf)
    owner.plain = branch
    let values = Log<Int?>()
    values.follow(owner.observeWeakly { $0.branch.leaf.number }.asObservable())
    batchUpdates {
      leaf.number = 2
      branch = nil
      leaf.number = 3
    }
    leaf.number = 4
    #expect(values.take() == [1, nil])
    withExtendedLifetime(branch) {}
  }

  @Test func d37AnEvaluationInADeliveryDoesNotFollowDeathsOfTheBatch() {
    let (root, other) = (Item(), Item())
    root.next = Item()
    let doubles = Log<Int?>()
    let values = Log<Int?>()
    doubles.follow(root.observeWeakly { $0.next.double })
    values.follow(root.observeWeakly { $0.next.value })
    batchUpdates { root.next = other }
    #expect(doubles.take() == [0, 0] && values.take() == [0, 0])
    other.value = 2
    #expect(doubles.take() == [4] && values.take() == [2])
  }

  @Test func aDerivedLeafOfAnObjectThatTakesAPlaceIsFollowed() {
    let (root, other) = (Item(), Item())
    root.next = Item()
    let doubles = Log<Int?>()
    doubles.follow(root.observeWeakly { $0.next.double })
    for round in 1...4 {
      root.next = Item()
      root.next = other
      other.value = round
      #expect(doubles.elements.last == 2 * round)
    }
  }

  @Test func d37AComputedHopAndAComputedLeafAreOneEmission() {
    let root = Root()
    root.branches = [Branch(1), Branch(2)]
    let values = Log<Int?>()
    let doubles = Log<Int?>()
    values.follow(root.observeWeakly(options: .new) { $0.selected.value }.asObservable())
    doubles.follow(root.observeWeakly(options: .new) { $0.selected.double }.asObservable())
    batchUpdates {
      root.branches[0].value = 5
      root.selection = 1
      root.branches[1].value = 6
    }
    #expect(values.take() == [6])
    #expect(doubles.take() == [12])
    batchUpdates {
      root.branches[1].value = 7
      root.selection = 0
      root.selection = 1
    }
    #expect(values.take() == [7])
    #expect(doubles.take() == [14])
    batchUpdates {
      root.branches = []
      root.selection = 0
    }
    #expect(values.take() == [nil])
    #expect(doubles.take() == [nil])
  }
}
