import Keyline

enum Chains: SnippetFile {
  static let page = "Sources/Keyline/Keyline.docc/Chains.md"
  static let file = #filePath

  static func run() async throws {
    keyPathOrChain()
    emissions()
    weakProperties()
    try byName()
  }

  // snippet
  final class Address: ReactiveObject {
    @Observed var city = "Rome"
  }

  final class Person: ReactiveObject {
    @Observed var name = ""
    @Observed var address: Address?
    @WeakObserved var manager: Person?
  }
  // end

  static func keyPathOrChain() {
    let person = Person()
    person.address = Address()
    // snippet
    _ = person.observe(\.address?.city).subscribe(onNext: { print("path", $0 ?? "nil") })
    _ = person.observeWeakly { $0.address.city }.subscribe(onNext: { print("chain", $0 ?? "nil") })
    person.address?.city = "Oslo"
    end()
  }

  static func emissions() {
    discardOutput()
    // snippet
    let ada = Person()
    var grace: Person? = Person()
    grace?.address = Address()
    _ = ada.observeChanges { $0.manager.address.city }.subscribe(onNext: { change in
      print(change.new ?? "nil", change.cause)
    })
    ada.manager = grace
    grace?.address?.city = "Oslo"
    grace?.address = Address()
    grace?.address = nil
    grace = nil
    end()
  }

  static func weakProperties() {
    // snippet
    let person = Person()
    var manager: Person? = Person()
    person.manager = manager
    _ = person.observe(\.manager).subscribe(onNext: { print($0 == nil ? "nobody" : "a manager") })
    manager = nil
    end()
  }

  static func byName() throws {
    discardOutput()
    // snippet
    let person = Person()
    person.address = Address()
    let city = try person.observeWeakly(String.self, "address.city")
    _ = city.subscribe(onNext: { print($0 ?? "nil") })
    print(try person.value(forKeyPath: "address.city") ?? "nil")
    try person.setValue("Oslo", forKeyPath: "address.city")
    do { _ = try person.observeWeakly(String.self, "adress.city") } catch { print(error) }
    end()
  }
}
