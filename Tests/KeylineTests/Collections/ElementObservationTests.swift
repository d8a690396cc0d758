import TestSupport
import Testing

@testable import Keyline
@testable import KeylineCore

private final class Article: ReactiveObject {
  @Observed var price: Int

  init(_ price: Int) { self.price = price }
}

private final class Basket: ReactiveObject {
  @Observed var items = ObservableArray<Article>()
  @Observed var notes: [String] = []
  var evaluations = 0

  var total: Int {
    evaluations += 1
    return items.reduce(0) { $0 + $1.price }
  }
}

private final class Till: ReactiveObject {
  @Observed var order: Basket?
}

/// Arrays read by computed properties, chains over them, their elements' own properties.
@Suite struct ElementObservationTests {
  private let order = Basket()
  private let items = [Article(1), Article(2), Article(3)]

  init() { order.items.append(contentsOf: items) }

  private func observePrices(
    _ options: KeyValueObservingOptions = [.initial, .new]
  ) -> Log<Int> {
    let log = Log<Int>()
    log.follow(order.items.observeElements(\.price, options: options).map(\.value))
    return log
  }

  @Test("A computed property follows the array and its elements")
  func aComputedPropertyFollowsTheArrayAndItsElements() {
    let log = Log<Int>()
    log.follow(order.observe(\.total))
    items[1].price = 20
    order.items.append(Article(4))
    order.items.move(from: 0, to: 3)
    order.items.remove(at: 0)
    items[1].price = 30
    order.items = [Article(5)]
    items[0].price = 100
    log.expect([6, 24, 28, 28, 8, 5])
  }

  @Test("One of a thousand prices costs one evaluation")
  func oneOfAThousandPricesCostsOneEvaluation() {
    order.items.append(contentsOf: (0..<997).map { _ in Article(0) })
    let log = Log<Int>()
    log.follow(order.observe(\.total))
    order.evaluations = 0
    order.items[500].price = 10
    #expect(order.evaluations == 1)
    log.expect([6, 16])
  }

  @Test("An element changed in place is evaluated when all accesses have ended")
  func anElementChangedInPlaceIsEvaluatedWhenAllAccessesHaveEnded() {
    final class Bill: ReactiveObject {
      let items: ObservableArray = [1, 2, 3]
      @Observed var tip = 10
      var evaluations = 0
      var total: Int {
        evaluations += 1
        return items.reduce(tip, +)
      }
    }
    let bill = Bill()
    let log = Log<Int>()
    log.follow(bill.observe(\.total))
    bill.items[0] += 1
    log.expect([16, 17])
    // The access to the array begins first, and ends last.
    swap(&bill.items[0], &bill.tip)
    bill.items[0] += bill.items[1]
    log.expect([17, 19])
    bill.items.update {
      $0[0] += 1
      $0[1] += 1
    }
    log.expect([21])
    #expect(bill.evaluations == 5)
    #expect(bill.items.elements == [13, 3, 3] && bill.tip == 2)
  }

  @Test("Reading is tracked however it is done") func readingIsTrackedHoweverItIsDone() {
    let array = order.items
    let counts = Log<Int>()
    counts.follow(order.observe(\.items.count))
    let first = Log<Int?>()
    first.follow(array.observe(\.first?.price))
    let elements = Log<Int>()
    elements.follow(array.observe(\.elements).map(\.count))
    let empty = Log<Bool>()
    empty.follow(array.observe(\.isEmpty))
    let second = Log<Int>()
    second.follow(array.observe(\.[1].price))
    array.update {
      $0.removeFirst()
      $0.removeFirst()
      $0.insert(Article(9), at: 0)
    }
    counts.expect([3, 2])
    first.expect([1, 9])
    elements.expect([3, 2])
    empty.expect([false, false])
    second.expect([2, 3])
  }

  @Test("A chain leads through an array") func aChainLeadsThroughAnArray() {
    let shop = Till()
    let log = Log<Int?>()
    log.follow(shop.observeWeakly { $0.order.items.count })
    shop.order = order
    order.items.append(Article(4))
    order.items = []
    shop.order = nil
    order.items.append(Article(4))
    log.expect([nil, 3, 4, 0, nil])
  }

  @Test("Elements are followed from insertion to removal")
  func elementsAreFollowedFromInsertionToRemoval() {
    let log = observePrices()
    log.expect([1, 2, 3])
    items[1].price = 20
    order.items.append(Article(4))
    order.items[3].price = 40
    order.items.remove(at: 1)
    items[1].price = 21
    log.expect([20, 4, 40])
    order.items[0] = Article(7)
    items[0].price = 10
    order.items[0].price = 70
    log.expect([7, 70])
  }

  @Test("Moves and replacements by the same object do not emit")
  func movesAndReplacementsByTheSameObjectDoNotEmit() {
    let log = observePrices()
    _ = log.take()
    order.items.move(from: 0, to: 2)
    order.items[0] = order.items[0]
    order.items.update { $0.insert($0.removeLast(), at: 0) }
    log.expect([])
    items[0].price = 10
    items[1].price = 20
    log.expect([10, 20])
  }

  @Test("An element that stands twice is followed once until both are gone")
  func anElementThatStandsTwiceIsFollowedOnceUntilBothAreGone() {
    let log = observePrices()
    order.items.append(items[0])
    items[0].price = 10
    order.items.remove(at: 0)
    items[0].price = 11
    order.items.removeLast()
    items[0].price = 12
    log.expect([1, 2, 3, 10, 11])
  }

  @Test("Options select values or changes") func optionsSelectValuesOrChanges() {
    let changes = observePrices(.new)
    let values = observePrices(.initial)
    order.items.append(Article(4))
    order.items[3].price = 40
    changes.expect([40])
    values.expect([1, 2, 3, 4])
  }

  @Test("The element comes with its value") func theElementComesWithItsValue() {
    let log = Log<(element: Article, value: Int)>()
    log.follow(order.items.observeElements(\.price, options: .new))
    items[2].price = 30
    #expect(log.elements.map { $0.element === items[2] } == [true])
  }

  @Test("A change by an observer is delivered afterwards")
  func aChangeByAnObserverIsDeliveredAfterwards() {
    var order: [String] = []
    let array = self.order.items
    _ = array.observeElements(\.price, options: [.initial, .new]).subscribe(onNext: {
      order.append("begin \($0.value)")
      if $0.value == 1 {
        array.append(Article(4))
        $0.element.price = 10
        array.remove(at: 1)
      }
      order.append("end \($0.value)")
    })
    #expect(order == [1, 10, 2, 3, 4].flatMap { ["begin \($0)", "end \($0)"] })
    items[1].price = 20
    #expect(order.count == 10)
  }

  @Test("An edit inside the first delivery is delivered also after a feedback loop")
  func anEditInsideTheFirstDeliveryIsDeliveredAlsoAfterAFeedbackLoop() {
    let array = ObservableArray([City("Rome")])
    let loop = array.changes.subscribe(onNext: { [unowned array] _ in array[0] = array[0] })
    array[0] = array[0]
    loop.dispose()
    let names = Log<String>()
    _ = array.observeElements(\.name).map(\.value).subscribe(onNext: { [unowned array] name in
      names.elements.append(name)
      if name == "Rome" { array.append(City("Oslo")) }
    })
    names.expect(["Rome", "Oslo"])
  }

  @Test("All elements are followed after a feedback loop that was stopped")
  func allElementsAreFollowedAfterAFeedbackLoopThatWasStopped() async {
    await #expect(processExitsWith: .success) {
      Diagnostics.feedbackLimit = 100
      let array = ObservableArray([City("Rome"), City("Oslo")])
      let names = Log<String>()
      names.follow(array.observeElements(\.name, options: .new).map(\.value))
      var former: [City] = []
      var isEven = true
      let loop = array.changes.subscribe(onNext: { [unowned array] edits in
        isEven.toggle()
        if isEven || edits.contains(where: \.isReset) { return }
        former += array.elements
        array[0] = City("Rome")
        array[1] = City("Oslo")
      })
      array[0] = City("Rome")
      loop.dispose()
      for city in former { city.name = "former" }
      for city in array { city.name = "current" }
      names.expect(["current", "current"])
    }
  }

  @Test("Following retains nothing and ends with the array")
  func followingRetainsNothingAndEndsWithTheArray() {
    let log = Log<Int>()
    weak var array: ObservableArray<Article>?
    weak var element: Article?
    do {
      let mortal = ObservableArray([Article(1)])
      array = mortal
      element = mortal[0]
      log.follow(mortal.observeElements(\.price).map(\.value))
    }
    #expect(array == nil && element == nil)
    log.expect([1])
    #expect(log.isCompleted && log.isDisposed)
  }

  @Test("Disposal leaves all elements") func disposalLeavesAllElements() {
    let log = Log<Int>()
    let subscription = log.follow(order.items.observeElements(\.price).map(\.value))
    subscription.dispose()
    items[0].price = 10
    order.items.append(Article(4))
    log.expect([1, 2, 3])
    #expect(log.isDisposed)
  }

  @Test("Differences lead from an empty array to the current one")
  func differencesLeadFromNothingToWhatThereIs() throws {
    order.notes = ["a", "b"]
    var replica: [String] = []
    var sizes: [Int] = []
    _ = order.observe(\.notes).startWith([]).withPrevious().subscribe(onNext: {
      let difference = $0.current.difference(from: $0.previous)
      sizes.append(difference.count)
      if let next = replica.applying(difference) { replica = next }
    })
    #expect(replica == ["a", "b"])
    order.notes.append("c")
    order.notes = ["c", "a"]
    order.notes = ["c", "a"]
    #expect(replica == order.notes)
    #expect(sizes == [2, 1, 3, 0])
  }

  // MARK: Changes

  private func changes(
    _ options: KeyValueObservingOptions = [.old, .new]
  ) -> Log<String> {
    let log = Log<String>()
    log.follow(
      order.items.observeElementChanges(\.price, options: options).map { element, index, change in
        let values = [change.old, change.new].map { $0.map(String.init) ?? "–" }
        #expect(change.new == nil || change.new == element.price)
        return "\(index): \(values.joined(separator: " → "))"
      })
    return log
  }

  @Test("A change of an element has its index and the old value")
  func aChangeOfAnElementHasItsIndexAndTheOldValue() {
    let log = changes()
    items[1].price = 20
    order.items.insert(Article(0), at: 0)
    items[1].price = 30
    order.items.move(from: 2, to: 3)
    items[1].price = 40
    order.items.remove(at: 3)
    items[1].price = 50
    log.expect(["1: 2 → 20", "2: 20 → 30", "3: 30 → 40"])
  }

  @Test("Changes of elements have the values asked for")
  func changesOfElementsHaveTheValuesAskedFor() {
    let initial = changes([.initial, .new])
    let old = changes(.old)
    let prior = changes([.prior, .old])
    items[2].price = 30
    initial.expect(["0: – → 1", "1: – → 2", "2: – → 3", "2: – → 30"])
    old.expect(["2: 3 → –"])
    prior.expect(["2: 3 → –", "2: 3 → –"])
    order.items.append(Article(4))
    initial.expect(["3: – → 4"])
    old.expect([])
  }

  @Test("The index is the first in the contents that have been emitted")
  func theIndexIsTheFirstInTheContentsThatHaveBeenEmitted() {
    order.items.append(items[0])
    let log = changes()
    items[0].price = 10
    order.items.remove(at: 0)
    items[0].price = 20
    batchUpdates {
      items[0].price = 30
      order.items.remove(at: 0)
      order.items.insert(Article(5), at: 0)
      order.items[0].price = 6
    }
    log.expect(["0: 1 → 10", "2: 10 → 20", "2: 20 → 30"])
    order.items.removeAll()
    order.items.append(contentsOf: [Article(7), items[0]])
    items[0].price = 40
    log.expect(["1: 30 → 40"])
  }

  @Test("The index of an element of a view is the one in the view")
  func theIndexOfAnElementOfAViewIsTheOneInTheView() {
    let cheap = order.items.filtered { $0.price < 10 }.reversed()
    let log = Log<[Int]>()
    log.follow(
      cheap.observeElementChanges(\.price).map { [$1, $2.old ?? -1, $2.new ?? -1] })
    items[0].price = 5
    items[1].price = 20
    items[0].price = 6
    log.expect([[2, 1, 5], [1, 2, 20], [1, 5, 6]])
  }
}
