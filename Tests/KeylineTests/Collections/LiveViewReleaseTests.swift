import Keyline
import TestSupport
import Testing

/// When live views release rows, closures and elements, and what a death does to a view that is
/// being read.
@Suite struct LiveViewReleaseTests {
  private typealias Order = ViewedOrder

  private final class Row {}

  private final class Store: ReactiveObject {
    let orders: ObservableArray = [Order(1), Order(2)]
    @Observed var isAscending = true
  }

  @Test(
    "An element that is removed and inserted in a batch keeps its row, if the view is read meanwhile",
    arguments: [true, false])
  func readsInBatches(isObserved: Bool) {
    let store = Store()
    var made = 0
    let rows = store.orders.mapped { _ in
      made += 1
      return Row()
    }
    let subscription = rows.changes.subscribe()
    if !isObserved { subscription.dispose() }
    let row = rows[0]
    weak let gone = rows[1]
    batchUpdates {
      let order = store.orders.remove(at: 0)
      #expect(rows.count == 1)
      store.orders.append(order)
      store.orders.removeFirst()
      #expect(rows[0] === row)
    }
    #expect(rows[0] === row && rows.count == 1 && made == 2 && gone == nil)
  }

  @Test("A view that is released releases its closure, whether it was read or not")
  func closures() {
    for (isSorted, isRead) in [(true, true), (true, false), (false, true), (false, false)] {
      weak var released: Store?
      do {
        let store = Store()
        released = store
        let view =
          isSorted
          ? store.orders.sorted { store.isAscending ? $0.total < $1.total : $0.total > $1.total }
          : store.orders.filtered { _ in store.isAscending }
        if isRead { #expect(view.count == 2) }
      }
      #expect(released == nil)
    }
  }

  @Test("A view whose elements die while it is read gives the state after their deaths")
  func deathsDuringReads() {
    let orders: ObservableArray = [Order(0), Order(1), Order(2)]
    var friend: Order? = Order(9)
    let view = orders.mapped { [friend] in ($0, friend) }
      .filtered { $0.0.friend != nil || $0.0.total == 0 }
    for order in orders { order.friend = friend }
    friend = nil
    #expect(view.map(\.0.total) == [0, 1, 2])
    // The rows retain the friend until the view is read again.
    #expect(view.count == 3)
    orders.removeAll()
    #expect(view.map(\.0.total) == [] && view.count == 0)
  }

  @Test("A closure whose answers vary gives some order")
  func varyingAnswers() {
    let orders = ObservableArray((0..<500).map { Order($0) })
    let view = orders.sorted { _, _ in Bool.random() }
    #expect(Set(view.map(\.total)) == Set(0..<500))
    orders.remove(at: 0)
    #expect(view.count == 499)
  }

  @Test("A view is in order though an object dies while it is sorted", arguments: 0..<20)
  func deathsDuringSorting(comparison: Int) {
    let orders = ObservableArray((0..<5).map { Order($0) })
    var friends: [Order?] = [Order(1), Order(4), Order(3), Order(5), Order(2)]
    for (order, friend) in zip(orders, friends) { order.friend = friend }
    var count = 0
    let view = orders.sorted { one, other in
      if count == comparison { friends[3] = nil }
      count += 1
      return one.friend?.total ?? 0 < other.friend?.total ?? 0
    }
    let before = view.map(\.total)
    let after = view.map(\.total)
    // The comparison of a read may have been the last with the friend.
    #expect(before == after || count <= comparison + 1)
    friends[3] = nil
    #expect(view.map(\.total) == [3, 0, 4, 2, 1])
    friends[1] = nil
    #expect(view.map(\.total) == [1, 3, 0, 4, 2])
  }

  @Test(
    "A change of something that all elements read is few edits, in arrays of any size",
    arguments: [2, 3, 5, 8, 12, 20, 50])
  func sharedChanges(count: Int) {
    let ranks: ObservableDictionary<Int, Int> = [:]
    let numbers = ObservableArray(Array(0..<count))
    let sorted = numbers.sorted { ranks[$0, default: $0] < ranks[$1, default: $1] }
    let filtered = numbers.filtered { ranks[$0, default: $0] < count }
    let (moves, exclusions) = (Log<Int>(), Log<Int>())
    moves.follow(sorted.changes.map(\.count))
    exclusions.follow(filtered.changes.map(\.count))
    ranks[0] = count
    #expect(moves.take() == [1] && exclusions.take() == [1])
    ranks[0] = -1
    numbers.append(count - 1)
    #expect(
      sorted.elements == Array(0..<count) + [count - 1] && moves.take().allSatisfy { $0 == 1 })
  }

  @Test("A row whose making or release changes the view below: the read gives the final state")
  func changesDuringReads() {
    let orders: ObservableArray = [Order(0), Order(1), Order(2)]
    let small = orders.filtered { $0.total < 2 }
    let rows = small.mapped { order in
      order.total += order.total == 1 ? 1 : 0
      return order.total
    }
    #expect(rows.count == 1)
    #expect(rows.elements == [0] && small.count == 1)

    let chain: ObservableArray = [Order(0), Order(1), Order(2)]
    chain[0].friend = chain[1]
    chain[1].friend = chain[2]
    let kept = chain.filtered { $0.friend != nil || $0.total == 2 }.mapped { [$0] }
    #expect(kept.count == 3)
    chain.remove(at: 2)
    #expect(kept.count == 1 && kept[0][0] === chain[0])
  }

  @Test("A source that has died is not retained by views that have ended")
  func endedViews() {
    var orders: ObservableArray? = [Order(1), Order(2), Order(3)]
    weak let first = orders?[0]
    weak let last = orders?[2]
    let small = orders!.filtered { $0.total < 3 }
    let totals = small.sorted { $0.total > $1.total }.mapped(\.total)
    #expect(totals.elements == [2, 1])
    orders = nil
    // The filtered view has been read, and ends at once; it keeps its own elements only.
    #expect(last == nil && first != nil)
    #expect(small.map(\.total) == [1, 2] && totals.elements == [2, 1])
  }

  private final class Catalogue: ReactiveObject {
    let titles: ObservableArray = ["Kind of Blue", "Blue Train"]
    @Observed var query = ""
    private(set) lazy var hits = titles.filtered { [unowned self] in
      query.isEmpty || $0.contains(query)
    }
    private(set) lazy var rows = hits.sorted { [unowned self] in query.isEmpty ? $0 < $1 : $1 < $0 }
      .mapped { [unowned self] in $0 + query }
  }

  @Test("The end of an array calls no closure of a view without contents", arguments: 0..<4)
  func closuresWithoutContents(kind: Int) {
    var catalogue: Catalogue? = Catalogue()
    let rows = catalogue!.rows
    if kind > 0 { #expect(rows.count == 2) }
    switch kind {
    case 2: catalogue!.titles.append("Giant Steps")
    case 3: catalogue!.query = "a"
    default: break
    }
    // The closures use the catalogue, which is gone.
    withExtendedLifetime(rows) { catalogue = nil }
  }

  @Test(
    "A view keeps its contents when its array dies, and calls no closure then", arguments: 0..<5)
  func closuresOfDeadObjects(kind: Int) {
    var catalogue: Catalogue? = Catalogue()
    let rows = catalogue!.rows
    let log = Log<[ArrayEdit<String>]>()
    #expect(rows.elements == ["Blue Train", "Kind of Blue"])
    switch kind {
    case 0: catalogue!.query = "a"
    case 1:
      batchUpdates {
        catalogue!.query = "a"
        catalogue = nil
      }
    case 2:
      log.follow(rows.changes)
      batchUpdates {
        catalogue!.query = "a"
        catalogue = nil
      }
    case 3:
      log.follow(rows.changes)
      batchUpdates {
        catalogue!.titles.append("Giant Steps")
        catalogue = nil
      }
    default:
      log.follow(rows.changes)
      catalogue!.query = "zzz"
      #expect(log.take().count == 1 && rows.isEmpty)
    }
    catalogue = nil
    #expect(log.take().isEmpty)
    #expect(rows.elements == (kind < 4 ? ["Blue Train", "Kind of Blue"] : []))
    #expect(log.isCompleted == (kind > 1))
  }

  /// What a rule may read of an array that dies with its owner.
  private final class Shop: ReactiveObject {
    let orders: ObservableArray = [Order(1), Order(2)]
    private(set) lazy var open = orders.filtered { $0.total > 0 }
    private(set) lazy var groups = open.grouped { $0.total }
    static let reads: [@Sendable (Shop) -> Int] = [
      { $0.open.count }, { $0.open[0].total }, { $0.open.sum(of: \.total) },
      { $0.orders.count }, { $0.orders.sum(of: \.total) }, { $0.groups[0].count },
      { $0.open.sorted { $0.total > $1.total }.count }, { $0.open.reversed()[0].total },
    ]
  }

  @Test(
    "D13: The death of an array evaluates no rule that has read the array or its views",
    arguments: Shop.reads.indices, [false, true])
  func deathsOfArraysThatWereRead(read: Int, isRetained: Bool) {
    var shop: Shop? = Shop()
    let view = isRetained ? shop?.open : nil
    let order = Order(0)
    var evaluations = 0
    let total = Computed { [weak shop] in
      evaluations += 1
      return order.total + (shop.map(Shop.reads[read]) ?? 0)
    }
    let log = Log<Int>()
    log.follow(total.observe(\.value))
    shop = nil
    #expect(evaluations == 1 && view?.count == (isRetained ? 2 : nil))
    order.total = 1
    #expect(evaluations == 2 && log.take().last == 1)
  }

  /// Owns an array, and views that only subscriptions retain.
  private final class Diary {
    let days: ObservableArray = [Order(1)]
    static let views: [@Sendable (Diary) -> Observable<Void>] = [
      { $0.days.grouped { $0.total }.flatMapped { $0 }.changes.map { _ in } },
      { $0.days.grouped { $0.total }.mapped { $0.count }.changes.map { _ in } },
      { $0.days.grouped { $0.total }.filtered { $0.count > 0 }.changes.map { _ in } },
      { $0.days.grouped { $0.total }.flatMapped { $0.sorted(by: \.total) }.changes.map { _ in } },
      { $0.days.grouped { $0.total }.flatMapped { $0 }.observeElements(\.total).map { _ in } },
    ]
  }

  @Test(
    "C8: A subscription to a view of sections releases the elements when the array dies",
    arguments: Diary.views.indices)
  func sectionsThatOnlyASubscriptionRetains(view: Int) {
    var diary: Diary? = Diary()
    weak let day = diary?.days[0]
    _ = diary.map(Diary.views[view])?.subscribe()
    #expect(day != nil)
    diary = nil
    #expect(day == nil)
  }

  /// An element that reads a view of the array that it is in.
  private final class Page: ReactiveObject {
    weak var pages: LiveArray<Page>?
    @Observed var number = 0
    var count: Int { pages?.count ?? 0 }
    @Derived({ (self: Page) in self.count }) var total: Int
  }

  /// Its view dies before its array.
  private final class Book {
    let view: LiveArray<Page>
    let pages: ObservableArray = [Page()]
    init(isJoined: Bool) {
      view = isJoined ? .joined([pages]) : pages.filtered { _ in true }
      pages[0].pages = view
    }
  }

  @Test(
    "D14: An element that reads a view of its own array is released with both",
    arguments: 0..<3, [false, true])
  func elementsThatReadTheirViews(reader: Int, isJoined: Bool) {
    var book: Book? = Book(isJoined: isJoined)
    weak let page = book?.pages[0]
    switch reader {
    case 0: page?.observe(\.count) { _ in }
    case 1: page?.validate(\.number) { page, _ in page.count < 9 ? .valid : .coerced(0) }
    default: #expect(page?.total == 1)
    }
    book = nil
    #expect(page == nil)
  }
}
