import Synchronization
import TestSupport
import Testing

@testable import Keyline

/// The object of a weak property dies at the same moment as the owner of the property, or while the
/// owner is being observed (D23).
///
/// Each test runs in a process of its own, because a fault may end the process; the journal of that
/// process then shows the round, and the crash text.
@Suite(.serialized) struct WeakReferentConcurrencyTests {
  /// A part that survives, and that has read the property of another part.
  private final class Reader: ReactiveObject {
    @WeakObserved var part: Part?
    @Derived({ (self: Reader) in self.part?.friend?.number ?? -1 }) var ofFriend: Int
    @Derived({ (self: Reader) in self.part?.ofFriend ?? -2 }) var derived: Int
  }

  /// Parts and their friends, each pair with a reader.
  private final class Pairs {
    var parts: [Part?] = (0..<16).map { Part($0, $0) }
    var friends: [Part?] = (0..<16).map { Part($0, 100 + $0) }
    let readers = (0..<16).map { _ in Reader() }
    let records: [ThreadRecord]
    private let registered: [() -> Bool]

    init() {
      records = zip(parts, zip(friends, readers)).flatMap { part, others -> [ThreadRecord] in
        guard let part else { return [] }
        part.friend = others.0
        others.1.part = part
        return [PartObservation.friend, .weakChain, .ofFriend].map { observation in
          let record = ThreadRecord("\(observation)", arrivesAnywhere: observation.arrivesAnywhere)
          _ = observation.subscribe(to: part, record)
          return record
        }
      }
      for reader in readers { reader.observe(\.ofFriend) { _ in } }
      registered = parts.map { part in
        let contents = part?.properties.contents
        return { [weak contents] in contents != nil }
      }
    }

    /// Whether everything that was registered for the parts has been released.
    var isReleased: Bool { registered.allSatisfy { !$0() } }

    static func take(_ parts: inout [Part?]) -> [DelayedErrand] {
      parts.indices.map { DelayedErrand(.drop(LastReference(parts[$0].take()!))) }
    }
  }

  @Test("D23: The last references to parts and to their friends are dropped at the same time")
  func bothEndsOfAWeakProperty() async {
    let journal = Journal()
    let result = await #expect(processExitsWith: .success) { [journal = journal as Journal] in
      let others = OtherThreads(1)
      journal.repeated { round in
        let pairs = Pairs()
        #expect(pairs.readers.map(\.derived) == (100..<116).map { $0 })
        // The domain has used the parts last. It drops their friends, or the parts themselves.
        let isFriend = !round.isMultiple(of: 4)
        let errands = isFriend ? Pairs.take(&pairs.parts) : Pairs.take(&pairs.friends)
        others.together([errands]) {
          idle(round * 7 % 500)
          for index in 0..<16 {
            if isFriend { pairs.friends[index] = nil } else { pairs.parts[index] = nil }
          }
        }
        for reader in pairs.readers {
          #expect(reader.ofFriend == -1 && reader.derived == -2, "read \(reader.ofFriend)")
        }
        #expect(pairs.isReleased, "round \(round)")
        for record in pairs.records {
          #expect(record.completions == 1, "\(record.name), \(record.completions) completions")
          #expect(record.isReleased && record.faults == [], "\(record.name) \(record.faults)")
        }
      }
      others.stop()
      #expect(trackingCount == 0, "trackingCount is \(trackingCount)")
    }
    journal.finish(after: result)
  }

  /// The kinds of observations that follow the friend of a part.
  private static let ofFriend: [PartObservation] = [
    .friend, .friendChanges, .sum, .pair, .weakPath, .ofFriend, .total, .deep, .derivedFriend,
    .weakChain, .crossedChain, .chainToDerived, .chainChanges, .named,
  ]

  @Test("D23: The object of a weak property dies while the property is being observed")
  func deathDuringSubscription() async {
    let journal = Journal()
    let result = await #expect(processExitsWith: .success) { [journal = journal as Journal] in
      let others = OtherThreads(1)
      var random = SplitMix(seed: 1)
      var lost: [String] = []
      journal.repeated { round in
        let observation = Self.ofFriend[round % Self.ofFriend.count]
        let (part, target) = (Part(0, 1), Part(1, 1))
        var friend: Part? = Part(2, 2)
        part.friend = friend
        // With and without nodes that have been made before.
        if round.isMultiple(of: 3) { _ = part.deep }
        if round.isMultiple(of: 5) { part.observe(\.friend) { _ in } }
        let last = LastReference(friend.take()!)
        let record = ThreadRecord("\(observation)", arrivesAnywhere: observation.arrivesAnywhere)
        others.together([[DelayedErrand(.drop(last), after: random.number(0..<1_000))]]) {
          _ = observation.subscribe(to: part, record)
          _ = Connection.chainSource.bind(part, to: target)
        }
        part.pulse += 1
        part.observe(\.pulse) { _ in }.dispose()
        let current = FollowedPart(observation, PartHistory(part), record, isBatched: false)
        #expect(part.friend == nil)
        if !current.isCurrent { lost.append("\(observation): \(record.values)") }
        if target.followed != -1 { lost.append("a binding: \(target.followed)") }
      }
      others.stop()
      #expect(lost == [], "\(lost.count) deaths have not arrived: \(Set(lost).sorted())")
    }
    journal.finish(after: result)
  }

  @Test("D23: An object that refers to itself weakly dies on another thread")
  func selfReference() async {
    await #expect(processExitsWith: .success) {
      let others = OtherThreads(1)
      var part: Part? = Part(0, 0)
      part?.friend = part
      _ = part?.observe(\.friend).subscribe()
      weak let registered = part?.properties.contents
      others.together([[DelayedErrand(.drop(LastReference(part.take()!)))]])
      others.stop()
      #expect(registered == nil, "the memory registered for it is retained")
      #expect(trackingCount == 0, "trackingCount is \(trackingCount)")
    }
  }

  // MARK: Speed

  /// Reads and writes are slower in the whole process as long as `trackingCount` is not 0. Objects
  /// that nobody uses any more must not keep it there.
  @Test("D23: Deaths behind weak properties of idle objects slow nothing else down")
  func idleOwners() async {
    await #expect(processExitsWith: .success) {
      let owners = (0..<100).map { Part($0, $0) }
      var friends: [Part] = owners.map { Part(-1, $0.number) }
      for (owner, friend) in zip(owners, friends) {
        owner.friend = friend
        _ = owner.observe(\.friend).subscribe()
        _ = owner.observe(\.deep).subscribe()
      }
      let last = friends.map { DelayedErrand(.drop(LastReference($0))) }
      friends = []
      let others = OtherThreads(1)
      others.together([last])
      others.stop()
      #expect(owners.allSatisfy { $0.friend == nil })
      #expect(trackingCount == 0, "trackingCount is \(trackingCount), with nothing to track")
    }
  }
}
