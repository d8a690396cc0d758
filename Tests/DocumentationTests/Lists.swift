import Keyline

enum Lists: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Lists.md"
  static let file = #filePath

  static func run() async throws {
    views()
  }

  // One function, because later snippets use the objects of earlier ones.
  static func views() {
    // snippet
    final class Order: ReactiveObject {
      let customer: String
      @Observed var total: Int
      @Observed var isOpen = true
      init(_ customer: String, _ total: Int) {
        self.customer = customer
        self.total = total
        super.init()
      }
    }
    final class Store: ReactiveObject {
      let orders: ObservableArray = [Order("Ada", 30), Order("Bea", 10), Order("Cleo", 20)]
      @Observed var limit = 5
    }

    let store = Store()
    let names = store.orders
      .filtered { $0.isOpen && $0.total > store.limit }
      .sorted { $0.total < $1.total }
      .mapped { $0.customer }
    _ = names.changes.subscribe(onNext: { print($0, names) })
    store.orders.append(Order("Dora", 15))
    store.orders[0].total = 12
    store.orders[1].isOpen = false
    store.limit = 18
    end()
    // snippet
    let numbers: ObservableArray = [3, 1, 2]
    let sorted = numbers.sorted(by: \.self)
    _ = sorted.changes.subscribe(onNext: { print($0) })
    batchUpdates {
      numbers.append(0)
      numbers.removeFirst()
    }
    print(sorted)
    end()
    // snippet
    final class OrderRow: ReactiveObject {
      @Observed var text = ""
      init(_ order: Order) {
        super.init()
        order.bind(\.total, to: self, \.text, mode: .twoWay, converter: .decimal)
      }
    }
    final class Screen: ReactiveObject {
      let rows = ObservableArray<OrderRow>()
    }

    let (shop, screen) = (Store(), Screen())
    shop.bind(\.orders, to: screen, \.rows) { OrderRow($0) }
    let first = screen.rows[0]
    shop.orders.reverse()
    print(screen.rows.map(\.text), screen.rows[2] === first)
    first.text = "25"
    print(shop.orders.map(\.total))
    end()
    // snippet
    let all = shop.orders.mapped { OrderRow($0) }
    let long = all.filtered { $0.text.count > 1 }
    let kept = long[0]
    kept.text = "5"
    kept.text = "55"
    print(long.count, long[0] === kept)
    end()
    // snippet
    final class Search: ReactiveObject {
      @Observed var query = ""
      private let store: Store
      private(set) lazy var hits = store.orders.filtered { [unowned self] in
        query.isEmpty || $0.customer.hasPrefix(query)
      }
      init(_ store: Store) {
        self.store = store
        super.init()
      }
    }

    let search = Search(shop)
    _ = search.hits.observe(\.count).subscribe(onNext: { print($0) })
    search.query = "A"
    end()
    // snippet
    let prices: ObservableDictionary = ["apple": 3]
    let selection: ObservableSet<String> = []
    _ = prices.observe("pear").subscribe(onNext: { print("pear:", $0 ?? 0) })
    _ = selection.observe("pear").subscribe(onNext: { print("selected:", $0) })
    prices["apple"] = 4
    prices["pear"] = 5
    selection.insert("pear")
    end()
  }
}
