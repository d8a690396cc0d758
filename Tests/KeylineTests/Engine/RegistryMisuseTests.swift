import Keyline
import TestSupport
import Testing

/// Programs that compile without the word "unsafe" and once used memory after it was freed, or read a
/// value as one of another type (P8). Each may cost the program its observers, which is reported, and
/// nothing else. To be run under AddressSanitizer, in release builds, too.
@Suite struct RegistryMisuseTests {
  // MARK: A registry that is exchanged while a property is being set

  /// A conformer whose registry is exchanged by code that the library calls.
  class Exchanging: PropertyObservable {
    private(set) var properties = PropertyRegistry()
    @Observed var number = 0

    func exchangeRegistry() { properties = PropertyRegistry() }
  }

  /// Sets `object.number` again and again, in each round of which `exchange`, once installed, has the
  /// library call code that exchanges the registry.
  private func expectSafety<Object: Exchanging>(
    of object: Object, type: String, exchange: (Object) -> any Disposable,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    Reports.collect()
    for round in 0..<50 {
      let numbers = Log<Int>()
      numbers.follow(object.observe(\.number))
      let exchanging = exchange(object)
      // A second observer behind the exchanging one: it must be called or lost, never be garbage.
      let late = Log<Int>()
      late.follow(object.observe(\.number, options: .new))
      object.number = 3 * round + 1
      object.number += 1
      object.number = 3 * round + 3
      #expect(object.number == 3 * round + 3, sourceLocation: sourceLocation)
      let stored = Set([3 * round, 3 * round + 1, 3 * round + 2, 3 * round + 3])
      #expect(stored.isSuperset(of: numbers.elements), sourceLocation: sourceLocation)
      #expect(stored.isSuperset(of: late.elements), sourceLocation: sourceLocation)
      exchanging.dispose()
    }
    // Observed anew, it is observed.
    let again = Log<Int>()
    let subscription = again.follow(object.observe(\.number))
    object.number = -1
    #expect(again.take() == [150, -1], sourceLocation: sourceLocation)
    let reports = Reports.about(type).filter { $0.category == .misuse }
    #expect(reports.map(\.property) == ["properties"], sourceLocation: sourceLocation)
    subscription.dispose()
  }

  final class ExchangingInPrior: Exchanging {}

  @Test("A prior observer exchanges the registry of the object that is set")
  func aPriorObserverExchangesTheRegistryOfTheObjectThatIsSet() {
    expectSafety(of: ExchangingInPrior(), type: "ExchangingInPrior") { object in
      object.observeChanges(\.number, options: [.prior, .old, .new]).filter(\.isPrior)
        .subscribe(onNext: { [unowned object] _ in object.exchangeRegistry() })
    }
  }

  final class ExchangingInRule: Exchanging {}

  @Test("A rule exchanges the registry of the object that is set")
  func aRuleExchangesTheRegistryOfTheObjectThatIsSet() {
    expectSafety(of: ExchangingInRule(), type: "ExchangingInRule") { object in
      object.validate(\.number) { object, _ in
        object.exchangeRegistry()
        return .valid
      }
    }
  }

  /// Its registry's getter runs code of the program when a weak property is set to it.
  final class ExchangingInObserver: Exchanging {}

  /// What an observer has set before it exchanges the registry is not delivered.
  @Test("An observer sets and exchanges the registry") func anObserverSetsAndExchangesTheRegistry()
  {
    let object = ExchangingInObserver()
    let numbers = Log<Int>()
    object.observe(\.number, options: .new) { [unowned object] in
      numbers.append($0)
      guard $0 == 1 else { return }
      object.number = 2
      object.exchangeRegistry()
    }
    object.number = 1
    #expect(numbers.take() == [1] && object.number == 2)
    object.observe(\.number) { numbers.append($0) }
    object.number = 3
    numbers.expect([2, 3])
  }

  final class Referent: PropertyObservable {
    private let registry = PropertyRegistry()
    var onRead: () -> Void = {}
    var properties: PropertyRegistry {
      onRead()
      return registry
    }
    @Observed var value = 7
  }

  final class ExchangingInReferent: Exchanging {
    @WeakObserved var referent: Referent?
  }

  @Test("A referent's getter exchanges the registry of the object that is set")
  func aReferentsGetterExchangesTheRegistryOfTheObjectThatIsSet() {
    Reports.collect()
    let object = ExchangingInReferent()
    for _ in 0..<50 {
      let referent = Referent()
      let (isThere, values) = (Log<Bool>(), Log<Int?>())
      isThere.follow(object.observe(\.referent).map { $0 != nil })
      values.follow(object.observeWeakly { $0.referent.value })
      referent.onRead = { [unowned object] in object.exchangeRegistry() }
      object.referent = referent
      referent.onRead = {}
      #expect(object.referent === referent)
      #expect(isThere.elements.dropFirst().allSatisfy { $0 })
      #expect(Set<Int?>([nil, 7]).isSuperset(of: values.elements))
      object.referent = nil
    }
    let isThere = Log<Bool>()
    let subscription = isThere.follow(object.observe(\.referent).map { $0 != nil })
    let referent = Referent()
    object.referent = referent
    isThere.expect([false, true])
    let reports = Reports.about("ExchangingInReferent").filter { $0.category == .misuse }
    #expect(reports.map(\.property) == ["properties"])
    subscription.dispose()
    withExtendedLifetime(referent) {}
  }

  // MARK: A getter that releases its owner

  final class Holder: ReactiveObject {
    @Observed var fallback = -1
    /// Not observed: a plain reference, the last one.
    var releasing: Releasing?
    var computed: Int { releasing!.number + fallback + 1 }
    var computedWeak: Bool { releasing!.weak == nil }
    @Derived({ (self: Holder) in self.releasing!.number + self.fallback + 1 }) var derived: Int
  }

  /// Its registry's getter, called by the first tracked read, releases the holder's reference.
  final class Releasing: PropertyObservable {
    private let registry = PropertyRegistry()
    var onRead: () -> Void = {}
    var properties: PropertyRegistry {
      let body = onRead
      onRead = {}
      body()
      return registry
    }
    @Observed var number = 42
    @WeakObserved var weak: Holder?
    @Derived({ (self: Releasing) in self.number + 1 }) var next: Int
  }

  private func makeHolder() -> Holder {
    let holder = Holder()
    let releasing = Releasing()
    releasing.onRead = { [unowned holder] in holder.releasing = nil }
    holder.releasing = releasing
    return holder
  }

  @Test("A getter of the registry releases its owner in the first tracked read")
  func aGetterOfTheRegistryReleasesItsOwnerInTheFirstTrackedRead() {
    for _ in 0..<50 {
      let holders = (0..<4).map { _ in makeHolder() }
      let (computed, derived, isNil) = (Log<Int>(), Log<Int>(), Log<Bool>())
      let subscriptions = [
        computed.follow(holders[0].observe(\.computed).take(1)),
        derived.follow(holders[1].observe(\.derived).take(1)),
        isNil.follow(holders[2].observe(\.computedWeak).take(1)),
      ]
      #expect(holders[3].derived == 42)
      #expect(computed.take() == [42] && derived.take() == [42] && isNil.take() == [true])
      #expect(holders.allSatisfy { $0.releasing == nil })
      for subscription in subscriptions { subscription.dispose() }
    }
  }

  // MARK: One registry for two objects

  /// Two layouts: at one offset there is a number in one class, and a string in the other.
  final class Numbered: PropertyObservable {
    let properties: PropertyRegistry
    @Observed var number = 1
    @Observed var other = 2
    init(_ properties: PropertyRegistry) { self.properties = properties }
  }

  final class Worded: PropertyObservable {
    let properties: PropertyRegistry
    @Observed var word = "a"
    @Observed var other = "b"
    init(_ properties: PropertyRegistry) { self.properties = properties }
  }

  final class Deriving: PropertyObservable {
    let properties: PropertyRegistry
    @Observed var number = 1
    @Derived({ (self: Deriving) in self.number + 1 }) var next: Int
    init(_ properties: PropertyRegistry) { self.properties = properties }
  }

  /// The registry of an object of a base class belongs to that object. Another object's derived values are
  /// evaluated at each read: it can be neither observed nor cached.
  @Test("The registry of an object that has died costs observers only", arguments: [false, true])
  func theRegistryOfAnObjectThatHasDiedCostsObserversOnly(isReadBefore: Bool) {
    Reports.collect()
    var mortal: ReactiveObject? = ReactiveObject()
    let survivor = mortal.map { Deriving($0.properties) }
    if isReadBefore { #expect(survivor?.next == 2) }
    mortal = nil
    #expect(survivor?.next == 2)
    survivor?.number = 5
    #expect(survivor?.next == 6)
    let values = Log<Int>()
    if let survivor { values.follow(survivor.observe(\.next)) }
    #expect(values.take() == [6] && values.isCompleted)
    #expect(Set(Reports.about("Deriving").map(\.category)) == [.misuse])
  }

  @Test("Two objects with one registry get no values of each other")
  func twoObjectsWithOneRegistryGetNoValuesOfEachOther() {
    Reports.collect()
    let registry = PropertyRegistry()
    for round in 0..<100 {
      do {
        let mortal = Numbered(registry)
        let numbers = Log<Int>()
        numbers.follow(mortal.observe(\.number))
        numbers.follow(mortal.observe(\.other))
        mortal.number = round
        mortal.other = round
        #expect(Set([1, 2, round]).isSuperset(of: numbers.elements))
        #expect((mortal.number, mortal.other) == (round, round))
      }
      // Often where the dead object was.
      let next = Worded(registry)
      let words = Log<String>()
      words.follow(next.observe(\.word))
      words.follow(next.observe(\.other))
      next.word = "c"
      next.other = "d"
      #expect(Set(["a", "b", "c", "d"]).isSuperset(of: words.elements))
      #expect((next.word, next.other) == ("c", "d"))
    }
    let reports = Reports.about("Numbered") + Reports.about("Worded")
    #expect(reports.contains { $0.category == .misuse && $0.property == "properties" })
  }

  @Test("Two objects that live with one registry are reported")
  func twoObjectsThatLiveWithOneRegistryAreReported() {
    final class Twin: PropertyObservable {
      let properties: PropertyRegistry
      @Observed var number = 1
      init(_ properties: PropertyRegistry) { self.properties = properties }
    }
    Reports.collect()
    let registry = PropertyRegistry()
    let one = Twin(registry)
    var other: Twin? = Twin(registry)
    let numbers = (Log<Int>(), Log<Int>())
    numbers.0.follow(one.observe(\.number))
    numbers.1.follow(other!.observe(\.number))
    one.number = 2
    other?.number = 3
    other = nil
    one.number = 4
    #expect(Set([1, 2, 4]).isSuperset(of: numbers.0.elements))
    #expect(Set([1, 3]).isSuperset(of: numbers.1.elements))
    #expect(
      Reports.about("Twin").contains { $0.category == .misuse && $0.property == "properties" })
  }

  // MARK: Wrappers of @Derived

  final class Ledger: ReactiveObject {
    @Observed var first = 1
    @Observed var second = 10
    @Observed var word = "w"
    @Derived({ (self: Ledger) in self.first + 1 }) var next: Int
    @Derived({ (self: Ledger) in self.second + 1 }) var other: Int
    @Derived({ (self: Ledger) in self.word + "!" }) var loud: String
    @Derived({ (self: Ledger) in self.second * 7 }) var third: Int
    @Derived({ (self: Ledger) in self.word + "?" }) var asking: String

    func adopt(of ledger: Ledger) {
      _next = ledger._next
      _loud = ledger._loud
    }
    func adoptOther() { _next = _other }
    /// A wrapper outside any object.
    var copyOfNext: Derived<Ledger, Int> { _next }
    func adopt(_ wrapper: Derived<Ledger, Int>) { _next = wrapper }
    func replaceOther() { _other = Derived({ (self: Ledger) in self.first * 100 }) }
  }

  /// The copy evaluates the rule for the object that it belongs to.
  @Test(
    "A derived wrapper is copied from an object that dies", arguments: [false, true], [false, true])
  func aDerivedWrapperIsCopiedFromAnObjectThatDies(isReadBefore: Bool, isFirst: Bool) {
    let copy = Ledger()
    if isReadBefore { #expect(copy.next == 2 && copy.loud == "w!") }
    do {
      let mortal = Ledger()
      mortal.first = 5
      mortal.word = "m"
      mortal.observe(\.next).subscribe().dispose()
      #expect(mortal.next == 6 && mortal.loud == "m!")
      copy.adopt(of: mortal)
    }
    if isFirst {
      #expect(copy.third == 70 && copy.asking == "w?" && copy.other == 11)
    }
    // New objects may reuse the storage of the dead object.
    let others = (0..<64).map { number in
      let other = Ledger()
      other.first = 1000 + number
      #expect(other.next == 1001 + number && other.loud == "w!")
      return other
    }
    // So may other properties of the copy, which are evaluated first.
    #expect(copy.third == 70 && copy.asking == "w?" && copy.other == 11)
    #expect(copy.next == 2 && copy.loud == "w!")
    let (values, words) = (Log<Int>(), Log<String>())
    values.follow(copy.observe(\.next))
    words.follow(copy.observe(\.loud))
    copy.first = 20
    copy.word = "v"
    for other in others { other.first = 0 }
    #expect(copy.next == 21 && copy.loud == "v!")
    #expect(values.take() == [2, 21] && words.take() == ["w!", "v!"])
  }

  /// The object that receives the copy is often allocated at the address of the dead object, with
  /// its properties at the former addresses.
  @Test("A derived wrapper of a dead object is given to the next one")
  func aDerivedWrapperOfADeadObjectIsGivenToTheNextOne() {
    var values: Set<[Int]> = []
    for _ in 0..<100 {
      let wrapper: Derived<Ledger, Int>
      do {
        let mortal = Ledger()
        mortal.first = 5
        _ = mortal.next
        wrapper = mortal.copyOfNext
      }
      let ledger = Ledger()
      let (other, third) = (ledger.other, ledger.third)
      ledger.adopt(wrapper)
      let first = ledger.next
      ledger.first = 7
      values.insert([other, third, first, ledger.next, ledger.other, ledger.third])
    }
    #expect(values == [[11, 70, 2, 8, 11, 70]])
  }

  @Test("A derived wrapper is copied and the original replaced")
  func aDerivedWrapperIsCopiedAndTheOriginalReplaced() {
    let ledger = Ledger()
    let others = Log<Int>()
    #expect(ledger.other == 11 && ledger.next == 2)
    others.follow(ledger.observe(\.other))
    ledger.adoptOther()
    ledger.replaceOther()
    ledger.second = 30
    ledger.first = 3
    // Each has the rule that was assigned to it last.
    #expect(ledger.next == 31 && ledger.other == 300)
    ledger.second = 40
    #expect(ledger.next == 41 && ledger.other == 300)
    // Its observers may be lost, and may be given values of its own only.
    #expect(Set([11, 31, 41, 100, 300]).isSuperset(of: others.take()))
    let next = Log<Int>()
    next.follow(ledger.observe(\.next))
    others.follow(ledger.observe(\.other))
    ledger.second = 50
    ledger.first = 4
    next.expect([41, 51])
    #expect(others.take().filter { $0 == 400 } == [400])
  }

  private final class Point: ReactiveObject { @Observed var x = 0 }

  private final class Borrower: PropertyObservable {
    let properties: PropertyRegistry
    @Observed var value = 1
    init(_ lender: some PropertyObservable) { properties = lender.properties }
  }

  @Test("P8: An object with another object's registry emits its value with `.initial` only")
  func anObjectWithAForeignRegistry() {
    Reports.collect()
    let point = Point()
    point.x = 1
    _ = point.observe(\.x).subscribe()
    let borrower = Borrower(point)
    let (all, later, changes) = (Log<Int>(), Log<Int>(), Log<PropertyChange<Int>>())
    all.follow(borrower.observe(\.value))
    later.follow(borrower.observe(\.value, options: .new))
    changes.follow(borrower.observeChanges(\.value))
    #expect(all.take() == [1] && later.take() == [] && changes.take() == [])
    #expect(all.isCompleted && later.isCompleted && changes.isCompleted)
    #expect(Reports.about("Borrower").map(\.category) == [.misuse])
  }
}
