import Keyline
import ModelsElsewhere
import TestSupport
import Testing

/// Observation by name: the laws and the emission table of chains, through strings.
@Suite struct NamedPathTests {
  let person = Person("root")
  let log = Log<String?>()

  private func followCity(
    options: KeyValueObservingOptions = [.initial, .new]
  ) throws -> any Disposable {
    log.follow(try person.observeWeakly(String.self, "address.city.name", options: options))
  }

  // MARK: One property

  @Test("A property is observed as by its key path") func aPropertyIsObservedAsByItsKeyPath() throws
  {
    let ages = Log<Int>()
    ages.follow(try person.observe(Int.self, "age"))
    person.age = 1
    try person.setValue(1, forKey: "age")
    person.age += 1
    ages.expect([0, 1, 1, 2])
    let names = Log<String>()
    names.follow(try person.observe(String.self, "name", options: .new))
    person.name = "Bea"
    names.expect(["Bea"])
  }

  @Test("Each value of reentrant sets is seen by all in order", arguments: [2, 40, 1000])
  func eachValueOfReentrantSetsIsSeenByAllInOrder(others: Int) throws {
    let logs = (0..<others).map { _ in Log<Int>() }
    for (index, log) in logs.enumerated() {
      log.follow(try index % 2 == 0 ? person.observe(Int.self, "age") : person.observe(\.age))
      guard index == others / 2 else { continue }
      _ = person.observe(\.age, options: .new).subscribe(onNext: { [person] age in
        if age < 5 { try? person.setValue(age + 1, forKey: "age") }
      })
    }
    person.age = 1
    #expect(person.age == 5)
    for log in logs { #expect(log.elements == [0, 1, 2, 3, 4, 5]) }
  }

  @Test("Key path and name keep one order of subscription")
  func keyPathAndNameKeepOneOrderOfSubscription() throws {
    var order: [String] = []
    _ = person.observe(\.age, options: .new).subscribe(onNext: { order.append("path \($0)") })
    _ = try person.observe(Int.self, "age", options: .new).subscribe(onNext: {
      order.append("name \($0)")
    })
    _ = person.observe(\.age, options: .new).subscribe(onNext: { order.append("last \($0)") })
    try person.setValue(1, forKey: "age")
    person.age = 2
    #expect(order == ["path 1", "name 1", "last 1", "path 2", "name 2", "last 2"])
  }

  @Test("A registered computed property is followed") func aRegisteredComputedPropertyIsFollowed()
    throws
  {
    let account = SavingsAccount()
    let doubled = Log<Int>()
    let product = Log<Int>()
    doubled.follow(try account.observe(Int.self, "doubled"))
    product.follow(try account.observe(Int.self, "product"))
    account.balance = 2
    account.factor = 3
    doubled.expect([0, 4])
    product.expect([0, 2, 6])
  }

  @Test("The override of a RegisteredProperty is followed")
  func theOverrideOfARegisteredPropertyIsFollowed() throws {
    final class Overdraft: Account {
      override var factor: Int {
        get { super.factor * 10 }
        set { super.factor = newValue }
      }
      override class var registeredProperties: [RegisteredProperty] {
        [RegisteredProperty("factor", \Account.factor)]
      }
    }
    let account = Overdraft()
    let log = Log<Int>()
    log.follow(try account.observe(Int.self, "factor"))
    account.factor = 2
    account.factor = 3
    log.expect([10, 20, 30])
  }

  @Test("Values of every kind pass through strings") func valuesOfEveryKindPassThroughStrings()
    throws
  {
    let everything = Everything()
    let unsigned = Log<UInt64>()
    let nested = Log<Int??>()
    let shapes = Log<Shape>()
    let anything = Log<Any>()
    unsigned.follow(try everything.observe(UInt64.self, "unsigned"))
    nested.follow(try everything.observe(Int??.self, "nested"))
    shapes.follow(try everything.observe(Shape.self, "shape"))
    anything.follow(try everything.observe(Any.self, "pair"))
    everything.unsigned = 0
    everything.nested = Int??.none
    everything.nested = 1
    everything.shape = .circle(radius: 1)
    everything.pair = (2, "two")
    unsigned.expect([.max, 0])
    nested.expect([.some(nil), .none, 1])
    shapes.expect([.point, .circle(radius: 1)])
    #expect(anything.take().map { ($0 as? (Int, String))?.0 } == [1, 2])
    let sums = Log<Int>()
    sums.follow(try everything.observe(((Int) -> Int).self, "transform").map { $0(1) })
    everything.transform = { $0 * 10 }
    sums.expect([2, 10])
    let sounds = Log<String>()
    sounds.follow(try everything.observe((any Pet).self, "pet").map(\.sound))
    sounds.expect(["woof"])
  }

  @Test("Inherited properties are observed") func inheritedPropertiesAreObserved() throws {
    let archive = Archive()
    let items = Log<[String]>()
    items.follow(try archive.observe([String].self, "items"))
    let typed = Log<[String]>()
    typed.follow(archive.observe(\.items))
    archive.items = ["a"]
    archive.items.append("b")
    items.expect([[], ["a"], ["a", "b"]])
    typed.expect([[], ["a"], ["a", "b"]])
    let car = Car()
    let wheels = Log<Int>()
    wheels.follow(try car.observe(Int.self, "wheels"))
    let summaries = Log<String>()
    summaries.follow(car.observe(\.summary))
    let sameWheels = Log<Int>()
    sameWheels.follow(car.observe(\.wheels))
    car.wheels = 3
    try car.setValue(2, forKey: "wheels")
    wheels.expect([4, 3, 2])
    sameWheels.expect([4, 3, 2])
    summaries.expect(["4 wheels", "3 wheels", "2 wheels"])
  }

  @Test("The sequence completes with the object") func theSequenceCompletesWithTheObject() throws {
    let names = Log<String>()
    var mortal: Person? = Person("mortal")
    weak let object = mortal
    names.follow(try mortal!.observe(String.self, "name"))
    mortal = nil
    #expect(object == nil)
    names.expect(["mortal"])
    #expect(names.isCompleted)
  }

  @Test("Errors are thrown by the call") func errorsAreThrownByTheCall() {
    #expect(throws: PropertyError.undefinedKey(type: "Person", key: "nmae")) {
      try person.observe(String.self, "nmae")
    }
    #expect(throws: PropertyError.typeMismatch(key: "age", expected: "Int", actual: "String")) {
      try person.observe(String.self, "age")
    }
    #expect(throws: PropertyError.undefinedKey(type: "Person", key: "nmae")) {
      try person.observeWeakly(String.self, "nmae.city")
    }
    #expect(throws: PropertyError.undefinedKey(type: "Person", key: "")) {
      try person.observeWeakly(String.self, "")
    }
    #expect(throws: PropertyError.typeMismatch(key: "name", expected: "String", actual: "Int")) {
      try person.observeWeakly(Int.self, "address.city.name")
    }
    #expect(throws: PropertyError.typeMismatch(key: "name", expected: "String", actual: "Int")) {
      try person.observeChanges(Int.self, "name")
    }
  }

  @Test("Names are checked along the declared types") func namesAreCheckedAlongTheDeclaredTypes() {
    let unknown = PropertyError.undefinedKey(type: "Address", key: "ctiy")
    #expect(person.address == nil)
    #expect(throws: unknown) { try person.observeWeakly(String.self, "address.ctiy.name") }
    #expect(throws: unknown) { try person.observeChanges(String.self, "address.ctiy") }
    #expect(throws: unknown) { try person.chain(String.self, "manager.address.ctiy.name") }
    #expect(throws: unknown) { try person.targetChain(String.self, "address.ctiy.name") }
    #expect(throws: PropertyError.undefinedKey(type: "City", key: "nmae")) {
      try person.observeWeakly(Any.self, "address.city.nmae")
    }
  }

  @Test("The edits of a collection are observed by its name")
  func theEditsOfACollectionAreObservedByItsName() throws {
    final class Team: ReactiveObject { @Observed var items = ObservableArray([1]) }
    final class Office: ReactiveObject { @Observed var team: Team? }
    let office = Office()
    let items = try office.chain(ObservableArray<Int>.self, "team.items")
    let (changes, counts) = (Log<PropertyChange<[Int]>>(), Log<Int?>())
    changes.follow(office.observeChanges { _ in items })
    counts.follow(office.observeWeakly { _ in items.count })
    let team = Team()
    office.team = team
    team.items.append(2)
    team.items = ObservableArray()
    #expect(changes.elements.map(\.kind) == [.setting, .insertion, .setting])
    #expect(changes.elements.map(\.new) == [[1], [2], []])
    #expect(counts.elements == [nil, 1, 2, 0])
  }

  @Test("A property of any type is observed as Any") func aPropertyOfAnyTypeIsObservedAsAny() throws
  {
    let (ages, zips) = (Log<PropertyChange<Any>>(), Log<Any?>())
    ages.follow(try person.observeChanges(Any.self, "manager.age"))
    zips.follow(try person.observeWeakly(Any.self, "address.zip"))
    let manager = Person("Ada")
    person.manager = manager
    manager.age = 7
    #expect(ages.elements.map { $0.old as? Int } == [nil, 0])
    #expect(ages.elements.map { $0.new as? Int } == [0, 7])
    #expect(ages.take().map(\.cause) == [.hopReplaced(0), .set])
    person.address = Address()
    person.address?.zip = "1"
    person.address?.zip = nil
    #expect(zips.take().map { $0 as? String } == [nil, nil, "1", nil])
    let names = Log<PropertyChange<Any>>()
    names.follow(try person.observeChanges(Any.self, "name"))
    person.name = "Bea"
    #expect(names.take().map { "\($0.old ?? "") \($0.new ?? "")" } == ["root Bea"])
  }

  // MARK: The table

  @Test("Initial is one and new only is none") func initialIsOneAndNewOnlyIsNone() throws {
    let subscription = try followCity()
    log.expect([nil])
    subscription.dispose()
    person.address = Address(city: City("Rome"))
    try followCity().dispose()
    log.expect(["Rome"])
    _ = try followCity(options: .new)
    log.expect([])
    person.address?.city?.name = "Oslo"
    log.expect(["Oslo"])
  }

  @Test("Leaf sets replacements and gaps") func leafSetsReplacementsAndGaps() throws {
    let detached = Address(city: City("Rome"))
    person.address = detached
    _ = try followCity()
    person.address?.city?.name = "Rome"
    try person.setValue("Oslo", forKeyPath: "address.city.name")
    log.expect(["Rome", "Rome", "Oslo"])
    person.address = Address(city: City("Kyiv"))
    detached.city?.name = "silent"
    detached.city = nil
    log.expect(["Kyiv"])
    person.address = nil
    person.address = Address()
    log.expect([nil])
    person.address?.city = City("Kyiv")
    log.expect(["Kyiv"])
  }

  @Test("Weak hops and weak leaves die") func weakHopsAndWeakLeavesDie() throws {
    var manager: Person? = Person("Ada")
    let managers = Log<String?>()
    person.manager = manager
    log.follow(try person.observeWeakly(String.self, "manager.name"))
    managers.follow(try person.observeWeakly(Person.self, "manager").map { $0?.name })
    manager = nil
    log.expect(["Ada", nil])
    managers.expect(["Ada", nil])
    manager = Person("Bob")
    person.manager = manager
    log.expect(["Bob"])
    managers.expect(["Bob"])
  }

  @Test("The root dies") func theRootDies() throws {
    var root: Person? = Person()
    weak let object = root
    let address = Address(city: City("Rome"))
    root?.address = address
    let subscription = log.follow(
      try root!.observeWeakly(String.self, "address.city.name"))
    root = nil
    #expect(object == nil)
    log.expect(["Rome", nil])
    #expect(log.isCompleted)
    address.city?.name = "silent"
    subscription.dispose()
    log.expect([])
  }

  @Test("Disposal leaves nothing behind") func disposalLeavesNothingBehind() throws {
    weak var address: Address?
    do {
      let owned = Address(city: City("Rome"))
      address = owned
      person.address = owned
      let subscription = try followCity()
      subscription.dispose()
      owned.city?.name = "silent"
      person.address = nil
    }
    log.expect(["Rome"])
    #expect(address == nil)
    #expect(log.isDisposed)
  }

  @Test("A name that a later object lacks is reported and the sequence lives")
  func aNameThatALaterObjectLacksIsReportedAndTheSequenceLives() throws {
    class Slot: ReactiveObject {}
    final class NamelessSlot: Slot {}
    final class NamedSlot: Slot { @Observed var title = "named" }
    final class NumberedSlot: Slot { @Observed var title = 1 }
    final class SlotHolder: ReactiveObject { @Observed var slot: Slot? }
    Reports.collect()
    let holder = SlotHolder()
    log.follow(try holder.observeWeakly(String.self, "slot.title"))
    holder.slot = NamedSlot()
    log.expect([nil, "named"])
    holder.slot = NamelessSlot()
    log.expect([nil])
    #expect(Reports.about("NamelessSlot").map(\.category) == [.unknownKey])
    #expect(Reports.about("NamelessSlot").map(\.property) == ["title"])
    holder.slot = NamedSlot()
    holder.slot = NumberedSlot()
    log.expect(["named", nil])
    #expect(Reports.about("NumberedSlot").map(\.category) == [.typeMismatch])
    #expect(
      Reports.about("NumberedSlot").map(\.message) == [
        "title is of type Int, not String"
      ])
    holder.slot = NamedSlot()
    log.expect(["named"])
    #expect(!log.isCompleted)
  }

  @Test("Optional leaves are flattened once") func optionalLeavesAreFlattenedOnce() throws {
    person.address = Address()
    log.follow(try person.observeWeakly(String.self, "address.zip"))
    person.address?.zip = nil
    person.address?.zip = "1"
    log.expect([nil, nil, "1"])
    let everything = Everything()
    let nested = Log<Int??>()
    nested.follow(try everything.observeWeakly(Int?.self, "nested"))
    everything.nested = Int??.none
    everything.nested = 3
    nested.expect([.some(nil), .none, 3])
  }

  @Test("Changes say why") func changesSayWhy() throws {
    let causes = Log<ChangeCause>()
    var manager: Person? = Person("Ada")
    person.manager = manager
    causes.follow(
      try person.observeChanges(
        String.self, "manager.address.city.name", options: [.initial, .new]
      ).map(\.cause))
    manager?.address = Address(city: City("Rome"))
    manager?.address?.city?.name = "Oslo"
    manager?.address?.city = nil
    manager?.address?.city = City("Kyiv")
    manager = nil
    #expect(
      causes.take() == [
        .initial, .hopReplaced(1), .set, .hopBecameNil(2), .hopReplaced(2), .hopDied(0),
      ])
  }

  /// The string form and the builder form emit the same, whatever happens.
  @Test("Paths of names emit the same as key paths", arguments: 0..<100)
  func namesEmitWhatKeyPathsEmit(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let typed = Log<String?>()
    typed.follow(person.observeWeakly { $0.address.city.name })
    _ = try followCity()
    let causes = (Log<ChangeCause>(), Log<ChangeCause>())
    causes.0.follow(person.observeChanges { $0.address.city.name }.map(\.cause))
    causes.1.follow(
      try person.observeChanges(String.self, "address.city.name").map(\.cause))
    var addresses = [Address(), Address(city: City("a"))]
    var cities = [City("b"), City("c")]
    for step in 0..<40 {
      switch random.next() % 7 {
      case 0: person.address = nil
      case 1: person.address = addresses.randomElement(using: &random)
      case 2: try? person.setValue(nil, forKeyPath: "address.city")
      case 3: addresses.randomElement(using: &random)?.city = cities.randomElement(using: &random)
      case 4: try cities.randomElement(using: &random)?.setValue("\(step)", forKey: "name")
      case 5: addresses.append(Address(city: cities.randomElement(using: &random)))
      default: cities.append(City("\(step)"))
      }
      #expect(log.elements == typed.elements, "seed \(seed), step \(step)")
      #expect(causes.0.elements == causes.1.elements, "seed \(seed), step \(step)")
    }
  }
}
