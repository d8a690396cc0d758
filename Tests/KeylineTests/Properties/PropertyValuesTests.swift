import Keyline
import TestSupport
import Testing

/// Properties as asynchronous sequences.
@MainActor @Suite struct PropertyValuesTests {
  @Test("No change is lost between two calls of next") func noChangeIsLostBetweenTwoCallsOfNext()
    async
  {
    let person = Person()
    var ages = person.values(of: \.age).makeAsyncIterator()
    for age in 1...3 { person.age = age }
    #expect(await ages.next() == 0)
    #expect(await ages.next() == 1)
    person.age = 4
    #expect(await ages.next() == 2)
    #expect(await ages.next() == 3)
    #expect(await ages.next() == 4)
  }

  @Test("The latest is enough for some") func theLatestIsEnoughForSome() async {
    let person = Person()
    var ages = person.values(of: \.age, buffering: .bufferingNewest(1)).makeAsyncIterator()
    for age in 1...3 { person.age = age }
    #expect(await ages.next() == 3)
    person.age = 4
    #expect(await ages.next() == 4)
  }

  @Test("The oldest are enough for others") func theOldestAreEnoughForOthers() async {
    let person = Person()
    var ages = person.values(of: \.age, buffering: .bufferingOldest(2)).makeAsyncIterator()
    for age in 1...3 { person.age = age }
    #expect(await ages.next() == 0)
    #expect(await ages.next() == 1)
  }

  @Test("It ends with the object, after the waiting values")
  func itEndsWithTheObjectAfterWhatWasWaiting() async {
    weak var object: Person?
    let labels: AsyncStream<String>
    do {
      let person = Person("Ada")
      object = person
      labels = person.values(of: \.label)
      person.name = "Bea"
    }
    #expect(object == nil)
    var all: [String] = []
    for await label in labels { all.append(label) }
    #expect(all == ["Ada, —", "Bea, —"])
  }

  @Test("Cancellation ends the loop and the observation")
  func cancellationEndsTheLoopAndTheObservation() async {
    let person = Person("Ada")
    let stream = person.values(of: \.age)
    let task = Task {
      var all: [Int] = []
      for await age in stream {
        all.append(age)
        if age == 2 { withUnsafeCurrentTask { $0?.cancel() } }
        person.age += 1
      }
      return all
    }
    // Buffered elements are still delivered.
    #expect(await task.value == [0, 1, 2, 3])
    #expect(person.age == 4)
    var rest = stream.makeAsyncIterator()
    person.age = 9
    #expect(await rest.next() == nil)
  }
}
