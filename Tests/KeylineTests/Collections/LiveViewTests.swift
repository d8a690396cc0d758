import Keyline
import KeylineTest
import TestSupport
import Testing

/// Live views of arrays: `mapped`, `filtered` and `sorted`.
@Suite struct LiveViewTests {
  private final class Order: ReactiveObject {
    let id: Int
    @Observed var total: Int
    @Observed var isOpen = true
    @WeakObserved var next: Order?

    init(_ id: Int, _ total: Int = 0) {
      self.id = id
      self.total = total
      super.init()
    }
  }

  private final class Store: ReactiveObject {
    let orders: ObservableArray<Order>
    @Observed var limit = 4
    var calls = 0
    /// Nothing but these references retains the views.
    var views: [LiveArray<Int>] = []

    init(_ totals: some Sequence<Int>) {
      orders = ObservableArray(totals.enumerated().map { Order($0.offset, $0.element) })
    }
  }

  private final class Row {
    let id: Int
    init(_ order: Order) { id = order.id }
  }

  private let store = Store(0..<8)

  /// The orders above the limit; each call of the predicate is counted.
  private var large: LiveArray<Order> {
    store.orders.filtered { [unowned store] in
      store.calls += 1
      return $0.total > store.limit
    }
  }

  /// A log of the emissions of a view, with identifiers in place of orders.
  private func log(_ view: LiveArray<Order>) -> Log<[ArrayEdit<Int>]> {
    let log = Log<[ArrayEdit<Int>]>()
    let ids = view.mapped(\.id)
    log.follow(ids.changes)
    store.views.append(ids)
    return log
  }

  // MARK: Laziness

  @Test("Nothing is computed before the first read, or without an observer")
  func laziness() {
    let view = large
    store.orders[0].total = 9
    #expect(store.calls == 0)
    #expect(view.map(\.id) == [0, 5, 6, 7] && store.calls == 8)
    #expect(view.count == 4 && store.calls == 8)
    let subscription = view.changes.subscribe()
    store.orders[1].total = 9
    #expect(store.calls == 9)
    subscription.dispose()
    store.orders[2].total = 9
    store.limit = 8
    store.orders.removeLast()
    #expect(store.calls == 9)
    #expect(view.map(\.id) == [0, 1, 2])
  }

  @Test("A view that is only read is evaluated for changed elements only")
  func readsAreIncremental() {
    let view = large
    #expect(view.count == 3)
    store.calls = 0
    store.orders[2].total = 9
    #expect(view.map(\.id) == [2, 5, 6, 7] && store.calls == 1)
  }

  // MARK: Edits

  @Test("A changed element is at most one edit, and one call of the predicate")
  func oneEdit() {
    let log = log(large)
    store.calls = 0
    store.orders[1].total = 9
    store.orders[1].total = 8
    store.orders[6].total = 0
    log.expect([[.insertion([1], at: 0)], [.removal([6], at: 2)]])
    #expect(store.calls == 3)
  }

  @Test("A change of something that all elements read is one pass and one emission")
  func onePass() {
    let store = Store(0..<100)
    let view = store.orders.filtered { [unowned store] in
      store.calls += 1
      return $0.total > store.limit
    }
    let log = log(view)
    store.calls = 0
    store.limit = 97
    #expect(store.calls == 100)
    let emissions = log.take()
    #expect(emissions.count == 1 && emissions[0].count <= 2)
    #expect(view.map(\.id) == [98, 99])
  }

  @Test("All edits of a batch are one emission") func batches() {
    let log = log(large)
    batchUpdates {
      store.orders[0].total = 9
      store.orders.append(Order(8, 1))
      store.orders.append(Order(9, 9))
      store.orders.move(from: 9, to: 0)
      store.limit = 5
      #expect(large.count == 4)
    }
    #expect(log.take().count == 1)
    batchUpdates {
      store.limit = 0
      store.limit = 5
    }
    log.expect([])
  }

  @Test("A changed element moves by one edit, and few comparisons") func oneMove() {
    let store = Store(0..<1_000)
    var comparisons = 0
    let view = store.orders.sorted {
      comparisons += 1
      return $0.total < $1.total
    }
    let log = log(view)
    comparisons = 0
    store.orders[0].total = 600
    store.orders[999].total = 4
    store.orders[500].total = 500
    log.expect([[.move(0, from: 0, to: 599)], [.move(999, from: 999, to: 4)]])
    #expect(comparisons < 200)
  }

  @Test("Equal elements keep the order of the source") func stability() {
    let view = store.orders.sorted { $0.isOpen && !$1.isOpen }
    let log = log(view)
    #expect(view.map(\.id) == Array(0..<8))
    store.orders[3].isOpen = false
    store.orders[1].isOpen = false
    #expect(view.map(\.id) == [0, 2, 4, 5, 6, 7, 1, 3])
    store.orders[3].isOpen = true
    store.orders.move(from: 0, to: 7)
    #expect(view.map(\.id) == [2, 3, 4, 5, 6, 7, 0, 1])
    #expect(log.take().count == 4)
    #expect(store.orders.sorted(by: \.total).last?.total == 7)
  }

  @Test("A comparison with its label makes a live view, too") func label() {
    let view = store.orders.sorted(by: { $0.total > $1.total })
    store.orders[4].total = 1_000
    #expect(view[0] === store.orders[4])
    let copy: [Order] = store.orders.sorted(by: { $0.total > $1.total })
    #expect(copy[0] === store.orders[4])
  }

  @Test("A comparison that is no order gives some order") func noOrder() {
    var flag = false
    for compare: (Order, Order) -> Bool in [
      { _, _ in true }, { _, _ in false }, { $0.total != $1.total },
      { _, _ in
        flag.toggle(); return flag
      },
    ] {
      let view = store.orders.sorted(by: compare)
      let log = log(view)
      for total in [5, 0, 9] { store.orders[4].total = total }
      store.orders.append(Order(8))
      store.orders.removeFirst()
      #expect(Set(view.map(\.id)) == Set(store.orders.map(\.id)))
      _ = log.take()
    }
  }

  // MARK: Following

  @Test("A predicate follows derived values, other objects and other arrays")
  func following() {
    final class Tag: ReactiveObject { let marked = ObservableSet<Int>() }
    let tag = Tag()
    let view = store.orders.filtered { order in
      tag.marked.contains(order.id) || order.next?.isOpen == false
    }
    let log = log(view)
    tag.marked.insert(3)
    store.orders[5].next = store.orders[0]
    store.orders[0].isOpen = false
    log.expect([[.insertion([3], at: 0)], [.insertion([5], at: 1)]])
    store.orders.removeFirst()
    log.expect([[.removal([5], at: 1)]])
    tag.marked.removeAll()
    #expect(view.isEmpty)
  }

  @Test("A comparison may read other properties for other pairs") func unevenReads() {
    // Open orders are compared by total, and come first; closed ones by the next order's total.
    let view = store.orders.sorted {
      $0.isOpen != $1.isOpen
        ? $0.isOpen
        : $0.isOpen ? $0.total < $1.total : ($0.next?.total ?? 0) < ($1.next?.total ?? 0)
    }
    let log = log(view)
    for order in store.orders.prefix(3) { order.isOpen = false }
    store.orders[0].next = store.orders[7]
    store.orders[1].next = store.orders[6]
    store.orders[7].total = 1
    #expect(view.map(\.id) == [7, 3, 4, 5, 6, 2, 0, 1])
    _ = log.take()
  }

  @Test("Views can be read, observed and chained like any property") func reading() async {
    final class Screen: ReactiveObject {
      let view: LiveArray<Order>
      @Derived({ (self: Screen) in self.view.reduce(0) { $0 + $1.total } }) var sum: Int
      init(_ view: LiveArray<Order>) { self.view = view }
    }
    let screen = Screen(large)
    let sums = Log<Int>()
    let counts = Log<Int>()
    let totals = Log<Int>()
    let kinds = Log<PropertyChange<[Order]>.Kind>()
    sums.follow(screen.observe(\.sum))
    counts.follow(screen.view.observe(\.count))
    totals.follow(screen.view.observeElements(\.total).map(\.value))
    kinds.follow(screen.observeChanges(\.view).map(\.kind))
    store.orders[7].total = 10
    store.orders[0].total = 5
    #expect(sums.take() == [18, 21, 26] && counts.take() == [3, 4])
    #expect(totals.take() == [5, 6, 7, 10, 5] && kinds.take() == [.insertion])
    let values = screen.view.values(of: \.count)
    store.orders.removeAll()
    var received: [Int] = []
    for await count in values.prefix(2) { received.append(count) }
    #expect(received == [4, 0] && screen.sum == 0)
  }

  @Test("Views of views, in any order") func composing() {
    let view = store.orders.sorted { $0.total > $1.total }.filtered { $0.isOpen }
      .mapped { Row($0) }.filtered { $0.id != 3 }
    #expect(view.map(\.id) == [7, 6, 5, 4, 2, 1, 0])
    let first = view[0]
    let log = Log<[Int]>()
    log.follow(view.changes.map { edits in edits.flatMap { $0.inserted.map(\.id) } })
    store.orders[7].total = -1
    #expect(view.last === first && log.take() == [[7]])
    store.orders[7].isOpen = false
    store.orders[3].isOpen = false
    #expect(view.map(\.id) == [6, 5, 4, 2, 1, 0] && log.take() == [[]])
  }

  // MARK: Rows

  @Test("A row is made once per element, kept with it, and released with it") func rows() {
    var made: [Int] = []
    let view = store.orders.mapped { order in
      made.append(order.id)
      return Row(order)
    }
    let subscription = view.changes.subscribe()
    #expect(made == Array(0..<8))
    let rows = view.elements
    store.orders.swapAt(0, 7)
    store.orders.reverse()
    store.orders.sort { $0.id < $1.id }
    batchUpdates {
      let order = store.orders.remove(at: 4)
      store.orders.append(order)
    }
    store.orders.move(from: 7, to: 4)
    store.orders.append(store.orders[0])
    #expect(made == Array(0..<8) && view[8] === rows[0])
    store.orders.removeLast()
    #expect(view.elementsEqual(rows, by: ===))
    subscription.dispose()
    store.orders[0] = Order(8)
    #expect(view.dropFirst().elementsEqual(rows.dropFirst(), by: ===))
    #expect(made == Array(0..<9))
  }

  @Test("Rows that have left are released, observed or not") func releasedRows() {
    let view = store.orders.mapped { Row($0) }
    var subscription: (any Disposable)? = view.changes.subscribe()
    weak let observed = view[7]
    weak let unobserved = view[6]
    #expect(observed != nil)
    store.orders.removeLast()
    #expect(observed == nil)
    subscription?.dispose()
    subscription = nil
    store.orders.removeLast()
    #expect(unobserved == nil && view.count == 6)
  }

  @Test("A new element at the address of a dead one has a row of its own") func newAddresses() {
    let view = store.orders.filtered { $0.isOpen }.mapped { Row($0) }
    for round in 0..<200 {
      #expect(view.map(\.id) == store.orders.map(\.id))
      store.orders.remove(at: round % 8)
      store.orders.append(Order(8 + round))
    }
  }

  @Test("Values are followed by value") func values() {
    let numbers: ObservableArray = [3, 1, 2, 3]
    var made = 0
    let view = numbers.filtered { $0 != 2 }.sorted(by: \.self).mapped { number in
      made += 1
      return "\(number)"
    }
    let log = Log<[ArrayEdit<String>]>()
    log.follow(view.changes)
    #expect(view.elements == ["1", "3", "3"] && made == 2)
    numbers[0] = 0
    numbers.reverse()
    #expect(view.elements == ["0", "1", "3"] && made == 3)
    numbers.append(.max)
    #expect(view.last == "\(Int.max)")
    _ = log.take()
  }

  // MARK: Ends

  @Test("Views keep their contents when the array dies, and complete") func death() {
    var orders: ObservableArray? = ObservableArray((0..<4).map { Order($0, $0) })
    let read = orders!.filtered { $0.total > 1 }
    let unread = read.mapped { Row($0) }
    let log = Log<[ArrayEdit<Order>]>()
    log.follow(read.changes)
    #expect(read.count == 2)
    orders = nil
    #expect(log.isCompleted && read.map(\.id) == [2, 3] && unread.map(\.id) == [2, 3])
    read[0].total = 0
    #expect(read.count == 2)
    let late = Log<[ArrayEdit<Row>]>()
    late.follow(unread.changes)
    #expect(late.isCompleted && unread.count == 2)
  }

  @Test("A subscription retains the view, and the views below it, but not the array")
  func retainedViews() {
    let store = Store(0..<8)
    weak let orders = store.orders
    let log = Log<Int>()
    log.follow(store.orders.filtered { $0.isOpen }.mapped(\.id).changes.map(\.count))
    log.follow(store.orders.filtered { $0.isOpen }.observeElements(\.total).map(\.value))
    log.expect(Array(0..<8))
    store.orders[3].isOpen = false
    store.orders[4].total = 9
    log.expect([1, 9])
    _ = consume store
    #expect(orders == nil && log.isCompleted)
  }

  @Test("Nothing retains a view whose subscription has ended") func lifetimes() {
    let tracker = LifetimeTracker()
    do {
      let token = tracker.track()
      let view = store.orders.filtered { token.pass($0.isOpen) }.mapped { Row(token.pass($0)) }
      let sorted = view.sorted { token.pass($0.id) < $1.id }
      let subscription = sorted.changes.subscribe()
      store.orders[0].isOpen = false
      #expect(sorted.count == 7)
      subscription.dispose()
    }
    #expect(tracker.survivors() == "")
    store.orders[0].isOpen = true
    weak let order = store.orders[7]
    store.orders.removeLast()
    #expect(order == nil)
  }

  @Test("An array that dies on another thread ends its views with their next use")
  func deathElsewhere() async {
    final class Box: @unchecked Sendable { var orders: ObservableArray<Order>? }
    let box = Box()
    box.orders = ObservableArray([Order(1), Order(2)])
    let view = box.orders!.filtered { $0.isOpen }
    let log = Log<[ArrayEdit<Order>]>()
    log.follow(view.changes)
    await Task.detached { box.orders = nil }.value
    #expect(view.count == 2 && log.isCompleted)
  }

  // MARK: Bad programs

  private final class Setting: ReactiveObject { @Observed var value = 0 }

  @Test("A predicate that sets is reported") func settingPredicate() {
    Reports.collect()
    let setting = Setting()
    let view = store.orders.filtered { order in
      setting.value = order.id
      return true
    }
    #expect(view.count == 8)
    #expect(Reports.about("Setting").contains { $0.category == .derivedWrite })
  }

  @Test("A predicate that reads its own view is reported") func ownView() {
    Reports.collect()
    final class Box { weak var view: LiveArray<Order>? }
    let box = Box()
    let view = store.orders.filtered { _ in box.view?.isEmpty ?? true }
    box.view = view
    #expect(view.count <= 8)
    #expect(Reports.of(.derivedCycle).contains { $0.message.contains("LiveArray") })
  }

  @Test("An observer may edit the array, and a row's death may use the view") func reentrancy() {
    final class Dying {
      var died: (() -> Void)?
      deinit { died?() }
    }
    var counts: [Int] = []
    let view = store.orders.mapped { _ in Dying() }
    let copy = Log<Int>()
    copy.follow(view.changes.map(\.count))
    for row in view { row.died = { [unowned view] in counts.append(view.count) } }
    let subscription = store.orders.changes.subscribe(onNext: { [store] _ in
      if store.orders.count > 5 { store.orders.removeLast() }
    })
    store.orders.removeLast()
    #expect(view.count == 5 && counts.count == 3 && copy.take().reduce(0, +) == 3)
    store.orders.removeAll()
    #expect(counts.count == 8 && counts.last == 0)
    subscription.dispose()
  }
}

/// Live views against `Array.map`, `filter` and `sorted`, computed anew after each step.
@Suite struct LiveViewProgramTests {
  @Test("Random programs agree with arrays computed anew") func randomPrograms() {
    let count =
      RandomPrograms.number("KEYLINE_VIEWS") ?? rounds(60, optimised: 3_000)
    RandomPrograms.expectLaws("LiveViewProgram", seeds: RandomPrograms.seeds(count)) {
      LiveViewProgram(seed: $0)
    }
  }
}
