import Keyline

enum ReadMe: SnippetFile {
  static let page = "README.md"
  static let file = #filePath

  static func run() async throws {
    first()
    properties()
    try chains()
    bindings()
    derived()
    batches()
  }

  static func first() {
    // snippet
    final class City: ReactiveObject {
      @Observed var name = "Rome"
    }

    final class Person: ReactiveObject {
      @Observed var name = "Ada"
      @Observed var city: City?
      var label: String { "\(name), \(city?.name ?? "nowhere")" }  // computed, and observable
    }

    final class Row: ReactiveObject {
      @Observed var title = ""
    }

    final class NameView {
      private let bag = DisposeBag()  // its subscriptions end with the view

      init(_ person: Person) {
        person.observe(\.name) { print("view:", $0) }.disposed(by: bag)
      }
    }

    let (person, row) = (Person(), Row())
    var view: NameView? = NameView(person)
    person.observe(\.label) { print("label:", $0) }  // ends with the person
    person.bind(\.label, to: row, \.title)  // ends with either

    person.name = "Grace"
    person.city = City()
    view = nil  // the label is still observed
    person.city?.name = "Oslo"
    person.name = "Mary"
    print("row:", row.title)
    // end
    end()
    _ = view
  }

  final class City: ReactiveObject {
    @Observed var name = "Rome"
  }

  final class Person: ReactiveObject {
    @Observed var name = "Ada"
    @Observed var city: City?
    @WeakObserved var manager: Person?
  }

  static func properties() {
    // snippet
    let person = Person()
    _ = person.observe(\.name).map(\.count).subscribe(onNext: { print("length", $0) })
    _ = person.$name.filter(\.isEmpty)  // the same sequence, as Combine's users type it
    person.observeChanges(\.name) { change in print(change.old!, "→", change.new!) }
    let names = person.values(of: \.name)  // for await name in names { … }
    person.name = "Grace"
    // end
    _ = names
    end()
  }

  static func chains() throws {
    // snippet
    let person = Person()
    var manager: Person? = Person()
    manager?.city = City()

    _ = person.observeWeakly { $0.manager.city.name }.subscribe(onNext: { print($0 ?? "nil") })
    person.manager = manager
    manager?.city?.name = "Oslo"
    manager = nil  // dies: the property is weak
    end()
    // snippet
    let city = try person.observeWeakly(String.self, "manager.city.name")  // the same, by name
    // end
    _ = city
    end()
  }

  struct NoName: Error {}

  final class Model: ReactiveObject {
    @Observed var name = "Ada"
    @Observed var price = 12
    @WeakObserved var owner: Person?
  }

  final class Form: ReactiveObject {
    @Observed var name = ""
    @Observed var price = ""
    @Observed var owner = ""
  }

  static func bindings() {
    // snippet
    let (model, form) = (Model(), Form())
    model.validate(\.name) { _, name in name.isEmpty ? .rejected(NoName()) : .valid }

    let names = model.bind(\.name, to: form, \.name, mode: .twoWay)
    let prices = model.bind(\.price, to: form, \.price, mode: .twoWay, converter: .decimal)
    model.bind({ $0.owner.name }, to: form, \.owner, whenBroken: .value("nobody"))
    _ = names.errors.subscribe(onNext: { print("name:", $0) })
    _ = prices.errors.subscribe(onNext: { print("price:", $0) })

    form.price = "15"
    form.price = "a lot"
    form.name = ""
    print(model.price, model.name, form.owner)
    end()
  }

  static func batches() {
    // snippet
    let model = Model()
    var journal: [ChangeSet] = []
    _ = model.observe(\.name, \.price).subscribe(onNext: { print($0, $1) })
    _ = model.observeChangeSets().subscribe(onNext: { journal.append($0) })
    batchUpdates {
      model.name = "Grace"
      model.price = 20
    }
    journal.removeLast().undo()
    end()
  }

  static func derived() {
    // snippet
    struct NoRate: Error {}

    final class Order: ReactiveObject {
      @Observed var quantity = 1
      @Observed var price = 10
      @Observed var rateText = "20"
      @Derived({ (self: Order) in self.quantity * self.price }) var net: Int
      @Derived(
        or: 0,
        { (self: Order) in
          guard let rate = Int(self.rateText) else { throw NoRate() }
          return rate
        }) var rate: Int
      @Derived({ (self: Order) in self.net + self.net * self.rate / 100 }) var gross: Int
    }

    let order = Order()
    _ = order.observe(\.gross).subscribe(onNext: { print($0) })
    _ = order.$rate.errors.subscribe(onNext: { print($0) })
    batchUpdates {
      order.quantity = 3
      order.price = 20
    }
    order.rateText = "2o"
    end()
  }
}
