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
    final class Message: ReactiveObject {
      let subject: String
      let day: Int
      @Observed var isUnread = true
      init(_ subject: String, day: Int) {
        self.subject = subject
        self.day = day
        super.init()
      }
    }
    final class Folder: ReactiveObject {
      let messages: ObservableArray<Message>
      var unread: Int { messages.count(where: \.isUnread) }
      init(_ messages: Message...) {
        self.messages = ObservableArray(messages)
        super.init()
      }
    }
    final class Mailbox: ReactiveObject {
      let folders: ObservableArray = [
        Folder(Message("Lunch", day: 2), Message("Review", day: 1), Message("Rome", day: 2)),
        Folder(Message("Rome tickets", day: 1)),
      ]
      @WeakObserved var folder: Folder?
      @Observed var query = ""
      @Observed var isNewestFirst = true
      @WeakObserved var selection: Message?

      private(set) lazy var days =
        folders.filtered { [unowned self] in folder == nil || $0 === folder }
        .flatMapped { $0.messages }
        .filtered { [unowned self] in query.isEmpty || $0.subject.contains(query) }
        .grouped { $0.day }
        .sorted { [unowned self] in isNewestFirst ? $0.key > $1.key : $0.key < $1.key }
      private(set) lazy var rows = days.flatMapped { $0 }
      var selectedRow: Int? { rows.firstIndex { $0 === selection } }
    }

    let mailbox = Mailbox()
    let inbox = mailbox.folders[0]
    _ = inbox.observe(\.unread).subscribe(onNext: { print("unread:", $0) })
    _ = mailbox.rows.changes.subscribe(onNext: { _ in
      print(mailbox.days.map { "\($0.key): \($0.map(\.subject))" })
    })
    mailbox.selection = inbox.messages[0]
    mailbox.query = "Rome"
    mailbox.query = ""
    mailbox.folder = inbox
    mailbox.isNewestFirst = false
    print("row:", mailbox.selectedRow ?? -1)
    inbox.messages[2].isUnread = false
    end()
    // snippet
    let bills: ObservableArray = [Order("Ada", 30), Order("Bea", 10)]
    let due = Computed { bills.sum(of: \.total) }
    _ = due.observe(\.value).subscribe(onNext: { print("due:", $0) })
    bills[1].total = 15
    bills.removeFirst()
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
