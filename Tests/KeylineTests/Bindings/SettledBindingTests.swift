import Keyline
import TestSupport
import Testing

/// When bindings write (P4, B6): a binding of plain stored properties writes at once, like an
/// observer of them; a chain as source is a settled computation; a chain as target follows
/// replacements when the transaction settles.
@Suite struct SettledBindingTests {
  private final class Output: ReactiveObject {
    @Observed var gain: Int
    init(_ gain: Int = 0) { self.gain = gain }
  }

  private final class Player: ReactiveObject {
    @Observed var output: Output?
    @Observed var volume = 0
    @Observed var trigger = 0
    init(_ output: Output? = nil) { self.output = output }
  }

  private let player = Player(Output(1))
  private let row = Player()

  /// Calls `body` in an observer of a stored property.
  private func inObserver(_ body: @escaping () -> Void) {
    let trigger = Player()
    let subscription = trigger.observe(\.trigger, options: .new).subscribe(onNext: { _ in body() })
    trigger.trigger = 1
    subscription.dispose()
  }

  @Test(
    "P1: A binding of plain properties writes at once in its place among the observers",
    arguments: [BindingMode.oneWay, .twoWay])
  func p1ABindingOfPlainPropertiesWritesAtOnceInItsPlaceAmongTheObservers(mode: BindingMode) {
    var order: [String] = []
    let observe = { [player] (name: String) in
      player.observe(\.volume, options: .new).subscribe(onNext: { order.append("\(name) \($0)") })
    }
    var subscriptions = [observe("first")]
    player.bind(\.volume, to: row, \.volume, mode: mode)
    subscriptions.append(observe("last"))
    subscriptions.append(
      row.observe(\.volume, options: .new).subscribe(onNext: { order.append("target \($0)") }))
    player.volume = 1
    #expect(order == ["first 1", "target 1", "last 1"])
    let values = Log<Int>()
    values.follow(row.observe(\.volume, options: .new))
    inObserver { [player, row] in
      player.volume = 2
      #expect(row.volume == 2)
      player.volume = 3
      #expect(row.volume == 3)
    }
    // Every set is one.
    values.expect([2, 3])
    for subscription in subscriptions { subscription.dispose() }
  }

  @Test(
    "P4: A chain as source writes once per transaction", arguments: [BindingMode.oneWay, .twoWay])
  func p4AChainAsSourceWritesOncePerTransaction(mode: BindingMode) {
    player.bind({ $0.output.gain }, to: row, \.volume, mode: mode)
    let values = Log<Int>()
    values.follow(row.observe(\.volume, options: .new))
    inObserver { [player, row] in
      player.output?.gain = 2
      player.output?.gain = 3
      player.output = Output(4)
      player.output?.gain = 5
      #expect(row.volume == 1)
    }
    #expect(values.take() == [5] && row.volume == 5)
    inObserver { [player] in
      player.output = nil
      player.output = Output(6)
    }
    values.expect([6])
  }

  @Test("P4: A write by the binding of a chain settles in the same transaction")
  func p4WhatABindingOfAChainWritesIsSettledInTheSameTransaction() {
    let values = Log<Int?>()
    row.output = Output(0)
    row.bind(\.volume, to: row, { $0.output.gain })
    player.bind({ $0.output.gain }, to: row, \.volume)
    values.follow(row.observeWeakly(options: .new) { $0.output.gain })
    player.output?.gain = 2
    #expect(values.take() == [2] && row.output?.gain == 2)
    player.output = Output(3)
    #expect(values.take() == [3] && row.output?.gain == 3)
  }

  @Test(
    "B6: A write after a replacement in one transaction reaches the new leaf only",
    arguments: [BindingMode.oneWay, .twoWay])
  func b6AWriteAfterAReplacementInOneTransactionReachesTheNewLeafOnly(mode: BindingMode) {
    let (first, second) = (Output(1), Output(2))
    player.output = first
    row.bind(\.volume, to: player, { $0.output.gain }, mode: mode)
    row.volume = 7
    #expect(first.gain == 7)
    let left = Log<Int>()
    left.follow(first.observe(\.gain, options: .new))
    inObserver { [player, row] in
      player.output = second
      row.volume = 8
    }
    #expect(left.take() == [] && first.gain == 7)
    #expect(second.gain == 8 && row.volume == 8)
    batchUpdates {
      row.volume = 9
      player.output = first
    }
    #expect(second.gain == 8 && first.gain == 9 && row.volume == 9)
  }

  @Test("B6: A chain as target follows when the transaction settles")
  func b6AChainAsTargetFollowsWhenTheTransactionSettles() {
    let (passing, last) = (Output(1), Output(2))
    row.volume = 7
    row.bind(\.volume, to: player, { $0.output.gain })
    let written = Log<Int>()
    written.follow(passing.observe(\.gain, options: .new))
    inObserver { [player] in
      player.output = passing
      player.output = last
      #expect(last.gain == 2)
    }
    // A leaf that is left in the same transaction is not written.
    #expect(written.take() == [] && passing.gain == 1)
    #expect(last.gain == 7)
  }

  @Test("B3: Both ends of a chain both ways set in one observer agree", arguments: [false, true])
  func b3BothEndsOfAChainBothWaysSetInOneObserverAgree(isChainLast: Bool) {
    player.bind({ $0.output.gain }, to: row, \.volume, mode: .twoWay)
    inObserver { [player, row] in
      if isChainLast { row.volume = 20 }
      player.output?.gain = 10
      if !isChainLast { row.volume = 20 }
    }
    #expect(player.output?.gain == row.volume)
    #expect([10, 20].contains(row.volume))
    row.volume = 30
    #expect(player.output?.gain == 30)
    player.output?.gain = 40
    #expect(row.volume == 40)
  }
}
