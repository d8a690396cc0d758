import Keyline
import ModelsElsewhere
import TestSupport
import Testing

@testable import KeylineCore

/// `Person.properties`, and with it the library's assumptions about reflection.
@Suite struct PropertyDescriptionTests {
  private func table(_ type: (some PropertyObservable).Type) -> [String] {
    type.properties.map { property in
      "\(property.declaringClass).\(property.name): \(property.valueType)"
        + (property.isWeak ? " weak" : "") + (property.isWritable ? "" : " read-only")
    }
  }

  @Test("Plain properties stand in the order of declaration")
  func plainPropertiesStandInTheOrderOfDeclaration() {
    #expect(
      table(Person.self) == [
        "Person.name: String", "Person.age: Int", "Person.address: Optional<Address>",
        "Person.tags: Array<String>", "Person.manager: Optional<Person> weak",
      ])
  }

  @Test("Inherited properties come first") func inheritedPropertiesComeFirst() {
    #expect(table(Student.self) == table(Person.self) + ["Student.school: String"])
  }

  @Test("Generic classes and backticks") func genericClassesAndBackticks() {
    #expect(
      table(Archive.self) == [
        "Shelf<String>.items: Array<String>", "Library<String>.favourite: Optional<String>",
        "Archive.class: String", "Archive._hidden: Int",
      ])
    #expect(
      table(Library<Int>.self) == [
        "Shelf<Int>.items: Array<Int>", "Library<Int>.favourite: Optional<Int>",
      ])
  }

  @Test("A superclass in another module") func aSuperclassInAnotherModule() {
    #expect(
      table(Car.self) == [
        "Vehicle.wheels: Int", "Vehicle.owner: Optional<Vehicle>", "Car.doors: Int",
      ])
  }

  @Test("registeredProperties shadow stored ones") func registeredPropertiesShadowStoredOnes() {
    #expect(
      table(Account.self) == [
        "Account.balance: Int", "Account.secret: String read-only", "Account.factor: Int",
        "Account.doubled: Int",
      ])
    #expect(
      table(SavingsAccount.self) == table(Account.self) + [
        "SavingsAccount.product: Int read-only"
      ])
  }

  @Test("A class with another superclass conforms with one line")
  func aClassWithASuperclassOfItsOwn() {
    #expect(table(Conforming.self) == ["Conforming.title: String"])
    #expect(table(ReactiveObject.self) == [])
  }

  @Test("A registration of another class is reported and ignored")
  func aRegistrationOfAnotherClassIsReportedAndIgnored() {
    final class Confused: ReactiveObject {
      @Observed var own = 1
      override class var registeredProperties: [RegisteredProperty] {
        [RegisteredProperty("name", \City.name)]
      }
    }
    Reports.collect()
    #expect(table(Confused.self) == ["Confused.own: Int"])
    #expect(Reports.about("Confused").map(\.category) == [.misuse])
    #expect(Reports.about("Confused").map(\.property) == ["name"])
  }

  /// Also in generic classes, and those that inherit from them.
  @Test("Reports name the properties of generic classes")
  func reportsNameThePropertiesOfGenericClasses() {
    class Rack<Item>: ReactiveObject { @Observed var items: [Item] = [] }
    final class Cellar: Rack<String> { @Observed var `class` = "red" }
    Reports.collect()
    let (cellar, other) = (Cellar(), Cellar())
    other.bind(\.class, to: cellar, \.class, exclusive: true)
    other.bind(\.items, to: cellar, \.items, exclusive: true)
    cellar.class = "white"
    cellar.items = ["refused"]
    let messages = Reports.of(.refusedWrite).map(\.description).filter { $0.contains("Cellar.") }
    #expect(messages.count == 2)
    for (message, name) in zip(messages, ["class", "items"]) {
      #expect(message.contains("Cellar.\(name)"))
    }
  }
}
