import Keyline
import KeylineTest
import TestSupport
import Testing

/// Properties under `.rx`, in the programs of RxCocoa's users.
@Suite struct ReactivePropertiesTests {
  let person = Person("Ada")
  let bag = DisposeBag()

  @Test("Observe emits the value of a key path") func observeEmitsTheValueOfAKeyPath() {
    let log = Log<String>()
    log.follow(person.rx.observe(\.name))
    person.name = "Bea"
    log.expect(["Ada", "Bea"])
    let changes = Log<Int>()
    changes.follow(person.rx.observe(\.age, options: .new))
    person.age = 3
    changes.expect([3])
    let title: Driver<String> = person.rx.observe(\.label).asDriver()
    withExtendedLifetime(title) {}
  }

  @Test("Observe by name emits optionals") func observeByNameEmitsOptionals() {
    var names: [String?] = []
    person.rx.observe(String.self, "name").subscribe(onNext: { name in names.append(name) })
      .disposed(by: bag)
    person.name = "Bea"
    #expect(names == ["Ada", "Bea"])
    let address = Address()
    let zips = Log<String?>()
    zips.follow(address.rx.observe(String.self, "zip", options: [.new]))
    address.zip = "1"
    address.zip = nil
    zips.expect(["1", nil])
  }

  @Test("A path by name is followed") func aPathByNameIsFollowed() {
    let cities = Log<String?>()
    cities.follow(person.rx.observe(String.self, "address.city.name"))
    person.address = Address(city: City("Rome"))
    person.address?.city?.name = "Oslo"
    person.address = nil
    cities.expect([nil, "Rome", "Oslo", nil])
    let weakly = Log<String?>()
    weakly.follow(person.rx.observeWeakly(String.self, "manager.name", options: .new))
    var manager: Person? = Person("Bea")
    person.manager = manager
    manager?.name = "Cleo"
    withExtendedLifetime(manager) {}
    manager = nil
    weakly.expect(["Bea", "Cleo", nil])
  }

  @Test("A path that cannot be observed fails") func whatCannotBeObservedFails() {
    func error<Element>(_ source: Observable<Element>) -> PropertyError? {
      var error: PropertyError?
      _ = source.subscribe(onError: { error = $0 as? PropertyError })
      return error
    }
    #expect(
      error(person.rx.observe(String.self, "nmae")) == .undefinedKey(type: "Person", key: "nmae"))
    #expect(
      error(person.rx.observeWeakly(String.self, "nmae.city"))
        == .undefinedKey(type: "Person", key: "nmae"))
    #expect(
      error(person.rx.observe(String.self, "age"))
        == .typeMismatch(key: "age", expected: "Int", actual: "Optional<String>"))
  }

  @Test("Observe by name retains the object until it is disposed")
  func observeByNameRetainsTheObjectUntilItIsDisposed() {
    var person: Person? = Person("Ada")
    weak let reference = person
    var source: Observable<String?>? = person?.rx.observe(String.self, "name")
    person = nil
    #expect(reference != nil)
    let log = Log<String?>()
    let subscription = source.map { log.follow($0) }
    source = nil
    reference?.name = "Bea"
    log.expect(["Ada", "Bea"])
    #expect(!log.isCompleted)
    subscription?.dispose()
    #expect(reference == nil)
    #expect(log.isDisposed && !log.isCompleted)
  }

  @Test("Without retaining it ends with the object") func withoutRetainingItEndsWithTheObject() {
    var person: Person? = Person("Ada")
    let (byName, typed, path) = (Log<String?>(), Log<String>(), Log<String?>())
    if let person {
      byName.follow(person.rx.observe(String.self, "name", retainSelf: false))
      typed.follow(person.rx.observe(\.name))
      path.follow(person.rx.observeWeakly(String.self, "address.city.name"))
    }
    person = nil
    #expect(byName.take() == ["Ada"] && byName.isCompleted)
    #expect(typed.take() == ["Ada"] && typed.isCompleted)
    #expect(path.take() == [nil] && path.isCompleted)
  }

  @Test("Death is announced") func deathIsAnnounced() {
    var person: Person? = Person("Ada")
    var log: [String] = []
    person?.rx.deallocating.subscribe(onNext: { log.append("deallocating") }).disposed(by: bag)
    person?.rx.deallocated.subscribe(
      onNext: { log.append("deallocated") }, onCompleted: { log.append("completed") }
    ).disposed(by: bag)
    person = nil
    #expect(log == ["deallocating", "deallocated", "completed"])
  }

  @Test("Properties are binders of their object") @MainActor
  func propertiesAreBindersOfTheirObject() {
    let row = MainModel()
    let title = BehaviorRelay(value: "one")
    title.asDriver().drive(row.rx.title).disposed(by: bag)
    title.bind(to: row.rx.title).disposed(by: bag)
    title.accept("two")
    #expect(row.title == "two" && row.titles == ["one", "one", "two", "two"])
    let observed = Log<String>()
    observed.follow(row.rx.observe(\.title))
    Observable.just("three").bind(to: row.rx.title).disposed(by: bag)
    observed.expect(["two", "three"])
  }

  @Test("Every conformer has them") func everyConformerHasThem() {
    let conforming = Conforming()
    let (log, names) = (Log<String>(), Log<String?>())
    log.follow(conforming.rx.observe(\.title))
    names.follow(conforming.rx.observe(String.self, "title"))
    conforming.title = "new"
    #expect(log.take() == ["untitled", "new"] && names.take() == ["untitled", "new"])
    let student = Student("Cleo")
    let school = Log<String>()
    school.follow(student.rx.observe(\.school))
    school.expect([""])
  }
}
