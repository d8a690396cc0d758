import Keyline
import Testing

/// Which end of a two-way binding wins if something else has set the other one.
@Suite struct AgreementTests {
  final class Model: ReactiveObject {
    @Observed var number = 1
  }

  let model = Model()

  /// D38: the set of the source has been brought to the target already when an observer of that
  /// sets it again.
  @Test func anObserverMaySetTheTargetWhileTheBatchThatSetTheSourceIsDelivered() {
    let other = Model()
    model.bind(\.number, to: other, \.number, mode: .twoWay)
    _ = other.observe(\.number, options: .new).filter { $0 == 20 }.subscribe(onNext: { _ in
      other.number = 3
    })
    batchUpdates {
      other.number = 20
      model.number = 22
    }
    #expect((model.number, other.number) == (3, 3))
  }

  /// D31: the source is back at the value before the batch, so that this is not delivered.
  @Test func b3TheEndsAgreeAfterABatchInAnObserverHasSetTheSourceBack() {
    let other = Model()
    _ = other.observe(\.number).filter { $0 == 10 }.subscribe(onNext: { [model] _ in
      batchUpdates { model.number = 1 }
    })
    model.bind(\.number, to: other, \.number, mode: .twoWay)
    batchUpdates {
      other.number = 3
      model.number = 10
    }
    #expect((model.number, other.number) == (1, 1))
  }

  @Test func b3TheEndsAgreeIfTheTargetIsSetBackInTheBatchThatHasBoundIt() {
    let other = Model()
    other.number = 4
    batchUpdates {
      model.bind(\.number, to: other, \.number, mode: .twoWay)
      other.number = 4
    }
    #expect((model.number, other.number) == (4, 4))
  }

  @Test func twoBindingsBetweenTheSameEndsDoNotBounce() {
    let halves = BindingConverter<Int, Int>(forward: { $0 / 2 }, backward: { $0 * 2 })
    let other = Model()
    for _ in 0..<2 { model.bind(\.number, to: other, \.number, mode: .twoWay, converter: halves) }
    model.number = 5
    #expect((model.number, other.number) == (5, 2))
    batchUpdates { model.number = 7 }
    #expect((model.number, other.number) == (7, 3))
    other.number = 4
    #expect((model.number, other.number) == (8, 4))
  }

  /// However often they set each other, that is one mistake.
  @Test func twoBindingsThatExcludeEachOtherAreReportedOncePerScope() {
    final class Counter: ReactiveObject {
      @Observed var count = 0
    }
    Reports.collect()
    let (one, other) = (Counter(), Counter())
    let successor = BindingConverter<Int, Int>(forward: { $0 + 1 }, backward: { $0 - 1 })
    one.bind(\.count, to: other, \.count, mode: .twoWay)
    one.bind(\.count, to: other, \.count, mode: .twoWay, converter: successor)
    for scope in 1...2 {
      let reports = Reports.of(.bindingRounds).filter { $0.message.contains("Counter.count and") }
      #expect(reports.count == scope)
      one.count = 7
    }
  }
}
