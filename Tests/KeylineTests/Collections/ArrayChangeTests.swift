import TestSupport
import Testing

@testable import Keyline
@testable import KeylineCore

private final class Team: ReactiveObject {
  @Observed var members = ObservableArray<String>()
  @Observed var guests: ObservableArray<String>?
}

private final class Club: ReactiveObject {
  @Observed var team: Team?
}

/// `observeChanges` of properties that are arrays: KVO's kinds.
@Suite struct ArrayChangeTests {
  typealias Change = PropertyChange<[String]>

  private let team = Team()
  private let log = Log<Change>()

  @Test("Edits are changes of their kind") func editsAreChangesOfTheirKind() {
    log.follow(team.observeChanges(\.members))
    team.members.append(contentsOf: ["a", "b", "c"])
    team.members[1] = "B"
    team.members.remove(at: 0)
    team.members.move(from: 0, to: 1)
    #expect(
      log.take() == [
        Change(kind: .insertion, old: nil, new: ["a", "b", "c"], indexes: RangeSet(0..<3)),
        Change(kind: .replacement, old: ["b"], new: ["B"], indexes: RangeSet(1..<2)),
        Change(kind: .removal, old: ["a"], new: nil, indexes: RangeSet(0..<1)),
        Change(
          kind: .movement(from: 0, to: 1), old: ["B"], new: ["B"], indexes: RangeSet(0..<2)),
      ])
  }

  /// For each collection there is.
  @Test("A computed property that returns the same collection again emits nothing")
  func aComputedPropertyThatReturnsTheSameCollectionAgainEmitsNothing() {
    final class Shown: ReactiveObject {
      @Observed var limit = 1
      let (few, many) = (ObservableArray([1]), ObservableArray([1, 2]))
      let (set, byName) = (ObservableSet([1]), ObservableDictionary(["a": 1]))
      var array: ObservableArray<Int> { limit < 10 ? few : many }
      var optional: ObservableArray<Int>? { limit < 0 ? nil : array }
      var shownSet: ObservableSet<Int> { limit < 10 ? set : set }
      var shownNames: ObservableDictionary<String, Int> { limit < 10 ? byName : byName }
    }
    let shown = Shown()
    let (arrays, others) = (Log<[Int]>(), Log<String>())
    arrays.follow(shown.observeChanges(\.array).map { $0.new ?? [] })
    others.follow(shown.observeChanges(\.optional).map { "optional \($0.new ?? [])" })
    others.follow(shown.observeChanges(\.shownSet).map { "set \($0.kind)" })
    others.follow(shown.observeChanges(\.shownNames).map { "names \($0.kind)" })
    shown.limit = 2
    #expect(arrays.take() == [] && others.take() == [])
    shown.few.append(3)
    shown.limit = 3
    shown.limit = 10
    arrays.expect([[3], [1, 2]])
    others.expect(["optional [3]", "optional [1, 2]"])
    shown.limit = -1
    arrays.expect([[1, 3]])
    others.expect(["optional []"])
    shown.set.insert(2)
    others.expect(["set insertion"])
  }

  @Test("Edits are described by their names") func editsAreDescribedByTheirNames() {
    let edits: [ArrayEdit<String>] = [
      .insertion(["a"], at: 0), .removal(["b"], at: 1), .replacement(["c"], with: ["d"], at: 2),
      .move("e", from: 3, to: 4), .reset(["f"]),
    ]
    #expect(
      "\(edits)" == """
        [insertion(["a"], at: 0), removal(["b"], at: 1), replacement(["c"], with: ["d"], at: 2), \
        move("e", from: 3, to: 4), reset(["f"])]
        """)
  }

  @Test("Changes are replayed with or without the old elements")
  func changesAreReplayedWithOrWithoutTheOldElements() {
    let copy = ChangeCopy(team.observeChanges(\.members, options: [.initial, .old, .new]))
    let news = ChangeCopy(team.observeChanges(\.members, options: [.initial, .new]))
    team.members.append(contentsOf: ["a", "b", "c", "d"])
    team.members.move(from: 3, to: 0)
    team.members.move(from: 1, to: 2)
    team.members.removeSubrange(1..<3)
    team.members = ["x", "y"]
    team.members.sort(by: >)
    team.members.replaceSubrange(0..<1, with: ["z", "z", "z"])
    #expect(team.members == ["z", "z", "z", "x"])
    #expect(copy.elements == team.members.elements && copy.isExact)
    #expect(news.elements == team.members.elements)
  }

  @Test("Another array is one setting and the former is left")
  func anotherArrayIsOneSettingAndTheFormerIsLeft() {
    team.members.append("a")
    log.follow(team.observeChanges(\.members, options: [.initial, .old, .new]))
    let former = team.members
    team.members = ["b"]
    former.append("silent")
    team.members.append("c")
    #expect(
      log.take() == [
        Change(old: nil, new: ["a"], cause: .initial), Change(old: ["a"], new: ["b"]),
        Change(kind: .insertion, old: nil, new: ["c"], indexes: RangeSet(1..<2)),
      ])
  }

  @Test("A path may lead to an array that is missing") func aPathMayLeadToAnArrayThatIsMissing() {
    let club = Club()
    log.follow(club.observeChanges(\.team?.members))
    club.team = team
    team.members.append("a")
    club.team = nil
    team.members.append("silent")
    #expect(
      log.take() == [
        Change(old: nil, new: []),
        Change(kind: .insertion, old: nil, new: ["a"], indexes: RangeSet(0..<1)),
        Change(old: ["a"], new: nil),
      ])
    let guests = Log<Change>()
    guests.follow(team.observeChanges(\.guests, options: [.initial, .new]))
    team.guests = ["g"]
    team.guests?.removeLast()
    #expect(
      guests.take() == [
        Change(old: nil, new: nil, cause: .initial), Change(old: nil, new: ["g"]),
        Change(kind: .removal, old: nil, new: nil, indexes: RangeSet(0..<1)),
      ])
  }

  @Test("A chain may lead to an array: its edits, and a setting for another one")
  func aChainMayLeadToAnArray() {
    let club = Club()
    log.follow(club.observeChanges { $0.team.members })
    club.team = team
    team.members.append("a")
    team.members = ["b"]
    team.members.remove(at: 0)
    club.team = Team()
    club.team = nil
    team.members.append("silent")
    #expect(
      log.take() == [
        Change(old: nil, new: [], cause: .hopReplaced(0)),
        Change(kind: .insertion, old: nil, new: ["a"], indexes: RangeSet(0..<1)),
        Change(old: ["a"], new: ["b"]),
        Change(kind: .removal, old: ["b"], new: nil, indexes: RangeSet(0..<1)),
        Change(old: [], new: [], cause: .hopReplaced(0)),
        Change(old: [], new: nil, cause: .hopBecameNil(0)),
      ])
    #expect(!log.isCompleted)
  }

  @Test("An array that is a constant needs no observed property")
  func anArrayThatIsAConstantNeedsNoObservedProperty() {
    final class Roster: ReactiveObject {
      let names = ObservableArray<String>()
    }
    Reports.collect()
    weak var object: Roster?
    do {
      let roster = Roster()
      object = roster
      log.follow(roster.observeChanges(\.names, options: [.initial, .new]))
      roster.names.append("a")
    }
    #expect(object == nil)
    #expect(
      log.take() == [
        Change(old: nil, new: [], cause: .initial),
        Change(kind: .insertion, old: nil, new: ["a"], indexes: RangeSet(0..<1)),
      ])
    #expect(log.isCompleted)
    #expect(Reports.about("Roster").isEmpty)
  }

  @Test("An edit by an observer is delivered afterwards")
  func anEditByAnObserverIsDeliveredAfterwards() {
    log.follow(team.observeChanges(\.members))
    _ = team.observeChanges(\.members).subscribe(onNext: { [unowned team] change in
      if change.kind == .insertion { team.members = ["b"] }
    })
    let later = Log<Change>()
    later.follow(team.observeChanges(\.members))
    team.members.append("a")
    let insertion = Change(kind: .insertion, old: nil, new: ["a"], indexes: RangeSet(0..<1))
    log.expect([insertion, Change(old: ["a"], new: ["b"])])
    // The edit that was not delivered to this observer is part of the former contents.
    later.expect([Change(old: ["a"], new: ["b"])])
  }

  @Test("Each replacement by an observer of an edit is delivered")
  func eachReplacementByAnObserverOfAnEditIsDelivered() {
    final class Queue: ReactiveObject {
      @Observed var jobs: ObservableArray = [0]
      @Observed var names: ObservableDictionary = [0: "a"]
    }
    let queue = Queue()
    let former = (queue.jobs, queue.names)
    let (jobs, names) = (Log<PropertyChange<[Int]>>(), Log<PropertyChange<[Int: String]>>())
    jobs.follow(
      queue.observeChanges(\.jobs).do(onNext: { [unowned queue] change in
        if change.kind == .insertion { for job in 2...3 { queue.jobs = [job] } }
      }))
    names.follow(
      queue.observeChanges(\.names).do(onNext: { [unowned queue] change in
        if change.kind == .insertion { for name in ["b", "c"] { queue.names = [0: name] } }
      }))
    queue.jobs.append(1)
    queue.names[1] = "d"
    #expect(jobs.elements.map(\.old) == [nil, [0, 1], [2]])
    #expect(jobs.elements.map(\.new) == [[1], [2], [3]])
    #expect(names.elements.map(\.old) == [nil, [0: "a", 1: "d"], [0: "b"]])
    #expect(names.elements.map(\.new) == [[1: "d"], [0: "b"], [0: "c"]])
    withExtendedLifetime(former) {}
  }

  @Test("An array that is replaced again inside its delivery is still the former one")
  func anArrayThatIsReplacedAgainInsideItsDeliveryIsStillTheFormerOne() {
    final class Queue: ReactiveObject { @Observed var jobs: ObservableArray<Int>? = [0] }
    let queue = Queue()
    _ = queue.observe(\.jobs, options: .new).subscribe(onNext: { [unowned queue] jobs in
      if let first = jobs?.first, first < 4 { queue.jobs = [first + 1] }
    })
    let log = Log<PropertyChange<[Int]>>()
    log.follow(queue.observeChanges(\.jobs))
    queue.jobs = [1]
    #expect(log.elements.map(\.old) == [[0], [1], [2], [3]])
    #expect(log.elements.map(\.new) == [[1], [2], [3], [4]])
  }

  @Test("An edit by an observer of the nil that replaces the array is not delivered")
  func anEditOfADetachedArrayIsNotDelivered() {
    final class Queue: ReactiveObject { @Observed var jobs: ObservableArray<Int>? = [0] }
    final class Office: ReactiveObject { @Observed var queue: Queue? = Queue() }
    let office = Office()
    let log = Log<[Int]?>()
    for isHop in [false, true] {
      let queue = Queue()
      office.queue = queue
      let jobs = queue.jobs
      let append = { (change: PropertyChange<[Int]>) in
        if change.new == nil { jobs?.append(7) }
      }
      let changes = office.observeChanges { $0.queue.jobs }
      log.follow((isHop ? changes : queue.observeChanges(\.jobs)).do(onNext: append).map(\.new))
      if isHop { office.queue = nil } else { queue.jobs = nil }
      log.expect([nil])
    }
  }

  @Test("Nothing is retained and the sequence ends with the object")
  func nothingIsRetainedAndTheSequenceEndsWithTheObject() {
    weak var object: Team?
    weak var array: ObservableArray<String>?
    do {
      let mortal = Team()
      object = mortal
      array = mortal.members
      log.follow(mortal.observeChanges(\.members))
    }
    #expect(object == nil && array == nil)
    log.expect([])
    #expect(log.isCompleted && log.isDisposed)
  }
}

/// Law P5: what observes an array retains none of its elements.
@Suite struct ArrayElementLifetimeTests {
  private final class Team: ReactiveObject {
    let members = ObservableArray<Person>()
  }

  @Test("P5: Observed elements are released when they are removed")
  func p5ObservedElementsAreReleasedWhenTheyAreRemoved() {
    let team = Team()
    weak var first: Person?
    do {
      let person = Person("Ada")
      first = person
      team.members.append(person)
    }
    let log = Log<Int>()
    log.follow(
      team.observeChanges(\.members, options: [.initial, .old, .new]).map { $0.new?.count ?? 0 })
    team.members.append(Person("Bob"))
    team.members.removeFirst()
    #expect(first == nil)
    log.expect([1, 1, 0])
  }
}
