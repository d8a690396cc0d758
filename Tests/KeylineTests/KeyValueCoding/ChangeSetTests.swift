import Keyline
import TestSupport
import Testing

@Suite struct ChangeSetTests {
  private func description(_ set: ChangeSet) -> [String] {
    set.map { change in
      let values = [change.old, change.new].map { $0.map { "\($0)" } ?? "nil" }
      return "\(change.name): \(values[0]) → \(values[1])"
    }
  }

  @Test("One scope is one emission, with the properties that have changed")
  func oneScopeIsOneEmissionWithWhatHasChanged() {
    let student = Student("Ada")
    let log = Log<[String]>()
    log.follow(student.observeChangeSets().map(description))
    student.name = "Bob"
    student.name = "Bob"
    batchUpdates {
      student.age = 1
      student.school = "MIT"
      student.age += 1
      student.name = "Eve"
      student.name = "Bob"
    }
    #expect(log.take() == [["name: Ada → Bob"], ["age: 0 → 2", "school:  → MIT"]])
  }

  @Test("Sets by observers belong to the same emission") func whatObserversSetIsInTheSameEmission()
  {
    let person = Person("Ada")
    let log = Log<[String]>()
    log.follow(person.observeChangeSets().map(description))
    let subscription = person.observe(\.age, options: .new)
      .subscribe(onNext: { person.name = "\($0)" })
    person.age = 5
    #expect(log.take() == [["age: 0 → 5", "name: Ada → 5"]])
    subscription.dispose()
  }

  @Test("Optionals objects and collections") func optionalsObjectsAndCollections() {
    let person = Person("Ada")
    let (first, second) = (Address(), Address())
    let log = Log<[String]>()
    let objects = Log<[Bool]>()
    log.follow(person.observeChangeSets().map(\.names))
    objects.follow(
      person.observeChangeSets().map { set in
        set.map { ($0.old as AnyObject?) === first && ($0.new as AnyObject?) === second }
      })
    person.address = first
    person.address = first
    _ = objects.take()
    person.address = second
    person.tags.append("a")
    person.manager = person
    #expect(log.take() == [["address"], ["address"], ["tags"], ["manager"]])
    #expect(objects.take() == [[true], [false], [false]])
    batchUpdates {
      person.address = nil
      person.address = second
      person.manager = nil
    }
    #expect(log.take() == [["manager"]])
    withExtendedLifetime((first, second)) {}
  }

  @Test("Undo and redo") func undoAndRedo() {
    let person = Person("Ada")
    var journal: [ChangeSet] = []
    let subscription = person.observeChangeSets().subscribe(onNext: { journal.append($0) })
    let address = Address()
    person.name = "Bob"
    batchUpdates {
      person.age = 5
      person.address = address
    }
    person.address = nil
    let steps = journal
    let log = Log<String>()
    log.follow(person.observe(\.label, options: .new))
    steps[2].undo()
    #expect(person.address === address)
    steps[1].undo()
    #expect(person.address == nil && person.age == 0)
    steps[0].undo()
    #expect(person.name == "Ada")
    for step in steps { step.redo() }
    #expect(person.name == "Bob" && person.age == 5 && person.address == nil)
    // Undoing is a change like any.
    #expect(journal.count == 9)
    subscription.dispose()
  }

  @Test("The object is not retained and the sequence completes")
  func theObjectIsNotRetainedAndTheSequenceCompletes() {
    var person: Person? = Person("Ada")
    weak let reference = person
    let log = Log<ChangeSet>()
    log.follow(person!.observeChangeSets().asObservable())
    person!.name = "Bob"
    person = nil
    #expect(reference == nil && log.isCompleted)
    // The set outlives the object.
    log.elements[0].undo()
    #expect(log.elements[0].names == ["name"])
  }

  @Test("registeredProperties are set through their accessors")
  func registeredPropertiesAreSetThroughTheirAccessors() {
    final class Clamped: ReactiveObject {
      @Observed var value = 1 { didSet { sets += 1 } }
      var sets = 0
      @Derived({ (self: Clamped) in self.value * 2 }) var double: Int
      override class var registeredProperties: [RegisteredProperty] {
        [RegisteredProperty("value", \Clamped.value)]
      }
    }
    let clamped = Clamped()
    let log = Log<ChangeSet>()
    log.follow(clamped.observeChangeSets().asObservable())
    clamped.value = 5
    log.take()[0].undo()
    #expect(clamped.value == 1 && clamped.sets == 2 && clamped.double == 2)
    #expect(log.take().map(\.names) == [["value"]])
  }

  @Test("A loop is stopped and reported") func aLoopIsStoppedAndReported() {
    final class Unending: ReactiveObject { @Observed var value = 0 }
    Reports.collect()
    let unending = Unending()
    let subscription = unending.observeChangeSets().subscribe(onNext: { _ in unending.value += 1 })
    unending.value = 1
    // The round in which the loop is reported, and the two after it, are emitted.
    #expect(unending.value == Diagnostics.feedbackLimit + 4)
    #expect(Reports.about("Unending").map(\.category) == [.feedbackLoop])
    unending.value = 0
    #expect(unending.value == Diagnostics.feedbackLimit + 3)
    subscription.dispose()
  }

  @Test("Writes by bindings belong to the same emission")
  func whatBindingsWriteIsInTheSameEmission() {
    let person = Person("Ada")
    let log = Log<[String]>()
    log.follow(person.observeChangeSets().map(\.names))
    person.observe(\.label).map(\.count).bind(to: person, \.age)
    _ = log.take()
    person.name = "Eveline"
    #expect(log.take() == [["name", "age"]])
  }

  @Test("Disposal ends it") func disposalEndsIt() {
    let person = Person("Ada")
    let log = Log<ChangeSet>()
    let subscription = log.follow(person.observeChangeSets().asObservable())
    let other = person.observe(\.name, options: .new)
      .subscribe(onNext: { _ in subscription.dispose() })
    person.name = "Bob"
    person.name = "Eve"
    #expect(log.elements.isEmpty)
    other.dispose()
  }

  @Test("A cause is listed before its consequence") func aCauseIsListedBeforeItsConsequence() {
    final class Order: ReactiveObject {
      @Observed var quantity = 1
      @Observed var total = 10
    }
    let order = Order()
    // Subscribed before the change sets are, on purpose.
    order.observe(\.quantity, options: .new) { [unowned order] in order.total = $0 * 10 }
    let log = Log<String>()
    for name in ["first", "second"] {
      log.follow(order.observeChangeSets().map { "\(name) \($0.names)" })
    }
    order.quantity = 2
    #expect(
      log.take() == ["first [\"quantity\", \"total\"]", "second [\"quantity\", \"total\"]"])
  }
}
