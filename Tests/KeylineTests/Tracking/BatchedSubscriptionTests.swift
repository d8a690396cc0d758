import Keyline
import Testing

/// Law D36 of batches: subscriptions that are made in between.
@Suite struct BatchedSubscriptionTests {
  @Test func d36WhoJoinsInBetweenReceivesWhatTheBatchRestores() {
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
    #expect(late.take() == ["Bob", "Ada"] && changes.take() == ["Ada"] && left.take() == ["Bob"])
    batchUpdates {
      person.name = "Bob"
      person.name = "Ada"
      late.follow(person.observe(\.name))
    }
    person.name = "Eve"
    #expect(late.take() == ["Ada", "Eve", "Eve"] && changes.take() == ["Eve"])
  }
}
