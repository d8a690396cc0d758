import Keyline
import TestSupport
import Testing

/// Laws D38 and D39: batches and bindings, arrays. Chains are in ChainTable.swift.
@Suite struct BatchedBindingTests {
  private final class Root: ReactiveObject {
    @Observed var branch: Branch?
    @Observed var selection = 0
  }

  private final class Branch: ReactiveObject {
    @Observed var value = 0
    init(_ value: Int = 0) { self.value = value }
  }

  private final class Row: ReactiveObject {
    @Observed var number = 0 { didSet { sets += 1 } }
    @Observed var text: String = ""
    var sets = 0
  }

  @Test("D38: Bindings write once at the end") func d38BindingsWriteOnceAtTheEnd() {
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

  @Test("D38: A binding of a chain writes once and to the target that is there")
  func d38ABindingOfAChainWritesOnceAndToTheTargetThatIsThere() {
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

  @Test("D38: If both ends are set the source wins", arguments: [true, false])
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

  @Test("D39: An array emits all edits at once in order")
  func d39AnArrayEmitsAllEditsAtOnceInOrder() {
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
    edits.expect([first + rest])
    late.expect([rest])
    array.append(5)
    #expect(edits.take() == [[.insertion([5], at: 4)]] && late.take() == [[.insertion([5], at: 4)]])
  }

  @Test("D39: A reader of an array is evaluated once, and the array's elements are followed")
  func d39WhatReadsAnArrayIsEvaluatedOnceAndItsElementsAreFollowed() {
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
    totals.expect([0, 6])
  }

  @Test("D35: An array is delivered in its place") func d35AnArrayIsDeliveredInItsPlace() {
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
