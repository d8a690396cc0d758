import Keyline
import TestSupport
import Testing

/// Laws D13 to D22 of derived values.
@Suite struct DerivedOwnershipTests {
  private final class Node: ReactiveObject {
    @Observed var value = 0
    @Observed var next: Node?
    @WeakObserved var parent: Node?
    @Observed var children: [Node] = []
    @Derived({ (self: Node) in self.value + (self.next?.sum ?? 0) }) var sum: Int
    @Derived({ (self: Node) in self.parent?.root ?? self }) var root: Node
    @Derived({ (self: Node) in self.parent }) var above: Node?
    @Derived({ (self: Node) in self.children.filter { $0.value > 0 } })
    var positive: [Node]
    @Derived({ (self: Node) in self.parent?.value ?? -1 }) var parentValue: Int

    init(_ value: Int = 0) { self.value = value }
  }

  @Test("D13: Replacing an object on the way switches") func d13ReplacingAnObjectOnTheWaySwitches()
  {
    let node = Node(1)
    let (first, second) = (Node(2), Node(3))
    node.next = first
    let sums = Log<Int>()
    sums.follow(node.observe(\.sum))
    first.value = 5
    node.next = second
    first.value = 50
    second.value = 7
    node.next = nil
    sums.expect([3, 6, 4, 8, 1])
  }

  @Test("D13: The death of a weak hop marks") func d13TheDeathOfAWeakHopMarks() {
    let node = Node(1)
    var parent: Node? = Node(9)
    node.parent = parent
    let values = Log<Int>()
    values.follow(node.observe(\.parentValue))
    let other = Node()
    other.parent = parent
    #expect(other.parentValue == 9)
    parent = nil
    values.expect([9, -1])
    #expect(other.parentValue == -1)
    withExtendedLifetime(parent) {}
  }

  @Test("D14: Neither owner nor dependencies nor the object found are retained")
  func d14NeitherOwnerNorDependenciesNorTheObjectFoundAreRetained() {
    weak var owner: Node?
    weak var dependency: Node?
    weak var found: Node?
    do {
      let node = Node(1)
      node.next = Node(2)
      (owner, dependency) = (node, node.next)
      let subscription = node.observe(\.sum).subscribe(onNext: { _ in })
      #expect(node.sum == 3)
      node.next = nil
      #expect(dependency == nil)
      #expect(node.root === node)
      let roots = node.observe(\.root).subscribe(onNext: { _ in })
      var parent: Node? = Node(5)
      found = parent
      node.parent = parent
      #expect(node.root === parent && node.above === parent)
      parent = nil
      #expect(found == nil)
      #expect(node.root === node && node.above == nil)
      withExtendedLifetime((subscription, roots)) {}
    }
    #expect(owner == nil)
  }

  @Test("D14: A collection of objects is released when it isOutdated and unobserved")
  func d14ACollectionOfObjectsIsReleasedWhenItIsOutdatedAndUnobserved() {
    let node = Node()
    weak var child: Node?
    do {
      let made = Node(1)
      child = made
      node.children = [made]
    }
    #expect(node.positive.count == 1)
    node.children = []
    #expect(child == nil)
    #expect(node.positive.isEmpty)
  }

  @Test("D15: A cycle is reported with its members and recovers")
  func d15ACycleIsReportedWithItsMembersAndRecovers() {
    final class Cyclic: ReactiveObject {
      @Observed var isCyclic = true
      @Derived({ (self: Cyclic) in (self.isCyclic ? self.second ?? 0 : 1) + 1 }) var first: Int?
      @Derived({ (self: Cyclic) in (self.first ?? 10) + 1 }) var second: Int?
      @Derived(or: -5, { (self: Cyclic) in self.isCyclic ? self.itself : 5 }) var itself: Int
    }
    Reports.collect()
    let cyclic = Cyclic()
    #expect(cyclic.first == 12)
    #expect(cyclic.itself == -5)
    let messages = Reports.about("Cyclic").filter { $0.category == .derivedCycle }.map(\.message)
    #expect(
      messages == [
        "derived from itself: Cyclic.first → Cyclic.second → Cyclic.first",
        "derived from itself: Cyclic.itself → Cyclic.itself",
      ])
    cyclic.isCyclic = false
    #expect(cyclic.first == 2 && cyclic.second == 3 && cyclic.itself == 5)
    let seconds = Log<Int?>()
    seconds.follow(cyclic.observe(\.second))
    cyclic.isCyclic = true
    cyclic.isCyclic = false
    #expect(seconds.elements.last == 3)
    #expect(cyclic.first == 2)
  }

  @Test("D15: A reader of a member of a cycle is evaluated once")
  func d15WhatReadsAMemberOfACycleIsEvaluatedOnce() {
    final class Reader: ReactiveObject {
      @Observed var a = 0
      @Derived(or: 0, { (self: Reader) in self.own + self.a }) var own: Int
      @Derived(or: 0, { (self: Reader) in self.right + self.a }) var left: Int
      @Derived(or: 0, { (self: Reader) in self.left + 1 }) var right: Int
      @Derived({ (self: Reader) in self.own + 1 }) var outer: Int
      @Derived({ (self: Reader) in self.left + 1 }) var both: Int
    }
    let reader = Reader()
    #expect(reader.outer == 1)
    reader.a = 1
    #expect(reader.outer == 2)
    _ = reader.both
    reader.a = 2
    #expect(reader.both == 4)
    let outers = Log<Int>()
    outers.follow(reader.observe(\.outer))
    reader.a = 3
    batchUpdates {
      reader.a = 4
      #expect(reader.outer == 5)
    }
    reader.$own.invalidate()
    outers.expect([3, 4, 5])
  }

  @Test("D17: The changes caused by the first evaluation of a subscription are delivered")
  func d17WhatTheFirstEvaluationOfASubscriptionCausesIsDelivered() {
    struct Refusal: Error {}
    final class Repaired: ReactiveObject {
      @Observed var text = "x"
      @Observed var input = 0
      @Observed var log = 0
      @Derived(
        or: 0,
        { (self: Repaired) throws in
          guard let number = Int(self.text) else { throw Refusal() }
          return number
        }) var number: Int
      @Derived({ (self: Repaired) in self.number + 1 }) var next: Int
      @Derived({ (self: Repaired) in
        self.log = 5
        return self.input
      }) var writer: Int
    }
    func repaired() -> (Repaired, any Disposable) {
      let object = Repaired()
      return (object, object.$number.errors.subscribe(onNext: { _ in object.text = "7" }))
    }
    let numbers = Log<Int>()
    let nexts = Log<Int>()
    let changes = Log<Int>()
    let (first, second, third, fourth) = (repaired(), repaired(), repaired(), repaired())
    numbers.follow(first.0.observe(\.number))
    nexts.follow(second.0.observe(\.next))
    changes.follow(third.0.observe(\.number, options: .new))
    fourth.0.bind(\.number, to: fourth.0, \.input)
    #expect(numbers.take() == [0, 7] && nexts.take() == [1, 8] && changes.take() == [7])
    #expect(fourth.0.input == 7)
    let writer = Repaired()
    let writers = Log<Int>()
    let writes = writer.observe(\.log, options: .new).subscribe(onNext: { _ in writer.input = 7 })
    writers.follow(writer.observe(\.writer))
    writers.expect([7])
    for disposable in [first.1, second.1, third.1, fourth.1, writes] { disposable.dispose() }
  }

  @Test("D16: A throwing rule has the fallback and emits its error once")
  func d16AThrowingRuleHasTheFallbackAndEmitsItsErrorOnce() {
    struct NoNumber: Error, Equatable { var text: String }
    final class Field: ReactiveObject {
      @Observed var text = "1"
      @Observed var other = 0
      @Derived(
        or: 0,
        { (self: Field) throws in
          guard let number = Int(self.text) else { throw NoNumber(text: self.text) }
          return number
        }) var number: Int
      @Derived({ (self: Field) in self.number * 2 + self.other }) var double: Int
    }
    Reports.collect()
    let field = Field()
    let numbers = Log<Int>()
    let doubles = Log<Int>()
    let errors = Log<NoNumber>()
    numbers.follow(field.observe(\.number))
    doubles.follow(field.observe(\.double))
    errors.follow(field.$number.errors.map { $0 as! NoNumber })
    field.text = "a"
    _ = (field.number, field.number, field.double)
    field.other = 1
    field.text = "b"
    field.text = "4"
    numbers.expect([1, 0, 4])
    doubles.expect([2, 0, 1, 9])
    errors.expect([NoNumber(text: "a"), NoNumber(text: "b")])
    let unheard = Field()
    unheard.text = "c"
    #expect(unheard.number == 0 && unheard.number == 0)
    let reports = Reports.about("Field").filter { $0.category == .derivedError }
    #expect(reports.count == 1 && reports.first?.property == "number")
  }

  @Test("D16: The errors of an object that has died are complete, whenever they are asked for")
  func d16ErrorsAfterTheDeath() {
    final class Field: ReactiveObject {
      @Derived({ (self: Field) in 1 }) var number: Int
    }
    var field: Field? = Field()
    let (early, late) = (field?.$number, field?.$number)
    var completions = 0
    _ = early?.errors.subscribe(onCompleted: { completions += 1 })
    field = nil
    #expect(completions == 1)
    _ = late?.errors.subscribe(onCompleted: { completions += 1 })
    late?.invalidate()
    #expect(completions == 2)
  }

  @Test("D17: Writes of a rule are stored at once delivered afterwards and reported once")
  func d17WritesOfARuleAreStoredAtOnceDeliveredAfterwardsAndReportedOnce() {
    final class Writer: ReactiveObject {
      @Observed var input = 1
      @Observed var log = 0
      @Observed var limit = 5
      var seen: [Int] = []
      @Derived({ (self: Writer) in
        self.log = self.input * 10
        self.seen.append(untracked { self.log })
        return self.input
      }) var value: Int
      @Derived({ (self: Writer) in
        if self.limit < self.input { self.limit = self.input }
        return self.limit
      }) var raised: Int
    }
    Reports.collect()
    let writer = Writer()
    let logs = Log<Int>()
    var values: [Int] = []
    logs.follow(writer.observe(\.log, options: .new))
    let subscription = writer.observe(\.log, options: .new)
      .subscribe(onNext: { _ in values.append(writer.value) })
    #expect(writer.value == 1 && writer.seen == [10])
    #expect(logs.take() == [10] && values == [1])
    writer.input = 2
    #expect(writer.value == 2)
    #expect(logs.take() == [20] && values == [1, 2])
    let reports = Reports.about("Writer").filter { $0.category == .derivedWrite }
    #expect(reports.map(\.property) == ["log"])
    let raised = Log<Int>()
    raised.follow(writer.observe(\.raised))
    writer.input = 9
    #expect(raised.take() == [5, 9] && writer.limit == 9)
    subscription.dispose()
  }

  @Test("D17: A rule that never stands still is stopped")
  func d17ARuleThatNeverStandsStillIsStopped() {
    final class Fidgety: ReactiveObject {
      @Observed var count = 0
      @Derived({ (self: Fidgety) in
        let count = self.count
        self.count = count + 1
        return count
      }) var value: Int
    }
    Reports.collect()
    let restless = Fidgety()
    _ = restless.observe(\.count).subscribe(onNext: { _ in })
    #expect(restless.value >= 9_999)
    #expect(Reports.about("Fidgety").contains { $0.category == .feedbackLoop })
  }

  /// Directly, behind another derived value, and in a computed path over one; twice.
  @Test("D17: The next set delivers the value that a stopped loop has left")
  func d17WhatAStoppedLoopLeavesIsDeliveredByTheNextSet() async {
    await #expect(processExitsWith: .success) {
      Diagnostics.feedbackLimit = 100
      final class Treadmill: ReactiveObject {
        @Observed var input = 0
        @Derived({ (self: Treadmill) in self.input * 2 }) var double: Int
        @Derived({ (self: Treadmill) in self.double + 1 }) var next: Int
        var computed: Int { double + 2 }
      }
      Reports.collect()
      for path in [\Treadmill.double, \Treadmill.next, \Treadmill.computed] {
        let loop = Treadmill()
        var isRestless = false
        var values: [Int] = []
        _ = loop.observe(path, options: .new).subscribe(onNext: { [unowned loop] value in
          values.append(value)
          if isRestless { loop.input += 1 }
        })
        for _ in 0..<2 {
          isRestless = true
          loop.input += 1
          isRestless = false
          values = []
          loop.input = 100_000
          loop.input = 200_000
          batchUpdates { loop.input = 4 }
          #expect(values.count == 3)
          #expect(values.last == loop[keyPath: path])
        }
      }
      #expect(Reports.about("Treadmill").contains { $0.category == .feedbackLoop })
    }
  }

  @Test("D18: Invalidate and posted state evaluate again")
  func d18InvalidateAndPostedStateEvaluateAgain() {
    final class Outside: ReactiveObject {
      var hidden = 1
      var posted = 1
      var state: Int {
        access("state")
        return posted
      }
      @Derived({ (self: Outside) in self.hidden }) var total: Int
      @Derived({ (self: Outside) in self.total + self.state }) var all: Int
    }
    let outside = Outside()
    let totals = Log<Int>()
    let alls = Log<Int>()
    totals.follow(outside.observe(\.total))
    alls.follow(outside.observe(\.all))
    outside.hidden = 5
    #expect(outside.total == 1)
    outside.$total.invalidate()
    #expect(totals.take() == [1, 5] && alls.take() == [2, 6])
    outside.posted = 7
    outside.didChange("state")
    alls.expect([12])
    let unread = Outside()
    unread.$total.invalidate()
    #expect(unread.total == 1)
    unread.hidden = 3
    unread.$total.invalidate()
    #expect(unread.all == 4)
  }

  private final class Link: ReactiveObject {
    @Observed var value = 0
    var source: Link?
    var former: Link?
    var former2: Link?
    @Derived({ (self: Link) in (self.former?.total ?? 0) + self.value }) var total: Int
    @Derived({ (self: Link) in
      (self.source?.value ?? 0) + (self.former?.jagged ?? 0)
    }) var jagged: Int
    @Derived({ (self: Link) in
      (self.former?.lattice ?? self.value) &+ (self.former2?.lattice ?? 0)
    }) var lattice: Int
  }

  @Test("D19: Rows of ten thousand are set read and observed")
  func d19RowsOfTenThousandAreSetReadAndObserved() {
    let source = Link()
    var row = [source]
    for _ in 0..<10_000 {
      let link = Link()
      link.source = source
      link.former = row.last
      row.append(link)
      // Each value is read at once: a first read recurses through all unread values.
      _ = (link.total, link.jagged)
    }
    let totals = Log<Int>()
    let jagged = Log<Int>()
    source.value = 1
    #expect(row.last!.total == 1 && row.last!.jagged == 10_000)
    totals.follow(row.last!.observe(\.total))
    jagged.follow(row.last!.observe(\.jagged))
    source.value = 2
    #expect(totals.take() == [1, 2] && jagged.take() == [10_000, 20_000])
    while let last = row.popLast() { last.former = nil }
  }

  /// Outside a batch, each death is a scope, at whose end the rest of the row is evaluated (P4).
  @Test(
    "P4: A row of observed values is released in a batch without an evaluation",
    arguments: [false, true])
  func p4ARowOfObservedValuesIsReleasedInABatch(isStrong: Bool) {
    final class Counter { var value = 0 }
    final class Cell: ReactiveObject {
      let runs: Counter
      @WeakObserved var former: Cell?
      @Observed var next: Cell?
      @Derived({ (self: Cell) in
        self.runs.value += 1
        return (self.former?.depth ?? 0) + 1
      }) var depth: Int
      init(_ runs: Counter) { self.runs = runs }
    }
    let runs = Counter()
    var row: [Cell] = []
    for _ in 0..<1_000 {
      let cell = Cell(runs)
      cell.former = row.last
      if isStrong { row.last?.next = cell }
      cell.observe(\.depth) { _ in }
      row.append(cell)
    }
    runs.value = 0
    batchUpdates {
      if isStrong { row.removeLast(999) }
      row = []
    }
    #expect(runs.value == 0)
  }

  @Test("D19: A lattice is linear") func d19ALatticeIsLinear() {
    var (one, other) = (Link(), Link())
    let first = one
    one.value = 1
    for _ in 0..<40 {
      let (left, right) = (Link(), Link())
      (left.former, left.former2) = (one, other)
      (right.former, right.former2) = (one, other)
      (one, other) = (left, right)
    }
    let log = Log<Int>()
    log.follow(one.observe(\.lattice))
    first.value = 2
    log.expect([1 << 39, 1 << 40])
  }

  @Test("D20: Owners of every kind") func d20OwnersOfEveryKind() async {
    class Base: ReactiveObject {
      @Observed var name = "a"
      @Derived({ (self: Base) in self.name + self.suffix }) var title: String
      var suffix: String { "!" }
    }
    final class Sub: Base {
      override var suffix: String { "?" }
    }
    class Overriding: Base {
      @Observed var prefix = "-"
      override var title: String { prefix + super.title }
    }
    final class Generic<Item: Equatable>: ReactiveObject {
      @Observed var items: [Item] = []
      @Derived({ (self: Generic<Item>) in self.items.last }) var last: Item?
    }
    final class Conformer: PropertyObservable {
      let properties = PropertyRegistry()
      @Observed var value = 1
      @Derived({ (self: Conformer) in self.value * 2 }) var double: Int
    }
    let titles = Log<String>()
    let (base, sub, overriding) = (Base(), Sub(), Overriding())
    for object in [base, sub, overriding] {
      titles.follow(object.observe(\.title))
      object.name = "b"
    }
    overriding.prefix = "+"
    titles.expect(["a!", "b!", "a?", "b?", "-a!", "-b!", "+b!"])
    let generic = Generic<Int>()
    let lasts = Log<Int?>()
    lasts.follow(generic.observe(\.last))
    generic.items.append(3)
    lasts.expect([nil, 3])
    let conformer = Conformer()
    let doubles = Log<Int>()
    doubles.follow(conformer.observe(\.double))
    conformer.value = 2
    doubles.expect([2, 4])
    await mainActorOwner()
  }

  @MainActor private final class ViewModel: ReactiveObject {
    @Observed var text = "a"
    @Derived({ (self: ViewModel) in self.text.uppercased() }) var title: String
  }

  @MainActor private func mainActorOwner() {
    let model = ViewModel()
    let titles = Log<String>()
    titles.follow(model.observe(\.title))
    model.text = "b"
    titles.expect(["A", "B"])
  }

  @Test("D22: By name it is read-only") func d22ByNameItIsReadOnly() throws {
    let node = Node(4)
    let description = try #require(Node.properties.first { $0.name == "sum" })
    #expect(!description.isWritable && description.valueType == Int.self)
    #expect(throws: PropertyError.readOnly(key: "sum")) { try node.setValue(5, forKey: "sum") }
    let sums = Log<Int>()
    sums.follow(try node.observe(Int.self, "sum"))
    let same = Log<Int>()
    same.follow(node.observe(\.sum))
    node.value = 6
    #expect(sums.take() == [4, 6] && same.take() == [4, 6])
    node.next = Node(1)
    let weakly = Log<Int?>()
    weakly.follow(try node.observeWeakly(Int.self, "next.sum").asObservable())
    node.next?.value = 2
    weakly.expect([1, 2])
  }

  @Test("Chains follow a derived hop") func chainsFollowADerivedHop() {
    let node = Node()
    var (first, second): (Node?, Node?) = (Node(1), Node(2))
    node.parent = first
    let values = Log<Int?>()
    let causes = Log<ChangeCause>()
    values.follow(node.observeWeakly { $0.above.value }.asObservable())
    causes.follow(node.observeChanges(options: .new) { $0.above.value }.map(\.cause))
    first?.value = 5
    node.parent = second
    batchUpdates {
      second?.value = 8
      node.parent = first
      first?.value = 9
    }
    batchUpdates {
      first?.value = 10
      node.parent = second
      node.parent = first
    }
    values.expect([1, 5, 2, 9, 10])
    causes.expect([.set, .hopReplaced(0), .hopReplaced(0), .set])
    (first, second) = (nil, nil)
    values.expect([nil])
    withExtendedLifetime((first, second)) {}
  }

  @Test("A set in a deinit reaches observers of derived values")
  func aSetInADeinitReachesObserversOfDerivedValues() {
    final class Closing: ReactiveObject {
      @Observed var state = 0
      @Derived({ (self: Closing) in self.state * 2 }) var double: Int
      @Derived({ (self: Closing) in self.double + 1 }) var more: Int
      deinit {
        state = 5
        _ = more
      }
    }
    let doubles = Log<Int>()
    let mores = Log<Int>()
    var closing: Closing? = Closing()
    doubles.follow(closing!.observe(\.double))
    mores.follow(closing!.observe(\.more))
    closing = nil
    #expect(doubles.take() == [0, 10] && doubles.isCompleted)
    #expect(mores.take() == [1, 11] && mores.isCompleted)
  }

  @Test("A copied wrapper is safe") func aCopiedWrapperIsSafe() {
    final class Copied: ReactiveObject {
      @Observed var value = 1
      @Derived({ (self: Copied) in self.value }) var same: Int
      @Derived({ (self: Copied) in self.value + 1 }) var more: Int
      func copy(_ other: Copied) { _same = other._same }
      func replace() { _same = Derived({ (self: Copied) in self.value * 100 }) }
      func exchange() { _same = _more }
    }
    var other: Copied? = Copied()
    other?.value = 50
    let copied = Copied()
    #expect(other?.same == 50 && copied.same == 1)
    copied.copy(other!)
    other = nil
    #expect(copied.same == 1)
    copied.value = 2
    #expect(copied.same == 2)
    copied.replace()
    #expect(copied.same == 200)
    copied.value = 3
    #expect(copied.same == 300 && copied.more == 4)
    copied.exchange()
    #expect(copied.same == 4)
    copied.value = 4
    #expect(copied.more == 5 && copied.same == 5)
  }
}
