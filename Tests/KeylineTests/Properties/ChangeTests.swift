import TestSupport
import Testing

@testable import Keyline
@testable import KeylineCore

/// `observeChanges`: options, values before and after, causes.
@Suite struct ChangeTests {
  let person = Person("Ada")
  let log = Log<PropertyChange<String>>()

  private func names(_ options: KeyValueObservingOptions) -> [PropertyChange<String>] {
    let log = Log<PropertyChange<String>>()
    let subscription = log.follow(person.observeChanges(\.name, options: options))
    person.name = "Bea"
    person.name = "Bea"
    subscription.dispose()
    person.name = "Ada"
    return log.take()
  }

  @Test("A change holds the values that its options request")
  func aChangeHoldsWhatItsOptionsRequest() {
    #expect(
      names([.old, .new]) == [
        PropertyChange(old: "Ada", new: "Bea"), PropertyChange(old: "Bea", new: "Bea"),
      ])
    #expect(names(.new).map(\.new) == ["Bea", "Bea"])
    #expect(names(.new).map(\.old) == [nil, nil])
    #expect(names(.old).map(\.old) == ["Ada", "Bea"])
    #expect(names([]) == [PropertyChange(old: nil, new: nil), PropertyChange(old: nil, new: nil)])
    #expect(names([.initial, .new]).map(\.new) == ["Ada", "Bea", "Bea"])
    #expect(names([.initial, .new]).map(\.cause) == [.initial, .set, .set])
    #expect(names([.initial, .old]).map(\.old) == [nil, "Ada", "Bea"])
    let addresses = Log<PropertyChange<Address?>>()
    addresses.follow(person.observeChanges(\.address, options: [.new, .prior]))
    person.address = Address()
    #expect(addresses.take().map { $0.old == nil } == [true, true])
  }

  @Test("Prior comes before the store and the change after")
  func priorComesBeforeTheStoreAndTheChangeAfter() {
    var seen: [String] = []
    _ = person.observeChanges(\.name, options: [.prior, .old, .new]).subscribe(
      onNext: { [person] in
        seen.append(
          "\($0.isPrior ? "will" : "did") \($0.old ?? "—") \($0.new ?? "—"), is \(person.name)")
      })
    person.name = "Bea"
    person.name += "!"
    #expect(
      seen == [
        "will Ada —, is Ada", "did Ada Bea, is Bea", "will Bea —, is Bea",
        "did Bea Bea!, is Bea!",
      ])
  }

  @Test("An observer that an announcement disposes is not called any more")
  func anObserverThatAnAnnouncementDisposesIsNotCalledAnyMore() {
    final class Item: ReactiveObject { @Observed var title = "" }
    let item = Item()
    var calls: [String] = []
    var second: (any Disposable)?
    let first = item.observeChanges(\.title, options: [.prior, .new]).subscribe(onNext: { _ in
      calls.append("first")
      second?.dispose()
    })
    second = item.observeChanges(\.title, options: [.prior, .new])
      .subscribe(onNext: { _ in calls.append("second") })
    item.title = "a"
    #expect(calls == ["first", "first"])
    first.dispose()
  }

  @Test("An announcement of a computed path follows the properties that the path reads")
  func priorOfAComputedPathFollowsWhatItReads() {
    var seen: [String] = []
    _ = person.observeChanges(\.label, options: [.prior, .old, .new]).subscribe(
      onNext: { seen.append("\($0.isPrior ? "will" : "did") \($0.old!) \($0.new ?? "")") })
    person.address = Address(city: City("Rome"))
    person.age = 3
    person.address?.city?.name = "Oslo"
    #expect(
      seen == [
        "will Ada, — ", "did Ada, — Ada, Rome", "will Ada, Rome ", "did Ada, Rome Ada, Oslo",
      ])
  }

  @Test("Pairs have no gaps when observers set the property again", arguments: [2, 40, 1000])
  func pairsHaveNoGapsWhenObserversSetThePropertyAgain(others: Int) {
    let logs = (0..<others).map { _ in Log<PropertyChange<Int>>() }
    let values = (0..<others).map { _ in Log<Int>() }
    for (log, values) in zip(logs, values).prefix(others / 2) {
      log.follow(person.observeChanges(\.age))
      values.follow(person.observe(\.age))
    }
    _ = person.observe(\.age, options: .new).subscribe(onNext: { [person] age in
      if age < 5 { person.age = age + 1 }
    })
    for (log, values) in zip(logs, values).suffix(others / 2) {
      log.follow(person.observeChanges(\.age))
      values.follow(person.observe(\.age))
    }
    person.age = 1
    #expect(person.age == 5)
    for log in logs {
      #expect(log.elements.map(\.old) == [0, 1, 2, 3, 4])
      #expect(log.elements.map(\.new) == [1, 2, 3, 4, 5])
    }
    for log in values { #expect(log.elements == [0, 1, 2, 3, 4, 5]) }
  }

  /// An inherited property may be overridden: it is evaluated as a computed one is.
  @Test("Paths that are evaluated see stored states only")
  func pathsThatAreEvaluatedSeeStoredStatesOnly() {
    let student = Student("0")
    let inherited = Log<String>()
    let computed = Log<String>()
    _ = student.observe(\.name, options: .new).subscribe(onNext: { [unowned student] name in
      if let number = Int(name), number < 3 { student.name = "\(number + 1)" }
    })
    inherited.follow(student.observe(\.name))
    computed.follow(student.observe(\.label))
    student.name = "1"
    #expect(student.name == "3")
    inherited.expect(["0", "3"])
    // Computed values are evaluated after all sets: on stored states only (P4).
    computed.expect(["0, —", "3, —"])
  }

  @Test("Objects are not retained by the value before") func objectsAreNotRetainedByTheValueBefore()
  {
    let boss = Person("boss")
    let changes = Log<PropertyChange<Person?>>()
    weak var first: Person?
    do {
      let mortal = Person("mortal")
      first = mortal
      person.manager = mortal
      changes.follow(person.observeChanges(\.manager))
    }
    #expect(first == nil)
    person.manager = boss
    person.manager = nil
    let seen = changes.take()
    #expect(seen.map { $0.old??.name } == [nil, nil, "boss"])
    #expect(seen.map { $0.new??.name } == [nil, "boss", nil])
  }

  @Test("A strong property delivers its former object")
  func aStrongPropertyDeliversItsFormerObject() {
    let changes = Log<PropertyChange<Address?>>()
    changes.follow(person.observeChanges(\.address))
    weak var first: Address?
    do {
      let address = Address(city: City("Rome"))
      first = address
      person.address = address
    }
    person.address = Address(city: City("Oslo"))
    #expect(changes.take().map { $0.old??.city?.name } == [nil, "Rome"])
    #expect(first == nil)
  }

  @Test(
    "The object at the end of a computed path is not retained either",
    arguments: [KeyValueObservingOptions.old, [.old, .prior]])
  func whatAComputedPathLeadsToIsNotRetainedEither(options: KeyValueObservingOptions) {
    final class Station: ReactiveObject {
      @Observed var chosen: City?
      @WeakObserved var nearest: City?
      var current: City? { chosen ?? nearest }
    }
    let station = Station()
    station.chosen = City("Rome")
    var city: City? = City("Oslo")
    weak let token = city
    station.nearest = city
    let log = Log<Bool>()
    log.follow(station.observeChanges(\.current, options: options).map(\.isPrior))
    station.chosen = nil
    _ = log.take()
    withExtendedLifetime(city) {}
    city = nil
    #expect(token == nil)
    log.expect([false])
    withExtendedLifetime(station) {}
  }

  // MARK: Causes

  private func describe(_ change: PropertyChange<String>) -> String {
    "\(change.cause) \(change.old ?? "—") → \(change.new ?? "—")"
  }

  @Test("Every cause of a chain") func everyCauseOfAChain() {
    let seen = Log<String>()
    let boss = Person("boss")
    do {
      let mortal = Person("mortal")
      seen.follow(
        mortal.observeChanges(options: [.initial, .old, .new]) { $0.manager.address.city.name }
          .map(describe))
      mortal.manager = boss
      boss.address = Address(city: City("Rome"))
      boss.address?.city?.name = "Roma"
      boss.address?.city = City("Oslo")
      boss.address?.city = nil
      boss.address = nil
      boss.address = Address(city: City("Kyiv"))
      mortal.manager = nil
      do {
        let other = Person("other")
        other.address = Address(city: City("Bern"))
        mortal.manager = other
      }
      mortal.manager = boss
    }
    #expect(
      seen.take() == [
        "initial — → —", "hopReplaced(1) — → Rome", "set Rome → Roma", "hopReplaced(2) Roma → Oslo",
        "hopBecameNil(2) Oslo → —", "hopReplaced(1) — → Kyiv", "hopBecameNil(0) Kyiv → —",
        "hopReplaced(0) — → Bern", "hopDied(0) Bern → —", "hopReplaced(0) — → Kyiv",
        "rootDied Kyiv → —",
      ])
    #expect(seen.isCompleted)
  }

  @Test("The cause names a replaced hop itself if its new object leads nowhere")
  func aHopReplacedByOneThatLeadsNowhereIsNamedItself() {
    let seen = Log<String>()
    person.address = Address(city: City("Rome"))
    seen.follow(person.observeChanges { $0.address.city.name }.map(describe))
    person.address = Address()
    seen.expect(["hopReplaced(0) Rome → —"])
  }

  @Test("The cause names a replaced hop itself if a value behind its new object is missing")
  func aHopReplacedByOneWithoutAValueIsNamedItself() {
    struct Door { var color = "red" }
    final class House: ReactiveObject { @Observed var door: Door? }
    final class Plot: ReactiveObject { @Observed var house: House? }
    let (plot, house, causes) = (Plot(), House(), Log<ChangeCause>())
    house.door = Door()
    plot.house = house
    causes.follow(plot.observeChanges { $0.house.door.color }.map(\.cause))
    plot.house = House()
    plot.house = house
    house.door = nil
    causes.expect([.hopReplaced(0), .hopReplaced(0), .hopBecameNil(1)])
  }

  @Test("A weak leaf that dies is a hop that died") func aWeakLeafThatDiesIsAHopThatDied() {
    let causes = Log<ChangeCause>()
    person.manager = nil
    causes.follow(person.observeChanges { $0.manager }.map(\.cause))
    do {
      let mortal = Person("mortal")
      person.manager = mortal
    }
    causes.expect([.set, .hopDied(0)])
  }

  @Test("An optional leaf that is set to nil is set") func anOptionalLeafThatIsSetToNilIsSet() {
    let causes = Log<ChangeCause>()
    person.address = Address()
    causes.follow(person.observeChanges { $0.address.zip }.map(\.cause))
    person.address?.zip = "1"
    person.address?.zip = nil
    person.address?.zip = nil
    person.address = nil
    causes.expect([.set, .set, .set, .hopBecameNil(0)])
  }

  @Test("A property of a value counts as a hop") func aPropertyOfAValueCountsAsAHop() {
    let causes = Log<ChangeCause>()
    person.address = Address()
    causes.follow(person.observeChanges { $0.address.location.street }.map(\.cause))
    person.address?.location.street = "Main"
    person.address = Address()
    causes.expect([.hopReplaced(1), .hopReplaced(0)])
  }

  @Test("Prior of a chain announces every hop") func priorOfAChainAnnouncesEveryHop() {
    var seen: [String] = []
    person.address = Address(city: City("Rome"))
    _ = person.observeChanges(options: [.prior, .old, .new]) { $0.address.city.name }
      .subscribe(onNext: { seen.append(($0.isPrior ? "will " : "did ") + ($0.new ?? $0.old ?? "")) }
      )
    person.address?.city?.name = "Roma"
    person.address = Address(city: City("Oslo"))
    #expect(seen == ["will Rome", "did Roma", "will Roma", "did Oslo"])
  }

  @Test("A chain through a class that is not observable is reported once by name")
  func aChainThroughAClassThatIsNotObservableIsReportedOnceByName() {
    final class Engine {
      var power = 1
      let cylinders = 4
    }
    final class Car: ReactiveObject { @Observed var engine: Engine? = Engine() }
    Reports.collect()
    let car = Car()
    let log = Log<Int?>()
    for _ in 0..<2 { log.follow(car.observeWeakly { $0.engine.power }) }
    log.follow(car.observeWeakly { $0.engine.cylinders })
    log.expect([1, 1, 4])
    let reports = Reports.about("Engine")
    #expect(reports.map(\.category) == [.unobservablePath])
    #expect(reports.map(\.property) == ["power"])
  }

  // MARK: Getters that set

  @Test("A set between reading and attaching is neither lost nor doubled")
  func aSetBetweenReadingAndAttachingIsNeitherLostNorDoubled() {
    final class Hooked: ReactiveObject {
      @Observed var base = 1
      @Observed var factor = 1
      var hook: (() -> Void)?
      var product: Int {
        let base = base
        hook?()
        return base * factor
      }
    }
    let hooked = Hooked()
    let log = Log<Int>()
    hooked.hook = { [unowned hooked] in
      hooked.hook = nil
      hooked.base = 5
    }
    log.follow(hooked.observe(\.product))
    log.expect([5])
    hooked.hook = { [unowned hooked] in
      hooked.hook = nil
      hooked.base = 7
    }
    hooked.factor = 2
    log.expect([14])
    hooked.base = 3
    log.expect([6])
  }

  @Test("A getter that fills a cache is evaluated to the end")
  func aGetterThatFillsACacheIsEvaluatedToTheEnd() {
    final class Lazy: ReactiveObject {
      @Observed var cache: Int?
      var value: Int {
        if cache == nil { cache = 1 }
        return cache ?? 0
      }
    }
    let lazy = Lazy()
    let log = Log<Int>()
    log.follow(lazy.observe(\.value))
    lazy.cache = 8
    log.expect([1, 8])
  }

  @Test("A getter that never settles is reported") func aGetterThatNeverSettlesIsReported() {
    final class Restless: ReactiveObject {
      @Observed var count = 0
      @Observed var trigger = 0
      var next: Int {
        count = count + 1
        return count + trigger
      }
    }
    Reports.collect()
    let restless = Restless()
    let log = Log<Int>()
    log.follow(restless.observe(\.next))
    restless.trigger = 1
    // What a getter changes itself has it evaluated again, at first and after the set.
    let (limit, values) = (Diagnostics.feedbackLimit, log.take())
    #expect(values.count == 2)
    #expect(values.first.map { limit...(limit + 5) ~= $0 } == true)
    #expect(values.last.map { 2 * limit...(2 * limit + 10) ~= $0 } == true)
    #expect(Reports.about("Restless").map(\.category) == [.feedbackLoop, .feedbackLoop])
  }

  @Test("A getter that subscribes is tracked all the same")
  func aGetterThatSubscribesIsTrackedAllTheSame() {
    final class Odd: ReactiveObject {
      @Observed var first = 1
      @Observed var second = 1
      @Observed var unrelated = 1
      var sum: Int {
        let first = first
        _ = observe(\.unrelated).subscribe(onNext: { [unowned self] _ in _ = unrelated })
        return first + second
      }
    }
    let odd = Odd()
    let log = Log<Int>()
    log.follow(odd.observe(\.sum))
    odd.second = 2
    odd.unrelated = 9
    odd.first = 2
    log.expect([2, 3, 4])
  }

  @Test("A diamond over two objects is evaluated once per set")
  func aDiamondOverTwoObjectsIsEvaluatedOncePerSet() {
    final class Node: ReactiveObject {
      @Observed var value = 1
      @Observed var left: Node?
      @Observed var right: Node?
      var evaluations = 0
      var sum: Int {
        evaluations += 1
        return (left?.value ?? 0) + (right?.value ?? 0)
      }
    }
    let (root, shared) = (Node(), Node())
    (root.left, root.right) = (shared, shared)
    let log = Log<Int>()
    log.follow(root.observe(\.sum))
    root.evaluations = 0
    shared.value = 2
    log.expect([2, 4])
    #expect(root.evaluations == 1)
  }

  @Test("A thousand prices cost one evaluation per change")
  func aThousandPricesCostOneEvaluationPerChange() {
    final class Item: ReactiveObject { @Observed var price = 1 }
    final class Cart: ReactiveObject {
      @Observed var items = (0..<1000).map { _ in Item() }
      var evaluations = 0
      var total: Int {
        evaluations += 1
        return items.reduce(0) { $0 + $1.price }
      }
    }
    let cart = Cart()
    let log = Log<Int>()
    log.follow(cart.observe(\.total))
    cart.evaluations = 0
    cart.items[999].price = 5
    #expect(cart.evaluations == 1)
    let removed = cart.items.removeLast()
    #expect(cart.evaluations == 2)
    removed.price = 9
    #expect(cart.evaluations == 2)
    log.expect([1000, 1004, 999])
  }

  @Test("P3: An announcement inside a delivery has the value that is stored")
  func anAnnouncementHasTheStoredValue() {
    final class Named: ReactiveObject {
      @Observed var n = 0
      var text: String { "\(n)" }
    }
    let named = Named()
    let (own, computed) = (Log<Int?>(), Log<String?>())
    _ = named.observe(\.n, options: .new).subscribe(onNext: { if $0 == 1 { named.n = 2 } })
    for change in [own] {
      _ = named.observeChanges(\.n, options: [.old, .new, .prior])
        .subscribe(onNext: { if $0.isPrior { change.append($0.old) } })
    }
    _ = named.observeChanges(\.text, options: [.old, .prior])
      .subscribe(onNext: { if $0.isPrior { computed.append($0.old) } })
    named.n = 1
    #expect(own.take() == [0, 1] && computed.take() == ["0", "1"])
  }
}
