import Keyline
import TestSupport
import Testing

/// The edits of collections by name, and the operators of key-value coding, observed.
@Suite struct NamedCollectionTests {
  private final class Item: ReactiveObject {
    @Observed var price: Int
    init(_ price: Int) {
      self.price = price
      super.init()
    }
  }

  private final class Team: ReactiveObject {
    @Observed var numbers = ObservableArray([1])
    @Observed var names = ObservableSet<String>()
    @Observed var ages = ObservableDictionary<String, Int>()
    @Observed var spare: ObservableArray<Int>?
    @Observed var plain = [1]
    @Observed var items = ObservableArray<Item>()
    @Observed var parts: [Item] = []
    let fixed = ObservableArray<Int>()
    override class var registeredProperties: [RegisteredProperty] {
      [RegisteredProperty("fixed", \Team.fixed)]
    }
  }

  private final class Office: ReactiveObject {
    @Observed var team: Team? = Team()
    @Observed var thing: ReactiveObject?
  }

  private let office = Office()
  private var team: Team { office.team! }

  private func text<Contents>(_ change: PropertyChange<Contents>) -> String {
    func text(_ contents: Contents?) -> String { contents.map { "\($0)" } ?? "nil" }
    return "\(change.kind) \(text(change.old)) \(text(change.new))"
  }

  @Test("A path with an operator behaves like a chain whose leaf is computed")
  func aPathWithAnOperatorBehavesLikeAChain() throws {
    let counts = Log<Int?>()
    let changes = Log<PropertyChange<Int>>()
    counts.follow(try office.observeWeakly(Int.self, "team.items.@count"))
    changes.follow(try office.observeChanges(Int.self, "team.items.@sum.price"))
    team.items.append(Item(3))
    team.items[0].price = 4
    office.team = nil
    office.team = nil
    office.team = Team()
    counts.expect([0, 1, nil, 0])
    #expect(changes.elements.map(\.new) == [3, 4, nil, 0])
    #expect(
      changes.elements.map(\.cause) == [.set, .set, .hopBecameNil(0), .hopReplaced(0)])
  }

  // MARK: Edits

  @Test("The edits of an array are observed by name, as by key path")
  func theEditsOfAnArrayAreObservedByName() throws {
    let (named, typed) = (Log<PropertyChange<[Int]>>(), Log<PropertyChange<[Int]>>())
    let options: KeyValueObservingOptions = [.initial, .old, .new]
    named.follow(try team.observeChanges([Int].self, "numbers", options: options))
    typed.follow(team.observeChanges(\.numbers, options: options))
    team.numbers.append(2)
    team.numbers.move(from: 0, to: 1)
    team.numbers[0] = 5
    team.numbers.remove(at: 0)
    team.numbers = ObservableArray([7])
    team.numbers.append(8)
    #expect(named.elements.count == 7)
    #expect(named.elements == typed.elements)
  }

  @Test("The edits of sets and dictionaries are observed by name")
  func theEditsOfSetsAndDictionariesAreObservedByName() throws {
    let (names, ages) = (Log<String>(), Log<String>())
    names.follow(try team.observeChanges(Set<String>.self, "names").map(text))
    ages.follow(try team.observeChanges([String: Int].self, "ages").map(text))
    team.names.insert("a")
    team.names.remove("a")
    team.ages["a"] = 1
    team.ages["a"] = 2
    names.expect(["insertion nil [\"a\"]", "removal [\"a\"] nil"])
    ages.expect(["insertion nil [\"a\": 1]", "replacement [\"a\": 1] [\"a\": 2]"])
  }

  @Test("The edits come with the options")
  func theEditsComeWithTheOptions() throws {
    var changes: [String] = []
    let subscription = try team.observeChanges([Int].self, "numbers", options: .new)
      .subscribe(onNext: { changes.append(text($0)) })
    _ = try team.observeChanges([Int].self, "plain").subscribe(onNext: {
      changes.append(text($0))
    })
    team.numbers.append(2)
    team.numbers.removeLast()
    team.plain.append(2)
    subscription.dispose()
    team.numbers.append(3)
    #expect(changes == ["insertion nil [2]", "removal nil nil", "setting [1] [1, 2]"])
  }

  @Test("At the end of a path the edits follow the hops")
  func atTheEndOfAPathTheEditsFollowTheHops() throws {
    let log = Log<String>()
    log.follow(try office.observeChanges([Int].self, "team.numbers").map(text))
    team.numbers.append(2)
    let other = Team()
    other.numbers = ObservableArray([5])
    let former = team
    office.team = other
    former.numbers.append(9)
    office.team = nil
    office.team = other
    other.numbers.removeAll()
    #expect(
      log.take() == [
        "insertion nil [2]", "setting [1, 2] [5]", "setting [5] nil", "setting nil [5]",
        "removal [5] nil",
      ])
  }

  @Test("A collection that may be nil, and a registered constant")
  func aCollectionThatMayBeNilAndARegisteredConstant() throws {
    let (spare, fixed) = (Log<String>(), Log<String>())
    spare.follow(try team.observeChanges([Int].self, "spare").map(text))
    fixed.follow(try team.observeChanges([Int].self, "fixed").map(text))
    team.spare = ObservableArray([1])
    team.spare?.append(2)
    team.spare = nil
    team.fixed.append(3)
    spare.expect(["setting nil [1]", "insertion nil [2]", "setting [1, 2] nil"])
    fixed.expect(["insertion nil [3]"])
  }

  @Test("The sequence completes with the object, which is not retained")
  func theSequenceCompletesWithTheObject() throws {
    var office: Office? = Office()
    weak let weakOffice = office
    let log = Log<String>()
    var isCompleted = false
    _ = try office?.observeChanges([Int].self, "team.numbers").subscribe(
      onNext: { log.elements.append(text($0)) }, onCompleted: { isCompleted = true })
    office = nil
    #expect(weakOffice == nil && isCompleted)
    log.expect(["setting [1] nil"])
  }

  @Test("Other types than those of the contents") func otherTypesThanThoseOfTheContents() throws {
    let objects = Log<Bool>()
    objects.follow(
      try team.observeChanges(ObservableArray<Int>.self, "numbers").map { $0.new === team.numbers })
    team.numbers.append(2)
    objects.expect([])
    team.numbers = ObservableArray()
    objects.expect([true])
    #expect(
      throws: PropertyError.typeMismatch(
        key: "numbers", expected: "ObservableArray<Int>", actual: "Array<String>")
    ) { try team.observeChanges([String].self, "numbers") }
  }

  // MARK: Operators

  @Test("The operators of key-value coding are observed")
  func theOperatorsOfKeyValueCodingAreObserved() throws {
    let (counts, sums, plain) = (Log<Int?>(), Log<Int?>(), Log<Int?>())
    counts.follow(try office.observeWeakly(Int.self, "team.items.@count"))
    sums.follow(try office.observeWeakly(Int.self, "team.items.@sum.price"))
    plain.follow(try office.observeWeakly(Int.self, "team.parts.@max.price"))
    team.items.append(Item(1))
    team.items.append(Item(2))
    team.items[0].price = 10
    batchUpdates {
      team.items.removeFirst()
      team.items.removeFirst()
    }
    team.parts = [Item(3), Item(4)]
    team.parts[0].price = 9
    office.team = nil
    counts.expect([0, 1, 2, 0, nil])
    sums.expect([0, 1, 3, 12, 0, nil])
    plain.expect([nil, 4, 9, nil])
  }

  @Test("Operators in changes, chains and bindings") func operatorsInChangesChainsAndBindings()
    throws
  {
    final class Row: ReactiveObject { @Observed var count: Int? = -1 }
    let (row, changes) = (Row(), Log<String>())
    changes.follow(try team.observeChanges(Int.self, "numbers.@count").map(text))
    let count = try team.chain(Int?.self, "numbers.@count")
    team.bind({ _ in count }, to: row, \.count)
    team.numbers.append(2)
    #expect(row.count == 2)
    changes.expect(["setting 1 2"])
    #expect(throws: PropertyError.typeMismatch(key: "@count", expected: "Int?", actual: "Int")) {
      try team.chain(Int.self, "numbers.@count")
    }
  }

  @Test("D10: A rule that subscribes to a path with an operator does not depend on it")
  func d10ARuleThatSubscribesToAnOperator() throws {
    final class Counter: ReactiveObject {
      let team: Team
      var evaluations = 0
      @Derived({ (self: Counter) in self.follow() }) var count: Int
      init(_ team: Team) { self.team = team }
      func follow() -> Int {
        _ = try? team.observeWeakly(Int.self, "numbers.@count").subscribe()
        evaluations += 1
        return evaluations
      }
    }
    let counter = Counter(team)
    #expect(counter.count == 1)
    team.numbers.append(2)
    team.numbers = [3]
    #expect(counter.count == 1)
  }

  @Test("A wrong operator, name or type is an error of the call")
  func aWrongOperatorNameOrTypeIsAnErrorOfTheCall() throws {
    team.items.append(Item(1))
    for path in ["items.@foo", "itms.@count", "items.@sum.prize", "items.count", "items.price"] {
      #expect(throws: PropertyError.self) { try team.observeWeakly(Int.self, path) }
    }
    #expect(
      throws: PropertyError.typeMismatch(key: "@count", expected: "Int", actual: "Optional<String>")
    ) {
      try team.observeWeakly(String.self, "items.@count")
    }
  }

  @Test("An element without the property is reported later")
  func anElementWithoutThePropertyIsReportedLater() throws {
    final class Bare: ReactiveObject {}
    final class Squad: ReactiveObject { @Observed var all: [ReactiveObject] = [] }
    Reports.collect()
    let (squad, sums) = (Squad(), Log<Int?>())
    sums.follow(try squad.observeWeakly(Int.self, "all.@sum.price"))
    squad.all = [Item(2)]
    squad.all = [Item(2), Bare()]
    squad.all = [Item(3)]
    sums.expect([0, 2, nil, 3])
    #expect(Reports.about("Squad").map(\.category) == [.unknownKey])
  }

  @Test("A count is mapped, as in key-value coding, and the error names the operator")
  func aCountIsMappedAndTheErrorNamesTheOperator() throws {
    let error = #expect(throws: PropertyError.undefinedKey(type: "Int", key: "count")) {
      try team.value(forKeyPath: "numbers.count")
    }
    #expect("\(error!)" == "Int has no property count; a collection has @count")
    #expect(try team.value(forKeyPath: "numbers.@count", as: Int.self) == 1)
  }
}
