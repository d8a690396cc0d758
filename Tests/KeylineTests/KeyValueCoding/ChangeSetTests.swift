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
    log.expect([["name: Ada → Bob"], ["age: 0 → 2", "school:  → MIT"]])
  }

  @Test("Sets by observers belong to the same emission") func whatObserversSetIsInTheSameEmission()
  {
    let person = Person("Ada")
    let log = Log<[String]>()
    log.follow(person.observeChangeSets().map(description))
    let subscription = person.observe(\.age, options: .new)
      .subscribe(onNext: { person.name = "\($0)" })
    person.age = 5
    log.expect([["age: 0 → 5", "name: Ada → 5"]])
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
    log.expect([["address"], ["address"], ["tags"], ["manager"]])
    objects.expect([[true], [false], [false]])
    batchUpdates {
      person.address = nil
      person.address = second
      person.manager = nil
    }
    log.expect([["manager"]])
    withExtendedLifetime((first, second)) {}
  }

  @Test("The death of an object behind a weak property is not listed")
  func theDeathOfAnObjectBehindAWeakPropertyIsNotListed() {
    let person = Person("Ada")
    let (names, changes) = (Log<[String]>(), Log<String>())
    names.follow(person.observeChangeSets().map(\.names))
    changes.follow(
      person.observeChanges(\.manager).map {
        "\($0.cause) \($0.old??.name ?? "nil") \($0.new??.name ?? "nil")"
      })
    var manager: Person? = Person("Bea")
    person.manager = manager
    manager = nil
    #expect(names.take() == [["manager"]])
    #expect(changes.take() == ["set nil Bea", "hopDied(0) nil nil"])
    manager = Person("Cal")
    batchUpdates {
      person.manager = manager
      person.name = "Eve"
      manager = nil
    }
    #expect(names.take() == [["name"]])
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

  struct Refused: Error {}

  final class Range: ReactiveObject {
    @Observed var low = 0
    @Observed var high = 10
  }

  /// Calls `body`, and returns its change and the object, whose properties had a rule across both.
  private func change(
    _ rule: @escaping (Range, Int) -> Bool, _ body: (Range) -> Void
  ) -> (range: Range, set: ChangeSet?) {
    let range = Range()
    let log = Log<ChangeSet>()
    let subscription = log.follow(range.observeChangeSets().asObservable())
    range.validate(\.low) { rule($0, $1 - $0.high) ? .valid : .rejected(Refused()) }
    range.validate(\.high) { rule($0, $0.low - $1) ? .valid : .rejected(Refused()) }
    batchUpdates { body(range) }
    subscription.dispose()
    return (range, log.take().last)
  }

  @Test("Undo and redo restore two properties under a rule across both")
  func undoAndRedoRestoreTwoPropertiesUnderARuleAcrossBoth() {
    let (range, set) = change({ $1 <= 0 }) {
      $0.low = 5
      $0.high = 30
      $0.low = 20
    }
    #expect((range.low, range.high) == (20, 30))
    set?.undo()
    #expect((range.low, range.high) == (0, 10))
    set?.redo()
    #expect((range.low, range.high) == (20, 30))
    // The rules go on.
    range.low = 31
    #expect((range.low, range.high) == (20, 30))
  }

  @Test("Undo and redo restore values that were exchanged through a third")
  func undoAndRedoRestoreValuesThatWereExchangedThroughAThird() {
    let (range, set) = change({ $1 != 0 }) {
      $0.low = -1
      $0.high = 0
      $0.low = 10
    }
    #expect((range.low, range.high) == (10, 0))
    set?.undo()
    #expect((range.low, range.high) == (0, 10))
    set?.redo()
    #expect((range.low, range.high) == (10, 0))
  }

  @Test("A coercing rule does not change a restored value")
  func aCoercingRuleDoesNotChangeARestoredValue() {
    let range = Range()
    let log = Log<ChangeSet>()
    log.follow(range.observeChangeSets().asObservable())
    range.validate(\.low) { $1 > $0.high ? .coerced($0.high) : .valid }
    batchUpdates {
      range.high = 30
      range.low = 20
    }
    let set = log.take()[0]
    range.high = 5
    #expect(range.low == 5)
    set.redo()
    #expect((range.low, range.high) == (20, 30))
    range.low = 50
    #expect(range.low == 30)
  }

  @Test("The rules of another object are asked") func theRulesOfAnotherObjectAreAsked() {
    final class Other: ReactiveObject { @Observed var low = 0 }
    Reports.collect()
    let (_, set) = change({ _, _ in true }) { $0.low = 7 }
    let other = Other()
    other.validate(\.low) { $1 > 5 ? .rejected(Refused()) : .valid }
    set?.redo(on: other)
    #expect(other.low == 0)
    #expect(Reports.about("Other").map(\.property) == ["low"])
  }

  @Test("A change set and a history pass by the rules of a class of its own alike")
  func aChangeSetAndAHistoryPassByTheRulesAlike() {
    final class Scale: PropertyObservable {
      let properties = PropertyRegistry()
      @Observed var low = 0
      @Observed var middle = 5
      @Observed var high = 10
      @Observed var limit: Scale?
      var values: [Int] { [low, middle, high] }
    }
    func rule(_ isAllowed: Bool) -> Validation<Int> { isAllowed ? .valid : .rejected(Refused()) }
    let changes: [(Scale) -> Void] = [
      { ($0.high, $0.middle, $0.low) = (30, 20, 15) },
      { ($0.low, $0.middle, $0.low, $0.high) = (-1, 2, 1, 3) },
      {
        $0.limit?.high = 70; ($0.high, $0.middle) = (60, 50)
      },
    ]
    for change in changes {
      let scale = Scale()
      scale.limit = Scale()
      scale.limit?.high = 40
      scale.validate(\.low) { rule($1 < $0.middle) }
      scale.validate(\.middle) { rule($0.low < $1 && $1 < $0.high) }
      scale.validate(\.high) { rule($0.middle < $1 && $1 < $0.limit?.high ?? 0) }
      let (history, sets) = (UndoHistory(scale), Log<ChangeSet>())
      sets.follow(scale.observeChangeSets().asObservable())
      let former = scale.values
      history.group { change(scale) }
      let new = scale.values
      #expect(new != former)
      let set = sets.take().last
      history.undo()
      #expect(scale.values == former)
      history.redo()
      #expect(scale.values == new)
      set?.undo()
      #expect(scale.values == former)
      set?.redo()
      #expect(scale.values == new)
    }
  }

  @Test("Each way to undo a property that belongs to a binding is reported once")
  func eachWayToUndoAPropertyOfABindingIsReportedOnce() {
    final class Label: PropertyObservable {
      let properties = PropertyRegistry()
      @Observed var text = "a"
      @Observed private(set) var own = "a"
      @Observed var next: Label?
      func follow(_ texts: some ObservableConvertibleType<String>) {
        texts.assign(to: \.own, of: self)
      }
    }
    Reports.collect()
    let (source, root, label, texts) = (Label(), Label(), Label(), PublishSubject<String>())
    root.next = label
    let (sets, history) = (Log<ChangeSet>(), UndoHistory(label))
    sets.follow(label.observeChangeSets().asObservable())
    source.bind(\.text, to: root, { $0.next.text }, exclusive: true)
    label.follow(texts)
    func expectReport(of property: String, _ body: () -> Void) {
      let former = Reports.about("Label").count
      body()
      #expect(Reports.about("Label").dropFirst(former).map(\.property) == [property])
    }
    source.text = "b"
    expectReport(of: "text") { sets.elements[0].undo() }
    expectReport(of: "text") { history.undo() }
    texts.onNext("c")
    expectReport(of: "own") { sets.elements[1].undo() }
    expectReport(of: "own") { history.undo() }
    #expect(label.text == "b" && label.own == "c")
  }

  @Test("Undo of a property that belongs to a binding is reported once")
  func undoOfAPropertyThatBelongsToABindingIsReportedOnce() {
    final class Owned: ReactiveObject { @Observed var text = "a" }
    Reports.collect()
    let (source, owned) = (Owned(), Owned())
    let log = Log<ChangeSet>()
    log.follow(owned.observeChangeSets().asObservable())
    source.bind(\.text, to: owned, \.text, exclusive: true)
    source.text = "b"
    let reported = Reports.of(.refusedWrite).count { $0.message.contains("Owned") }
    log.take()[0].undo()
    #expect(owned.text == "b")
    #expect(Reports.about("Owned").map(\.property) == ["text"])
    #expect(Reports.of(.refusedWrite).count { $0.message.contains("Owned") } == reported)
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
    log.expect([["name", "age"]])
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

  @Test("The inverse of a change set leads back, and its own inverse forth again")
  func inverse() throws {
    final class Point: ReactiveObject {
      @Observed var x = 1
      @Observed var name: String?
    }
    let (point, other) = (Point(), Point())
    let log = Log<ChangeSet>()
    let subscription = log.follow(point.observeChangeSets())
    batchUpdates {
      point.x = 2
      point.name = "a"
    }
    subscription.dispose()
    let changes = try #require(log.take().first)
    #expect(changes.names == ["x", "name"] && changes.inverse.names == ["name", "x"])
    changes.redo(on: other)
    changes.inverse.redo()
    #expect(point.x == 1 && point.name == nil && other.x == 2 && other.name == "a")
    changes.inverse.undo()
    #expect(point.x == 2 && point.name == "a")
  }

  @Test("Changes are listed in the order of their delivery") func orderOfDelivery() {
    final class Order: ReactiveObject {
      @Observed var quantity = 1
      @Observed var total = 10
    }
    let order = Order()
    // Subscribed before the change sets are: the total is set, and delivered, first.
    order.observe(\.quantity, options: .new) { [unowned order] in order.total = $0 * 10 }
    let log = Log<String>()
    for name in ["first", "second"] {
      log.follow(order.observeChangeSets().map { "\(name) \($0.names)" })
    }
    order.quantity = 2
    log.expect(["first [\"total\", \"quantity\"]", "second [\"total\", \"quantity\"]"])
  }
}
