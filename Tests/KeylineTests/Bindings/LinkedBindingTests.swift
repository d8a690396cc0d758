import Foundation
import Keyline
import KeylineTest
import TestSupport
import Testing

/// Rows and rings of bindings, and targets that die in a delivery.
@Suite struct LinkedBindingTests {
  final class Link: ReactiveObject { @Observed var number = 0 }

  /// Without optimisation a binding takes half a millisecond to make.
  static var long: Int {
    #if DEBUG
      4_000
    #else
      100_000
    #endif
  }

  static func row(_ count: Int, mode: BindingMode?) -> [Link] {
    let links = (0..<count).map { _ in Link() }
    for (link, next) in zip(links, links.dropFirst()) {
      if let mode {
        link.bind(\.number, to: next, \.number, mode: mode)
      } else {
        link.bind(\.number, to: next, \.number)
      }
    }
    return links
  }

  /// Values set at the head, including those set during a delivery, reach the tail in order.
  static func expectOrder(
    in links: [Link], isBothWays: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard let head = links.first, let tail = links.last else { return }
    let log = Log<Int>()
    log.follow(tail.observe(\.number, options: .new))
    let nested = head.observe(\.number, options: .new).filter { $0 == 2 }
      .subscribe(onNext: { [unowned head] _ in
        head.number = 3
        head.number = 4
      })
    for number in [1, 2, 5] { head.number = number }
    nested.dispose()
    if isBothWays {
      // Values set during a delivery may be skipped, except for the last one; no earlier value
      // arrives after it.
      #expect(log.elements == log.elements.sorted(), sourceLocation: sourceLocation)
      #expect(log.elements.suffix(2) == [4, 5], sourceLocation: sourceLocation)
    } else {
      #expect(log.elements == [1, 2, 3, 4, 5], sourceLocation: sourceLocation)
    }
    #expect(links.allSatisfy { $0.number == 5 }, sourceLocation: sourceLocation)
  }

  static func expectOrderBackwards(
    in links: [Link], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard let head = links.first, let tail = links.last else { return }
    let log = Log<Int>()
    log.follow(head.observe(\.number, options: .new))
    for number in [6, 7, 8] { tail.number = number }
    #expect(log.elements == [6, 7, 8], sourceLocation: sourceLocation)
    #expect(links.allSatisfy { $0.number == 8 }, sourceLocation: sourceLocation)
  }

  /// Runs `body` on a thread with a stack of `size` bytes.
  static func onThread(stackSize size: Int, _ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      body()
      done.signal()
    }
    thread.stackSize = size
    thread.start()
    done.wait()
  }

  @Test(
    "Short rows keep the order", arguments: [2, 63, 64, 65, 66, 129, rounds(300, optimised: 1_000)])
  func shortRowsKeepTheOrder(count: Int) {
    Self.expectOrder(in: Self.row(count, mode: nil))
    Self.expectOrder(in: Self.row(count, mode: .oneWay))
    let links = Self.row(count, mode: .twoWay)
    Self.expectOrder(in: links, isBothWays: true)
    Self.expectOrderBackwards(in: links)
  }

  // Processes of their own: the probe that other tests install has frames on the stack, too.

  @Test("B9: A long row of simple bindings") func aLongRowOfSimpleBindings() async {
    await #expect(processExitsWith: .success) {
      LinkedBindingTests.onThread(stackSize: 512 << 10) {
        LinkedBindingTests.expectOrder(
          in: LinkedBindingTests.row(LinkedBindingTests.long, mode: nil))
      }
    }
  }

  @Test("A long row of bindings one way") func aLongRowOfBindingsOneWay() async {
    await #expect(processExitsWith: .success) {
      LinkedBindingTests.onThread(stackSize: 512 << 10) {
        LinkedBindingTests.expectOrder(
          in: LinkedBindingTests.row(LinkedBindingTests.long, mode: .oneWay))
      }
    }
  }

  @Test("A long row of bindings both ways") func aLongRowOfBindingsBothWays() async {
    await #expect(processExitsWith: .success) {
      LinkedBindingTests.onThread(stackSize: 512 << 10) {
        let links = LinkedBindingTests.row(LinkedBindingTests.long, mode: .twoWay)
        LinkedBindingTests.expectOrder(in: links, isBothWays: true)
        LinkedBindingTests.expectOrderBackwards(in: links)
      }
    }
  }

  /// Computed values settle after the whole row has been written.
  @Test("A long row settles once at its end") func aLongRowSettlesOnceAtItsEnd() {
    let links = Self.row(1000, mode: nil)
    guard let head = links.first, let tail = links.last else { return }
    final class Ends: ReactiveObject {
      @Observed var head: Link?
      @Observed var tail: Link?
      var both: [Int] { [head?.number ?? -1, tail?.number ?? -1] }
    }
    let (ends, log) = (Ends(), Log<[Int]>())
    ends.head = head
    ends.tail = tail
    log.follow(ends.observe(\.both))
    head.number = 1
    head.number = 2
    log.expect([[0, 0], [1, 1], [2, 2]])
    withExtendedLifetime(links) {}
  }

  @Test("A ring of bindings both ways converges", arguments: [3, 60, 100])
  func aRingOfBindingsBothWaysConverges(count: Int) {
    let links = Self.row(count, mode: .twoWay)
    links[count - 1].bind(\.number, to: links[0], \.number, mode: .twoWay)
    let logs = links.map { _ in Log<Int>() }
    for (log, link) in zip(logs, links) { log.follow(link.observe(\.number, options: .new)) }
    for (number, index) in [0, 1, count / 2, count - 1].enumerated() {
      links[index].number = number + 1
      #expect(links.allSatisfy { $0.number == number + 1 })
    }
    // A value set inside a delivery wins.
    _ = links[1].observe(\.number, options: .new).filter { $0 == 10 }
      .subscribe(onNext: { _ in links[1].number = 11 })
    links[0].number = 10
    #expect(links.allSatisfy { $0.number == 11 })
    // Bounded: each set is delivered once or twice to each link.
    #expect(logs.allSatisfy { $0.elements.count <= 2 * 6 })
    #expect(logs.allSatisfy { $0.elements.last == 11 })
  }

  // MARK: Death in a delivery

  enum Order: CaseIterable { case before, after }

  @Test(
    "A target dies inside the delivery", arguments: [BindingMode?.none, .oneWay, .twoWay],
    Order.allCases)
  func aTargetDiesInsideTheDelivery(mode: BindingMode?, order: Order) {
    let source = Link()
    var target: Link? = Link()
    weak let weakTarget = target
    let log = Log<Int>()
    let kill = {
      _ = source.observe(\.number, options: .new).subscribe(onNext: {
        if $0 == 1 { target = nil }
      })
    }
    if order == .before { kill() }
    let binding: PropertyBinding? = target.map { target in
      log.follow(target.observe(\.number, options: .new))
      return mode.map { source.bind(\.number, to: target, \.number, mode: $0) }
        ?? source.bind(\.number, to: target, \.number)
    }
    if order == .after { kill() }
    _ = log.take()
    source.number = 1
    #expect(weakTarget == nil)
    log.expect((order == .before ? [] : [1]))
    #expect(log.isCompleted)
    #expect(binding.map(Self.hasLostTarget) == true)
    source.number = 2
    #expect(source.number == 2)
  }

  private static func hasLostTarget(_ binding: PropertyBinding) -> Bool {
    if case .targetDied = binding.endReason { true } else { false }
  }

  /// Its own observer releases the last reference, while the binding writes to it.
  @Test("A target dies inside its own delivery", arguments: [BindingMode?.none, .oneWay, .twoWay])
  func aTargetDiesInsideItsOwnDelivery(mode: BindingMode?) {
    let source = Link()
    var target: Link? = Link()
    weak let weakTarget = target
    let binding: PropertyBinding? = target.map { target in
      mode.map { source.bind(\.number, to: target, \.number, mode: $0) }
        ?? source.bind(\.number, to: target, \.number)
    }
    _ = target?.observe(\.number, options: .new).subscribe(onNext: { _ in target = nil })
    source.number = 1
    #expect(weakTarget == nil)
    #expect(binding.map(Self.hasLostTarget) == true)
    source.number = 2
    #expect(source.number == 2)
  }

  /// A ring of bindings stops after so many rounds, whether it fits into the stack or not.
  @Test("A ring stops at the limit", arguments: [2, 63, 64, 65, 100, 200])
  func aRingStopsAtTheLimit(count: Int) async {
    await #expect(processExitsWith: .success) { [count] in
      final class Bead: ReactiveObject { @Observed var n = 0 }
      let reports = SharedLog<Diagnostics.Report>()
      Diagnostics.handler = { reports.append($0) }
      Diagnostics.feedbackLimit = 100
      let ring = (0..<count).map { _ in Bead() }
      for index in ring.indices { ring[index].bind(\.n, to: ring[(index + 1) % count], \.n) }
      var deliveries = 0
      _ = ring[0].observe(\.n).subscribe(onNext: { _ in deliveries += 1 })
      // Closing the ring was the first time.
      #expect(reports.all.count == 1)
      deliveries = 0
      ring[count / 2].n = 9
      #expect((50...110).contains(deliveries))
      #expect(reports.all.count == 2)
      #expect(reports.all.allSatisfy { $0.description.contains("Bead") })
      #expect(ring.allSatisfy { $0.n == 9 })
    }
  }
}
