import Keyline
import TestSupport
import Testing

/// `observe` and its relatives with a closure, and `$name`.
@Suite struct ObservingByClosureTests {
  final class Place: ReactiveObject {
    @Observed var city = "Rome"
    @Observed var street: String?
  }

  class Person: ReactiveObject {
    @Observed var name = "Ada"
    @Observed var age = 36
    @Observed private(set) var visits = 0
    @Observed var place: Place?
    @WeakObserved var manager: Person?

    func visit() { visits += 1 }
  }

  let person = Person()
  let log = Log<String>()

  @Test("A property is observed now and after every set")
  func aPropertyIsObservedNowAndAfterEverySet() {
    let subscription = person.observe(\.name) { [log] in log.append($0) }
    person.name = "Bea"
    person.name = "Bea"
    subscription.dispose()
    person.name = "Cid"
    log.expect(["Ada", "Bea", "Bea"])
    person.observe(\.age, options: .new) { [log] in log.append("\($0)") }
    person.age = 37
    log.expect(["37"])
  }

  @Test("Several properties are one call") func severalPropertiesAreOneCall() {
    person.observe(\.name, \.age) { [log] name, age in log.append("\(name) \(age)") }
    person.observe(\.name, \.age, \.visits, options: .new) { [log] name, age, visits in
      log.append("\(name) \(age) \(visits)")
    }
    log.expect(["Ada 36"])
    batchUpdates {
      person.name = "Bea"
      person.age = 1
    }
    log.expect(["Bea 1", "Bea 1 0"])
  }

  @Test("Changes hold both values") func changesHoldBothValues() {
    person.observeChanges(\.age) { [log] in log.append("\($0.old!) \($0.new!)") }
    person.age = 40
    log.expect(["36 40"])
  }

  @Test("Change sets are one call for each scope") func changeSetsAreOneCallForEachScope() {
    let subscription = person.observeChangeSets { [log] changes in
      log.append(changes.names.joined(separator: " "))
    }
    batchUpdates {
      person.name = "Bea"
      person.age = 1
    }
    person.age = 2
    subscription.dispose()
    person.age = 3
    log.expect(["name age", "age"])
  }

  @Test("A chain is followed") func aChainIsFollowed() {
    person.observeWeakly {
      $0.manager.place.city
    } onNext: { [log] in
      log.append($0 ?? "-")
    }
    person.observeWeakly(options: .new) {
      $0.manager.place.street
    } onNext: { [log] in
      log.append($0 ?? "no street")
    }
    person.observeChanges {
      $0.manager.place.city
    } onNext: { [log] in
      log.append("\($0.cause)")
    }
    person.observeChanges {
      $0.manager.place.street
    } onNext: { [log] in
      log.append("\($0.cause)")
    }
    log.expect(["-"])
    let manager = Person()
    manager.place = Place()
    person.manager = manager
    log.expect(["Rome", "no street", "hopReplaced(0)", "hopReplaced(0)"])
  }

  @Test("The closure is released with the object") func theClosureIsReleasedWithTheObject() {
    final class Token {}
    weak var token: Token?
    do {
      let person = Person()
      let retained = Token()
      token = retained
      person.observe(\.name) { [retained] _ in _ = retained }
      #expect(token != nil)
    }
    #expect(token == nil)
  }

  // MARK: $name

  @Test("The projection is the sequence of the property")
  func theProjectionIsTheSequenceOfTheProperty() {
    log.follow(person.$name.map { "\($0.count)" })
    person.name = "Beatrix"
    person.name.append("!")
    log.expect(["3", "7", "8"])
    log.follow(person.$visits.map { "\($0)" })
    person.visit()
    log.expect(["0", "1"])
  }

  @Test("The projection of a weak property follows deaths")
  func theProjectionOfAWeakPropertyFollowsDeaths() {
    log.follow(person.$manager.map { $0?.name ?? "-" })
    do {
      let manager = Person()
      person.manager = manager
    }
    log.expect(["-", "Ada", "-"])
  }

  @Test("The projection retains nothing and completes")
  func theProjectionRetainsNothingAndCompletes() {
    weak var reference: Person?
    var names: Observable<String>?
    do {
      let person = Person()
      reference = person
      names = person.$name
      log.follow(names!)
    }
    #expect(reference == nil && log.isCompleted)
    log.expect(["Ada"])
    log.follow(names!)
    log.expect([])
  }

  /// It belongs to the property, where `observe(\.name)` gives what reading the key path gives.
  @Test("The projection emits the stored value") func theProjectionGivesWhatIsStored() {
    final class Loud: Person {
      override var name: String {
        get { super.name.uppercased() }
        set { super.name = newValue }
      }
    }
    let loud = Loud()
    log.follow(loud.$name)
    log.follow(loud.observe(\.name))
    loud.name = "Bea"
    #expect(Set(log.take()) == ["Ada", "ADA", "Bea", "BEA"])
  }

  @Test("The projection shares its node with observe") func theProjectionSharesItsNodeWithObserve()
  {
    final class Own: ReactiveObject { @Observed var value = 0 }
    let own = Own()
    own.$value.subscribe(onNext: { [log] in log.append("$\($0)") }).disposed(by: bag)
    own.observe(\.value) { [log] in log.append("\($0)") }
    own.value = 1
    log.expect(["$0", "0", "$1", "1"])
  }

  private let bag = DisposeBag()
}
