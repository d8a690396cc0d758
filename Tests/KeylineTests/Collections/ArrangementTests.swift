import Keyline
import TestSupport
import Testing

/// Flattened arrays, windows and computed values, one law each.
@Suite struct ArrangementTests {
  private typealias Order = ViewedOrder

  private final class Shop: ReactiveObject {
    let orders: ObservableArray = [Order(3), Order(14), Order(5)]
    @Observed var limit = 2
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
}
