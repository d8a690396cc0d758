import Keyline

private struct NotANumber: Error {}
private struct Empty: Error {}

private func parse(_ text: String) throws -> Int {
  guard let number = Int(text) else { throw NotANumber() }
  return number
}

enum PropertyComments: SnippetFile {
  static let page = "Sources/Keyline/Properties"
  static let file = #filePath

  static func run() async throws {
    batchSwift1()
    try derivedSwift1()
    observedSwift1()
    observingbyclosureSwift1()
    propertychangeSwift1()
    propertyobservationSwift1()
    propertyobservationSwift2()
    propertyobservationSwift3()
    propertyobservationSwift4()
    await propertyobservationSwift5()
    reactiveobjectSwift1()
    reactiveobjectSwift2()
    reactiveobjectSwift3()
    registeredpropertySwift1()
    validationSwift1()
    weakobservedSwift1()
  }

  class NSDocument {}
  struct Formatter {}

  // snippet
  final class Row: MainReactiveObject {
    @Observed var title = ""
    let formatter: Formatter
    override init() {  // of the main actor, as everything in the class
      formatter = Formatter()
      super.init()
    }
  }
  // end

  final class Address: ReactiveObject { @Observed var city = "Rome" }
  final class Line: ReactiveObject { @Observed var price = 1 }
  final class Track: ReactiveObject { let events = PublishSubject<Int>() }
  final class Player: ReactiveObject { @Observed var track = Track() }
  final class Person: ReactiveObject {
    @Observed var name = ""
    @Observed var age = 36
    @Observed var address: Address?
    @WeakObserved var manager: Person?
    var label: String { "\(name), \(address?.city ?? "—")" }
  }
  final class Window: ReactiveObject { @Observed var size = 1 }
  static func layOut(_ size: Int) async {}

  static func derivedSwift1() throws {
    // snippet
    final class Invoice: ReactiveObject {
      @Observed var lines: [Line] = []
      @Observed var rateText = "20"
      @Derived({ (self: Invoice) in self.lines.reduce(0) { $0 + $1.price } }) var net: Int
      @Derived(or: 0, { (self: Invoice) in try parse(self.rateText) }) var rate: Int
    }
    let invoice = Invoice()
    _ = invoice.observe(\.net)  // and observeChanges, chains, bindings, values(of:), by name
    _ = invoice.$rate.errors  // what the rule has thrown
    invoice.$net.invalidate()  // evaluates again, after a change that is not observed
    end()
  }

  static func observedSwift1() {
    // snippet
    final class Person: ReactiveObject {
      @Observed var name = ""
    }
    end()
  }

  static func observingbyclosureSwift1() {
    let person = Person()
    person.name = "Ada"
    var title = ""
    // snippet
    person.observe(\.name) { print($0) }
    person.name = "Bea"
    end()
    // snippet
    person.observe(\.name, \.age) { name, age in title = "\(name), \(age)" }
    end()
    _ = title
  }

  static func propertychangeSwift1() {
    let person = Person()
    let manager = Person()
    person.name = "Ada"
    person.manager = manager
    // snippet
    _ = person.observeChanges(\.name).subscribe(onNext: { print($0.old!, "→", $0.new!) })
    person.name = "Bea"
    _ = person.observeChanges { $0.manager.name }.subscribe(onNext: { print($0.cause) })
    person.manager = nil
    end()
  }

  static func propertyobservationSwift1() {
    let person = Person()
    // snippet
    _ = person.observe(\.name)  // Observable<String>
    _ = person.observe(\.address?.city)  // Observable<String?>; follows replacement of address
    _ = person.observe(\.label)  // follows name, address and city
    end()
  }

  static func propertyobservationSwift2() {
    let person = Person()
    person.name = "Ada"
    // snippet
    _ = person.observe(\.name, \.age).subscribe(onNext: { name, age in print(name, age) })
    person.name = "Bea"
    end()
  }

  static func propertyobservationSwift3() {
    let player = Player()
    // snippet
    _ = player.observeLatest(\.track.events)  // of the current track
    end()
  }

  static func propertyobservationSwift4() {
    let person = Person()
    // snippet
    _ = person.observe(\.name).asDriver()  // Driver<String>
    _ = person.observe(\.age).asInfallible()  // Infallible<Int>
    end()
  }

  static func propertyobservationSwift5() async {
    let (person, window) = (Person(), Window())
    person.name = "Ada"
    // snippet
    for await name in person.values(of: \.name).prefix(1) { print(name) }
    let sizes = window.values(of: \.size, buffering: .bufferingNewest(1))
    for await size in sizes.prefix(1) { await layOut(size) }
    end()
  }

  static func reactiveobjectSwift1() {
    // snippet
    final class Document: NSDocument, PropertyObservable {
      let properties = PropertyRegistry()
      @Observed var title = ""
    }
    end()
  }

  static func reactiveobjectSwift2() {
    // snippet
    final class Person: ReactiveObject {
      @Observed var name = "Ada"
      @Observed var address: Address?
      @WeakObserved var manager: Person?
      var label: String { "\(name), \(address?.city ?? "—")" }
    }

    let person = Person()
    _ = person.observe(\.name).subscribe(onNext: { print($0) })  // now, and after every set
    _ = person.observe(\.label)  // follows name, address and city
    _ = person.observeWeakly { $0.manager.address.city }  // Observable<String?>
    person.name = "Bea"
    end()
  }

  static func reactiveobjectSwift3() {
    final class Handle {
      var size = 0
      func write(_ data: [UInt8]) { size += data.count }
    }
    // snippet
    final class File: ReactiveObject {
      private let handle = Handle()
      var size: Int {
        access("size")
        return handle.size
      }
      func append(_ data: [UInt8]) {
        willChange("size")
        handle.write(data)
        didChange("size")
      }
    }
    let file = File()
    _ = file.observe(\.size).subscribe(onNext: { print($0) })  // now, and after every append
    file.append([1, 2])
    end()
  }

  static func registeredpropertySwift1() {
    // snippet
    class Person: ReactiveObject {
      @Observed var name = "" { didSet { print("named") } }
      @Observed var address: Address?
      var label: String { "\(name), \(address?.city ?? "—")" }

      override class var registeredProperties: [RegisteredProperty] {
        [RegisteredProperty("name", \Person.name), RegisteredProperty("label", \Person.label)]
      }
    }
    // end
    _ = Person.self
    end()
  }

  static func validationSwift1() {
    final class Slider: ReactiveObject {
      @Observed var value = 0
      @Observed var maximum = 10
    }
    final class Form: ReactiveObject { @Observed var name = "Ada" }
    final class Warning { var isHidden = true }
    let (range, form, warning) = (Slider(), Form(), Warning())
    // snippet
    let validation = range.validate(\.value) { range, value in
      value > range.maximum ? .coerced(range.maximum) : .valid
    }
    form.validate(\.name) { _, name in name.isEmpty ? .rejected(Empty()) : .valid }
    _ = validation.results.subscribe(onNext: { warning.isHidden = $0.error == nil })
    end()
  }

  static func weakobservedSwift1() {
    // snippet
    final class Person: ReactiveObject {
      @WeakObserved var manager: Person?
    }
    end()
  }

  final class BatchedOrder: ReactiveObject {
    @Observed var quantity = 1
    @Observed var price = 10
  }
  final class Counter: ReactiveObject { @Observed var value = 0 }

  static func batchSwift1() {
    let order = BatchedOrder()
    // snippet
    batchUpdates {
      order.quantity = 3
      order.price = 20
    }  // observers of either are called here, and `\.total` is evaluated once
    end()
  }

  final class CountedPage: ReactiveObject {
    @Observed var name = ""
    let counter = Counter()
    // snippet
    var label: String { "\(name) (\(untracked { counter.value }))" }  // follows the name alone
    // end
  }
}
