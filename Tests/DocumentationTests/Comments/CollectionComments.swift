import Keyline

enum CollectionComments: SnippetFile {
  static let page = "Sources/Keyline/Collections"
  static let file = #filePath

  static func run() async throws {
    arraychangesSwift1()
    arraychangesSwift2()
    arrayeditSwift1()
    elementobservationSwift1()
    observablearraySwift1()
    bindingofarraysSwift1()
    filteredviewSwift1()
    livearraySwift1()
    mappedviewSwift1()
    observabledictionarySwift1()
    observablesetSwift1()
    sortedviewSwift1()
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

  final class Screen: ReactiveObject { let rows = ObservableArray<OrderRow>() }

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
    // snippet
    _ = team.observeChanges(\.members).subscribe(onNext: { print($0.kind, $0.new!) })
    team.members.append(ada)
    team.members.move(from: 0, to: 2)
    team.members = ObservableArray([ada, bob])
    end()
  }

  static func arraychangesSwift2() {
    final class Team: ReactiveObject { @Observed var members = ObservableArray<Person>() }
    let team = Team()
    // snippet
    var copy: [Person] = []
    _ = team.observeChanges(\.members, options: [.initial, .new])
      .subscribe(onNext: { $0.apply(to: &copy) })  // copy == team.members.elements, always
    end()
  }

  static func arrayeditSwift1() {
    let items: ObservableArray = [1]
    // snippet
    var copy = items.elements
    _ = items.changes.subscribe(onNext: { edits in
      for edit in edits { edit.apply(to: &copy) }  // copy == items.elements, always
    })
    end()
  }

  static func elementobservationSwift1() {
    final class Item: ReactiveObject { @Observed var price = 1 }
    final class Order: ReactiveObject { let items: ObservableArray = [Item()] }
    let order = Order()
    // snippet
    _ = order.items.observeElements(\.price).subscribe(onNext: { item, price in print(price) })
    order.items[0].price = 2
    end()
  }

  static func observablearraySwift1() {
    // snippet
    final class Team: ReactiveObject {
      let members = ObservableArray<Person>()
      var payroll: Int { members.reduce(0) { $0 + $1.salary } }
    }
    let team = Team()
    _ = team.members.changes.subscribe(onNext: { print($0.count) })  // insertions, removals, moves
    _ = team.observe(\.payroll)  // follows the members and their salaries
    _ = team.observe(\.members.count)
    team.members.append(Person())
    end()
  }

  static func bindingofarraysSwift1() {
    let (store, screen) = (Store(), Screen())
    // snippet
    store.bind(\.orders, to: screen, \.rows) { OrderRow($0) }
    end()
  }

  static func filteredviewSwift1() {
    let store = Store()
    // snippet
    let open = store.orders.filtered { $0.isOpen && $0.total > store.limit }
    end()
    _ = open
  }

  static func livearraySwift1() {
    let (store, table) = (Store(), Table())
    // snippet
    let rows = store.orders
      .filtered { $0.isOpen && $0.total > store.limit }
      .sorted { $0.total < $1.total }
      .mapped { OrderRow($0) }
    _ = rows.changes.subscribe(onNext: { for edit in $0 { table.apply(edit) } })
    end()
  }

  static func mappedviewSwift1() {
    let store = Store()
    // snippet
    let rows = store.orders.mapped { OrderRow($0) }
    end()
    _ = rows
  }

  static func observabledictionarySwift1() {
    // snippet
    let prices: ObservableDictionary = ["apple": 3]
    _ = prices.observe("pear").subscribe(onNext: { print("pear:", $0 ?? 0) })
    prices["pear"] = 5
    prices["apple"] = nil
    end()
  }

  static func observablesetSwift1() {
    // snippet
    let selection: ObservableSet = ["a"]
    _ = selection.changes.subscribe(onNext: { print($0) })
    selection.insert("b")
    selection.insert("b")
    selection.formSymmetricDifference(["a"])
    end()
  }

  static func sortedviewSwift1() {
    let store = Store()
    // snippet
    let byTotal = store.orders.sorted { $0.total < $1.total }
    end()
    _ = byTotal
  }
}
