import Dispatch
import Keyline
import Synchronization
import TestSupport
import Testing

@testable import KeylineCore

/// Law D41: a batch is its thread's own.
@Suite struct BatchConcurrencyTests {
  @Test("D41: A set on another thread is in no batch") func d41ASetOnAnotherThreadIsInNoBatch() {
    let received = SharedLog<String>()
    let person = Person("Ada")
    let own = Log<String>()
    own.follow(person.observe(\.name, options: .new))
    batchUpdates {
      person.name = "Bob"
      onAnotherThread {
        let other = Person("Kim")
        let subscription = other.observe(\.name).subscribe(onNext: received.append)
        other.name = "Eve"
        other.name = "Joe"
        subscription.dispose()
      }
      #expect(received.all == ["Kim", "Eve", "Joe"])
      #expect(own.elements == [])
    }
    own.expect(["Bob"])
  }

  @Test("D41: Threads batch objects of their own") func d41ThreadsBatchObjectsOfTheirOwn() {
    let failures = Atomic<Int>(0)
    onThreads(8) { _ in
      let person = Person()
      let labels = Log<String>()
      labels.follow(person.observe(\.label, options: .new))
      for round in 0..<200 {
        let city = City("\(round)")
        batchUpdates {
          person.name = "\(round)"
          person.address = Address(city: city)
          city.name += "!"
        }
      }
      let expected = (0..<200).map { "\($0), \($0)!" }
      if labels.take() != expected { failures.add(1, ordering: .relaxed) }
    }
    #expect(failures.load(ordering: .relaxed) == 0)
  }
}
