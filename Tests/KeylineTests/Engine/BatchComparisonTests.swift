import Keyline
import TestSupport
import Testing

/// Values that are compared at the end of a batch.
@Suite struct BatchComparisonTests {
  final class Sum: ReactiveObject {
    @Observed var a = 0
    @Observed var b = 0
    @Derived({ (self: Sum) in self.a + self.b }) var sum: Int
  }

  /// D5: the value is compared with the last delivered value, not with values read in between.
  @Test("D5: A value that is back after a subscription in the batch is not emitted again")
  func d5AValueThatIsBackAfterASubscriptionInTheBatchIsNotEmittedAgain() {
    let sum = Sum()
    let (fresh, known) = (Log<Int>(), Log<Int>())
    batchUpdates {
      fresh.follow(sum.observe(\.sum))
      sum.a = 1
      #expect(sum.sum == 1)
      sum.b = -1
      #expect(sum.sum == 0)
    }
    fresh.expect([0])
    batchUpdates {
      sum.a = 5
      known.follow(sum.observe(\.sum))
      sum.a = 9
      #expect(sum.sum == 8)
      sum.a = 5
    }
    // Whether the batch delivers the value again that the observer has received in it is left open (D36).
    #expect(Set(known.take()) == [4])
    // The other one joined before, and the value is another one than it has received.
    fresh.expect([4])
    sum.a = 6
    #expect(known.take() == [5] && fresh.take() == [5])
  }

  /// D31: also behind two layers of optionals.
  @Test("D31: An object in two optionals that is set to itself counts as not set")
  func d31AnObjectInTwoOptionalsThatIsSetToItselfCountsAsNotSet() {
    final class Nested: ReactiveObject {
      @Observed var object: Sum??
      var isThere: Bool { object.flatMap { $0 } != nil }
    }
    for value in [Sum(), .some(.none), .none] as [Sum??] {
      let nested = Nested()
      nested.object = value
      let (sets, computed) = (Log<Void>(), Log<Bool>())
      sets.follow(nested.observe(\.object, options: .new).map { _ in })
      computed.follow(nested.observe(\.isThere, options: .new))
      batchUpdates { nested.object = nested.object }
      batchUpdates {
        let former = nested.object
        nested.object = Sum()
        nested.object = former
      }
      #expect(sets.take().count == 0)
      _ = computed.take()
      batchUpdates { nested.object = Sum() }
      #expect(sets.take().count == 1 && computed.take().count == 1)
      // Not the same: nil in an optional, and no optional.
      batchUpdates { nested.object = .some(.none) }
      batchUpdates { nested.object = .none }
      #expect(sets.take().count == 2 && computed.take().count == 2)
    }
  }
}
