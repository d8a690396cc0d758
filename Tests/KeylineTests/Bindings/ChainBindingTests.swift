import Keyline
import KeylineTest
import TestSupport
import Testing

@testable import KeylineCore

/// Bindings over chains, exclusive ends, fallbacks and schedulers.
@Suite struct ChainBindingTests {
  final class Row: ReactiveObject {
    @Observed var text = "untouched"
    @Observed var subtitle: String?
    @Observed var number = 0
  }

  let person = Person("Ada")
  let row = Row()
  let texts = Log<String>()

  init() { texts.follow(row.observe(\.text, options: .new)) }

  // MARK: Sources

  @Test("A chain as source follows replacements") func aChainAsSourceFollowsReplacements() {
    person.bind({ $0.address.city.name }, to: row, \.text)
    texts.expect([])
    let rome = City("Rome")
    person.address = Address(city: rome)
    rome.name = "Roma"
    person.address = Address(city: City("Oslo"))
    rome.name = "silent"
    person.address = nil
    person.address = Address(city: City("Kyiv"))
    texts.expect(["Rome", "Roma", "Oslo", "Kyiv"])
  }

  @Test("B5: A broken chain a nil leaf and a declined conversion are three things")
  func aBrokenChainANilLeafAndADeclinedConversionAreThreeThings() {
    person.bind(
      { $0.address.zip }, to: row, \.text,
      converter: BindingConverter<String?, String> { $0 == "secret" ? nil : $0 },
      whenBroken: .value("broken"), whenNil: .value("nil"))
    person.address = Address()
    person.address?.zip = "1"
    person.address?.zip = "secret"
    #expect(row.text == "1")
    person.address?.zip = nil
    person.address = nil
    texts.expect(["broken", "nil", "1", "nil", "broken"])
  }

  @Test("A chain that is still broken writes nothing") func aChainThatIsStillBrokenWritesNothing() {
    person.bind({ $0.address.city.name }, to: row, \.text, whenBroken: .value("broken"))
    person.address = Address()
    person.address = nil
    person.address = Address(city: City("Rome"))
    person.address?.city = nil
    person.address = Address()
    texts.expect(["broken", "Rome", "broken"])
  }

  @Test("A missing value breaks a chain like a missing object")
  func aMissingValueBreaksAChainLikeAMissingObject() {
    final class Shop: ReactiveObject { @Observed var place: Location? }
    let shop = Shop()
    shop.bind({ $0.place.street }, to: row, \.text, whenBroken: .value("broken"))
    shop.place = Location(street: "Main")
    shop.place?.street = "High"
    shop.place = nil
    shop.place = Location(street: "High")
    texts.expect(["broken", "Main", "High", "broken", "High"])
  }

  @Test("Keep leaves the target when the chain breaks") func keepLeavesTheTargetWhenTheChainBreaks()
  {
    person.address = Address(city: City("Rome"))
    person.bind({ $0.address.city.name }, to: row, \.text)
    person.address = nil
    texts.expect(["Rome"])
  }

  @Test("A path over optionals binds its optional") func aPathOverOptionalsBindsItsOptional() {
    person.bind(\.address?.city?.name, to: row, \.subtitle)
    person.address = Address(city: City("Rome"))
    #expect(row.subtitle == "Rome")
    person.bind(\.address?.zip, to: row, \.text, converter: .placeholder("—"))
    #expect(row.text == "—")
  }

  @Test("A chain of one object binds both ways") func aChainOfOneObjectBindsBothWays() {
    let address = Address(city: City("Rome"))
    person.address = address
    person.bind({ $0.address.city.name }, to: row, \.text, mode: .twoWay)
    row.text = "Oslo"
    #expect(address.city?.name == "Oslo")
    person.address = Address(city: City("Kyiv"))
    row.text = "Bern"
    #expect(address.city?.name == "Oslo")
    #expect(person.address?.city?.name == "Bern")
    texts.expect(["Rome", "Oslo", "Kyiv", "Bern"])
  }

  // MARK: Targets

  @Test("A chain as target follows replacements") func aChainAsTargetFollowsReplacements() {
    let (first, second) = (Address(city: City("Rome")), Address(city: City("Oslo")))
    row.bind(\.text, to: person, { $0.address.city.name })
    row.text = "early"
    person.address = first
    #expect(first.city?.name == "early")
    row.text = "a"
    person.address = second
    #expect(second.city?.name == "a")
    row.text = "b"
    #expect(first.city?.name == "a")
    #expect(second.city?.name == "b")
    second.city = City("new")
    #expect(second.city?.name == "b")
    person.address = nil
    row.text = "c"
    #expect(second.city?.name == "b")
    person.address = first
    #expect(first.city?.name == "c")
  }

  /// The first hop of both ends is replaced: the end that learns it first waits for the other.
  @Test(
    "B6: A leaf that is left behind by both ends keeps its value",
    arguments: [BindingMode.oneWay, .twoWay])
  func b6ALeafThatIsLeftBehindByBothEndsKeepsItsValue(mode: BindingMode) {
    let (first, second) = (Address(city: City("Rome")), Address(city: City("Oslo")))
    (first.zip, second.zip) = ("1", "2")
    person.address = first
    let binding = person.bind(
      { $0.address.zip }, to: person, { $0.address.city.name }, mode: mode,
      converter: BindingConverter(forward: { $0 ?? "none" }, backward: { $0 }))
    let texts = Log<String>()
    texts.follow(second.observe(\.city?.name, options: .new).map { $0 ?? "none" })
    let taken = [first.zip, first.city?.name]
    person.address = second
    #expect([first.zip, first.city?.name] == taken)
    #expect(second.zip == second.city?.name)
    texts.expect(["2"])
    binding.dispose()
  }

  /// The hop of the target depends on the source property.
  @Test("B6: Objects behind a hop that the source replaces keep their values")
  func b6WhatIsBehindAHopThatTheSourceReplacesIsLeftAlone() {
    let pages = Pages()
    pages.bind({ $0.index }, to: pages, { $0.current.number }, converter: .identity)
    pages.bind({ $0.index }, to: pages, { $0.derived.visits }, mode: .twoWay, converter: .identity)
    pages.index = 2
    batchUpdates { pages.index = 1 }
    #expect(pages.rows.map(\.number) == [0, 1, 2])
    #expect(pages.rows.map(\.visits) == [0, 1, 2])
    pages.rows[1].visits = 0
    #expect(pages.index == 0)
    #expect(pages.rows.map(\.number) == [0, 1, 2])
    #expect(pages.rows.map(\.visits) == [0, 0, 2])
  }

  final class Pages: ReactiveObject {
    final class Page: ReactiveObject {
      @Observed var number = 0
      @Observed var visits = 0
    }
    @Observed var index = 0
    let rows = [Page(), Page(), Page()]
    var current: Page { rows[index] }
    @Derived({ (pages: Pages) in pages.rows[pages.index] }) var derived: Page
  }

  @Test("B6: The value for a broken source is written to the next leaf")
  func b6WhatStandsForABrokenSourceIsWrittenToTheNextLeaf() {
    let (first, second) = (Address(city: City("Rome")), Address(city: City("Oslo")))
    let other = Person("Bob")
    other.address = first
    person.bind(
      { $0.address.zip }, to: other, { $0.address.city.name }, converter: .init { $0 },
      whenBroken: .value("none"))
    #expect(first.city?.name == "none")
    other.address = second
    #expect(second.city?.name == "none")
  }

  /// An observer of the target replaces a hop while the binding writes.
  @Test("B6: The reset of a leaf that is left meanwhile does not reach the source")
  func b6TheResetOfALeafThatIsLeftMeanwhileDoesNotReachTheSource() {
    let (first, second) = (Address(city: City("Rome")), Address(city: City("Oslo")))
    person.address = first
    row.bind(
      \.text, to: person, { $0.address.city.name }, mode: .twoWay, resetOnUnbind: .value("free"))
    let subscription = first.observe(\.city?.name, options: .new).filter { $0 == "a" }
      .subscribe(onNext: { [person] _ in person.address = second })
    row.text = "a"
    #expect([row.text, first.city?.name, second.city?.name] == ["a", "free", "a"])
    subscription.dispose()
  }

  /// Each leaf that is written is replaced at once.
  @Test("A target that is always replaced is given up") func aTargetThatIsAlwaysReplacedIsGivenUp()
  {
    final class Moving: ReactiveObject {
      @Observed var city: City? = City("start")
    }
    Reports.collect()
    let target = Moving()
    var count = 0
    let bag = DisposeBag()
    func follow(_ city: City) {
      city.observe(\.name, options: .new).subscribe(onNext: { _ in
        count += 1
        guard count < 100_000 else { return }
        let next = City("next")
        follow(next)
        target.city = next
      }).disposed(by: bag)
    }
    if let city = target.city { follow(city) }
    row.bind(\.text, to: target, { $0.city.name }, mode: .twoWay)
    #expect(count < 100)
    #expect(Reports.of(.bindingRounds).contains { $0.message.contains("Row.text and City.") })
  }

  @Test("B6: An abandoned leaf is reset if requested") func b6AnAbandonedLeafIsResetIfRequested() {
    let (first, second) = (Address(city: City("Rome")), Address(city: City("Oslo")))
    person.address = first
    let binding = row.bind(
      \.text, to: person, { $0.address.city.name }, resetOnUnbind: .value("free"))
    person.address = second
    #expect(first.city?.name == "free")
    person.address = nil
    #expect(second.city?.name == "free")
    person.address = first
    #expect(first.city?.name == "untouched")
    binding.dispose()
    #expect(first.city?.name == "untouched")
  }

  @Test("The reset of an abandoned leaf does not reach the source")
  func theResetOfAnAbandonedLeafDoesNotReachTheSource() {
    let (first, second) = (Address(city: City("Rome")), Address(city: City("Oslo")))
    person.address = first
    row.bind(
      \.text, to: person, { $0.address.city.name }, mode: .twoWay, resetOnUnbind: .value("free"))
    person.address = second
    #expect(first.city?.name == "free")
    #expect(second.city?.name == "untouched")
    texts.expect([])
  }

  @Test("A hop that is set to the same object abandons nothing")
  func aHopThatIsSetToTheSameObjectAbandonsNothing() {
    let rome = City("Rome")
    let names = Log<String>()
    person.address = Address(city: rome)
    row.bind(\.text, to: person, { $0.address.city.name }, resetOnUnbind: .value("free"))
    names.follow(rome.observe(\.name, options: .new))
    person.address?.city = rome
    names.expect(["untouched"])
  }

  @Test("A property of a value is written in its place") func aPropertyOfAValueIsWrittenInItsPlace()
  {
    person.address = Address()
    row.bind(\.text, to: person, { $0.address.location.street })
    row.text = "Main"
    #expect(person.address?.location == Location(street: "Main", number: nil))
  }

  @Test("Both sides may be chains") func bothSidesMayBeChains() {
    let other = Person("Bea")
    person.bind(
      { $0.address.city.name }, to: other, { $0.address.city.name }, mode: .twoWay,
      converter: .identity)
    person.address = Address(city: City("Rome"))
    other.address = Address(city: City("Oslo"))
    #expect(other.address?.city?.name == "Rome")
    other.address?.city?.name = "Bern"
    #expect(person.address?.city?.name == "Bern")
  }

  @Test(
    "A hop may be replaced inside the delivery to its leaf",
    arguments: [BindingMode.oneWay, .twoWay])
  func aHopMayBeReplacedInsideTheDeliveryToItsLeaf(mode: BindingMode) {
    let (first, second) = (Address(city: City("Rome")), Address(city: City("Oslo")))
    person.address = first
    row.bind(\.text, to: person, { $0.address.city.name }, mode: mode)
    _ = first.city?.observe(\.name, options: .new)
      .subscribe(onNext: { [person] _ in person.address = second })
    row.text = "a"
    #expect(second.city?.name == "a")
    row.text = "b"
    #expect(second.city?.name == "b")
    second.city?.name = "c"
    #expect(row.text == (mode == .twoWay ? "c" : "b"))
  }

  @Test("Any observable is bound to a chain and its latest element to the next leaf")
  func anyObservableIsBoundToAChainAndItsLatestElementToTheNextLeaf() {
    var subscriptions = 0
    let stream = PublishSubject<String>()
    let binding = Observable.deferred { () -> Observable<String> in
      subscriptions += 1
      return stream
    }
    .bind(to: person) { $0.address.city.name }
    stream.onNext("a")
    let address = Address(city: City("Rome"))
    person.address = address
    #expect(address.city?.name == "a")
    stream.onNext("b")
    #expect(address.city?.name == "b")
    address.city = City("Oslo")
    #expect(address.city?.name == "b")
    #expect(subscriptions == 1)
    stream.onCompleted()
    guard case .sourceCompleted = binding.endReason else { return #expect(Bool(false)) }
  }

  @Test("An error of an observable bound to a chain is reported and ends the binding")
  func anErrorOfAnObservableBoundToAChainIsReportedAndEndsTheBinding() {
    struct Torn: Error {}
    Reports.collect()
    let stream = PublishSubject<String>()
    let binding = stream.bind(to: person) { $0.address.city.name }
    stream.onError(Torn())
    guard case .sourceFailed(let error) = binding.endReason else { return #expect(Bool(false)) }
    #expect(error is Torn)
    #expect(Reports.of(.unhandledError).filter { $0.message.contains("Torn") }.count == 1)
  }

  @Test("No object on the chains is retained") func nobodyOnTheChainsIsRetained() {
    weak var address: Address?
    weak var root: Person?
    let binding: PropertyBinding
    do {
      let mortal = Person()
      let street = Address(city: City("Rome"))
      (root, address) = (mortal, street)
      mortal.address = street
      binding = row.bind(\.text, to: mortal, { $0.address.city.name })
      mortal.address = nil
      #expect(address != nil)
    }
    #expect(address == nil && root == nil)
    guard case .targetDied = binding.endReason else { return #expect(Bool(false)) }
  }

  @Test("Paths of names bind like chains") func pathsOfNamesBindLikeChains() throws {
    let city = try person.targetChain(String.self, "address.city.name")
    person.bind({ _ in city }, to: row, \.text, mode: .twoWay, whenBroken: .value("broken"))
    #expect(row.text == "broken")
    let rome = Address(city: City("Rome"))
    person.address = rome
    #expect(row.text == "Rome")
    row.text = "Oslo"
    #expect(rome.city?.name == "Oslo")
    person.address = nil
    #expect(row.text == "broken")
    let other = Person("other")
    let name = try other.targetChain(String.self, "address.city.name")
    person.bind(\.name, to: other, { _ in name })
    other.address = Address(city: City("Kyiv"))
    #expect(other.address?.city?.name == "Ada")
    #expect(throws: PropertyError.undefinedKey(type: "Person", key: "nobody")) {
      try person.chain(String.self, "nobody.city")
    }
    #expect(throws: PropertyError.typeMismatch(key: "name", expected: "String", actual: "Int")) {
      try person.chain(Int.self, "address.city.name")
    }
  }

  // MARK: Exclusive ends

  @Test("An exclusive target refuses others until the binding ends")
  func anExclusiveTargetRefusesOthersUntilTheBindingEnds() {
    final class Guarded: ReactiveObject {
      @Observed var text = ""
      @Observed var list: [Int] = []
    }
    Reports.collect()
    let target = Guarded()
    let log = Log<String>()
    let binding = person.bind(\.name, to: target, \.text, exclusive: true)
    log.follow(target.observe(\.text))
    target.text = "foreign"
    target.text += "!"
    #expect(target.text == "Ada")
    person.name = "Bea"
    // Neither may an observer, while the binding's own write is delivered.
    let nested = target.observe(\.text, options: .new).subscribe(onNext: { _ in target.text = "x" })
    person.name = "Cleo"
    nested.dispose()
    log.expect(["Ada", "Bea", "Cleo"])
    let reports = Reports.of(.refusedWrite).filter { $0.message.contains("Guarded.text") }
    #expect(reports.count == 3)
    binding.dispose()
    target.text = "free"
    #expect(target.text == "free")
  }

  @Test("Two bindings on an exclusive target keep to the first")
  func twoBindingsOnAnExclusiveTargetKeepToTheFirst() {
    person.bind(\.name, to: row, \.text, exclusive: true)
    let other = Person("other")
    let errors = Log<String>()
    let binding = other.bind(\.name, to: row, \.text, whenNil: .keep)
    errors.follow(binding.errors.map { "\($0)" })
    other.name = "again"
    #expect(row.text == "Ada")
    errors.expect(["exclusive(property: \"Row.text\")"])
  }

  @Test("Of two exclusive bindings the first has the target andThen the second")
  func ofTwoExclusiveBindingsTheFirstHasTheTargetAndThenTheSecond() {
    let other = Person("other")
    let first = person.bind(\.name, to: row, \.text, exclusive: true)
    let second = other.bind(\.name, to: row, \.text, exclusive: true)
    person.name = "Bea"
    other.name = "again"
    texts.expect(["Ada", "Bea"])
    first.dispose()
    other.name = "mine"
    row.text = "foreign"
    texts.expect(["mine"])
    second.dispose()
    row.text = "free"
    texts.expect(["free"])
  }

  @Test("An exclusive chain target frees the leaf it leaves")
  func anExclusiveChainTargetFreesTheLeafItLeaves() {
    let (first, second) = (City("Rome"), City("Oslo"))
    person.address = Address(city: first)
    row.bind(\.text, to: person, { $0.address.city.name }, exclusive: true)
    first.name = "foreign"
    #expect(first.name == "untouched")
    person.address?.city = second
    first.name = "free"
    second.name = "foreign"
    #expect((first.name, second.name) == ("free", "untouched"))
  }

  // MARK: Schedulers and scale

  @Test("B11: A scheduler delivers") func aSchedulerDelivers() {
    let scheduler = TestScheduler(initialClock: 0)
    person.bind(\.name, to: row, \.text, on: .scheduler(scheduler))
    person.name = "Bea"
    #expect(row.text == "untouched")
    scheduler.start()
    texts.expect(["Ada", "Bea"])
  }

  @Test("One time on a scheduler writes once and ends there")
  func oneTimeOnASchedulerWritesOnceAndEndsThere() {
    let scheduler = TestScheduler(initialClock: 0)
    let binding = person.bind(\.name, to: row, \.text, mode: .oneTime, on: .scheduler(scheduler))
    person.name = "Bea"
    #expect(binding.isActive)
    scheduler.start()
    person.name = "Cleo"
    scheduler.start()
    texts.expect(["Ada"])
    guard case .completed = binding.endReason else { return #expect(Bool(false)) }
  }

  @Test("An observable that completes at once is delivered on a scheduler all the same")
  func anObservableThatCompletesAtOnceIsDeliveredOnASchedulerAllTheSame() {
    let scheduler = TestScheduler(initialClock: 0)
    person.address = Address(city: City("Rome"))
    let binding = Observable.of("a", "b").bind(to: person, on: .scheduler(scheduler)) {
      $0.address.city.name
    }
    #expect(binding.isActive)
    scheduler.start()
    #expect(person.address?.city?.name == "b")
    guard case .sourceCompleted = binding.endReason else { return #expect(Bool(false)) }
  }

  @Test("However much waits for a scheduler one action is scheduled")
  func howeverMuchWaitsForASchedulerOneActionIsScheduled() {
    final class Counting: ImmediateSchedulerType {
      let base = TestScheduler(initialClock: 0)
      var actions = 0

      func schedule<State>(
        _ state: State, action: @escaping (State) -> any Disposable
      ) -> any Disposable {
        actions += 1
        return base.schedule(state, action: action)
      }
    }
    let scheduler = Counting()
    person.bind(\.name, to: row, \.text, on: .scheduler(scheduler))
    for index in 0..<1_000 { person.name = "\(index)" }
    #expect(scheduler.actions == 1)
    scheduler.base.start()
    let expected: [String] = ["Ada"] + (0..<1_000).map { (index: Int) in "\(index)" }
    texts.expect(expected)
  }

  @Test("Ends may die between schedule and delivery") func endsMayDieBetweenScheduleAndDelivery() {
    let scheduler = TestScheduler(initialClock: 0)
    var target: Row? = Row()
    weak let goneTarget = target
    let first = person.bind(\.name, to: target!, \.text, mode: .twoWay, on: .scheduler(scheduler))
    target = nil
    var source: Row? = Row()
    weak let goneSource = source
    let second = source!.bind(\.text, to: row, \.text, mode: .twoWay, on: .scheduler(scheduler))
    source = nil
    #expect(goneTarget == nil && goneSource == nil)
    scheduler.start()
    texts.expect([])
    guard case .targetDied = first.endReason, case .sourceDied = second.endReason else {
      return #expect(Bool(false))
    }
  }

  @Test("Ten thousand bindings onto one source are written in order")
  func tenThousandBindingsOntoOneSourceAreWrittenInOrder() {
    var order: [Int] = []
    final class Numbered: ReactiveObject {
      var index = 0
      var log: ((Int) -> Void)?
      @Observed var name = "" { didSet { log?(index) } }
    }
    let bag = DisposeBag()
    let rows = (0..<10_000).map { index in
      let row = Numbered()
      row.index = index
      person.bind(\.name, to: row, \.name, mode: index % 2 == 0 ? .oneWay : .twoWay)
        .disposed(by: bag)
      row.log = { order.append($0) }
      return row
    }
    person.name = "Bea"
    #expect(order == Array(0..<10_000))
    #expect(rows.allSatisfy { $0.name == "Bea" })
  }
}
