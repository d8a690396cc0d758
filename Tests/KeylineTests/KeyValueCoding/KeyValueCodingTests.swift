import Keyline
import TestSupport
import Testing

/// Key-value coding.
@Suite struct KeyValueCodingTests {
  let everything = Everything()
  let person = Person("Ada")

  /// Writes `value` by name, and reads it back by name.
  private func passed<Value>(_ value: Value, _ key: String) throws -> Value {
    try everything.setValue(value as Any, forKey: key)
    return try everything.value(forKey: key, as: Value.self)
  }

  @Test("Integers at their limits") func integersAtTheirLimits() throws {
    #expect(try passed(Int64.max, "signed") == .max)
    let unsigned = UInt64.max - 1
    #expect(try passed(unsigned, "unsigned") == unsigned)
    #expect(try everything.value(forKey: "signed") as? Int64 == .max)
    #expect(everything.signed == .max && everything.unsigned == unsigned)
  }

  @Test("Enums and structs") func enumsAndStructs() throws {
    #expect(try passed(Shape.circle(radius: 2), "shape") == .circle(radius: 2))
    #expect(try passed(Location(street: "A", number: 1), "place").number == 1)
  }

  @Test("Optionals of optionals", arguments: [Int??.none, .some(nil), .some(3)])
  func optionalsOfOptionals(value: Int??) throws {
    #expect(try passed(value, "nested") == value)
    #expect(everything.nested == value)
    // Through `Any?`, which has one nil less, too.
    let read = try everything.value(forKey: "nested")
    everything.nested = 7
    try everything.setValue(read, forKey: "nested")
    #expect(everything.nested == value)
  }

  @Test("Existentials closures and tuples") func existentialsClosuresAndTuples() throws {
    struct Cat: Pet { let sound = "meow" }
    try everything.setValue(Cat(), forKey: "pet")
    #expect(everything.pet.sound == "meow")
    #expect(try everything.value(forKey: "pet", as: (any Pet).self).sound == "meow")
    try everything.setValue({ $0 * 3 } as (Int) -> Int, forKey: "transform")
    #expect(everything.transform(2) == 6)
    #expect(try everything.value(forKey: "transform", as: ((Int) -> Int).self)(5) == 15)
    try everything.setValue((2, "two"), forKey: "pair")
    #expect(try everything.value(forKey: "pair", as: (Int, String).self) == (2, "two"))
    #expect(try passed("text" as Any, "anything") as? String == "text")
  }

  @Test("Collections") func collections() throws {
    #expect(try passed([.point, .circle(radius: 1)], "list") as [Shape] == everything.list)
    #expect(everything.list.count == 2)
    #expect(try passed(["a": [1, 2]], "table") == ["a": [1, 2]])
  }

  @Test("Objects keep their identity") func objectsKeepTheirIdentity() throws {
    let city = City("Oslo")
    #expect(try passed(city, "object") === city)
    try everything.setValue(city, forKey: "weak")
    #expect(everything.weak === city)
    #expect(try everything.value(forKey: "weak") as? City === city)
    let student = Student("Sue")
    try everything.setValue(student, forKey: "person")
    #expect(everything.person === student)
    try everything.setValue(nil, forKey: "person")
    #expect(everything.person == nil)
    #expect(try everything.value(forKey: "person") == nil)
  }

  @Test("Inherited generic and backticked names") func inheritedGenericAndBacktickedNames() throws {
    let archive = Archive()
    try archive.setValue(["a"], forKey: "items")
    try archive.setValue("b", forKey: "favourite")
    try archive.setValue("poems", forKey: "class")
    #expect(archive.items == ["a"] && archive.favourite == "b" && archive.class == "poems")
    let car = Car()
    try car.setValue(3, forKey: "wheels")
    try car.setValue(2, forKey: "doors")
    #expect(car.wheels == 3 && car.doors == 2)
    let conforming = Conforming()
    try conforming.setValue("titled", forKey: "title")
    #expect(conforming.title == "titled")
  }

  // MARK: Errors

  @Test("Undefined key") func undefinedKey() {
    let error = PropertyError.undefinedKey(type: "Person", key: "nmae")
    #expect(throws: error) { try person.value(forKey: "nmae") }
    #expect(throws: error) { try person.setValue(1, forKey: "nmae") }
    #expect(throws: error) { try person.value(forKey: "nmae", as: Int.self) }
    #expect(throws: error) { try person.value(forKeyPath: "nmae.name") }
    #expect(throws: PropertyError.undefinedKey(type: "Person", key: "")) {
      try person.value(forKey: "")
    }
    // Neither storage nor an unobserved field is a property.
    #expect(throws: PropertyError.undefinedKey(type: "Archive", key: "unobserved")) {
      try Archive().value(forKey: "unobserved")
    }
    #expect(throws: PropertyError.undefinedKey(type: "Archive", key: "hidden")) {
      try Archive().value(forKey: "hidden")
    }
  }

  @Test("Type mismatch") func typeMismatch() {
    let mismatches: [(String, Any?, PropertyError)] = [
      ("age", "1", .typeMismatch(key: "age", expected: "Int", actual: "String")),
      ("age", Int64(1), .typeMismatch(key: "age", expected: "Int", actual: "Int64")),
      ("age", 1.0, .typeMismatch(key: "age", expected: "Int", actual: "Double")),
      ("age", true, .typeMismatch(key: "age", expected: "Int", actual: "Bool")),
      ("age", nil, .typeMismatch(key: "age", expected: "Int", actual: "nil")),
      ("name", nil, .typeMismatch(key: "name", expected: "String", actual: "nil")),
      (
        "address", City("x"),
        .typeMismatch(key: "address", expected: "Optional<Address>", actual: "City")
      ),
      ("tags", [1], .typeMismatch(key: "tags", expected: "Array<String>", actual: "Array<Int>")),
    ]
    let log = Log<Int>()
    log.follow(person.observe(\.age))
    for (key, value, error) in mismatches {
      #expect(throws: error) { try person.setValue(value, forKey: key) }
    }
    log.expect([0])
    #expect(person.name == "Ada" && person.age == 0)
    #expect(throws: PropertyError.typeMismatch(key: "age", expected: "Int", actual: "String")) {
      try person.value(forKey: "age", as: String.self)
    }
  }

  @Test("A read-only property") func readOnly() {
    let account = SavingsAccount()
    for key in ["secret", "product"] {
      #expect(throws: PropertyError.readOnly(key: key)) {
        try account.setValue("x", forKey: key)
      }
    }
    #expect(account.secret == "s")
  }

  @Test("Errors describe themselves") func errorsDescribeThemselves() {
    #expect(
      [
        PropertyError.undefinedKey(type: "Person", key: "nmae"),
        .typeMismatch(key: "age", expected: "Int", actual: "String"),
        .readOnly(key: "label"), .brokenPath(key: "address"),
      ].map(\.description) == [
        "Person has no property nmae", "age is of type Int, not String",
        "label cannot be written", "address, on the way, is nil",
      ])
  }

  // MARK: Paths

  @Test("Paths read and write the last object") func pathsReadAndWriteTheLastObject() throws {
    person.address = Address(city: City("Rome"))
    #expect(try person.value(forKeyPath: "address.city.name") as? String == "Rome")
    #expect(try person.value(forKeyPath: "name") as? String == "Ada")
    try person.setValue("Oslo", forKeyPath: "address.city.name")
    #expect(person.address?.city?.name == "Oslo")
    #expect(try person.value(forKeyPath: "address.city.name", as: String.self) == "Oslo")
  }

  @Test("Broken path") func brokenPath() throws {
    #expect(try person.value(forKeyPath: "address.city.name") == nil)
    let error = PropertyError.brokenPath(key: "address")
    #expect(throws: error) { try person.setValue("x", forKeyPath: "address.city.name") }
    #expect(throws: error) {
      try person.value(forKeyPath: "address.city.name", as: String.self)
    }
    person.address = Address()
    #expect(throws: PropertyError.brokenPath(key: "city")) {
      try person.setValue("x", forKeyPath: "address.city.name")
    }
    #expect(person.address?.city == nil)
  }

  @Test("Errors of later objects") func errorsOfLaterObjects() {
    person.address = Address(city: City("Rome"))
    #expect(throws: PropertyError.undefinedKey(type: "City", key: "nmae")) {
      try person.setValue("x", forKeyPath: "address.city.nmae")
    }
    #expect(throws: PropertyError.undefinedKey(type: "String", key: "count")) {
      try person.value(forKeyPath: "name.count")
    }
    #expect(throws: PropertyError.typeMismatch(key: "name", expected: "String", actual: "Int")) {
      try person.setValue(1, forKeyPath: "address.city.name")
    }
    #expect(person.address?.city?.name == "Rome")
  }

  // MARK: Observers

  @Test("A set by name is a set") func aSetByNameIsASet() throws {
    let log = Log<Int>()
    let label = Log<String>()
    log.follow(person.observe(\.age))
    label.follow(person.observe(\.label))
    try person.setValue(1, forKey: "age")
    try person.setValue(1, forKey: "age")
    try person.setValue("Bea", forKey: "name")
    log.expect([0, 1, 1])
    label.expect(["Ada, —", "Bea, —"])
    person.age = 2
    try person.setValue(3, forKey: "age")
    log.expect([2, 3])
  }

  @Test("A computed property is not taken for the property set by name")
  func aComputedPropertyIsNotTakenForThePropertySetByName() throws {
    let log = Log<String>()
    log.follow(person.observe(\.shout))
    try person.setValue("Bea", forKey: "name")
    log.expect(["ADA", "BEA"])
  }

  @Test("P3: Holds for sets by name") func p3HoldsForSetsByName() throws {
    let before = Log<Int>()
    let after = Log<Int>()
    person.age = 0
    before.follow(person.observe(\.age))
    _ = person.observe(\.age, options: .new).subscribe(onNext: { [person] age in
      if age < 5 { try? person.setValue(age + 1, forKey: "age") }
    })
    after.follow(person.observe(\.age))
    person.age = 1
    before.expect([0, 1, 2, 3, 4, 5])
    after.expect([0, 1, 2, 3, 4, 5])
  }

  /// A set by name has no key path of the property: observers that come afterwards are still taken
  /// for observers of the property itself, and not evaluated anew for each set.
  @Test("Observers after a set by name are as before") func observersAfterASetByNameAreAsBefore()
    throws
  {
    final class Counting: ReactiveObject {
      var reads = 0
      @Observed var stored = 0
      var value: Int {
        reads += 1
        return stored
      }
    }
    let counting = Counting()
    let before = Log<Int>()
    before.follow(counting.observe(\.stored))
    try counting.setValue(1, forKey: "stored")
    let (stored, value) = (Log<Int>(), Log<Int>())
    stored.follow(counting.observe(\.stored))
    value.follow(counting.observe(\.value))
    counting.stored = 2
    try counting.setValue(3, forKey: "stored")
    before.expect([0, 1, 2, 3])
    stored.expect([1, 2, 3])
    value.expect([1, 2, 3])
    #expect(counting.reads == 3)
  }

  @Test("A weak property set by name notifies of death")
  func aWeakPropertySetByNameNotifiesOfDeath() throws {
    let log = Log<String?>()
    log.follow(everything.observe(\.weak).map { $0?.name })
    var city: City? = City("Rome")
    try everything.setValue(city, forKey: "weak")
    city = nil
    log.expect([nil, "Rome", nil])
    #expect(try everything.value(forKey: "weak") == nil)
  }

  @Test("registeredProperties run their accessors") func registeredPropertiesRunTheirAccessors()
    throws
  {
    let account = SavingsAccount()
    let log = Log<Int>()
    log.follow(account.observe(\.balance))
    try account.setValue(-5, forKey: "balance")
    try account.setValue(5, forKey: "balance")
    try account.setValue(20, forKey: "doubled")
    #expect(account.sets == [0, 5, 10])
    log.expect([0, 0, 5, 10])
    #expect(try account.value(forKey: "doubled") as? Int == 20)
    #expect(try account.value(forKey: "secret") as? String == "s")
  }

  @Test("Reading by name is tracked") func readingByNameIsTracked() throws {
    let account = SavingsAccount()
    account.balance = 2
    let log = Log<Int>()
    log.follow(account.observe(\.product))
    account.factor = 3
    try account.setValue(4, forKey: "factor")
    account.balance = 5
    log.expect([2, 6, 8, 20])
  }

  @Test("A main actor class") @MainActor func aMainActorClass() throws {
    let model = MainModel()
    let log = Log<String>()
    log.follow(try model.observe(String.self, "title"))
    try model.setValue("set", forKey: "title")
    try model.setValue(1, forKey: "count")
    log.expect(["", "set"])
    #expect(model.titles == ["set"])
    #expect(model.count == 1)
  }

  @Test("Nothing is kept alive") func nothingIsKeptAlive() throws {
    weak var object: Everything?
    weak var city: City?
    do {
      let everything = Everything()
      (object, city) = (everything, everything.object)
      _ = try everything.value(forKey: "object")
      try everything.setValue(City("Oslo"), forKey: "object")
      #expect(city == nil)
      city = everything.object
    }
    #expect(object == nil && city == nil)
  }
}
