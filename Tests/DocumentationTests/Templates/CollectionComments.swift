import Keyline

enum CollectionComments: SnippetFile {
  static let page = "Sources/Keyline/Collections"

  static func run() async throws {
    arraychangesSwift1()
    arraychangesSwift2()
    arrayeditSwift1()
    elementobservationSwift1()
    observablearraySwift1()
    aggregates()
    listsOfLists()
    sections()
    windows()
    filteredviewSwift1()
    livearraySwift1()
    mappedviewSwift1()
    observabledictionarySwift1()
    observablesetSwift1()
    sortedviewSwift1()
    undoHistory()
  }

  final class Order: ReactiveObject {
    @Observed var isOpen = true
    @Observed var total = 10
  }

  final class OrderRow {
    let order: Order
    init(_ order: Order) { self.order = order }
  }

  final class Store: ReactiveObject {
    let orders: ObservableArray = [Order()]
    @Observed var limit = 5
  }

  final class Table {
    func apply(_ edit: ArrayEdit<OrderRow>) {}
  }

  final class Person: ReactiveObject {
    @Observed var salary = 10
  }

  static func arraychangesSwift1() {
    final class Team: ReactiveObject { @Observed var members = ObservableArray(["Bea", "Cleo"]) }
    let team = Team()
    let (ada, bob) = ("Ada", "Bob")
    // block CollectionChanges
    end("CollectionChanges")
  }

  static func arraychangesSwift2() {
    final class Team: ReactiveObject { let members = ObservableArray(["Bea"]) }
    let team = Team()
    // block CollectionChanges 2
    end("CollectionChanges 2")
  }

  static func arrayeditSwift1() {
    let items: ObservableArray = [1]
    // block ArrayEdit
    end("ArrayEdit")
  }

  static func elementobservationSwift1() {
    final class Item: ReactiveObject { @Observed var price = 1 }
    final class Order: ReactiveObject { let items: ObservableArray = [Item()] }
    let order = Order()
    // block ElementObservation
    end("ElementObservation")
    do {
      let order = Order()
      order.items.append(Item())
      // block ElementObservation 2
      end("ElementObservation 2")
    }
  }

  static func observablearraySwift1() {
    // block ObservableArray
    end("ObservableArray")
  }

  static func aggregates() {
    final class Item: ReactiveObject { @Observed var price = 1 }
    // block Aggregates
    end("Aggregates")
    _ = average
  }

  final class Mailbox: ReactiveObject { let messages: ObservableArray = ["Rome"] }

  static func listsOfLists() {
    final class Account: ReactiveObject { let folders: ObservableArray = [Mailbox()] }
    final class Company: ReactiveObject {
      let staff: ObservableArray = ["Ada"]
      let guests: ObservableArray = ["Bea"]
    }
    let (account, company) = (Account(), Company())
    // block FlatMappedView
    end("FlatMappedView")
    // block FlatMappedView 2
    end("FlatMappedView 2")
    _ = (messages, people)
  }

  static func sections() {
    final class Mail: ReactiveObject {
      let day = 1
      @Observed var isUnread = true
    }
    final class Mailbox: ReactiveObject { let messages: ObservableArray = [Mail()] }
    let mailbox = Mailbox()
    // block GroupedView
    end("GroupedView")
    _ = unread
  }

  static func windows() {
    final class Pager: ReactiveObject {
      @Observed var start = 0
      @Observed var size = 20
    }
    let (store, pager) = (Store(), Pager())
    // block WindowedView
    end("WindowedView")
    _ = page
  }

  static func filteredviewSwift1() {
    let store = Store()
    // block FilteredAndSortedViews
    end("FilteredAndSortedViews")
    _ = open
  }

  static func livearraySwift1() {
    let (store, table) = (Store(), Table())
    // block LiveArray
    end("LiveArray")
  }

  static func mappedviewSwift1() {
    let store = Store()
    // block MappedView
    end("MappedView")
    _ = rows
  }

  static func observabledictionarySwift1() {
    // block ObservableDictionary
    end("ObservableDictionary")
  }

  static func observablesetSwift1() {
    // block ObservableSet
    end("ObservableSet")
  }

  static func sortedviewSwift1() {
    let store = Store()
    // block FilteredAndSortedViews 2
    end("FilteredAndSortedViews 2")
    _ = byTotal
  }

  static func undoHistory() {
    final class Document: ReactiveObject {
      @Observed var title = ""
      let chapters: ObservableArray = ["Bodies"]
    }
    final class Button { var isEnabled = true }
    let (document, undoButton) = (Document(), Button())
    // block UndoHistory
    end("UndoHistory")
  }
}
