import Keyline
import TestSupport
import Testing

/// Law D36 of batches: subscriptions that are made in between.
@Suite struct BatchedSubscriptionTests {
  /// The value delivered last equals the stored value; whether an equal value is delivered again at
  /// the end of the batch is left open.
  @Test func d36WhoJoinsInBetweenIsUpToDateAfterwards() {
    let person = Person("Ada")
    let names = Log<String>()
    names.follow(person.observe(\.name, options: .new))
    let (late, changes, left) = (Log<String>(), Log<String>(), Log<String>())
    batchUpdates {
      person.name = "Bob"
      late.follow(person.observe(\.name))
      changes.follow(person.observe(\.name, options: .new))
      left.follow(person.observe(\.name)).dispose()
      person.name = "Ada"
    }
    #expect(names.take() == [])
    #expect(late.take() == ["Bob", "Ada"] && left.take() == ["Bob"])
    #expect(changes.take() == ["Ada"])
    batchUpdates {
      person.name = "Bob"
      person.name = "Ada"
      late.follow(person.observe(\.name))
    }
    person.name = "Eve"
    // `late` stands for two observers, one of which has joined in the batch.
    let received = late.take()
    #expect(
      received == ["Ada", "Eve", "Eve"] || received == ["Ada", "Ada", "Eve", "Eve"],
      "\(received)")
    #expect(changes.take() == ["Eve"])
  }
}
