import Testing

@testable import Keyline

private final class Team: ReactiveObject {
  @Observed var members = ObservableArray<String>()
  @Observed var guests: ObservableArray<String>?
}

private final class Club: ReactiveObject {
  @Observed var team: Team?
}

/// `observeChanges` of properties that are arrays: KVO's kinds (DESIGN §3.6).
@Suite struct ArrayChangeTests {
  typealias Change = PropertyChange<[String]>

  private let team = Team()
  private let log = Log<Change>()

  @Test func editsAreChangesOfTheirKind() {
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
        Change(kind: .removal, old: ["B"], new: nil, indexes: RangeSet(0..<1)),
        Change(kind: .insertion, old: nil, new: ["B"], indexes: RangeSet(1..<2)),
      ])
  }

  @Test func anotherArrayIsOneSettingAndTheFormerIsLeft() {
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

  @Test func aPathMayLeadToAnArrayThatIsMissing() {
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

  @Test func anArrayThatIsAConstantNeedsNoObservedProperty() {
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

  @Test func whatAnObserverDoesToTheArrayIsToldAfterwards() {
    log.follow(team.observeChanges(\.members))
    _ = team.observeChanges(\.members).subscribe(onNext: { [unowned team] change in
      if change.kind == .insertion { team.members = ["b"] }
    })
    let later = Log<Change>()
    later.follow(team.observeChanges(\.members))
    team.members.append("a")
    let insertion = Change(kind: .insertion, old: nil, new: ["a"], indexes: RangeSet(0..<1))
    #expect(log.take() == [insertion, Change(old: ["a"], new: ["b"])])
    // Whoever had not heard of the edit finds it in the array that has gone.
    #expect(later.take() == [Change(old: ["a"], new: ["b"])])
  }

  @Test func anArrayThatIsReplacedAgainInsideItsDeliveryIsStillTheFormerOne() {
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

  @Test func nothingIsRetainedAndTheSequenceEndsWithTheObject() {
    weak var object: Team?
    weak var array: ObservableArray<String>?
    do {
      let mortal = Team()
      object = mortal
      array = mortal.members
      log.follow(mortal.observeChanges(\.members))
    }
    #expect(object == nil && array == nil)
    #expect(log.take() == [])
    #expect(log.isCompleted && log.isDisposed)
  }
}
