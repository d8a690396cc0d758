import Keyline
import TestSupport
import Testing

/// Which end of a two-way binding wins if something else has set the other one.
@Suite struct AgreementTests {
  final class Model: ReactiveObject {
    @Observed var number = 1
  }

  let model = Model()

  /// D38: the set of the source has been brought to the target already when an observer of that
  /// sets it again.
  @Test("An observer may set the target while the batch that set the source is delivered")
  func anObserverMaySetTheTargetWhileTheBatchThatSetTheSourceIsDelivered() {
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
  @Test("B3: The ends agree after a batch in an observer has set the source back")
  func b3TheEndsAgreeAfterABatchInAnObserverHasSetTheSourceBack() {
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

  @Test("B3: The ends agree if the target is set back in the batch that has bound it")
  func b3TheEndsAgreeIfTheTargetIsSetBackInTheBatchThatHasBoundIt() {
    let other = Model()
    other.number = 4
    batchUpdates {
      model.bind(\.number, to: other, \.number, mode: .twoWay)
      other.number = 4
    }
    #expect((model.number, other.number) == (4, 4))
  }

  @Test("Two bindings between the same ends do not bounce")
  func twoBindingsBetweenTheSameEndsDoNotBounce() {
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

  @Test("Two bindings between the same ends agree if one is made in a batch")
  func twoBindingsBetweenTheSameEndsAgreeIfOneIsMadeInABatch() {
    Reports.collect()
    final class Pair: ReactiveObject {
      @Observed var left = 0
      @Observed var right = 0
    }
    let pair = Pair()
    pair.bind(\.left, to: pair, \.right, mode: .twoWay)
    batchUpdates {
      pair.bind(\.left, to: pair, \.right, mode: .twoWay)
      pair.right = 3
    }
    #expect((pair.left, pair.right) == (3, 3))
    #expect(Reports.of(.bindingRounds).allSatisfy { !$0.message.contains("Pair.left") })
  }

  /// The hop of both ends is back at its value after a batch, which is not delivered.
  @Test(
    "Two bindings between the same chains agree if one is made after a batch that restores their hop"
  ) func twoBindingsBetweenTheSameChainsAgreeIfOneIsMadeAfterABatchThatRestoresTheirHop() {
    Reports.collect()
    final class Holder: ReactiveObject {
      @Observed var held: Held?
    }
    final class Held: ReactiveObject {
      @Observed var left = 0
      @Observed var right = 0
    }
    let (holder, held) = (Holder(), Held())
    holder.held = held
    let writes = Log<Int>()
    holder.bind(
      { $0.held.left }, to: holder, { $0.held.right }, mode: .twoWay, converter: .identity)
    batchUpdates {
      holder.held = nil
      holder.held = held
    }
    writes.follow(held.observe(\.right, options: .new))
    holder.bind(
      { $0.held.left }, to: holder, { $0.held.right }, mode: .twoWay, converter: .identity)
    writes.expect([0])
    #expect(Reports.of(.bindingRounds).allSatisfy { !$0.message.contains("Held.left") })
  }

  /// However often they set each other, that is one mistake.
  @Test("Two bindings that exclude each other are reported once per scope")
  func twoBindingsThatExcludeEachOtherAreReportedOncePerScope() {
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
