import Keyline

enum Lists: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Lists.md"
  static let file = #filePath

  static func run() async throws {
    arraysThatEmitEdits()
    propertiesOfTheElements()
    filteredSortedAndMappedViews()
    lifetime()
    dictionariesAndSets()
  }

  static func arraysThatEmitEdits() {
    // snippet
    final class Playlist: ReactiveObject {
      let titles = ObservableArray<String>()
    }

    let playlist = Playlist()
    _ = playlist.titles.changes.subscribe(onNext: { edits in
      for edit in edits { print(edit) }
    })
    playlist.titles.append(contentsOf: ["So What", "All Blues"])
    playlist.titles.insert("Blue in Green", at: 1)
    playlist.titles.move(from: 2, to: 0)
    playlist.titles[0] = "Freddie Freeloader"
    playlist.titles.removeAll { $0.hasPrefix("S") }
    playlist.titles.update { titles in
      titles.removeLast()
      titles.append("Flamenco Sketches")
    }
    end()
  }

  static func propertiesOfTheElements() {
    // snippet
    final class Download: ReactiveObject {
      let name: String
      @Observed var progress = 0
      init(_ name: String) {
        self.name = name
        super.init()
      }
    }

    let downloads: ObservableArray = [Download("a"), Download("b")]
    _ = downloads.observeElements(\.progress).subscribe(onNext: { print($0.name, $1) })
    downloads[1].progress = 50
    downloads.append(Download("c"))
    downloads.removeFirst()
    end()
  }

  static func filteredSortedAndMappedViews() {
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
  }

  static func lifetime() {
    // snippet
    final class Catalogue: ReactiveObject {
      let titles: ObservableArray = ["Kind of Blue", "Blue Train", "Giant Steps"]
      @Observed var query = ""
      private(set) lazy var hits = titles.filtered { [unowned self] title in
        query.isEmpty || title.contains(query)
      }
    }

    let catalogue = Catalogue()
    _ = catalogue.hits.changes.subscribe(onNext: { print($0) })
    catalogue.query = "Blue"
    catalogue.titles.append("Blues Walk")
    end()
  }

  static func dictionariesAndSets() {
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
