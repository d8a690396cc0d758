import Keyline
import TestSupport
import Testing

/// Arrays that are edited, or that die, while another thread disposes their observers, or drops the
/// last reference to a view (P6, D23).
///
/// Each test runs in a process of its own, because a fault may end the process; the journal of that
/// process then shows the round, and the crash text.
@Suite(.serialized) struct EditedArrayConcurrencyTests {
  @Test("P6: Observers of elements are disposed on other threads while the array is edited")
  func elements() async {
    let journal = Journal()
    let result = await #expect(processExitsWith: .success) { [journal = journal as Journal] in
      let others = OtherThreads(2)
      var random = SplitMix(seed: 1)
      journal.repeated { round in
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

  @Test("D23: An array and its view die at the same time")
  func arrayAndView() async {
    let journal = Journal()
    let result = await #expect(processExitsWith: .success) { [journal = journal as Journal] in
      let others = OtherThreads(1)
      var random = SplitMix(seed: 1)
      journal.repeated { round in
        let kind = ViewKind.allCases[round % ViewKind.allCases.count]
        var array: ObservableArray<Part>? = ObservableArray((0..<4).map { Part($0, $0) })
        var view = array.map { kind.make(of: $0) }
        weak let (weakArray, weakView) = (array, view)
        let records = (0..<2).map { ThreadRecord("\(kind) \($0)") }
        for record in records { _ = view.map { record.follow($0.changes) { $0.count } } }
        let last = LastReference(round.isMultiple(of: 3) ? array.take()! : view.take()!)
        others.together([[DelayedErrand(.drop(last), after: random.number(0..<500))]]) {
          (array, view) = (nil, nil)
        }
        #expect(weakArray == nil && weakView == nil, "\(kind), round \(round)")
        for record in records {
          #expect(record.completions == 1, "\(record.name): \(record.completions) completions")
          #expect(record.isReleased && record.faults == [], "\(record.name): \(record.faults)")
        }
      }
      others.stop()
    }
    journal.finish(after: result)
  }
}
