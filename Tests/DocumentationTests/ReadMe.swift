import Keyline

private func parse(_ text: String) throws -> Int {
  guard let number = Int(text) else { throw ReadMe.Empty() }
  return number
}

enum ReadMe: SnippetFile {
  static let page = "README.md"
  static let file = #filePath

  static func run() async throws {
    first()
    try await more()
    derived()
    graph()
    trace()
  }

  static func first() {
    // snippet
    final class City: ReactiveObject { @Observed var name = "Rome" }

    final class Person: ReactiveObject {
      @Observed var name = "Ada"
      @Observed var city: City?
      @WeakObserved var manager: Person?
      var label: String { "\(name), \(city?.name ?? "—")" }  // computed, observable all the same
    }

    final class Row: ReactiveObject { @Observed var title = "" }

    let (person, row) = (Person(), Row())

    _ = person.observe(\.name).subscribe(onNext: { print($0) })  // the value now, then every set
    _ = person.observe(\.label)  // follows name, city and the city's name
    _ = person.observeWeakly { $0.manager.city.name }  // Observable<String?>; retains nobody
    person.bind(\.label, to: row, \.title)  // now and on every change, until either dies
    // end
    end()
  }

  final class City: ReactiveObject { @Observed var name = "Rome" }

  final class Person: ReactiveObject {
    @Observed var name = ""
    @Observed var city: City?
    @WeakObserved var manager: Person?
  }

  final class Team: ReactiveObject { @Observed var members = ObservableArray<Person>() }

  final class Model: ReactiveObject {
    @Observed var price: Double = 1
    @Observed var volume: Double = 1
    @WeakObserved var owner: Person?
    @WeakObserved var player: Player?
  }

  final class Player: ReactiveObject { @Observed var output: Output? }
  final class Output: ReactiveObject { @Observed var gain: Double = 1 }

  final class Form: ReactiveObject {
    @Observed var title = ""
    @Observed var name = ""
    @Observed var priceText = ""
  }

  struct Empty: Error {}

  static func more() async throws {
    let person = Person()
    let team = Team()
    let model = Model()
    let form = Form()
    let row = Form()
    let source = Model()
    let root = Model()
    let status = BehaviorRelay(value: "idle")
    // snippet
    _ = person.observeChanges(\.name, options: [.old, .new, .prior])  // before, after, why
    _ = person.observeChanges { $0.manager.city.name }  // causes: set, hopDied(0), …
    _ = try person.observeWeakly(String.self, "manager.city.name")  // the same path, by name
    try person.setValue("Ada", forKey: "name")  // key-value coding, with typed errors
    _ = team.observeChanges(\.members)  // an ObservableArray: exact edits
    let names = person.values(of: \.name)  // no change is lost between two turns

    model.bind(\.price, to: form, \.priceText, mode: .twoWay, converter: .decimal)
    model.bind({ $0.owner.city.name }, to: row, \.title, whenBroken: .value("—"))
    source.bind(\.volume, to: root, { $0.player.output.gain })  // follows replacements
    status.asDriver().bind(to: row, \.title)  // any sequence that cannot fail
    _ = model.observe(\.price).asDriver()  // a property is one
    form.validate(\.name) { _, name in name.isEmpty ? .rejected(Empty()) : .valid }
    // end
    _ = names
    end()
  }

  static func derived() {
    // snippet
    final class Order: ReactiveObject {
      @Observed var quantity = 1
      @Observed var price = 10
      @Observed var rateText = "20"
      @Derived({ (self: Order) in self.quantity * self.price }) var net: Int
      @Derived(or: 0, { (self: Order) in try parse(self.rateText) }) var rate: Int  // $rate.errors
      @Derived({ (self: Order) in self.net + self.net * self.rate / 100 }) var gross: Int
    }

    let order = Order()
    var journal: [ChangeSet] = []
    _ = order.observe(\.gross).subscribe(onNext: { print($0) })
    _ = order.observeChangeSets().subscribe(onNext: { changes in  // what one scope has changed
      journal.append(changes)
    })
    batchUpdates {
      order.quantity = 3
      order.price = 20
    }  // one emission, never a mix
    journal.removeLast().undo()
    // end
    end()
  }

  static func graph() {
    final class Model: ReactiveObject {
      @Observed var price = 12
      @Derived({ (self: Model) in self.price * 2 }) var total: Int
      @WeakObserved var owner: Person?
    }
    final class Form: ReactiveObject { @Observed var text = "" }
    Diagnostics.isRecording = true
    let model = Model()
    let form = Form()
    #sourceLocation(file:"Form.swift",line:12)
    model.bind(\.price, to: form, \.text, mode: .twoWay, converter: .decimal)

    _ = model.observe(\.total).map { $0 + 1 }.subscribe(onNext: { _ in })
    _ = model.observeWeakly { $0.owner.name }.subscribe(onNext: { _ in })
    #sourceLocation()
    // snippet
    Diagnostics.isRecording = true  // before the observations are made; off, it costs nothing
    print(Diagnostics.graph(of: model))  // who observes this, through which operators
    // end
    end()
    Diagnostics.isRecording = false
  }

  static func trace() {
    final class Bill: ReactiveObject {
      @Observed var net = 100
      @Derived({ (self: Bill) in self.net / 5 }) var tax: Int
      @Derived({ (self: Bill) in self.net + self.tax }) var total: Int
    }
    Diagnostics.isRecording = true
    let bill = Bill()
    #sourceLocation(file:"Form.swift",line:12)
    _ = bill.observe(\.total).subscribe(onNext: { _ in })
    #sourceLocation()
    // snippet
    print(Diagnostics.trace { bill.net = 200 })  // what these lines cause, on this thread
    // end
    end()
    Diagnostics.isRecording = false
  }
}
