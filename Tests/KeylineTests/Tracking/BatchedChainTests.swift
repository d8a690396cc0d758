import Keyline
import Testing

/// Laws D37 to D39: batches and chains, bindings, arrays.
@Suite struct BatchedChainTests {
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

  private final class Row: ReactiveObject {
    @Observed var number = 0 { didSet { sets += 1 } }
    @Observed var text: String = ""
    var sets = 0
  }

  @Test func d37AReplacedHopAndASetLeafAreOneEmission() {
    let root = Root()
    let first = Branch(1, leaf: Leaf(1))
    root.branch = first
    let values = Log<Int?>()
    let causes = Log<ChangeCause>()
    values.follow(root.observeWeakly(options: .new) { $0.branch.leaf.number }.asObservable())
    causes.follow(root.observeChanges(options: .new) { $0.branch.leaf.number }.map(\.cause))
    batchUpdates {
      first.leaf?.number = 2
      first.leaf = Leaf(3)
      root.branch = Branch(4, leaf: Leaf(4))
      root.branch?.leaf?.number = 5
      root.branch?.leaf = Leaf(6)
      #expect(values.elements == [])
    }
    #expect(values.take() == [6])
    #expect(causes.take() == [.hopReplaced(0)])
    batchUpdates {
      root.branch?.leaf?.number = 7
      root.branch?.leaf = Leaf(8)
    }
    #expect(values.take() == [8])
    #expect(causes.take() == [.hopReplaced(1)])
    batchUpdates {
      root.branch?.leaf?.number = 9
      root.branch?.leaf?.number = 10
    }
    #expect(values.take() == [10])
    #expect(causes.take() == [.set])
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

  @Test func d38BindingsWriteOnceAtTheEnd() {
    let (branch, row) = (Branch(1), Row())
    branch.bind(\.value, to: row, \.number)
    let before = row.sets
    batchUpdates {
      branch.value = 2
      branch.value = 3
      #expect(row.number == 1)
    }
    #expect(row.number == 3)
    #expect(row.sets == before + 1)
  }

  @Test func d38ABindingOfAChainWritesOnceAndToTheTargetThatIsThere() {
    let (root, targets, row) = (Root(), Root(), Row())
    let (first, second) = (Branch(1), Branch(2))
    root.branch = first
    root.bind({ $0.branch.value }, to: row, \.number)
    let before = row.sets
    batchUpdates {
      first.value = 5
      root.branch = second
      second.value = 6
    }
    #expect(row.number == 6)
    #expect(row.sets == before + 1)

    let (left, right) = (Branch(0), Branch(0))
    targets.branch = left
    row.bind(\.number, to: targets, { $0.branch.value })
    #expect(left.value == 6)
    batchUpdates {
      row.number = 7
      targets.branch = right
    }
    #expect(left.value == 6)
    #expect(right.value == 7)
  }

  @Test(arguments: [true, false])
  func d38IfBothEndsAreSetTheSourceWins(isSourceFirst: Bool) {
    let (branch, row) = (Branch(1), Row())
    branch.bind(\.value, to: row, \.text, mode: .twoWay, converter: .decimal)
    batchUpdates {
      if isSourceFirst { branch.value = 5 }
      row.text = "6"
      if !isSourceFirst { branch.value = 5 }
    }
    #expect(branch.value == 5 && row.text == "5")
    batchUpdates {
      branch.value = 9
      row.text = "7"
      branch.value = 5
    }
    #expect(branch.value == 7 && row.text == "7")
    batchUpdates { row.text = "8" }
    #expect(branch.value == 8 && row.text == "8")
  }

  @Test func d39AnArrayEmitsAllEditsAtOnceInOrder() {
    let array: ObservableArray = [1, 2, 3]
    let edits = Log<[ArrayEdit<Int>]>()
    edits.follow(array.changes)
    let late = Log<[ArrayEdit<Int>]>()
    batchUpdates {
      array.append(4)
      array[0] += 10
      late.follow(array.changes)
      array.update { $0.move(from: 0, to: 3) }
      array.removeLast()
      array.append(4)
      #expect(edits.elements == [])
      #expect(Array(array) == [2, 3, 4, 4])
    }
    let first: [ArrayEdit<Int>] = [
      .insertion([4], at: 3), .replacement([1], with: [11], at: 0),
    ]
    let rest: [ArrayEdit<Int>] = [
      .move(11, from: 0, to: 3), .removal([11], at: 3), .insertion([4], at: 3),
    ]
    #expect(edits.take() == [first + rest])
    #expect(late.take() == [rest])
    array.append(5)
    #expect(edits.take() == [[.insertion([5], at: 4)]] && late.take() == [[.insertion([5], at: 4)]])
  }

  @Test func d39WhatReadsAnArrayIsEvaluatedOnceAndItsElementsAreFollowed() {
    final class Cart: ReactiveObject {
      let rows = ObservableArray<Row>()
      var total: Int { rows.reduce(0) { $0 + $1.number } }
    }
    let cart = Cart()
    let totals = Log<Int>()
    totals.follow(cart.observe(\.total))
    batchUpdates {
      for number in 1...3 {
        let row = Row()
        cart.rows.append(row)
        row.number = number
      }
    }
    #expect(totals.take() == [0, 6])
  }

  @Test func d35AnArrayIsDeliveredInItsPlace() {
    let root = Root()
    let array: ObservableArray = [1]
    var log: [String] = []
    let subscriptions = [
      root.observe(\.selection, options: .new).subscribe(onNext: { log.append("selection \($0)") }),
      array.changes.subscribe(onNext: { log.append("\($0.count) edits") }),
      root.observe(\.branch, options: .new).subscribe(onNext: { _ in log.append("branch") }),
    ]
    batchUpdates {
      root.branch = Branch()
      array.append(2)
      root.selection = 4
      array.append(3)
    }
    #expect(log == ["branch", "2 edits", "selection 4"])
    subscriptions.forEach { $0.dispose() }
  }
}
