import Keyline

private struct NotANumber: Error {}
private struct Empty: Error {}

private func parse(_ text: String) throws -> Int {
  guard let number = Int(text) else { throw NotANumber() }
  return number
}

enum PropertyComments: SnippetFile {
  static let page = "Sources/Keyline/Properties"

  static func run() async throws {
    batchSwift1()
    try derivedSwift1()
    observedSwift1()
    observingbyclosureSwift1()
    propertychangeSwift1()
    propertyobservationSwift1()
    propertyobservationSwift2()
    propertyobservationSwift3()
    await propertyobservationSwift4()
    reactiveobjectSwift1()
    reactiveobjectSwift2()
    reactiveobjectSwift3()
    registeredpropertySwift1()
    validationSwift1()
    weakobservedSwift1()
    computed()
  }

  class NSDocument {}
  struct Formatter {}

  // block ReactiveObject 3

  final class Address: ReactiveObject { @Observed var city = "Rome" }
  final class Line: ReactiveObject { @Observed var price = 1 }
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
    // block Derived
    end("Derived")
  }

  static func observedSwift1() {
    // block Observed
    end("Observed")
  }

  static func observingbyclosureSwift1() {
    let person = Person()
    person.name = "Ada"
    var title = ""
    // block ObservingByClosure
    end("ObservingByClosure")
    // block ObservingByClosure 2
    end("ObservingByClosure 2")
    _ = title
  }

  static func propertychangeSwift1() {
    let person = Person()
    let manager = Person()
    person.name = "Ada"
    person.manager = manager
    // block PropertyChange
    end("PropertyChange")
  }

  static func propertyobservationSwift1() {
    let person = Person()
    // block PropertyObservation
    end("PropertyObservation")
  }

  static func propertyobservationSwift2() {
    let person = Person()
    person.name = "Ada"
    // block PropertyObservation 2
    end("PropertyObservation 2")
  }

  static func propertyobservationSwift3() {
    let person = Person()
    // block PropertyObservation 4
    end("PropertyObservation 4")
  }

  static func propertyobservationSwift4() async {
    let (person, window) = (Person(), Window())
    person.name = "Ada"
    // block PropertyObservation 3
    end("PropertyObservation 3")
  }

  static func reactiveobjectSwift1() {
    // block ReactiveObject
    end("ReactiveObject")
  }

  static func reactiveobjectSwift2() {
    // block ReactiveObject 2
    end("ReactiveObject 2")
  }

  static func reactiveobjectSwift3() {
    final class Handle {
      var size = 0
      func write(_ data: [UInt8]) { size += data.count }
    }
    // block ReactiveObject 4
    end("ReactiveObject 4")
  }

  static func registeredpropertySwift1() {
    // block RegisteredProperty
    _ = Person.self
    end("RegisteredProperty")
  }

  static func validationSwift1() {
    final class Slider: ReactiveObject {
      @Observed var value = 0
      @Observed var maximum = 10
    }
    final class Form: ReactiveObject { @Observed var name = "Ada" }
    final class Warning { var isHidden = true }
    let (range, form, warning) = (Slider(), Form(), Warning())
    // block Validation
    end("Validation")
  }

  static func weakobservedSwift1() {
    // block Observed 2
    end("Observed 2")
  }

  final class BatchedOrder: ReactiveObject {
    @Observed var quantity = 1
    @Observed var price = 10
  }
  final class Counter: ReactiveObject { @Observed var value = 0 }

  static func batchSwift1() {
    let order = BatchedOrder()
    // block Batch
    end("Batch")
  }

  final class CountedPage: ReactiveObject {
    @Observed var name = ""
    let counter = Counter()
    // block Untracked
  }

  static func computed() {
    final class Bill: ReactiveObject { @Observed var total = 3 }
    final class Store: ReactiveObject { let orders: ObservableArray = [Bill()] }
    let store = Store()
    // block Computed
    end("Computed")
  }
}
