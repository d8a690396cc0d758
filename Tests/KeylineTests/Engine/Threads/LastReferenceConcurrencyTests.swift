import Foundation
import TestSupport
import Testing

@testable import Keyline

/// The last reference to an object is dropped on one thread, and at the same moment its observers are
/// disposed on others (P6, D23).
///
/// Each test runs in a process of its own, because a fault may end the process; the journal of that
/// process then shows the round, and the crash text.
@Suite(.serialized) struct LastReferenceConcurrencyTests {
  @Test("P6: An object dies on one thread while its observers are disposed on another")
  func observersOfANumber() async {
    let journal = Journal()
    let result = await #expect(processExitsWith: .success) { [journal = journal as Journal] in
      DeathRace.run(journal) { _ in Self.race(.number) }
    }
    journal.finish(after: result)
  }

  @Test("P6: An object dies on one thread while all kinds of observers are disposed on another")
  func observers() async {
    let journal = Journal()
    let result = await #expect(processExitsWith: .success) { [journal = journal as Journal] in
      let kinds = PartObservation.allCases
      DeathRace.run(journal) { Self.race(kinds[$0 % kinds.count]) }
    }
    journal.finish(after: result)
  }

  private static func race(_ observation: PartObservation) -> DeathRace {
    let (part, other) = (Part(1, 1), Part(0, 0))
    (part.next, part.friend) = (other, other)
    return DeathRace(of: part, survivors: [other]) { _ in
      let record = ThreadRecord("\(observation)", arrivesAnywhere: observation.arrivesAnywhere)
      return (record, observation.subscribe(to: part, record))
    }
  }

  @Test("P6: An end of bindings dies on one thread while they are disposed on another")
  func bindings() async {
    let journal = Journal()
    let result = await #expect(processExitsWith: .success) { [journal = journal as Journal] in
      let kinds = Connection.allCases
      DeathRace.run(journal) {
        Self.race(kinds[$0 % kinds.count], isSource: $0 / kinds.count % 2 == 0)
      }
      #expect(Part.foreignWrites.load(ordering: .relaxed) == 0)
    }
    journal.finish(after: result)
  }

  /// A part with bindings to, or from, eight others.
  private static func race(_ connection: Connection, isSource: Bool) -> DeathRace {
    let (part, friend) = (Part(1, 1), Part(0, 0))
    let others = (2..<10).map { Part($0, $0) }
    for part in others + [part] { part.friend = friend }
    return DeathRace(of: part, survivors: others + [friend]) { index in
      let ends = isSource ? (part, others[index]) : (others[index], part)
      let binding = FollowedBinding(connection, ends.0, ends.1)
      _ = binding.start()
      return (binding.record, binding.binding)
    }
  }

  @Test(
    "P6: An array dies on one thread while its view, or all that retains it, is disposed on another"
  )
  func views() async {
    let journal = Journal()
    let result = await #expect(processExitsWith: .success) { [journal = journal as Journal] in
      let kinds = ViewKind.allCases
      DeathRace.run(journal) { round in
        let array = ObservableArray((0..<4).map { Part($0, $0) })
        let view = kinds[round % kinds.count].make(of: array)
        return DeathRace(of: array, survivors: round.isMultiple(of: 2) ? [view] : []) { _ in
          let record = ThreadRecord("a view")
          return (record, record.follow(view.changes) { $0.count })
        }
      }
    }
    journal.finish(after: result)
  }

  @Test("P6: An array dies on one thread while observers of its elements are disposed on another")
  func elements() async {
    let journal = Journal()
    let result = await #expect(processExitsWith: .success) { [journal = journal as Journal] in
      DeathRace.run(journal) { _ in
        let parts = (0..<4).map { Part($0, $0) }
        let array = ObservableArray(parts)
        return DeathRace(of: array, survivors: parts) { _ in
          let record = ThreadRecord("elements")
          return (record, record.follow(array.observeElements(\.number)) { $0.value })
        }
      }
    }
    journal.finish(after: result)
  }

  @Test("P6: Objects die on other threads while the object dies whose values theirs have read")
  func readers() async {
    let journal = Journal()
    let result = await #expect(processExitsWith: .success) { [journal = journal as Journal] in
      let others = OtherThreads(2)
      journal.repeated { round in
        var read: Part? = Part(0, 0)
        var registered: [Weakly] = []
        let errands = (0..<2).map { _ in
          (1..<5).map { id in
            let reader = Part(id, id)
            reader.next = read
            _ = reader.deep
            // The dependencies stay until the next read.
            reader.next = nil
            registered.append(Weakly(object: reader.registration))
            return DelayedErrand(.drop(LastReference(reader)), after: round % 50)
          }
        }
        others.together(errands) { read = nil }
        #expect(registered.allSatisfy { $0.object == nil })
      }
      others.stop()
    }
    journal.finish(after: result)
  }

  private struct Weakly {
    weak var object: RegisteredObject?
  }
}
