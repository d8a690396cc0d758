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
}
