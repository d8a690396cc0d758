import Keyline
import TestSupport
import Testing

/// Flattened arrays, windows, aggregates and computed values, one law each.
@Suite struct ArrangementTests {
  private typealias Order = ViewedOrder

  private final class Shop: ReactiveObject {
    let orders: ObservableArray = [Order(3), Order(14), Order(5)]
    @Observed var limit = 2
    var sum: Int { orders.sum(of: \.total) }
  }

  @Test("The closure of flatMapped is called again only for what it has read")
  func flatMappedReads() {
    final class Folder: ReactiveObject {
      @Observed var items = ObservableArray<Int>()
    }
    let folders: ObservableArray = [Folder(), Folder()]
    var calls = 0
    let items = folders.flatMapped { folder -> LiveArray<Int> in
      calls += 1
      return folder.items
    }
    let log = Log<[ArrayEdit<Int>]>()
    log.follow(items.changes)
    #expect(calls == 2)
    folders[1].items.append(contentsOf: [1, 2])
    folders[0].items.append(0)
    folders[1].items.move(from: 0, to: 1)
    #expect(calls == 2 && items.elements == [0, 2, 1])
    #expect(
      log.take() == [
        [.insertion([1, 2], at: 0)], [.insertion([0], at: 0)], [.move(1, from: 1, to: 2)],
      ])
    folders[1].items = [9]
    #expect(calls == 3 && items.elements == [0, 9])
    folders.append(folders[1])
    #expect(items.elements == [0, 9, 9])
    folders[1].items[0] = 8
    #expect(items.elements == [0, 8, 8])
  }

  @Test("A window follows what its range reads, and emits a move inside as one")
  func windows() {
    let shop = Shop()
    let totals = shop.orders.mapped(\.total)
    let log = Log<[ArrayEdit<Int>]>()
    let page = totals.window { 0..<shop.limit }
    log.follow(page.changes)
    shop.orders.move(from: 0, to: 1)
    shop.limit = 1
    shop.limit = 9
    shop.orders.insert(Order(8), at: 0)
    shop.limit = 0
    shop.orders.removeAll()
    #expect(
      log.take() == [
        [.move(3, from: 0, to: 1)], [.removal([3], at: 1)], [.insertion([3, 5], at: 1)],
        [.insertion([8], at: 0)], [.removal([8, 14, 3, 5], at: 0)],
      ])
    #expect(totals.prefix(-1).isEmpty && totals.window { 5..<9 }.isEmpty)
  }

  @Test("An observed aggregate reads only the elements that have changed")
  func aggregateReads() {
    final class Part: ReactiveObject {
      nonisolated(unsafe) static var reads = 0
      @Observed var stored = 1
      var price: Int {
        Self.reads += 1
        return stored
      }
    }
    let parts = ObservableArray((0..<100).map { _ in Part() })
    let sum = Computed { parts.sum(of: \.price) }
    let log = Log<Int>()
    log.follow(sum.observe(\.value))
    Part.reads = 0
    parts[7].stored = 11
    parts.append(Part())
    parts.remove(at: 0)
    #expect(log.take() == [100, 110, 111, 110] && Part.reads == 2)
    batchUpdates {
      parts[3].stored = 2
      #expect(sum.value == 111)
      parts[3].stored = 1
    }
    #expect(log.take().isEmpty)
  }

  @Test("A computed property that reads an aggregate is observable, and releases it with the array")
  func aggregatesOfProperties() {
    weak var released: ObservableArray<Order>?
    let log = Log<Int>()
    do {
      let shop = Shop()
      released = shop.orders
      log.follow(shop.observe(\.sum))
      shop.orders[0].total = 4
      shop.orders.filtered { $0.total > 4 }.forEach { $0.total += 1 }
    }
    #expect(log.take() == [22, 23, 24, 25] && log.isCompleted && released == nil)
  }

  @Test("Sums of floating-point numbers forget what has left")
  func exactSums() {
    final class Part: ReactiveObject { @Observed var size = 0.0 }
    let parts = ObservableArray(
      [1e20, 1, .infinity].map { size in
        let part = Part()
        part.size = size
        return part
      })
    let sum = Computed { parts.sum(of: \.size) }
    let log = Log<Double>()
    log.follow(sum.observe(\.value))
    parts.removeLast()
    parts[0].size = .nan
    parts.removeFirst()
    #expect(log.take().description == "[inf, 1e+20, nan, 1.0]")
    parts.removeAll()
    #expect(log.take() == [0] && Computed { parts.max(of: \.size) }.value == nil)
  }

  @Test("A rule follows the elements of a view whose array has died")
  func aggregatesOfDeadArrays() {
    let orders = [Order(1), Order(2), Order(3)]
    var array: ObservableArray<Order>? = ObservableArray(orders)
    let views = array.map { [$0.reversed(), $0.filtered { $0.total > 0 }, $0.mapped { $0 }] } ?? []
    let sums = views.map { view in Computed { view.sum(of: \.total) + view.count } }
    let log = Log<Int>()
    for sum in sums { log.follow(sum.observe(\.value)) }
    array = nil
    orders[0].total = 50
    let late = views.map { view in Computed { view.max(of: \.total) } }
    orders[2].total = 70
    #expect(sums.map(\.value) == [125, 125, 125] && late.map(\.value) == [70, 70, 70])
    log.expect([9, 9, 9, 58, 58, 58, 125, 125, 125])
  }

  @Test("A rule makes views of a view whose array has died") func viewsOfDeadArrays() {
    var array: ObservableArray<Order>? = [Order(1), Order(2), Order(3)]
    let other = ObservableArray(array?.elements ?? [])
    let view = array.map { $0.filtered { $0.total > 0 } }
    let early = Computed { view?.prefix(2).map(\.total) }
    let small = view.map { view in
      other.filtered { order in view.prefix(2).contains { $0 === order } }
    }
    let log = Log<[Int]?>()
    log.follow(early.observe(\.value))
    log.follow(small?.changes.map { _ in [] } ?? .never())
    array = nil
    let late = Computed { view?.prefix(2).sum(of: \.total) }
    log.follow(late.observe(\.value).map { [$0 ?? 0] })
    view?.first?.total = 8
    #expect(log.take() == [[1, 2], [3], [8, 2], [10]] && small?.count == 2)
  }

  @Test("Means do not overflow, and extremes leave NaN out")
  func meansAndExtremes() {
    final class Sample<Value>: ReactiveObject {
      @Observed var value: Value
      init(_ value: Value) {
        self.value = value
        super.init()
      }
    }
    let small = ObservableArray([Int8(100), 100, 100].map { Sample($0) })
    #expect(small.average(of: \.value) == 100)
    #expect(Computed { small.average(of: \.value) }.value == 100)
    let numbers = ObservableArray([.nan, 1, .nan, 3, .nan, -2, .nan].map { Sample($0) })
    let extremes = Computed { [numbers.min(of: \.value), numbers.max(of: \.value)] }
    _ = extremes.observe(\.value)
    for _ in 0..<numbers.count {
      #expect(extremes.value == [-2, 3] && numbers.min(of: \.value) == -2)
      numbers.move(from: 0, to: 6)
    }
    numbers.removeAll { !$0.value.isNaN }
    #expect(extremes.value[0]?.isNaN == true)
  }

  @Test("An array keeps 64 different aggregates, and more are computed anew")
  func manyAggregates() {
    final class Cell: ReactiveObject {
      @Observed var value = 0
      subscript(offset: Int) -> Int { value + offset }
    }
    let cells: ObservableArray = [Cell(), Cell()]
    let sums = (0..<100).map { (offset: Int) in Computed<Int> { cells.sum(of: \Cell.[offset]) } }
    let log = Log<Int>()
    for sum in sums { log.follow(sum.observe(\.value)) }
    log.expect((0..<100).map { 2 * $0 })
    cells[0].value = 1
    cells.append(Cell())
    // The first sum is 1 already.
    let later: [Int] = (1..<100).map { (offset: Int) -> Int in 3 * offset + 1 }
    #expect(log.take().suffix(99) == later[...])
  }

  @Test("A computed value is cached, and emitted if it has changed; it releases its closure")
  func computed() {
    let shop = Shop()
    var evaluations = 0
    let isHigh = Computed { [unowned shop] in
      evaluations += 1
      return shop.limit > 4
    }
    #expect(!isHigh.value && !isHigh.value && evaluations == 1)
    let log = Log<Bool>()
    log.follow(isHigh.observe(\.value))
    shop.limit = 3
    shop.limit = 5
    shop.limit = 6
    #expect(log.take() == [false, true] && evaluations == 4)
    weak var released: Shop?
    do {
      let other = Shop()
      released = other
      let limit = Computed { other.limit }
      #expect(limit.value == 2)
    }
    #expect(released == nil)
  }

  private final class Chart: ReactiveObject {
    let values: ObservableArray = [5, 1, 4]
    let others: ObservableArray = [4]
    @Observed var isReversed = false
    @Derived({ (self: Chart) in self.values.prefix(2).reduce(0, +) }) var firstTwo: Int
    @Derived({ (self: Chart) in
      let kept = self.values.filtered { value in self.others.prefix(1).contains { $0 <= value } }
      return self.isReversed ? kept.reversed().elements : kept.elements
    }) var kept: [Int]
    var last: Int? { values.reversed().first }
  }

  @Test("A rule follows a view that it makes itself, and what such a view has read")
  func transientViews() {
    let chart = Chart()
    let log = Log<String>()
    chart.observe(\.firstTwo) { log.append("two \($0)") }
    chart.observe(\.last) { log.append("last \($0 ?? 0)") }
    let kept = Log<[Int]>()
    kept.follow(chart.observe(\.kept))
    _ = log.take()
    chart.values.insert(9, at: 0)
    log.expect(["two 14", "last 4"])
    chart.values.append(2)
    log.expect(["last 2"])
    chart.others.insert(9, at: 0)
    chart.isReversed = true
    chart.values[0] = 10
    kept.expect([[5, 4], [9, 5, 4], [9], [10]])
  }

  @Test("A rule follows what an object was computed from that it makes itself")
  func transientObjects() {
    let shop = Shop()
    let outer = Computed { Computed { shop.limit * 2 }.value + 1 }
    #expect(outer.value == 5)
    shop.limit = 3
    #expect(outer.value == 7)
    let filtered = shop.orders.filtered { order in Computed { order.total > shop.limit }.value }
    let log = Log<[Int]>()
    log.follow(filtered.changes.map { _ in filtered.map(\.total) })
    shop.limit = 4
    shop.orders[0].total = 8
    shop.limit = 10
    log.expect([[8, 14, 5], [14]])
  }

  @Test("A joined view, and a subscription to it, retain nothing once the view is dropped")
  func joinedLifetimes() {
    let log = Log<[ArrayEdit<Order>]>()
    weak var survivor: Order?
    weak var view: LiveArray<Order>?
    weak var source: LiveArray<Order>?
    do {
      let (inbox, archive) = (ObservableArray([Order(1)]), ObservableArray<Order>())
      let all = LiveArray.joined([inbox, archive])
      let large = all.filtered { $0.total > 1 }
      (survivor, view, source) = (inbox[0], all, archive)
      log.follow(all.changes)
      log.follow(large.changes)
      archive.append(Order(2))
      #expect(log.take().count == 2)
    }
    #expect(survivor == nil && view == nil && source == nil)
  }

  @Test("A view read in a batch emits exact edits, also if an element dies as the views settle")
  func readInBatch() {
    let array: ObservableArray = [Order(1), Order(2), Order(3)]
    let free = array.filtered { $0.friend?.total ?? 0 < 9 }
    let view = LiveArray.joined([LiveArray.joined([free])])
    let log = Log<[ArrayEdit<Int>]>()
    let totals = view.mapped(\.total)
    log.follow(totals.changes)
    batchUpdates {
      array.append(Order(4))
      #expect(view.count == 4)
      let second = array.remove(at: 1)
      second.total = 9
      array[0].friend = second
      array.removeLast()
    }
    #expect(
      log.take() == [
        [
          .insertion([4], at: 3), .removal([2], at: 1), .removal([4], at: 2),
          .removal([1], at: 0),
        ], [.insertion([1], at: 0)],
      ])
  }
}
