import Keyline
import TestSupport
import Testing

/// The emission table of `observeWeakly`, row by row, counting emissions.
@Suite struct ChainTests {
  let person = Person("root")
  let log = Log<String?>()

  private func followCity(options: KeyValueObservingOptions = [.initial, .new]) -> any Disposable {
    log.follow(person.observeWeakly(options: options) { $0.address.city.name })
  }

  @Test("Subscribing with initial emits the leaf or nil")
  func subscribingWithInitialEmitsTheLeafOrNil() {
    let subscription = followCity()
    log.expect([nil])
    subscription.dispose()
    person.address = Address(city: City("Rome"))
    _ = followCity()
    log.expect(["Rome"])
  }

  @Test("Subscribing with new only emits nothing") func subscribingWithNewOnlyEmitsNothing() {
    person.address = Address(city: City("Rome"))
    _ = followCity(options: .new)
    log.expect([])
    person.address?.city?.name = "Oslo"
    log.expect(["Oslo"])
  }

  @Test("Setting the leaf emits once also when equal") func settingTheLeafEmitsOnceAlsoWhenEqual() {
    person.address = Address(city: City("Rome"))
    _ = followCity()
    person.address?.city?.name = "Rome"
    person.address?.city?.name = "Oslo"
    log.expect(["Rome", "Rome", "Oslo"])
  }

  @Test("Replacing a hop emits the new leaf once") func replacingAHopEmitsTheNewLeafOnce() {
    let detached = Address(city: City("Rome"))
    person.address = detached
    _ = followCity()
    person.address = Address(city: City("Oslo"))
    log.expect(["Rome", "Oslo"])
    detached.city?.name = "silent"
    detached.city = City("silent")
    log.expect([])
  }

  @Test("Replacing a hop whose old object dies with it emits once")
  func replacingAHopWhoseOldObjectDiesWithItEmitsOnce() {
    person.address = Address(city: City("Rome"))
    _ = followCity()
    person.address = Address(city: City("Oslo"))
    person.address?.city = City("Kyiv")
    swap(&person.address, &Person().address)
    log.expect(["Rome", "Oslo", "Kyiv", nil])
  }

  /// P4: one transaction.
  @Test("A hop replaced again and again inside its delivery is one emission of the last")
  func aHopReplacedAgainAndAgainInsideItsDeliveryIsOneEmissionOfTheLast() {
    let address = Address(city: City("0"))
    person.address = address
    _ = address.observe(\.city, options: .new).subscribe(onNext: { [unowned address] city in
      if let number = city.flatMap({ Int($0.name) }), number < 4 {
        address.city = City("\(number + 1)")
      }
    })
    _ = followCity()
    address.city = City("1")
    log.expect(["0", "4"])
  }

  @Test("A hop replaced inside the first delivery is never missing")
  func aHopReplacedInsideTheFirstDeliveryIsNeverMissing() {
    person.address = Address(city: City("Rome"))
    let names = person.observeWeakly { $0.address.city.name }
    log.follow(
      names.do(onNext: { [person] in if $0 == "Rome" { person.address?.city = City("Oslo") } }))
    log.expect(["Rome", "Oslo"])
  }

  @Test("P3: A loop through the chain is stopped and the chain follows on")
  func p3ALoopThroughTheChainIsStoppedAndTheChainFollowsOn() {
    final class Box: ReactiveObject { @Observed var number = 0 }
    final class Restacking: ReactiveObject { @Observed var box = Box() }
    Reports.collect()
    let looping = Restacking()
    var told = 0
    _ = looping.observeWeakly(options: .new) { $0.box.number }.subscribe(onNext: { [looping] _ in
      told += 1
      if told < 3 * Diagnostics.feedbackLimit { looping.box = Box() }
    })
    looping.box.number = 1
    #expect(Diagnostics.feedbackLimit...(Diagnostics.feedbackLimit + 2) ~= told)
    #expect(Reports.about("Restacking").map(\.category) == [.feedbackLoop])
    #expect(Reports.about("Restacking").map(\.property) == ["box"])
    told = 3 * Diagnostics.feedbackLimit
    looping.box.number = 2
    #expect(told == 3 * Diagnostics.feedbackLimit + 1)
  }

  @Test("A branch that an observer of its leaf detaches is not emitted")
  func aBranchThatAnObserverOfItsLeafDetachesIsNotEmitted() {
    let city = City("Rome")
    person.address = Address(city: city)
    let other = Address(city: City("Oslo"))
    _ = city.observe(\.name, options: .new).subscribe(onNext: { [person] _ in
      person.address = other
    })
    _ = followCity()
    // The observer of the leaf detaches the branch before the chain settles.
    city.name = "late"
    log.expect(["Rome", "Oslo"])
  }

  @Test("A hop becoming nil emits one nil and still broken nothing")
  func aHopBecomingNilEmitsOneNilAndStillBrokenNothing() {
    person.address = Address(city: City("Rome"))
    _ = followCity()
    person.address?.city = nil
    log.expect(["Rome", nil])
    person.address?.city = nil
    person.address = Address()
    person.address = nil
    log.expect([])
  }

  @Test("A nil hop getting an object emits its leaf also when equal to the last before the gap")
  func aNilHopGettingAnObjectEmitsItsLeafAlsoWhenEqualToTheLastBeforeTheGap() {
    person.address = Address(city: City("Rome"))
    _ = followCity()
    person.address = nil
    person.address = Address(city: City("Rome"))
    log.expect(["Rome", nil, "Rome"])
  }

  @Test("The object behind a weak hop dying emits one nil and the sequence resumes")
  func theObjectBehindAWeakHopDyingEmitsOneNilAndTheSequenceResumes() {
    var manager: Person? = Person("Ada")
    person.manager = manager
    log.follow(person.observeWeakly { $0.manager.name })
    manager = nil
    log.expect(["Ada", nil])
    #expect(!log.isCompleted)
    manager = Person("Bob")
    person.manager = manager
    manager?.name = "Bea"
    log.expect(["Bob", "Bea"])
  }

  @Test("A weak leaf dying emits one nil") func aWeakLeafDyingEmitsOneNil() {
    let names = Log<Person?>()
    var manager: Person? = Person("Ada")
    person.manager = manager
    names.follow(person.observeWeakly { $0.manager })
    #expect(names.take().map { $0?.name } == ["Ada"])
    manager = nil
    #expect(names.take().map { $0?.name } == [nil])
    person.manager = nil
    #expect(names.take().count == 1)
  }

  @Test("A weak hop dying while it delivers ends with nil")
  func aWeakHopDyingWhileItDeliversEndsWithNil() {
    var manager: Person? = Person("Ada")
    person.manager = manager
    _ = manager?.observe(\.name, options: .new).subscribe(onNext: { _ in manager = nil })
    log.follow(person.observeWeakly { $0.manager.name })
    manager?.name = "Bea"
    // It dies when the set releases it: after the transaction, or as the last thing in it.
    let names = log.take()
    #expect(names == ["Ada", "Bea", nil] || names == ["Ada", nil])
    #expect(person.manager == nil)
  }

  @Test("The root dying emits nil then completes") func theRootDyingEmitsNilThenCompletes() {
    var root: Person? = Person()
    let address = Address(city: City("Rome"))
    root?.address = address
    let handle = log.follow(root!.observeWeakly { $0.address.city.name })
    root = nil
    log.expect(["Rome", nil])
    #expect(log.isCompleted)
    address.city?.name = "silent"
    log.expect([])
    handle.dispose()
  }

  @Test("The root dying with a broken chain emits no second nil")
  func theRootDyingWithABrokenChainEmitsNoSecondNil() {
    var root: Person? = Person()
    log.follow(root!.observeWeakly { $0.address.city.name })
    root = nil
    log.expect([nil])
    #expect(log.isCompleted)
  }

  @Test("The root dying with a nil leaf emits no second nil")
  func theRootDyingWithANilLeafEmitsNoSecondNil() {
    let zips = Log<String?>()
    let managers = Log<Person?>()
    var root: Person? = Person()
    root?.address = Address()
    root?.manager = Person()
    zips.follow(root!.observeWeakly { $0.address.zip })
    managers.follow(root!.observeWeakly { $0.manager })
    root = nil
    #expect(zips.take() == [nil] && zips.isCompleted)
    #expect(managers.take().count == 1 && managers.isCompleted)
  }

  @Test("A weak leaf dying with the root emits one nil") func aWeakLeafDyingWithTheRootEmitsOneNil()
  {
    final class Owner: ReactiveObject {
      @Observed var strong: Person? = Person("Ada")
      @WeakObserved var weak: Person?
    }
    let names = Log<String?>()
    var root: Owner? = Owner()
    root?.weak = root?.strong
    names.follow(root!.observeWeakly { $0.weak }.map { $0?.name })
    root = nil
    names.expect(["Ada", nil])
    #expect(names.isCompleted)
  }

  @Test("The root dying ends a single hop likewise") func theRootDyingEndsASingleHopLikewise() {
    var root: Person? = Person("Ada")
    log.follow(root!.observeWeakly { $0.name })
    root = nil
    log.expect(["Ada", nil])
    #expect(log.isCompleted)
  }

  @Test("The root dying inside an observer is delivered after the element")
  func theRootDyingInsideAnObserverIsDeliveredAfterTheElement() {
    var root: Person? = Person()
    let city = City("Rome")
    root?.address = Address(city: city)
    var order: [String] = []
    _ = root!.observeWeakly(options: .new) { $0.address.city.name }.subscribe(
      onNext: { value in
        order.append("begin \(value ?? "nil")")
        root = nil
        order.append("end \(value ?? "nil")")
      },
      onCompleted: { order.append("completed") })
    city.name = "Oslo"
    #expect(order == ["begin Oslo", "end Oslo", "begin nil", "end nil", "completed"])
  }

  @Test("Subscribing after the root died completes at once")
  func subscribingAfterTheRootDiedCompletesAtOnce() {
    var root: Person? = Person("Ada")
    let chain = root!.observeWeakly { $0.name }
    let property = root!.observe(\.name)
    root = nil
    log.follow(chain)
    log.expect([])
    #expect(log.isCompleted)
    let single = Log<String>()
    single.follow(property)
    #expect(single.isCompleted)
  }

  @Test("Disposing leaves nothing behind") func disposingLeavesNothingBehind() {
    let city = City("Rome")
    person.address = Address(city: city)
    let subscription = followCity()
    subscription.dispose()
    city.name = "silent"
    person.address = nil
    log.expect(["Rome"])
    subscription.dispose()
  }

  @Test("No object on the chain is retained") func nobodyOnTheChainIsRetained() {
    weak var address: Address?
    weak var city: City?
    weak var root: Person?
    do {
      let owner = Person()
      owner.address = Address(city: City("Rome"))
      (root, address, city) = (owner, owner.address, owner.address?.city)
      log.follow(owner.observeWeakly { $0.address.city.name })
      #expect(city != nil)
      owner.address = nil
      #expect(address == nil && city == nil)
    }
    #expect(root == nil)
  }

  @Test("A property of a value is a hop like any other") func aPropertyOfAValueIsAHopLikeAnyOther()
  {
    let address = Address()
    person.address = address
    let numbers = Log<Int?>()
    numbers.follow(person.observeWeakly { $0.address.location.number })
    address.location = Location(street: "A", number: 3)
    address.location.number = 4
    person.address = nil
    numbers.expect([nil, 3, 4, nil])
  }

  @Test("An optional leaf emits each set of nil") func anOptionalLeafEmitsEachSetOfNil() {
    let address = Address()
    person.address = address
    log.follow(person.observeWeakly { $0.address.zip })
    address.zip = nil
    address.zip = "1"
    log.expect([nil, nil, "1"])
  }

  @Test(
    "A set inside the first delivery is a change",
    arguments: [KeyValueObservingOptions.initial, [.initial, .old, .new]])
  func aSetInsideTheFirstDeliveryIsAChange(options: KeyValueObservingOptions) {
    person.address = Address(city: City("Rome"))
    let changes = Log<PropertyChange<String>>()
    _ = person.observeWeakly(options: options) { $0.address.city.name }.subscribe(
      onNext: { [person, log] name in
        log.elements.append(name)
        if name == "Rome" { person.address?.city?.name = "Oslo" }
      })
    log.expect((options.contains(.new) ? ["Rome", "Oslo"] : ["Rome"]))
    _ = person.observeChanges(options: options) { $0.address.city.name }.subscribe(
      onNext: { [person] change in
        changes.elements.append(change)
        if change.cause == .initial { person.address?.city?.name = "Bern" }
      })
    let seen = changes.take()
    #expect(seen.map(\.cause) == [.initial, .set])
    #expect(seen.map(\.old) == [nil, options.contains(.old) ? "Oslo" : nil])
  }

  @Test("Disposing inside the first delivery stops everything")
  func disposingInsideTheFirstDeliveryStopsEverything() {
    person.address = Address(city: City("Rome"))
    let subscription = person.observeWeakly { $0.address.city.name }.take(1).subscribe(
      onNext: { [log] in log.elements.append($0) }, onDisposed: { [log] in log.isDisposed = true })
    person.address?.city?.name = "Oslo"
    person.address = nil
    log.expect(["Rome"])
    #expect(log.isDisposed)
    subscription.dispose()
  }
}
