import Keyline

// A module that is isolated to the main actor by default, as new app projects are: models that belong to no
// actor, and view models that belong to the main actor.

nonisolated final class Address: ReactiveObject {
  @Observed var city = "Rome"
}

final class Person: ReactiveObject {
  @Observed var name = "Ada"
  @Observed var address: Address?
  @WeakObserved var manager: Person?
  @Derived({ (self: Person) in self.name.count }) var length: Int
  var label: String { "\(name), \(address?.city ?? "—")" }
}

final class Row: MainReactiveObject {
  @Observed var title = ""
  @Observed private(set) var taps = 0
  @WeakObserved var person: Person?
  @Derived({ (self: Row) in self.title.uppercased() }) var heading: String
  let presenter: Presenter

  override init() {
    presenter = Presenter()
    super.init()
    observe(\.heading) { [presenter] in presenter.lines.append("row: \($0)") }
  }

  func tap() { taps += 1 }
}

/// Of the main actor, like everything here that does not say otherwise.
final class Presenter {
  var lines: [String] = []
}

/// Observable values of a type that other threads may share.
nonisolated class Counters: ReactiveObject {
  @Observed var count = 0
}

// The properties are declared in a superclass that is not `Sendable`.
nonisolated final class SharedCounters: Counters, @unchecked Sendable {}

let person = Person()
let row = Row()
let presenter = row.presenter
person.observe(\.label) { presenter.lines.append("label: \($0)") }
person.observe(\.length, \.name) { presenter.lines.append("length of \($1): \($0)") }
person.bind(\.name, to: row, \.title, mode: .twoWay)
row.observeWeakly {
  $0.person.address.city
} onNext: {
  presenter.lines.append("city: \($0 ?? "—")")
}
row.$taps.map { $0 + 1 }.skip(1).subscribe(onNext: { presenter.lines.append("taps: \($0)") })
  .disposed(by: DisposeBag.ofProgram)
person.address = Address()
row.person = person
row.title = "Bea"
row.tap()
let counters = SharedCounters()
counters.observe(\.count, options: .new) { presenter.lines.append("count: \($0)") }
counters.count = 1

extension DisposeBag {
  static let ofProgram = DisposeBag()
}

let expected = [
  "row: ", "label: Ada, —", "length of Ada: 3", "row: ADA", "city: —", "label: Ada, Rome",
  "city: Rome", "label: Bea, Rome", "length of Bea: 3", "row: BEA", "taps: 2", "count: 1",
]
guard presenter.lines.sorted() == expected.sorted() else {
  print(presenter.lines)
  fatalError("not what was expected")
}
print("Of the main actor by default: \(presenter.lines.count) lines, as expected")
