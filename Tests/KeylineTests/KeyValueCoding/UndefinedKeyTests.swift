import Keyline
import TestSupport
import Testing

/// Keeps values for names that are known at run time only.
private final class Record: ReactiveObject {
  @Observed var count = 1
  @Observed var title: String?
  @Observed var ratio = 0.5 { didSet { sets += 1 } }
  @Observed var parts = [City("Rome")]
  var extras: [String: Any] = [:]
  var sets = 0
  var nils: [String] = []

  override class var registeredProperties: [RegisteredProperty] {
    [RegisteredProperty("fixed", \Record.count, isWritable: false)]
  }

  override func value(forUndefinedKey key: String) throws -> Any? {
    if key.hasPrefix("_") { return try super.value(forUndefinedKey: key) }
    return extras[key]
  }

  override func setValue(_ value: Any?, forUndefinedKey key: String) throws {
    if key.hasPrefix("_") { return try super.setValue(value, forUndefinedKey: key) }
    extras[key] = value
  }

  override func setNilValue(forKey key: String, of type: Any.Type) throws {
    guard key == "count" else { return try super.setNilValue(forKey: key, of: type) }
    nils.append("\(type)")
    count = 0
  }
}

/// The hooks of the base class for names without a property, and for nil.
@Suite struct UndefinedKeyTests {
  private let record = Record()

  @Test("An unknown name is read from the hook") func anUnknownNameIsReadFromTheHook() throws {
    record.extras = ["size": 3, "city": City("Oslo")]
    #expect(try record.value(forKey: "size") as? Int == 3)
    #expect(try record.value(forKey: "size", as: Int.self) == 3)
    #expect(try record.value(forKey: "size", as: Int?.self) == 3)
    #expect(try record.value(forKey: "none") == nil)
    #expect(try record.value(forKey: "none", as: Int?.self) == nil)
    #expect(try record.value(forKeyPath: "city.name") as? String == "Oslo")
    #expect(try record.value(forKeyPath: "none.name") == nil)
    #expect(throws: PropertyError.brokenPath(key: "none")) {
      try record.value(forKeyPath: "none.name", as: String.self)
    }
    #expect(throws: PropertyError.typeMismatch(key: "size", expected: "Int", actual: "String")) {
      try record.value(forKey: "size", as: String.self)
    }
  }

  @Test("An unknown name is written to the hook") func anUnknownNameIsWrittenToTheHook() throws {
    try record.setValue(3, forKey: "size")
    #expect(record.extras["size"] as? Int == 3)
    try record.setValue(nil, forKey: "size")
    #expect(record.extras.isEmpty)
    try record.setValue(City("Oslo"), forKey: "city")
    try record.setValue("Bergen", forKeyPath: "city.name")
    #expect(try record.value(forKeyPath: "city.name") as? String == "Bergen")
  }

  @Test("A known name does not reach the hooks") func aKnownNameDoesNotReachTheHooks() throws {
    try record.setValue(2, forKey: "count")
    try record.setValue(nil, forKey: "title")
    #expect(try record.value(forKey: "count") as? Int == 2)
    #expect(try record.value(forKey: "title") == nil)
    #expect(record.extras.isEmpty && record.nils.isEmpty)
  }

  @Test("The hooks of the base class throw") func theHooksOfTheBaseClassThrow() {
    let error = PropertyError.undefinedKey(type: "Record", key: "_size")
    #expect(throws: error) { try record.value(forKey: "_size") }
    #expect(throws: error) { try record.value(forKey: "_size", as: Int.self) }
    #expect(throws: error) { try record.value(forKeyPath: "_size.name") }
    #expect(throws: error) { try record.setValue(1, forKey: "_size") }
    #expect(throws: error) { try record.setValue(1, forKeyPath: "_size.name") }
  }

  @Test("Nil for a property that is not optional reaches its hook")
  func nilForAPropertyThatIsNotOptionalReachesItsHook() throws {
    let log = Log<Int>()
    log.follow(record.observe(\.count))
    try record.setValue(nil, forKey: "count")
    #expect(record.nils == ["Int"])
    log.expect([1, 0])
    #expect(throws: PropertyError.typeMismatch(key: "ratio", expected: "Double", actual: "nil")) {
      try record.setValue(nil, forKey: "ratio")
    }
    #expect(record.ratio == 0.5 && record.sets == 0)
    #expect(throws: PropertyError.readOnly(key: "fixed")) {
      try record.setValue(nil, forKey: "fixed")
    }
  }

  @Test("A class without the base class throws") func aClassWithoutTheBaseClassThrows() {
    let conforming = Conforming()
    let error = PropertyError.undefinedKey(type: "Conforming", key: "size")
    #expect(throws: error) { try conforming.value(forKey: "size") }
    #expect(throws: error) { try conforming.value(forKeyPath: "size.name") }
    #expect(throws: error) { try conforming.setValue(1, forKey: "size") }
    #expect(throws: PropertyError.typeMismatch(key: "title", expected: "String", actual: "nil")) {
      try conforming.setValue(nil, forKey: "title")
    }
  }

  /// A sequence needs a property that can be observed.
  @Test("Observing an unknown name throws") func observingAnUnknownNameThrows() {
    record.extras = ["size": 3]
    #expect(throws: PropertyError.undefinedKey(type: "Record", key: "size")) {
      try record.observe(Int.self, "size")
    }
  }
}
