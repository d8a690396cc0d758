import Keyline
import TestSupport
import Testing

private final class Team: ReactiveObject {
  @Observed var members = ObservableArray<String>()
  @Observed var guests: ObservableArray<String>?
  @Observed var numbers = ObservableSet<Int>()
  @Observed var marks = ObservableDictionary<String, Int>()
  @Observed var scores: ObservableDictionary<String, Int>?
  let fixed = ObservableArray<String>()
  @Observed var plain = ["a"]
}

private final class Office: ReactiveObject {
  @Observed var team: Team? = Team()
}

private class Desk: ReactiveObject {
  @Observed var array = ObservableArray<Int>()
  @Observed var set = ObservableSet<Int>()
  @Observed var names = ObservableDictionary<String, Int>()
  @Observed var arrayOrNil: ObservableArray<Int>? = []
  @Observed var setOrNil: ObservableSet<Int>? = []
  @Observed var namesOrNil: ObservableDictionary<String, Int>? = [:]
}

private final class SmallDesk: Desk {}

private final class OwnDesk: PropertyObservable {
  let properties = PropertyRegistry()
  @Observed var array = ObservableArray<Int>()
  @Observed var set = ObservableSet<Int>()
  @Observed var names = ObservableDictionary<String, Int>()
  @Observed var arrayOrNil: ObservableArray<Int>? = []
  @Observed var setOrNil: ObservableSet<Int>? = []
  @Observed var namesOrNil: ObservableDictionary<String, Int>? = [:]
  @Observed var limit = 1
  @WeakObserved var next: OwnDesk?
  let fixed = ObservableSet([0])
  var shown: ObservableSet<Int> { limit < 10 ? set : fixed }
  @Derived({ (self: OwnDesk) in self.limit < 10 ? self.set : self.fixed })
  var derived: ObservableSet<Int>
}

@MainActor private final class MainDesk: MainReactiveObject {
  @Observed var array = ObservableArray<Int>()
  @Observed var setOrNil: ObservableSet<Int>? = []
  @Observed var names = ObservableDictionary<String, Int>()
}

private final class Holder<Object: PropertyObservable>: PropertyObservable {
  let properties = PropertyRegistry()
  @Observed var object: Object?
  init(_ object: Object) { self.object = object }
}

/// `observeChanges` of collections, with a closure: the edits, as without one.
@Suite struct ObservingCollectionsByClosureTests {
  private let team = Team()
  private let log = Log<String>()

  @Test("The closure receives the edits of an array") func theClosureReceivesTheEditsOfAnArray() {
    var changes: [PropertyChange<[String]>] = []
    team.observeChanges(\.members) { changes.append($0) }
    let sequence = Log<PropertyChange<[String]>>()
    sequence.follow(team.observeChanges(\.members))
    team.members.append(contentsOf: ["a", "b"])
    team.members.move(from: 0, to: 1)
    team.members.remove(at: 0)
    team.members = ObservableArray(["c"])
    team.members.append("d")
    #expect(
      changes.map(\.kind)
        == [.insertion, .movement(from: 0, to: 1), .removal, .setting, .insertion])
    #expect(changes == sequence.take())
  }

  @Test("The first contents come with the option for them")
  func theFirstContentsComeWithTheOptionForThem() {
    team.members.append("a")
    team.observeChanges(\.members, options: [.initial, .new]) { [log] change in
      log.append("\(change.kind) \(change.new ?? []) \(change.old ?? [])")
    }
    team.members.removeAll()
    log.expect([#"setting ["a"] []"#, "removal [] []"])
  }

  @Test("The closure receives the edits of an optional array")
  func theClosureReceivesTheEditsOfAnOptionalArray() {
    team.observeChanges(\.guests) { [log] in log.append("\($0.kind) \($0.new ?? [])") }
    team.guests = ["a"]
    team.guests?.append("b")
    team.guests = nil
    log.expect([#"setting ["a"]"#, #"insertion ["b"]"#, "setting []"])
  }

  @Test("The closure receives the edits of sets and dictionaries")
  func theClosureReceivesTheEditsOfSetsAndDictionaries() {
    team.observeChanges(\.numbers) { [log] in log.append("\($0.kind) \($0.new ?? [])") }
    team.observeChanges(\.scores) { [log] in log.append("\($0.kind) \($0.new ?? [:])") }
    team.numbers.insert(1)
    team.numbers.remove(1)
    team.scores = ["a": 1]
    team.scores?["a"] = 2
    #expect(
      log.take() == [
        "insertion [1]", "removal []", #"setting ["a": 1]"#, #"replacement ["a": 2]"#,
      ])
  }

  /// DESIGN §3.4: the leaf is a collection.
  @Test("The closure receives the edits at the end of a chain, as the sequence does")
  func theClosureReceivesTheEditsAtTheEndOfAChain() {
    let office = Office()
    var changes: [PropertyChange<[String]>] = []
    office.observeChanges {
      $0.team.members
    } onNext: {
      changes.append($0)
    }
    let (sequence, optional) = (Log<PropertyChange<[String]>>(), Log<String>())
    sequence.follow(office.observeChanges { $0.team.members })
    optional.follow(office.observeChanges(\.team?.members).map { "\($0.kind)" })
    let former = office.team
    former?.members.append(contentsOf: ["a", "b"])
    former?.members.move(from: 0, to: 1)
    office.team = team
    former?.members.append("c")
    team.members.append("d")
    office.team = nil
    #expect(
      changes.map(\.kind) == [
        .insertion, .movement(from: 0, to: 1), .setting, .insertion, .setting,
      ])
    #expect(changes.map(\.new) == [["a", "b"], ["a"], [], ["d"], nil])
    #expect(changes.map(\.cause).suffix(1) == [.hopBecameNil(0)])
    #expect(changes == sequence.take())
    #expect(changes.map { "\($0.kind)" } == optional.take())
  }

  @Test("So it does for a set and a dictionary at the end of a chain")
  func soItDoesForOtherCollectionsAtTheEndOfAChain() {
    let office = Office()
    let options: KeyValueObservingOptions = [.initial, .new]
    office.observeChanges(options: options) {
      $0.team.numbers
    } onNext: { [log] in
      log.append("\($0.kind) \($0.new ?? [])")
    }
    office.observeChanges {
      $0.team.marks
    } onNext: { [log] in
      log.append("\($0.kind) \($0.new ?? [:])")
    }
    office.team?.numbers.insert(1)
    office.team?.numbers = [2]
    office.team?.marks["a"] = 1
    office.team?.marks["a"] = nil
    #expect(
      log.take() == [
        "setting []", "insertion [1]", "setting [2]", #"insertion ["a": 1]"#, "removal [:]",
      ])
  }

  @Test("A collection that may be nil gives its edits at the end of a chain as well")
  func aCollectionThatMayBeNilAtTheEndOfAChain() {
    let office = Office()
    let (scores, guests) = (Log<String>(), Log<String>())
    scores.follow(office.observeChanges { $0.team.scores }.map { "\($0.kind) \($0.new ?? [:])" })
    guests.follow(office.observeChanges { $0.team.guests }.map { "\($0.kind) \($0.new ?? [])" })
    office.observeChanges(\.team?.guests) { [log] in log.append("\($0.kind) \($0.new ?? [])") }
    office.team?.scores = [:]
    office.team?.scores?["a"] = 1
    office.team?.guests = ["a"]
    office.team?.guests?.append("b")
    office.team = nil
    #expect(scores.take() == ["setting [:]", #"insertion ["a": 1]"#, "setting [:]"])
    let expected = [#"setting ["a"]"#, #"insertion ["b"]"#, "setting []"]
    #expect(guests.take() == expected)
    #expect(log.take() == expected)
  }

  @Test("A chain to any other optional or array is observed as before")
  func aChainToAnyOtherPropertyIsObservedAsBefore() {
    let office = Office()
    office.observeChanges {
      $0.team.plain
    } onNext: { [log] in
      log.append("\($0.old ?? []) \($0.new ?? [])")
    }
    office.observeChanges {
      $0.team
    } onNext: { [log] in
      log.append("\($0.cause)")
    }
    office.team?.plain = []
    office.team = nil
    #expect(log.take() == [#"["a"] []"#, "[] []", "set"])
  }

  @Test("A constant array is followed, and not reported")
  func aConstantArrayIsFollowedAndNotReported() {
    Reports.collect()
    team.observeChanges(\.fixed) { [log] in log.append("\($0.kind)") }
    team.fixed.append("a")
    log.expect(["insertion"])
    #expect(Reports.about("Team").isEmpty)
  }

  /// Tests that each form gives the changes that `edit` makes of a collection, which are of `kinds`.
  private func expect<Owner: PropertyObservable, Object: ObservedCollection>(
    _ kinds: [PropertyChange<Object.Edit.Contents>.Kind], of owner: Owner,
    _ keyPath: KeyPath<Owner, Object>, _ name: String, _ edit: (Object) -> Void
  ) throws where Object.Edit.Contents: Equatable {
    typealias Change = PropertyChange<Object.Edit.Contents>
    let (holder, closure) = (Holder(owner), Log<Change>())
    let type = Object.Edit.Contents.self
    owner.observeChanges(keyPath) { closure.append($0) }
    let sources = [
      owner.observeChanges(keyPath), holder.observeChanges { $0.object[dynamicMember: keyPath] },
      try owner.observeChanges(type, name).asObservable(),
      try holder.observeChanges(type, "object.\(name)").asObservable(),
    ]
    let logs = sources.map { _ in Log<Change>() }
    for (log, source) in zip(logs, sources) { log.follow(source) }
    edit(owner[keyPath: keyPath])
    #expect(closure.elements.map(\.kind) == kinds, "\(Owner.self).\(name)")
    for log in logs { log.expect(closure.elements) }
  }

  @Test("Each form gives the edits of each collection, whatever its class inherits from") @MainActor
  func eachFormGivesTheEditsOfEachCollection() throws {
    let (desk, small, own, main) = (Desk(), SmallDesk(), OwnDesk(), MainDesk())
    func edit(_ array: ObservableArray<Int>?) {
      array?.append(contentsOf: [1, 2])
      array?.move(from: 0, to: 1)
      array?.removeAll()
    }
    func edit(_ set: ObservableSet<Int>?) {
      set?.formUnion([1, 2, 3])
      set?.formIntersection([1])
    }
    func edit(_ names: ObservableDictionary<String, Int>?) {
      names?.merge(["a": 1, "b": 2])
      names?["a"] = 3
      names?.removeAll()
    }
    try expect(
      [.insertion, .movement(from: 0, to: 1), .removal], of: desk, \.array, "array", edit)
    try expect([.insertion, .movement(from: 0, to: 1), .removal], of: own, \.array, "array", edit)
    try expect([.insertion, .removal], of: small, \.set, "set", edit)
    try expect([.insertion, .removal], of: own, \.set, "set", edit)
    try expect([.insertion, .replacement, .removal], of: small, \.names, "names", edit)
    try expect([.insertion, .replacement, .removal], of: own, \.names, "names", edit)
    try expect(
      [.insertion, .movement(from: 0, to: 1), .removal], of: small, \.arrayOrNil, "arrayOrNil",
      edit)
    try expect(
      [.insertion, .movement(from: 0, to: 1), .removal], of: own, \.arrayOrNil, "arrayOrNil", edit)
    try expect([.insertion, .removal], of: desk, \.setOrNil, "setOrNil", edit)
    try expect([.insertion, .removal], of: own, \.setOrNil, "setOrNil", edit)
    try expect([.insertion, .replacement, .removal], of: desk, \.namesOrNil, "namesOrNil", edit)
    try expect([.insertion, .replacement, .removal], of: own, \.namesOrNil, "namesOrNil", edit)
    try expect([.insertion, .movement(from: 0, to: 1), .removal], of: main, \.array, "array", edit)
    try expect([.insertion, .removal], of: main, \.setOrNil, "setOrNil", edit)
    try expect([.insertion, .replacement, .removal], of: main, \.names, "names", edit)
  }

  @Test("A collection that a rule or a computed property gives is followed at the end of a chain")
  func aComputedCollectionIsFollowedAtTheEndOfAChain() {
    let root = OwnDesk()
    root.observeChanges {
      $0.next.shown
    } onNext: { [log] in
      log.append("\($0.kind) \($0.new ?? [])")
    }
    root.observeChanges {
      $0.next.derived
    } onNext: { [log] in
      log.append("\($0.kind) \($0.cause)")
    }
    do {
      let desk = OwnDesk()
      root.next = desk
      log.expect(["setting []", "setting hopReplaced(0)"])
      // The same collection again.
      desk.limit = 2
      log.expect([])
      desk.set.insert(1)
      #expect(log.take().sorted() == ["insertion [1]", "insertion set"])
      desk.limit = 10
      #expect(log.take().sorted() == ["setting [0]", "setting set"])
      desk.set.insert(2)
      log.expect([])
    }
    #expect(log.take().sorted() == ["setting []", "setting hopDied(0)"])
  }

  /// The mistake that the page of reports describes.
  @Test("A constant array whose value is observed is reported")
  func aConstantArrayWhoseValueIsObservedIsReported() {
    final class ConstantTeam: ReactiveObject { let members = ObservableArray<String>() }
    Reports.collect()
    let constant = ConstantTeam()
    constant.observe(\.members) { _ in }
    #expect(Reports.about("ConstantTeam").map(\.category) == [.unobservablePath])
  }

  @Test("Other properties are observed as before") func otherPropertiesAreObservedAsBefore() {
    team.observeChanges(\.plain) { [log] in log.append("\($0.old ?? []) \($0.new ?? [])") }
    team.plain.append("b")
    log.expect([#"["a"] ["a", "b"]"#])
  }

  @Test("Disposing ends the calls") func disposingEndsTheCalls() {
    let subscription = team.observeChanges(\.members) { [log] in log.append("\($0.kind)") }
    team.members.append("a")
    subscription.dispose()
    team.members.append("b")
    log.expect(["insertion"])
  }

  @Test("The closure is released with the object") func theClosureIsReleasedWithTheObject() {
    final class Token {}
    weak var token: Token?
    let members: ObservableArray<String>
    do {
      let (team, made) = (Team(), Token())
      token = made
      members = team.members
      team.observeChanges(\.members) { _ in _ = made }
    }
    members.append("a")
    #expect(token == nil)
  }
}
