import Keyline
import TestSupport
import Testing

@testable import KeylineCore

/// The laws of property observation for `observe(_:)`.
@Suite struct ObserveTests {
  let person = Person("Ada")

  @Test("P1: Observers run after the store in subscription order")
  func p1ObserversRunAfterTheStoreInSubscriptionOrder() {
    var order: [String] = []
    for index in 0..<40 {
      _ = person.observe(\.name, options: .new).subscribe(onNext: { [person] value in
        order.append("\(index) \(value) \(person.name)")
      })
    }
    person.name = "Bea"
    #expect(order == (0..<40).map { "\($0) Bea Bea" })
  }

  @Test("P2: Every set is one emission equal or not") func p2EverySetIsOneEmissionEqualOrNot() {
    let log = Log<String>()
    log.follow(person.observe(\.name))
    person.name = "Ada"
    person.name = "Bea"
    person.name += "!"
    log.expect(["Ada", "Ada", "Bea", "Bea!"])
  }

  @Test("P3: A set inside an observer is seen by all in order", arguments: [2, 40, 1000])
  func p3ASetInsideAnObserverIsSeenByAllInOrder(others: Int) {
    let logs = (0..<others).map { _ in Log<Int>() }
    for log in logs.prefix(others / 2) { log.follow(person.observe(\.age)) }
    _ = person.observe(\.age, options: .new).subscribe(onNext: { [person] age in
      if age < 5 { person.age = age + 1 }
    })
    for log in logs.suffix(others / 2) { log.follow(person.observe(\.age)) }
    person.age = 1
    #expect(person.age == 5)
    for log in logs { #expect(log.elements == [0, 1, 2, 3, 4, 5]) }
  }

  @Test("P3: A feedback loop is stopped and reported by name")
  func p3AFeedbackLoopIsStoppedAndReportedByName() {
    final class Looping: ReactiveObject { @Observed var count = 0 }
    Reports.collect()
    let loop = Looping()
    let limit = Diagnostics.feedbackLimit
    _ = loop.observe(\.count, options: .new).subscribe(onNext: { [unowned loop] in
      loop.count = $0 + 1
    })
    loop.count = 1
    #expect(loop.count == limit + 3)
    // It works again afterwards, and reports again.
    loop.count = 100_000
    #expect(loop.count == 100_000 + limit + 2)
    let reports = Reports.about("Looping")
    #expect(reports.map(\.category) == [.feedbackLoop, .feedbackLoop])
    #expect(reports.map(\.property) == ["count", "count"])
  }

  @Test("P3: A feedback loop of several properties is stopped too")
  func p3AFeedbackLoopOfSeveralPropertiesIsStoppedToo() async {
    await #expect(processExitsWith: .success) {
      Diagnostics.feedbackLimit = 100
      final class Crossing: ReactiveObject {
        @Observed var left = 0
        @Observed var right = 0
        var sum: Int { left + right }
      }
      Reports.collect()
      let crossing = Crossing()
      let limit = Diagnostics.feedbackLimit
      var rounds = 0
      let subscription = crossing.observe(\.sum).subscribe(onNext: { [unowned crossing] sum in
        rounds += 1
        if rounds > 3 * limit { return }
        if sum.isMultiple(of: 2) { crossing.left += 1 } else { crossing.right += 1 }
      })
      // In the first delivery, where both are idle.
      #expect(limit...(limit + 3) ~= rounds)
      rounds = 0
      // While one is being delivered, the other is idle.
      crossing.left += 2
      #expect(limit...(2 * limit + 3) ~= rounds)
      subscription.dispose()
      #expect(Reports.about("Crossing").map(\.category) == [.feedbackLoop, .feedbackLoop])
    }
  }

  @Test("P5: The sequence completes with the object and retains nothing")
  func p5TheSequenceCompletesWithTheObjectAndRetainsNothing() {
    let log = Log<String>()
    weak var object: Person?
    do {
      let mortal = Person("mortal")
      object = mortal
      log.follow(mortal.observe(\.name))
    }
    #expect(object == nil)
    log.expect(["mortal"])
    #expect(log.isCompleted && log.isDisposed)
  }

  @Test("Disposing another during delivery silences it at once")
  func disposingAnotherDuringDeliverySilencesItAtOnce() {
    let log = Log<Int>()
    let later = SerialDisposable()
    _ = person.observe(\.age, options: .new).subscribe(onNext: { _ in later.dispose() })
    later.disposable = log.follow(person.observe(\.age, options: .new))
    person.age = 1
    log.expect([])
  }

  @Test("Disposal releases the observer at once") func disposalReleasesTheObserverAtOnce() {
    final class Token {}
    weak var token: Token?
    let subscription: any Disposable
    do {
      let captured = Token()
      token = captured
      subscription = person.observe(\.age).subscribe(onNext: { _ in _ = captured })
    }
    #expect(token != nil)
    subscription.dispose()
    #expect(token == nil)
  }

  @Test("In place mutation is one emission with the whole value")
  func inPlaceMutationIsOneEmissionWithTheWholeValue() {
    let log = Log<[String]>()
    log.follow(person.observe(\.tags))
    person.tags.append("a")
    person.tags[0] = "b"
    log.expect([[], ["a"], ["b"]])
  }

  @Test("A multi hop path follows every hop") func aMultiHopPathFollowsEveryHop() {
    let log = Log<String?>()
    log.follow(person.observe(\.address?.city?.name))
    let rome = Address(city: City("Rome"))
    person.address = rome
    rome.city?.name = "Roma"
    rome.city = City("Oslo")
    person.address = nil
    rome.city?.name = "silent"
    log.expect([nil, "Rome", "Roma", "Oslo", nil])
  }

  @Test("A computed property follows the properties that it reads")
  func aComputedPropertyFollowsWhatItReads() {
    let log = Log<String>()
    log.follow(person.observe(\.label))
    person.name = "Bea"
    person.address = Address(city: City("Rome"))
    person.address?.city?.name = "Oslo"
    person.age = 3
    log.expect(["Ada, —", "Bea, —", "Bea, Rome", "Bea, Oslo"])
  }

  @Test("A computed property over one of its own type is not taken for it")
  func aComputedPropertyOverOneOfItsOwnTypeIsNotTakenForIt() {
    let log = Log<String>()
    log.follow(person.observe(\.shout))
    person.name = "Bea"
    log.follow(person.observe(\.shout))
    person.name = "Cleo"
    log.expect(["ADA", "BEA", "BEA", "CLEO", "CLEO"])
  }

  @Test("Dependencies follow the branch taken") func dependenciesFollowTheBranchTaken() {
    let log = Log<String>()
    log.follow(person.observe(\.alias))
    person.name = "Bea"
    log.expect(["minor"])
    person.age = 20
    person.name = "Cleo"
    person.age = 3
    person.name = "Dora"
    log.expect(["Bea", "Cleo", "minor"])
  }

  @Test("An inherited property is observed through the subclass")
  func anInheritedPropertyIsObservedThroughTheSubclass() {
    let student = Student("Ada")
    let log = Log<String>()
    log.follow(student.observe(\.name))
    student.name = "Bea"
    student.name = "Cleo"
    log.expect(["Ada", "Bea", "Cleo"])
  }

  @Test("An override is observed through its superclass")
  func anOverrideIsObservedThroughItsSuperclass() {
    final class Doctor: Person {
      override var name: String {
        get { "Dr. \(super.name)" }
        set { super.name = newValue }
      }
    }
    let person: Person = Doctor("No")
    let (log, chain) = (Log<String>(), Log<String?>())
    log.follow(person.observe(\.name))
    chain.follow(person.observeWeakly { $0.name })
    person.name = "Who"
    person.name = "Who"
    log.expect(["Dr. No", "Dr. Who", "Dr. Who"])
    chain.expect(["Dr. No", "Dr. Who", "Dr. Who"])
  }

  @Test("An unobservable path emits once and is reported once")
  func anUnobservablePathEmitsOnceAndIsReportedOnce() {
    final class Silent: ReactiveObject { var value = 1 }
    Reports.collect()
    let silent = Silent()
    let log = Log<Int>()
    let source = silent.observe(\.value)
    log.follow(source)
    log.follow(source)
    silent.value = 2
    log.expect([1, 1])
    #expect(Reports.about("Silent").map(\.category) == [.unobservablePath])
  }

  @Test("Deallocating comes before completion and deallocated after")
  func deallocatingComesBeforeCompletionAndDeallocatedAfter() {
    var order: [String] = []
    weak var gone: Person?
    do {
      let mortal = Person()
      gone = mortal
      _ = mortal.observe(\.name).subscribe(onCompleted: { order.append("property completed") })
      _ = mortal.deallocating.subscribe(
        onNext: { order.append("deallocating, reference is nil: \(gone == nil)") },
        onCompleted: { order.append("deallocating completed") })
      _ = mortal.deallocated.subscribe(onNext: { order.append("deallocated") })
    }
    #expect(
      order == [
        "deallocating, reference is nil: true", "deallocating completed", "property completed",
        "deallocated",
      ])
  }

  @Test("A class of another hierarchy takes part by conforming")
  func aClassOfAnotherHierarchyTakesPartByConforming() {
    class Base {}
    final class Document: Base, PropertyObservable {
      let properties = PropertyRegistry()
      @Observed var title = "a"
    }
    let log = Log<String>()
    do {
      let document = Document()
      log.follow(document.observe(\.title))
      document.title = "b"
    }
    log.expect(["a", "b"])
    #expect(log.isCompleted)
  }

  @Test("A weak property notices the death of any object with a lifetime")
  func aWeakPropertyNoticesTheDeathOfAnyObjectWithALifetime() {
    final class Token: LifetimeProviding { let lifetime = Lifetime() }
    final class Holder: ReactiveObject { @WeakObserved var token: Token? }
    let holder = Holder()
    let log = Log<Bool>()
    var token: Token? = Token()
    holder.token = token
    log.follow(holder.observe(\.token).map { $0 != nil })
    token = nil
    log.expect([true, false])
  }

  /// Own ones, inherited and weak ones.
  @Test("Reports name stored properties") func reportsNameStoredProperties() {
    final class Pupil: Person { @Observed var school = "" }
    Reports.collect()
    let (pupil, other) = (Pupil("Ada"), Pupil("Bea"))
    other.bind(\.school, to: pupil, \.school, exclusive: true)
    other.bind(\.age, to: pupil, \.age, exclusive: true)
    other.bind(\.manager, to: pupil, \.manager, exclusive: true)
    pupil.manager = nil
    pupil.school = "refused"
    pupil.age = 7
    let messages = Reports.of(.refusedWrite).map(\.description).filter { $0.contains("Pupil.") }
    #expect(messages.count == 3)
    for (message, name) in zip(messages, ["manager", "school", "age"]) {
      #expect(message.contains("Pupil.\(name)"))
    }
  }

  @Test("A set inside the initial delivery is not lost")
  func aSetInsideTheInitialDeliveryIsNotLost() {
    let log = Log<Int>()
    _ = person.observe(\.age).do(onNext: { [person] in if $0 == 0 { person.age = 1 } })
      .subscribe(onNext: { log.elements.append($0) })
    log.expect([0, 1])
  }

  @Test("Subscribing during delivery starts from the current value")
  func subscribingDuringDeliveryStartsFromTheCurrentValue() {
    let log = Log<Int>()
    _ = person.observe(\.age, options: .new).take(1).subscribe(onNext: { [person] _ in
      log.follow(person.observe(\.age))
    })
    person.age = 1
    person.age = 2
    log.expect([1, 2])
  }

  @Test("Several paths are observed as one tuple") func severalPathsAreObservedAsOneTuple() {
    var log: [String] = []
    let subscription = person.observe(\.name, \.age, \.address?.city?.name).subscribe(
      onNext: { name, age, city in log.append("\(name) \(age) \(city ?? "—")") },
      onCompleted: { log.append("completed") })
    person.age = 1
    person.address = Address(city: City("Rome"))
    person.address?.city?.name = "Oslo"
    person.tags = ["nothing to do with it"]
    person.name = "Bea"
    #expect(log == ["Ada 0 —", "Ada 1 —", "Ada 1 Rome", "Ada 1 Oslo", "Bea 1 Oslo"])
    subscription.dispose()
  }

  @Test("A change that several paths depend on is one emission")
  func aChangeThatSeveralPathsDependOnIsOneEmission() {
    let log = Log<String>()
    log.follow(person.observe(\.name, \.shout, \.label, options: .new).map { "\($0) \($1) \($2)" })
    person.name = "Bea"
    log.expect(["Bea BEA Bea, —"])
  }

  @Test("The observable at the end of a path is followed")
  func theObservableAtTheEndOfAPathIsFollowed() {
    final class Track: ReactiveObject { let events = PublishSubject<String>() }
    final class Player: ReactiveObject { @Observed var track: Track? }
    let log = Log<String>()
    let (first, second) = (Track(), Track())
    do {
      let player = Player()
      log.follow(
        player.observe(\.track?.events).flatMapLatest { $0?.asObservable() ?? .never() }
          .take(until: player.deallocating))
      first.events.onNext("nobody's")
      player.track = first
      first.events.onNext("first")
      player.track = second
      first.events.onNext("left behind")
      second.events.onNext("second")
      player.track = nil
      second.events.onNext("left behind")
      player.track = second
      second.events.onNext("again")
    }
    second.events.onNext("after the player's death")
    log.expect(["first", "second", "again"])
    #expect(log.isCompleted)
  }

  @Test("A weak property reports once that a death cannot be seen")
  func aWeakPropertyReportsOnceThatADeathCannotBeSeen() {
    final class Token {}
    final class Keeper: ReactiveObject { @WeakObserved var token: Token? }
    Reports.collect()
    let tokens = [Token(), Token()]
    for token in tokens {
      let keeper = Keeper()
      keeper.token = token
      let log = Log<Bool>()
      log.follow(keeper.observe(\.token).map { $0 != nil })
      keeper.token = nil
      log.expect([true, false])
    }
    let reports = Reports.about("Keeper")
    #expect(reports.map(\.category) == [.unobservableDeath])
    #expect(reports.map(\.property) == ["token"])
  }
}
