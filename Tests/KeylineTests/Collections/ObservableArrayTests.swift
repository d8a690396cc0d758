import Foundation
import TestSupport
import Testing

@testable import Keyline
@testable import KeylineCore

/// To-many properties: the edits of an ``ObservableArray``.
@Suite struct ObservableArrayTests {
  let items: ObservableArray<Int> = [1, 2, 3, 4]
  let log = Log<[ArrayEdit<Int>]>()

  init() { log.follow(items.changes) }

  @Test("Every edit is one exact emission") func everyEditIsOneExactEmission() {
    items.append(5)
    items.append(contentsOf: [6, 7])
    items.insert(0, at: 0)
    items.insert(contentsOf: [8, 9], at: 8)
    #expect(
      log.take() == [
        [.insertion([5], at: 4)], [.insertion([6, 7], at: 5)], [.insertion([0], at: 0)],
        [.insertion([8, 9], at: 8)],
      ])
    #expect(items.elements == Array(0...9))
    #expect(items.remove(at: 5) == 5)
    #expect(items.removeFirst() == 0)
    #expect(items.removeLast() == 9)
    #expect(items.popLast() == 8)
    items.removeSubrange(4...)
    #expect(
      log.take() == [
        [.removal([5], at: 5)], [.removal([0], at: 0)], [.removal([9], at: 7)],
        [.removal([8], at: 6)], [.removal([6, 7], at: 4)],
      ])
    items[0] = 10
    items[1] += 10
    items[2..<4] = [13, 14]
    items.move(from: 0, to: 3)
    items.removeAll()
    #expect(
      log.take() == [
        [.replacement([1], with: [10], at: 0)], [.replacement([2], with: [12], at: 1)],
        [.replacement([3, 4], with: [13, 14], at: 2)], [.move(10, from: 0, to: 3)],
        [.removal([12, 13, 14, 10], at: 0)],
      ])
    #expect(items.popLast() == nil)
  }

  @Test("Reordering is one replacement") func reorderingIsOneReplacement() {
    items.sort(by: >)
    items.sort()
    items.reverse()
    items.swapAt(3, 1)
    items.swapAt(2, 2)
    #expect(items.elements == [4, 1, 2, 3])
    #expect(
      log.take() == [
        [.replacement([1, 2, 3, 4], with: [4, 3, 2, 1], at: 0)],
        [.replacement([4, 3, 2, 1], with: [1, 2, 3, 4], at: 0)],
        [.replacement([1, 2, 3, 4], with: [4, 3, 2, 1], at: 0)],
        [.replacement([1], with: [3], at: 3), .replacement([3], with: [1], at: 1)],
      ])
    items.reserveCapacity(100)
    items.shuffle()
    log.expect([[.replacement([4, 1, 2, 3], with: items.elements, at: 0)]])
    #expect(items.sorted() == [1, 2, 3, 4])
    let single: ObservableArray = [1]
    log.follow(single.changes)
    single.sort()
    single.reverse()
    single.shuffle()
    log.expect([])
  }

  @Test("Several are removed at either end") func severalAreRemovedAtEitherEnd() {
    items.removeFirst(2)
    items.removeLast(1)
    items.removeFirst(0)
    items.removeLast(0)
    log.expect([[.removal([1, 2], at: 0)], [.removal([4], at: 1)]])
    items.append(contentsOf: 0..<100)
    _ = log.take()
    let elements = items.elements
    items.removeAll(keepingCapacity: true)
    log.expect([[.removal(elements, at: 0)]])
    #expect(items.elements.capacity >= 101)
    items.removeAll()
    log.expect([])
  }

  @Test("An order that throws leaves the array as it was")
  func anOrderThatThrowsLeavesTheArrayAsItWas() {
    struct Refusal: Error {}
    #expect(throws: Refusal.self) { try items.sort { _, _ in throw Refusal() } }
    #expect(items.elements == [1, 2, 3, 4])
    log.expect([])
  }

  @Test("A replacement by more or fewer is one emission of two edits")
  func aReplacementByMoreOrFewerIsOneEmissionOfTwoEdits() {
    items.replaceSubrange(1..<2, with: [20, 21, 22])
    log.expect([[.replacement([2], with: [20], at: 1), .insertion([21, 22], at: 2)]])
    items.replaceSubrange(1..<4, with: [2])
    log.expect([[.replacement([20], with: [2], at: 1), .removal([21, 22], at: 2)]])
    #expect(items.elements == [1, 2, 3, 4])
  }

  @Test("An edit that changes nothing is no emission") func anEditThatChangesNothingIsNoEmission() {
    items.append(contentsOf: [])
    items.removeSubrange(2..<2)
    items.removeAll { $0 > 4 }
    items.move(from: 2, to: 2)
    items.update { _ in }
    log.expect([])
  }

  @Test("Scattered removal is one emission from the end")
  func scatteredRemovalIsOneEmissionFromTheEnd() {
    items += [5, 6, 7]
    _ = log.take()
    items.removeAll { $0 % 4 > 1 }
    log.expect([[.removal([6, 7], at: 5), .removal([2, 3], at: 1)]])
    #expect(items.elements == [1, 4, 5])
  }

  @Test("A predicate that throws leaves the array as it was")
  func aPredicateThatThrowsLeavesTheArrayAsItWas() {
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try items.removeAll { if $0 == 3 { throw Refusal() } else { $0 % 2 == 0 } }
    }
    #expect(items.elements == [1, 2, 3, 4])
    log.expect([])
  }

  @Test("An update is one emission throw or not") func anUpdateIsOneEmissionThrowOrNot() {
    struct Refusal: Error {}
    let count = items.update { items in
      items.append(5)
      items.update { $0[0] = 0 }
      items.removeLast()
      return items.count
    }
    #expect(count == 4)
    #expect(
      log.take() == [
        [.insertion([5], at: 4), .replacement([1], with: [0], at: 0), .removal([5], at: 4)]
      ])
    #expect(throws: Refusal.self) {
      try items.update {
        $0.append(6)
        throw Refusal()
      }
    }
    log.expect([[.insertion([6], at: 4)]])
  }

  @Test("An observer added after an unobserved batch receives the edits that follow")
  func anObserverAddedAfterABatchThatNobodyObservedReceivesTheEditsThatFollow() {
    let items = ObservableArray([1])
    let former = items.changes.subscribe()
    batchUpdates {
      items.append(2)
      former.dispose()
      items.append(3)
    }
    batchUpdates { items.append(4) }
    let late = Log<[ArrayEdit<Int>]>()
    late.follow(items.changes)
    items.append(5)
    late.expect([[.insertion([5], at: 4)]])
    batchUpdates { items.append(6) }
    late.expect([[.insertion([6], at: 5)]])
  }

  @Test("An observer added inside an update receives the edits that follow")
  func anObserverAddedInsideAnUpdateReceivesTheEditsThatFollow() {
    let late = Log<[ArrayEdit<Int>]>()
    items.update { items in
      items.append(5)
      late.follow(items.changes)
      items.append(6)
    }
    log.expect([[.insertion([5], at: 4), .insertion([6], at: 5)]])
    late.expect([[.insertion([6], at: 5)]])
  }

  @Test("P3: An edit by an observer is delivered afterwards", arguments: [1, 40])
  func p3AnEditByAnObserverIsDeliveredAfterwards(others: Int) {
    let copies = (0..<others).map { _ in Copy(items) }
    _ = items.changes.subscribe(onNext: { [items] _ in
      if items.count < 10 { items.insert(items.count, at: 0) }
    })
    let later = (0..<others).map { _ in Copy(items) }
    items.append(5)
    #expect(items.elements == [9, 8, 7, 6, 5, 1, 2, 3, 4, 5])
    for copy in copies + later { #expect(copy.elements == items.elements) }
    #expect(log.take().count == 6)
  }

  @Test("P3: A feedback loop is stopped and reported") func p3AFeedbackLoopIsStoppedAndReported() {
    final class Endless {}
    Reports.collect()
    let items = ObservableArray<Endless?>()
    _ = items.changes.subscribe(onNext: { [unowned items] _ in items.append(nil) })
    items.append(nil)
    #expect(items.count == Diagnostics.feedbackLimit + 3)
    let reports = Reports.about("\(type(of: items))")
    #expect(reports.map(\.category) == [.feedbackLoop])
  }

  @Test("P3: A burst is no feedback loop") func p3ABurstIsNoFeedbackLoop() {
    struct Spark: Equatable { var number = 0 }
    Reports.collect()
    let items = ObservableArray<Spark>()
    let copy = Copy(items)
    _ = items.changes.subscribe(onNext: { [unowned items] _ in
      guard items.count == 1 else { return }
      for number in 1...20_000 { items.append(Spark(number: number)) }
    })
    let later = Copy(items)
    items.append(Spark())
    #expect(items.count == 20_001)
    #expect(copy.elements == items.elements && copy.isExact)
    #expect(later.elements == items.elements && later.isExact)
    #expect(Reports.about("\(type(of: items))").isEmpty)
  }

  @Test("P3: A stopped feedback loop ends with a reset") func p3AStoppedFeedbackLoopEndsWithAReset()
    async
  {
    await #expect(processExitsWith: .success) {
      Diagnostics.feedbackLimit = 100
      struct Item: Equatable { var number = 0 }
      final class Shelf: ReactiveObject { @Observed var items = ObservableArray<Item>() }
      Reports.collect()
      let shelf = Shelf()
      let items = shelf.items
      let copy = Copy(items)
      let changes = ChangeCopy(shelf.observeChanges(\.items, options: [.initial, .old, .new]))
      var isEven = true
      // Two wait in each round.
      let loop = items.changes.subscribe(onNext: { [unowned items] edits in
        isEven.toggle()
        if isEven || edits.contains(where: \.isReset) { return }
        for _ in 0..<2 { items.append(Item(number: items.count)) }
      })
      let later = Copy(items)
      items.append(Item())
      #expect(Reports.about("\(type(of: items))").map(\.category) == [.feedbackLoop])
      #expect(copy.elements == items.elements)
      #expect(changes.elements == items.elements)
      #expect(later.elements == items.elements)
      loop.dispose()
      items.append(Item())
      #expect(copy.elements == items.elements && copy.resets == 1)
    }
  }

  @Test("P3: An edit missed after a stopped loop is made up for by the next")
  func p3AnEditMissedAfterAStoppedLoopIsMadeUpForByTheNext() {
    let copy = Copy(items)
    let loop = items.changes.subscribe(onNext: { [items] _ in items.append(0) })
    items.append(0)
    #expect(copy.elements.count == items.count - 1)
    loop.dispose()
    items[0] = 10
    #expect(copy.elements == items.elements && copy.resets == 2)
    items[0] = 11
    #expect(copy.elements == items.elements && copy.resets == 2)
    log.follow(items.changes)
    _ = log.take()
    items[0] = 12
    #expect(log.take().last == [.replacement([11], with: [12], at: 0)])
  }

  @Test("P5: Observing retains nothing and ends with the array")
  func p5ObservingRetainsNothingAndEndsWithTheArray() {
    let log = Log<[ArrayEdit<String>]>()
    let changes: Observable<[ArrayEdit<String>]>
    weak var array: ObservableArray<String>?
    do {
      let mortal: ObservableArray = ["a"]
      array = mortal
      changes = mortal.changes
      log.follow(changes)
    }
    #expect(array == nil)
    #expect(log.isCompleted && log.isDisposed)
    let late = Log<[ArrayEdit<String>]>()
    late.follow(changes)
    #expect(late.isCompleted)
  }

  @Test("Misuse is reported and changes nothing") func misuseIsReportedAndChangesNothing() {
    struct Thing: Equatable {}
    Reports.collect()
    let things: ObservableArray = [Thing(), Thing()]
    let log = Log<[ArrayEdit<Thing>]>()
    log.follow(things.changes)
    var copy = things.elements
    ArrayEdit.reset([]).apply(to: &copy)
    #expect(copy == [])
    things.move(from: 0, to: 2)
    things.move(from: -1, to: 0)
    #expect(
      Reports.about("ObservableArray<Thing>").map(\.message) == [
        "no move from 0 to 2 among 2 elements", "no move from -1 to 0 among 2 elements",
      ])
    log.expect([])
    for edit: ArrayEdit<Thing> in [
      .insertion([Thing()], at: 3), .insertion([], at: -1), .removal([Thing()], at: 2),
      .removal([Thing(), Thing(), Thing()], at: .max), .move(Thing(), from: 0, to: 2),
      .replacement([Thing()], with: [Thing()], at: -1),
    ] {
      var copy = things.elements
      edit.apply(to: &copy)
      #expect(copy.count == 2)
    }
    log.expect([])
    #expect(Reports.about("ArrayEdit<Thing>").count == 6)
  }

  /// The edits that need no index are made on the elements that an observer of the announcement leaves.
  @Test("An observer of the announcement may edit the array")
  func anObserverOfTheAnnouncementMayEditTheArray() {
    final class Box: ReactiveObject { let items: ObservableArray = [2, 1] }
    func expect(_ expected: [Int], after edit: (ObservableArray<Int>) -> Void) {
      let box = Box()
      let replica = Log<Int>()
      replica.elements = box.items.elements
      _ = box.items.changes.subscribe(onNext: {
        for edit in $0 { edit.apply(to: &replica.elements) }
      })
      var isFirst = true
      _ = box.observeChanges(\.items.count, options: .prior).subscribe(onNext: { _ in
        if exchange(&isFirst, with: false) { box.items.insert(0, at: 0) }
      })
      edit(box.items)
      #expect(box.items.elements == expected)
      replica.expect(expected)
    }
    expect([0, 2, 1, 8]) { $0.append(8) }
    expect([0, 2, 1, 8, 9]) { $0 += [8, 9] }
    expect([0, 2]) { #expect($0.removeLast() == 1) }
    expect([0, 2]) { #expect($0.popLast() == 1) }
    expect([0]) { $0.removeLast(2) }
    expect([2, 1]) { #expect($0.removeFirst() == 0) }
    expect([0, 1]) { $0.removeAll { $0 == 2 } }
    expect([]) { $0.removeAll() }
    expect([0, 1, 2]) { $0.sort() }
    expect([1, 2, 0]) { $0.reverse() }
  }

  @Test("A deinit caused by an edit may use the array") func aDeinitCausedByAnEditMayUseTheArray() {
    final class Guest {
      let list: ObservableArray<Guest?>
      init(_ list: ObservableArray<Guest?>) { self.list = list }
      deinit { list.append(nil) }
    }
    let list = ObservableArray<Guest?>()
    list.append(Guest(list))
    list[0] = nil
    list.insert(Guest(list), at: 0)
    list.removeSubrange(0..<1)
    list.insert(Guest(list), at: 0)
    list.removeAll { $0 != nil }
    list.append(Guest(list))
    list.removeLast()
    #expect(list.count == 5)
  }

  @Test("A loop may edit the array") func aLoopMayEditTheArray() {
    for item in items { items.append(item * 10) }
    #expect(items.elements == [1, 2, 3, 4, 10, 20, 30, 40])
  }

  @Test("It is a collection that can be compared printed and coded")
  func itIsACollectionThatCanBeComparedPrintedAndCoded() throws {
    #expect(items == [1, 2, 3, 4])
    #expect(items.map { $0 * 2 } == [2, 4, 6, 8])
    #expect(items.dropFirst() == [2, 3, 4])
    #expect(items.reversed() == [4, 3, 2, 1])
    #expect("\(items)" == "[1, 2, 3, 4]")
    #expect(Mirror(reflecting: items).children.map { $0.value as? Int } == [1, 2, 3, 4])
    let data = try JSONEncoder().encode(items)
    #expect(String(decoding: data, as: UTF8.self) == "[1,2,3,4]")
    #expect(try JSONDecoder().decode(ObservableArray<Int>.self, from: data) == items)
  }

  @Test("Appending never copies the elements", arguments: [false, true])
  func appendingNeverCopiesTheElements(isObserved: Bool) {
    let items = ObservableArray<Int>()
    var emissions = 0
    if isObserved {
      _ = items.changes.subscribe(onNext: { emissions += $0.count })
      _ = items.observe(\.count).subscribe(onNext: { _ in emissions += 1 })
    }
    var places: Set<UnsafeRawPointer?> = []
    for item in 0..<20_000 {
      items.append(item)
      items.elements.withUnsafeBufferPointer {
        _ = places.insert(UnsafeRawPointer($0.baseAddress))
      }
    }
    // It grows by doubling, and does not move otherwise.
    #expect(places.count <= 16)
    #expect(emissions == (isObserved ? 40_001 : 0))
  }

  /// A predicate with state gives another answer if it is asked again.
  @Test("Removing by a predicate asks it once for each element, in order")
  func removingByAPredicateAsksItOnceForEachElementInOrder() {
    func removing(_ remove: ((String) -> Bool) -> Void) -> [String] {
      var (left, asked) = (1, [String]())
      remove { element in
        asked.append(element)
        guard element == "x", left > 0 else { return false }
        left -= 1
        return true
      }
      return asked
    }
    let contents = ["x", "b", "x", "c", "x", "d"]
    var plain = contents
    let items = ObservableArray(contents)
    let edits = Log<String>()
    edits.follow(items.changes.map { "\($0)" })
    let expected = removing { plain.removeAll(where: $0) }
    #expect(removing { items.removeAll(where: $0) } == expected && expected == contents)
    #expect(items.elements == plain)
    edits.expect([#"[removal(["x"], at: 0)]"#])
    items.removeAll { _ in false }
    edits.expect([])
  }
}
