import Dispatch
import Keyline
import Synchronization
import TestSupport
import Testing

@testable import KeylineCore

private typealias Order = ViewedOrder

/// Retains `object` on another thread for a while: either thread may release it last.
func releaseElsewhere(
  _ object: AnyObject, after rounds: Int = 0, in group: DispatchGroup
) {
  struct Carried: @unchecked Sendable { let object: AnyObject }
  let carried = Carried(object: object)
  ownThread().async(group: group) {
    var sum = 0
    for round in 0..<rounds { sum &+= round }
    withExtendedLifetime((carried, sum)) {}
  }
}

extension LiveArray where Element: Order {
  /// The orders below 50, sorted, through all kinds of views.
  fileprivate var small: LiveArray<Element> {
    filtered { $0.total < 50 }.sorted { $0.total < $1.total }.flatMapped { ObservableArray([$0]) }
      .reversed().reversed().window { 0..<100 }.mapped { $0 }
  }

  /// The totals of all elements, below 50, sorted.
  fileprivate var smallTotals: [Int] { map(\.total).filter { $0 < 50 }.sorted() }
}

/// Live views while their subscriptions are disposed, and arrays, views and elements die, on other
/// threads. Run under ThreadSanitizer by CI.
@Suite struct ViewConcurrencyTests {
  private func orders(_ count: Int) -> ObservableArray<Order> {
    ObservableArray((0..<count).map { Order($0 * 10) })
  }

  @Test("Subscriptions to views are disposed on other threads while the owner edits")
  func disposals() {
    let orders = orders(8)
    let (filtered, sorted) = (
      orders.filtered { $0.total < 50 }, orders.sorted { $0.total < $1.total }
    )
    let mapped = sorted.mapped { $0 }
    var copy = mapped.elements
    _ = mapped.changes.subscribe(onNext: { for edit in $0 { edit.apply(to: &copy) } })
    let received = Atomic<Int>(0)
    let subscriptions = (0..<900).map { (index: Int) -> any Disposable in
      switch index % 3 {
      case 0: filtered.changes.subscribe { _ in received.add(1, ordering: .relaxed) }
      case 1: sorted.changes.subscribe { _ in received.add(1, ordering: .relaxed) }
      default: filtered.observe(\.count).subscribe { _ in received.add(1, ordering: .relaxed) }
      }
    }
    var step = 0
    whileDisposing(subscriptions) {
      step += 1
      orders[step % orders.count].total = step * 37 % 100
      orders.insert(Order(step % 100), at: step % orders.count)
      if orders.count > 12 { orders.removeSubrange(6...) }
    }
    received.store(0, ordering: .relaxed)
    orders[0].total = orders[0].total > 50 ? 1 : 99
    #expect(received.load(ordering: .relaxed) == 0)
    #expect(filtered.map(\.total) == orders.map(\.total).filter { $0 < 50 })
    #expect(copy.map(\.total) == orders.map(\.total).sorted())
  }

  @Test("An array dies on another thread, and its views keep their elements")
  func arraysDie() {
    for round in 0..<ThreadTime.rounds(200, brief: 50) {
      var array: ObservableArray<Order>? = orders(6)
      let views = (0..<3).compactMap { _ in array?.small }
      // The first view is observed, the second has been read, and the third is neither.
      var isCompleted = false
      _ = views[0].changes.subscribe(onNext: { _ in }, onCompleted: { isCompleted = true })
      array?[0].total = round
      let expected = [10, 20, 30, 40, round].filter { $0 < 50 }.sorted()
      #expect(views[1].map(\.total) == expected)
      let group = DispatchGroup()
      array.map { releaseElsewhere($0, in: group) }
      array = nil
      // Before, during or after the death.
      #expect(views[1].map(\.total) == expected)
      group.wait()
      for view in views { #expect(view.map(\.total) == expected) }
      #expect(isCompleted)
    }
  }

  @Test("An array that dies while its views are first read hands over its elements")
  func dyingSources() {
    for round in 0..<ThreadTime.rounds(2_000, brief: 250) {
      var array: ObservableArray<Order>? = orders(6)
      let small = array.map { $0.filtered { $0.total < 50 } }
      let sorted = small?.sorted { $0.total > $1.total }
      let group = DispatchGroup()
      array.map { releaseElsewhere($0, after: round * 7 % 500, in: group) }
      array = nil
      for _ in 0..<round % 5 { #expect(sorted?.count == 5) }
      #expect(small?.mapped { $0 }.count == 5)
      group.wait()
      #expect(small?.count == 5 && sorted?.map(\.total) == [40, 30, 20, 10, 0])
    }
  }

  @Test("An object behind a weak property dies on another thread: the view is fresh")
  func weakReferents() {
    for isObserved in [true, false] {
      let orders = orders(3)
      var friend: Order? = Order(9)
      for order in orders { order.friend = friend }
      let view = orders.filtered { $0.friend != nil }
      let mapped = view.sorted { $0.total > $1.total }.mapped { $0 }
      let subscription = mapped.changes.subscribe()
      if !isObserved { subscription.dispose() }
      #expect(mapped.count == 3)
      let group = DispatchGroup()
      friend.map { releaseElsewhere($0, after: 100, in: group) }
      friend = nil
      group.wait()
      #expect(mapped.isEmpty && view.isEmpty)
    }
  }

  @Test("Views die on other threads while the owner edits the array")
  func viewsDie() {
    let orders = orders(6)
    for step in 0..<200 {
      var view: LiveArray<Order>? = orders.small
      weak var dying: LiveArray<Order>?
      dying = view
      // The array retains a view while its edits are observed.
      view?.changes.subscribe(onNext: { _ in }).dispose()
      let group = DispatchGroup()
      view.map { releaseElsewhere($0, in: group) }
      view = nil
      edit(orders, step)
      group.wait()
      #expect(dying == nil)
    }
    #expect(orders.small.map(\.total) == orders.smallTotals)
  }

  private func edit(_ orders: ObservableArray<Order>, _ step: Int) {
    orders[step % 6].total = step % 100
    orders.append(Order(step % 70))
    orders.removeFirst()
  }

  @Test("Elements die on other threads after they have left")
  func elementsDie() {
    let orders = orders(6)
    let view = orders.small
    var count = 0
    _ = view.changes.subscribe(onNext: { count += $0.count })
    for step in 0..<300 {
      let group = DispatchGroup()
      releaseElsewhere(orders.remove(at: step % 6), in: group)
      orders.append(Order(step % 100))
      orders[0].total += 1
      group.wait()
    }
    #expect(view.map(\.total) == orders.smallTotals)
    #expect(count > 0)
  }

  @Test("Each thread has arrays and views of its own")
  func threadsOfTheirOwn() {
    onThreads(8) { thread in
      let orders = ObservableArray((0..<20).map { Order($0 * 5) })
      let view = orders.small
      var copy = view.elements
      _ = view.changes.subscribe(onNext: { for edit in $0 { edit.apply(to: &copy) } })
      for step in 0..<200 {
        batchUpdates {
          orders[(step + thread) % 20].total = step * 31 % 100
          orders.move(from: step % 20, to: thread)
        }
        #expect(copy.map(\.total) == orders.smallTotals)
      }
    }
  }

  private final class Hub: ReactiveObject {
    @Observed var turn = 0
    var view: LiveArray<Order>?
    var value: Computed<Int>?
    @Derived({ (hub: Hub) in
      hub.turn * 0 + (hub.view?.count ?? 0) + (hub.value?.value ?? 0)
    }) var sum: Int
  }

  @Test("Views and values that a rule has read die on other threads while it is evaluated")
  func readByRules() {
    let (orders, hub, group) = (orders(4), Hub(), DispatchGroup())
    let log = Log<Int>()
    log.follow(hub.observe(\.sum))
    for round in 0..<ThreadTime.rounds(2_000, brief: 250) {
      let view = orders.filtered { $0.total < 50 }
      let value = Computed { orders[1].total + view.count }
      (hub.view, hub.value) = (view, value)
      hub.turn += 1
      releaseElsewhere(view, after: round % 50, in: group)
      releaseElsewhere(value, after: round % 70, in: group)
      orders[0].total = round % 100
      let count = orders.count { $0.total < 50 }
      #expect(hub.sum == 2 * count + orders[1].total)
      // From here on, either thread may be the last to retain them.
      (hub.view, hub.value) = (nil, nil)
    }
    group.wait()
    hub.turn += 1
    #expect(hub.sum == 0 && log.elements.last == 0)
  }

  private final class Bill: ReactiveObject {
    @Observed var turn = 0
    var orders: ObservableArray<Order>?
    var view: LiveArray<Order>?
    @Derived({ (bill: Bill) in
      let sum = bill.orders?.sum(of: \.total) ?? 0
      return bill.turn * 0 + sum + (bill.view?.max(of: \.total) ?? 0)
    }) var sum: Int
  }

  @Test("Arrays and views whose aggregates a rule has read die on other threads")
  func aggregated() {
    let (orders, bill, group) = ((0..<4).map { Order($0 * 10) }, Bill(), DispatchGroup())
    let log = Log<Int>()
    log.follow(bill.observe(\.sum))
    for round in 0..<ThreadTime.rounds(2_000, brief: 250) {
      let array = ObservableArray(orders)
      let view = array.filtered { $0.total < 50 }
      (bill.orders, bill.view) = (array, view)
      bill.turn += 1
      releaseElsewhere(array, after: round % 50, in: group)
      releaseElsewhere(view, after: round % 70, in: group)
      orders[0].total = round % 100
      let totals = orders.map(\.total)
      let largest: Int = totals.filter { $0 < 50 }.max() ?? 0
      #expect(bill.sum == totals.reduce(largest, +))
      // From here on, either thread may be the last to retain them.
      (bill.orders, bill.view) = (nil, nil)
      orders[1].total = round % 90
    }
    group.wait()
    bill.turn += 1
    #expect(bill.sum == 0 && log.elements.last == 0)
  }
}
