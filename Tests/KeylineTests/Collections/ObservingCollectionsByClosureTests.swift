import Keyline
import TestSupport
import Testing

private final class Team: ReactiveObject {
  @Observed var members = ObservableArray<String>()
  @Observed var guests: ObservableArray<String>?
  @Observed var numbers = ObservableSet<Int>()
  @Observed var scores: ObservableDictionary<String, Int>?
  let fixed = ObservableArray<String>()
  @Observed var plain = ["a"]
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

  @Test("A constant array is followed, and not reported")
  func aConstantArrayIsFollowedAndNotReported() {
    Reports.collect()
    team.observeChanges(\.fixed) { [log] in log.append("\($0.kind)") }
    team.fixed.append("a")
    log.expect(["insertion"])
    #expect(Reports.about("Team").isEmpty)
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
