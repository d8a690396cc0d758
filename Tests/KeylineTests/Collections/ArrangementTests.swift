import Keyline
import TestSupport
import Testing

/// Sections, flattened arrays, windows and computed values, one law each.
@Suite struct ArrangementTests {
  private typealias Order = ViewedOrder

  private final class Shop: ReactiveObject {
    let orders: ObservableArray = [Order(3), Order(14), Order(5)]
    @Observed var limit = 2
  }

  @Test("A section is one object while it is retained, also if it has been empty in between")
  func sectionIdentity() throws {
    let shop = Shop()
    let sections = shop.orders.grouped { $0.total / 10 }
    #expect(sections.map(\.key) == [0, 1] && sections[0] === sections[0])
    let large = sections[1]
    let log = Log<[ArrayEdit<Order>]>()
    log.follow(large.changes)
    shop.orders[1].total = 4
    #expect(sections.count == 1 && large.isEmpty && log.take().count == 1)
    shop.orders[2].total = 15
    #expect(sections[1] === large && large.map(\.total) == [15] && log.take().count == 1)
    shop.orders.removeAll()
    #expect(sections.isEmpty && large.isEmpty)
    shop.orders.append(Order(11))
    #expect(sections[0] === large && large.count == 1)
  }

  @Test("A change inside a section is an edit of the section only")
  func sectionEdits() {
    let shop = Shop()
    let sections = shop.orders.grouped { $0.total / 10 }
    let log = Log<[ArrayEdit<LiveSection<Int, Order>>]>()
    log.follow(sections.changes)
    let small = sections[0]
    let edits = Log<[ArrayEdit<Int>]>()
    edits.follow(small.mapped(\.total).changes)
    shop.orders.insert(Order(7), at: 1)
    #expect(log.take().isEmpty && edits.take() == [[.insertion([7], at: 1)]])
    shop.orders.move(from: 2, to: 0)
    // The section of the 14 is the first one now.
    #expect(sections.map(\.key) == [1, 0] && log.take().count == 1 && edits.take().isEmpty)
  }

  @Test("Sections keep their elements when the array dies, and release them with themselves")
  func sectionDeath() {
    var shop: Shop? = Shop()
    weak let order = shop?.orders[0]
    weak let sections = shop?.orders.grouped { $0.total / 10 }
    var section = shop?.orders.grouped { $0.total / 10 }[0]
    let log = Log<[ArrayEdit<Order>]>()
    if let section { log.follow(section.changes) }
    shop = nil
    #expect(section?.map(\.total) == [3, 5] && log.isCompleted && sections == nil)
    section = nil
    #expect(order == nil)
  }

  @Test("A subscription retains a section, and the section the view of sections")
  func sectionLifetime() {
    let shop = Shop()
    let log = Log<[ArrayEdit<Int>]>()
    weak var sections: LiveArray<LiveSection<Int, Order>>?
    do {
      let made = shop.orders.grouped { $0.total / 10 }
      sections = made
      log.follow(made[0].mapped(\.total).changes)
    }
    #expect(sections != nil)
    shop.orders.append(Order(1))
    #expect(log.take() == [[.insertion([1], at: 2)]])
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
