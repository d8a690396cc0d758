import Keyline
import TestSupport
import Testing

/// Laws D1 to D12 of derived values.
@Suite struct DerivedTests {
  private final class Sheet: ReactiveObject {
    @Observed var first = 1
    @Observed var second = 10
    @Observed var usesSecond = true
    @Observed var items: [Int] = []
    var runs = 0
    var tracked: () -> Void = {}

    @Derived({ (self: Sheet) in
      self.runs += 1
      return self.first + self.second
    }) var sum: Int
    @Derived({ (self: Sheet) in self.sum / 10 }) var tens: Int
    @Derived({ (self: Sheet) in self.usesSecond ? self.second : self.first }) var branch: Int
    @Derived({ (self: Sheet) in "\(self.sum) \(self.tens)" }) var text: String
    @Derived({ (self: Sheet) in self.items.map { $0 * 2 } }) var doubled: [Int]
  }

  @Test("D1: The rule does not run before the first read or observation")
  func d1TheRuleDoesNotRunBeforeTheFirstReadOrObservation() {
    let sheet = Sheet()
    sheet.first = 2
    let sums = sheet.observe(\.sum)
    #expect(sheet.runs == 0)
    let log = Log<Int>()
    log.follow(sums)
    #expect(sheet.runs == 1 && log.take() == [12])
    let other = Sheet()
    #expect(other.sum == 11 && other.runs == 1)
  }

  @Test("D2: The value is cached also unobserved") func d2TheValueIsCachedAlsoUnobserved() {
    let sheet = Sheet()
    #expect((0..<5).map { _ in sheet.sum } == [11, 11, 11, 11, 11])
    #expect(sheet.runs == 1)
    #expect(sheet.text == "11 1" && sheet.tens == 1)
    #expect(sheet.runs == 1)
  }

  @Test("D3: Sets only mark") func d3SetsOnlyMark() {
    let sheet = Sheet()
    _ = sheet.sum
    for value in 0..<100 { sheet.first = value }
    #expect(sheet.runs == 1)
    #expect(sheet.sum == 109 && sheet.runs == 2)
    sheet.first = 99
    #expect(sheet.sum == 109 && sheet.runs == 3)
  }

  @Test("D4: Observed it is evaluated and emitted once per changing set")
  func d4ObservedItIsEvaluatedAndEmittedOncePerChangingSet() {
    let sheet = Sheet()
    let logs = (0..<1000).map { _ in Log<Int>() }
    for log in logs { log.follow(sheet.observe(\.sum)) }
    #expect(sheet.runs == 1)
    sheet.first = 2
    #expect(sheet.runs == 2)
    sheet.first = 2
    #expect(sheet.runs == 3)
    sheet.first += 1
    for log in logs { #expect(log.take() == [11, 12, 13]) }
  }

  @Test("D4: Everything that takes a property takes a derived one")
  func d4EverythingThatTakesAPropertyTakesADerivedOne() async throws {
    var sheet: Sheet? = Sheet()
    let changes = Log<String>()
    changes.follow(
      sheet!.observeChanges(\.sum, options: [.initial, .old, .new, .prior]).map { change in
        change.isPrior
          ? "prior \(change.old!)"
          : "\(change.old.map(String.init) ?? "-") → \(change.new!)"
      })
    let values = sheet!.values(of: \.sum)
    let row = Row()
    sheet!.bind(\.sum, to: row, \.number)
    let names = Log<Int>()
    names.follow(try sheet!.observe(Int.self, "sum"))
    let chain = Log<Int?>()
    chain.follow(sheet!.observeWeakly { $0.sum }.asObservable())
    sheet!.first = 2
    batchUpdates {
      sheet!.first = 5
      sheet!.second = 20
    }
    changes.expect(["- → 11", "prior 11", "11 → 12", "prior 12", "12 → 25"])
    #expect(row.number == 25)
    names.expect([11, 12, 25])
    chain.expect([11, 12, 25])
    #expect(try sheet!.value(forKey: "sum") as? Int == 25)
    sheet = nil
    var received: [Int] = []
    for await value in values { received.append(value) }
    #expect(received == [11, 12, 25])
    #expect(changes.isCompleted && names.isCompleted && chain.isCompleted)
  }

  private final class Row: ReactiveObject {
    @Observed var number = 0
  }

  @Test("D5: An equal result is cut off") func d5AnEqualResultIsCutOff() {
    final class Chain: ReactiveObject {
      @Observed var value = 1
      var runs = 0
      @Derived({ (self: Chain) in self.value > 0 }) var isPositive: Bool
      @Derived({ (self: Chain) in
        self.runs += 1
        return self.isPositive ? "+" : "-"
      }) var sign: String
      @Derived({ (self: Chain) in Point(x: self.value / 10) }) var point: Point
      @Derived({ (self: Chain) in Point(x: self.value) }, equals: { $0.x / 10 == $1.x / 10 })
      var coarse: Point
    }
    struct Point { var x: Int }
    let chain = Chain()
    let signs = Log<String>()
    let points = Log<Int>()
    let coarse = Log<Int>()
    signs.follow(chain.observe(\.sign))
    points.follow(chain.observe(\.point).map(\.x))
    coarse.follow(chain.observe(\.coarse).map(\.x))
    for value in [2, 3, -1, -2, 15, 16] { chain.value = value }
    signs.expect(["+", "-", "+"])
    #expect(chain.runs == 3)
    // What cannot be compared is different each time.
    points.expect([0, 0, 0, 0, 0, 1, 1])
    coarse.expect([1, 15])
  }

  @Test("D5: Objects are compared by identity") func d5ObjectsAreComparedByIdentity() {
    final class Thing: ReactiveObject, Equatable {
      static func == (left: Thing, right: Thing) -> Bool { true }
    }
    final class Holder: ReactiveObject {
      @Observed var things = [Thing(), Thing()]
      @Observed var index = 0
      @Derived({ (self: Holder) in self.things[self.index] }) var current: Thing
      @Derived({ (self: Holder) in self.things[self.index] }, equals: { _, _ in true })
      var constant: Thing
    }
    let holder = Holder()
    let things = Log<ObjectIdentifier>()
    let constants = Log<ObjectIdentifier>()
    things.follow(holder.observe(\.current).map { ObjectIdentifier($0) })
    constants.follow(holder.observe(\.constant).map { ObjectIdentifier($0) })
    holder.index = 0
    holder.index = 1
    let ids = holder.things.map { ObjectIdentifier($0) }
    things.expect(ids)
    constants.expect([ids[0]])
  }

  @Test("D6: When the last observer has left sets evaluate nothing")
  func d6WhenTheLastObserverHasLeftSetsEvaluateNothing() {
    let sheet = Sheet()
    let log = Log<Int>()
    let subscription = log.follow(sheet.observe(\.sum))
    subscription.dispose()
    sheet.first = 5
    sheet.first = 6
    #expect(sheet.runs == 1 && log.take() == [11])
    #expect(sheet.sum == 16 && sheet.runs == 2)
    log.follow(sheet.observe(\.sum))
    sheet.first = 7
    log.expect([16, 17])
  }

  @Test("D7: Diamonds and triangles have one run and no mix")
  func d7DiamondsAndTrianglesHaveOneRunAndNoMix() {
    let sheet = Sheet()
    let texts = Log<String>()
    let pairs = Log<String>()
    texts.follow(sheet.observe(\.text))
    pairs.follow(sheet.observe(\.sum, \.tens).map { "\($0) \($1)" })
    sheet.first = 20
    sheet.second = 25
    texts.expect(["11 1", "30 3", "45 4"])
    pairs.expect(["11 1", "30 3", "45 4"])
    #expect(sheet.runs == 3)
  }

  @Test("D7: A path through a binding is no mix") func d7APathThroughABindingIsNoMix() {
    let sheet = Sheet()
    sheet.bind(\.first, to: sheet, \.second)
    let sums = Log<Int>()
    sums.follow(sheet.observe(\.sum))
    let runs = sheet.runs
    sheet.first = 3
    sheet.first = 4
    sums.expect([2, 6, 8])
    #expect(sheet.runs == runs + 2)
  }

  @Test("D8: The last run determines the dependencies") func d8DependenciesAreThoseOfTheLastRun() {
    let sheet = Sheet()
    let log = Log<Int>()
    log.follow(sheet.observe(\.branch))
    sheet.first = 2
    log.expect([10])
    sheet.usesSecond = false
    sheet.second = 30
    log.expect([2])
    sheet.first = 3
    sheet.usesSecond = true
    sheet.first = 4
    log.expect([3, 30])
  }

  @Test("D9: A dependency that is no longer reached is not evaluated")
  func d9WhatIsNotReachedAnyMoreIsNotEvaluated() {
    final class List: ReactiveObject {
      @Observed var items = [1, 2]
      @Observed var index = 1
      @Derived({ (self: List) in self.index < self.items.count }) var isValid: Bool
      @Derived({ (self: List) in self.items[self.index] }) var item: Int
      @Derived({ (self: List) in self.isValid ? self.item : nil }) var selected: Int?
    }
    let list = List()
    let log = Log<Int?>()
    log.follow(list.observe(\.selected))
    // `item` would trap.
    list.items = []
    list.items = [5, 6, 7]
    log.expect([2, nil, 6])
  }

  @Test("D10: Untracked reads, and reads by subscriptions, are no dependencies")
  func d10UntrackedReadsAndThoseOfSubscriptionsAreNoDependencies() {
    final class Quiet: ReactiveObject {
      @Observed var first = 1
      @Observed var second = 1
      @Observed var third = 1
      var runs = 0
      var received = 0
      @Derived({ (self: Quiet) in self.second }) var mirror: Int
      @Derived({ (self: Quiet) in
        self.runs += 1
        let subscription = self.observe(\.third).subscribe(onNext: { value in
          self.received = value + self.second
        })
        subscription.dispose()
        return self.first + untracked { self.second + self.mirror }
      }) var value: Int
    }
    let quiet = Quiet()
    #expect(quiet.value == 3 && quiet.received == 2)
    quiet.second = 5
    quiet.third = 5
    #expect(quiet.value == 3 && quiet.runs == 1)
    quiet.first = 2
    #expect(quiet.value == 12 && quiet.received == 10)
  }

  @Test("D11: Reads are fresh in observers and in batches")
  func d11ReadsAreFreshInObserversAndInBatches() {
    let sheet = Sheet()
    var sums: [Int] = []
    let observed = Log<Int>()
    observed.follow(sheet.observe(\.sum, options: .new))
    let subscription = sheet.observe(\.first, options: .new)
      .subscribe(onNext: { _ in sums.append(sheet.sum) })
    sheet.first = 2
    sheet.first = 3
    #expect(sums == [12, 13] && observed.take() == [12, 13])
    batchUpdates {
      sheet.first = 4
      #expect(sheet.sum == 14 && sheet.text == "14 1")
      sheet.first = 5
      #expect(sheet.sum == 15)
    }
    observed.expect([15])
    batchUpdates {
      sheet.first = 9
      #expect(sheet.sum == 19)
      sheet.first = 5
    }
    observed.expect([])
    #expect(sheet.sum == 15)
    subscription.dispose()
  }

  /// Weak references to it are nil as soon as it begins to die.
  @Test(
    "D11: Reads are fresh while an object dies", arguments: ["deallocating", "completed", "weak"])
  func d11ReadsAreFreshWhileAnObjectDies(moment: String) {
    final class Holder: ReactiveObject {
      @WeakObserved var sheet: Sheet?
      @Derived({ (self: Holder) in self.sheet?.first }) var first: Int?
      @Derived({ (self: Holder) in self.first == nil }) var isEmpty: Bool
    }
    let holder = Holder()
    var sheet: Sheet? = Sheet()
    holder.sheet = sheet
    var seen: [Bool] = []
    func look() { seen.append(holder.first == nil && holder.isEmpty) }
    look()
    let bag = DisposeBag()
    switch moment {
    case "deallocating": sheet?.deallocating.subscribe(onNext: look).disposed(by: bag)
    case "completed": sheet?.observe(\.second).subscribe(onCompleted: look).disposed(by: bag)
    default:
      holder.observe(\.sheet, options: .new).subscribe(onNext: { _ in look() })
        .disposed(by: bag)
    }
    sheet = nil
    #expect(seen == [false, true])
  }

  @Test(
    "D31: A reader of a value that a batch restores is not evaluated, even if it was read in between"
  ) func d31WhatHasReadAValueThatABatchRestoresIsNotEvaluatedThoughThatWasReadInBetween() {
    final class Model: ReactiveObject {
      @Observed var value = 1
      @Observed var chosen: Row?
      @Derived({ (self: Model) in self.value * 2 }) var double: Int
      @Derived({ (self: Model) in self.chosen }) var row: Row?
      var computed: Int { double + 1 }
      var number: Int { row?.number ?? -1 }
    }
    let model = Model()
    let row = Row()
    model.chosen = row
    let values = Log<Int>()
    let numbers = Log<Int>()
    values.follow(model.observe(\.computed, options: .new))
    numbers.follow(model.observe(\.number, options: .new))
    batchUpdates {
      model.value = 5
      model.chosen = nil
      #expect(model.double == 10 && model.row == nil)
      model.value = 1
      model.chosen = row
    }
    // A path may emit an equal value.
    #expect(values.take().allSatisfy { $0 == 3 } && numbers.take().allSatisfy { $0 == row.number })
    batchUpdates {
      model.value = 5
      #expect(model.double == 10)
      model.value = 6
      model.chosen = nil
    }
    #expect(values.take() == [13] && numbers.take() == [-1])
    model.value = 1
    values.expect([3])
  }

  @Test("D12: Observers of one derived value are called at the turn of the first")
  func d12ObserversOfOneDerivedValueAreCalledInThePlaceOfTheFirst() {
    let sheet = Sheet()
    var log: [String] = []
    let subscriptions = [
      sheet.observe(\.sum, options: .new).subscribe(onNext: { log.append("sum 1: \($0)") }),
      sheet.observe(\.first, \.second, options: .new)
        .subscribe(onNext: { log.append("pair: \($0.0) \($0.1)") }),
      sheet.observe(\.tens, options: .new).subscribe(onNext: { log.append("tens: \($0)") }),
      sheet.observe(\.sum, options: .new).subscribe(onNext: { log.append("sum 2: \($0)") }),
      sheet.observe(\.first, options: .new).subscribe(onNext: { log.append("first: \($0)") }),
    ]
    sheet.first = 30
    #expect(log == ["first: 30", "sum 1: 40", "sum 2: 40", "pair: 30 10", "tens: 4"])
    subscriptions.forEach { $0.dispose() }
  }

  @Test("D12: A set in the first emission is the next value of that observer")
  func d12ASetInTheFirstEmissionIsTheNextValueOfThatObserver() {
    let sheet = Sheet()
    var sums: [Int] = []
    let subscription = sheet.observe(\.sum).subscribe(onNext: { sum in
      sums.append(sum)
      if sums.count == 1 { sheet.first = 5 }
    })
    #expect(sums == [11, 15])
    subscription.dispose()
  }

  @Test("D12: An observer that is disposed while pending is not called")
  func d12WhoIsDisposedWhilePendingIsNotCalled() {
    let sheet = Sheet()
    let log = Log<Int>()
    let subscription = log.follow(sheet.observe(\.sum, options: .new))
    let other = sheet.observe(\.first, options: .new)
      .subscribe(onNext: { _ in subscription.dispose() })
    sheet.first = 5
    #expect(log.take() == [] && sheet.runs == 1)
    other.dispose()
  }

  @Test("An observer that joins while a change waits receives it once")
  func whoJoinsWhileAChangeWaitsReceivesItOnce() {
    let sheet = Sheet()
    let (early, late) = (Log<Int>(), Log<Int>())
    early.follow(sheet.observe(\.sum, options: .new))
    var isFirst = true
    let subscription = sheet.observe(\.first, options: .new).subscribe(onNext: { _ in
      if isFirst { late.follow(sheet.observe(\.sum)) }
      isFirst = false
    })
    sheet.first = 5
    #expect(early.take() == [15] && late.take() == [15])
    sheet.first = 6
    #expect(early.take() == [16] && late.take() == [16])
    subscription.dispose()
  }

  @Test("An observer that joins while a change waits receives the restored value")
  func whoJoinsWhileAChangeWaitsReceivesTheValueThatIsBack() {
    let sheet = Sheet()
    let (early, late) = (Log<Int>(), Log<Int>())
    early.follow(sheet.observe(\.sum, options: .new))
    batchUpdates {
      sheet.first = 5
      late.follow(sheet.observe(\.sum))
      sheet.first = 1
    }
    #expect(early.take() == [] && late.take() == [15, 11])
    sheet.first = 2
    #expect(early.take() == [12] && late.take() == [12])
  }

  @Test("D31: A read in between of an observed value causes nothing")
  func d31AReadInBetweenOfAnObservedValueCausesNothing() {
    let sheet = Sheet()
    let (before, sums, after) = (Log<Int>(), Log<Int>(), Log<Int>())
    before.follow(sheet.observe(\.sum, \.tens, options: .new).map { $0 + $1 })
    sums.follow(sheet.observe(\.sum, options: .new))
    after.follow(sheet.observe(\.sum, \.tens, options: .new).map { $0 + $1 })
    batchUpdates {
      sheet.first = 20
      #expect(sheet.sum == 30)
      sheet.first = 1
    }
    sums.expect([])
    #expect((before.take() + after.take()).allSatisfy { $0 == sheet.sum + sheet.tens })
    sheet.first = 20
    #expect(before.take() == [33] && sums.take() == [30] && after.take() == [33])
  }
}
