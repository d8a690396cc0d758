import Synchronization
import TestSupport
import Testing

@testable import Keyline

/// What the domain is doing when another thread disposes, or drops the last reference to an object:
/// edits of arrays, and the deaths of both ends of a weak property.
///
/// Each test runs in a process of its own, because a fault may end the process; the journal of that
/// process then shows the round, and the crash text.
@Suite(.serialized) struct CollisionConcurrencyTests {
  private static let rounds = RandomPrograms.count(300, optimised: 3_000)

  @Test("P6: Observers of elements are disposed on other threads while the array is edited")
  func elements() async {
    let journal = Journal()
    let result = await #expect(processExitsWith: .success) { [journal = journal as Journal] in
      journal.begin()
      let others = OtherThreads(2)
      var random = SplitMix(seed: 1)
      for round in 0..<Self.rounds {
        journal.replace(by: "round \(round)\n")
        let array = ObservableArray((0..<4).map { Part($0, $0) })
        let records = (0..<3).map { ThreadRecord("observer \($0)") }
        let subscriptions = records.map { record in
          record.follow(array.observeElements(\.number)) { $0.value }
        }
        let errands = subscriptions[1...].map {
          [DelayedErrand(.dispose($0), after: random.number(0..<2_000))]
        }
        // Elements come and die here while their observers are disposed.
        others.together(errands) {
          for step in 0..<3 {
            if step == round % 3 { array.removeAll() } else { array.removeFirst() }
            array.append(contentsOf: [Part(10 + step, 10 + step), Part(20 + step, 20 + step)])
            array[0].number = 100 + step
          }
        }
        // The first one has received everything, and the others receive nothing more.
        let values = records[0].values.compactMap { $0 }
        #expect(Set(array.elements.map(\.number)).isSubset(of: values), "round \(round)")
        subscriptions[0].dispose()
        let counts = records.map(\.values.count)
        for part in array { part.number += 1 }
        #expect(records.map(\.values.count) == counts, "round \(round)")
        for record in records {
          #expect(record.disposals == 1 && record.isReleased, "\(record.name), round \(round)")
          #expect(record.faults == [], "\(record.faults)")
        }
      }
      others.stop()
    }
    journal.finish(after: result)
  }

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
    }

    static func take(_ parts: inout [Part?]) -> [DelayedErrand] {
      parts.indices.map { DelayedErrand(.drop(LastReference(parts[$0].take()!))) }
    }
  }

  @Test("D23: The last references to parts and to their friends are dropped at the same time")
  func bothEndsOfAWeakProperty() async {
    let journal = Journal()
    let result = await #expect(processExitsWith: .success) { [journal = journal as Journal] in
      journal.begin()
      let others = OtherThreads(1)
      for round in 0..<Self.rounds / 5 {
        journal.replace(by: "round \(round)\n")
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
        for record in pairs.records {
          #expect(record.completions == 1, "\(record.name), \(record.completions) completions")
          #expect(record.isReleased && record.faults == [], "\(record.name) \(record.faults)")
        }
      }
      others.stop()
      #expect(trackingCount == 0)
    }
    journal.finish(after: result)
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
