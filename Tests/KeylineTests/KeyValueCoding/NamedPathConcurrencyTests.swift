import Dispatch
import Keyline
import KeylineTest
import TestSupport
import Testing

/// Names on several threads: property tables are made there, and subscriptions are disposed there.
@Suite struct NamedPathConcurrencyTests {
  class First: ReactiveObject { @Observed var first = 0 }
  class Second<Value>: First { @Observed var second: Value? }
  final class Third: Second<Int> {
    @Observed var third = ""
    override class var registeredProperties: [RegisteredProperty] {
      [RegisteredProperty("second", \Third.second)]
    }
  }

  @Test("A class is learnt on all threads alike") func aClassIsLearntOnAllThreadsAlike() {
    let names = SharedLog<[String]>()
    let values = SharedLog<[Int]>()
    onThreads(8) { thread in
      let object = Third()
      let log = Log<Int>()
      if let numbers = try? object.observe(Int.self, "first") { log.follow(numbers) }
      for value in 1...100 { try? object.setValue(value * thread, forKey: "first") }
      names.append(Third.properties.map(\.name))
      values.append(log.elements.map { thread == 0 ? $0 : $0 / thread })
    }
    #expect(names.all == Array(repeating: ["first", "second", "third"], count: 8))
    let expected = values.all.map {
      $0.last == 0 ? Array(repeating: 0, count: 101) : Array(0...100)
    }
    #expect(values.all == expected)
    #expect(values.all.count { $0.last == 0 } == 1)
  }

  @Test("Chains are disposed on other threads while the owner writes")
  func chainsAreDisposedOnOtherThreadsWhileTheOwnerWrites() throws {
    let person = Person()
    let tracker = LifetimeTracker()
    let log = Log<String?>()
    log.follow(try person.observeWeakly(String.self, "address.city.name"))
    let received = Guarded(0)
    let subscriptions = try (0..<800).map { _ in
      let token = tracker.track()
      return try person.observeWeakly(String.self, "address.city.name", options: .new)
        .subscribe(onNext: { _ in received.withLock { $0 = token.pass($0) + 1 } })
    }
    var round = 0
    var expected: [String?] = [nil]
    try whileDisposing(subscriptions) {
      round += 1
      person.address = Address(city: City("\(round)"))
      try person.setValue("\(round)!", forKeyPath: "address.city.name")
      expected += ["\(round)", "\(round)!"]
    }
    let before = received.withLock { $0 }
    person.address = nil
    #expect(received.withLock { $0 } == before)
    #expect(log.elements == expected + [nil])
    #expect(tracker.alive == 0)
  }
}
