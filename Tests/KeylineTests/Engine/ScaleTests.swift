import Dispatch
import Foundation
import Keyline
import Synchronization
import TestSupport
import Testing

/// Depths and numbers: flat stacks, and costs that grow no faster than the number of items.
@Suite(.serialized) struct ScaleTests {
  final class Link: ReactiveObject { @Observed var value = 0 }

  /// Each death releases the next object, whose death is observed, too. In a process of its own, on a
  /// thread with as little stack as the system's pools have.
  @Test("A cascade of twenty thousand deaths takes no more stack")
  func aCascadeOfTwentyThousandDeathsTakesNoMoreStack() async {
    await #expect(processExitsWith: .success) {
      LinkedBindingTests.onThread(stackSize: 512 << 10) {
        let count = 20_000
        final class Kept {
          var links: [Link?] = []

          /// The object is released when the access to the list has ended.
          func release(_ index: Int) {
            let released = links[index]
            links[index] = nil
            withExtendedLifetime(released) {}
          }
        }
        let kept = Kept()
        kept.links = (0..<count).map { _ in Link() }
        let log = Log<Int>()
        for index in kept.links.indices {
          _ = kept.links[index]?.deallocating.subscribe(onNext: {
            log.elements.append(index)
            if index + 1 < count { kept.release(index + 1) }
          })
        }
        kept.release(0)
        #expect(log.elements == Array(0..<count))
        #expect(kept.links.allSatisfy { $0 == nil })
      }
    }
  }

  /// As above, where an object's own completion releases the next.
  @Test("A cascade of twenty thousand completions takes no more stack")
  func aCascadeOfTwentyThousandCompletionsTakesNoMoreStack() async {
    await #expect(processExitsWith: .success) {
      LinkedBindingTests.onThread(stackSize: 512 << 10) {
        let count = 20_000
        final class Kept {
          var links: [Link?] = []

          /// The object is released when the access to the list has ended.
          func release(_ index: Int) {
            let released = links[index]
            links[index] = nil
            withExtendedLifetime(released) {}
          }
        }
        let kept = Kept()
        kept.links = (0..<count).map { _ in Link() }
        let log = Log<Int>()
        for index in kept.links.indices {
          _ = kept.links[index]?.observe(\.value).subscribe(onCompleted: {
            log.elements.append(index)
            if index + 1 < count { kept.release(index + 1) }
          })
        }
        kept.release(0)
        #expect(log.elements == Array(0..<count))
      }
    }
  }

  final class Row: ReactiveObject {
    @Observed var value = 0
    var previous: Row?
    @Derived({ (self: Row) in (self.previous?.sum ?? 0) + self.value }) var sum: Int
  }

  /// D19: the first read of a row recurses through its rules, in debug builds, too. On a thread with
  /// the stack of a main thread; afterwards 512 KB are enough.
  @Test("D19: Two thousand unread derived values in a row are read")
  func d19TwoThousandUnreadDerivedValuesInARowAreRead() async {
    await #expect(processExitsWith: .success) {
      LinkedBindingTests.onThread(stackSize: 8 << 20) {
        let rows = (0..<2_000).map { _ in Row() }
        for (row, next) in zip(rows, rows.dropFirst()) { next.previous = row }
        rows[0].value = 1
        #expect(rows[1_999].sum == 1)
        // Proof of nonisolated(unsafe): used on one thread after the other.
        nonisolated(unsafe) let read = rows
        LinkedBindingTests.onThread(stackSize: 512 << 10) {
          read[0].value = 2
          #expect(read[1_999].sum == 2)
          let log = Log<Int>()
          log.follow(read[1_999].observe(\.sum))
          read[0].value = 3
          log.expect([2, 3])
        }
        // Released from the last one on, one by one.
        for row in rows.reversed() { row.previous = nil }
      }
    }
  }

  // MARK: Scaling

  /// `large` does `factor` times as much as `small`. Linear work takes `factor` times as long, quadratic work
  /// its square; expected is less than four times linear. Whatever else the machine does disturbs some runs,
  /// but not all: the shortest of each are compared, until they show that the work is linear.
  private func expectLinear(
    factor: Int, small: () -> Duration, large: () -> Duration,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var shortest = (small: small(), large: large())
    for _ in 0..<40 where shortest.large >= shortest.small * (4 * factor) {
      shortest.large = min(shortest.large, large())
    }
    #expect(
      shortest.large < shortest.small * (4 * factor),
      "\(shortest.small) and \(shortest.large)", sourceLocation: sourceLocation)
  }

  @Test("Rules on one property are disposed in linear time", arguments: [false, true])
  func rulesOnOnePropertyAreDisposedInLinearTime(isReversed: Bool) {
    func duration(_ count: Int) -> Duration {
      let link = Link()
      let rules = (0..<count).map { _ in link.validate(\.value) { _, _ in .valid } }
      let order = isReversed ? Array(rules.reversed()) : rules
      let duration = ContinuousClock().measure { for rule in order { rule.dispose() } }
      link.value = 1
      #expect(rules.allSatisfy(\.isDisposed) && link.value == 1)
      return duration
    }
    expectLinear(factor: 16, small: { duration(250) }, large: { duration(4_000) })
  }

  /// One that is disposed while others stay costs the same, however many there are.
  final class Replacing: ReactiveObject {
    @Observed var number = 0
    @Derived({ (self: Replacing) in self.number }) var derived: Int

    func replace() { _derived = Derived({ (self: Replacing) in self.number }) }
  }

  @Test("A DerivedProperty is replaced in constant time")
  func aDerivedPropertyIsReplacedInConstantTime() {
    func duration(_ count: Int) -> Duration {
      let object = Replacing()
      return ContinuousClock().measure {
        for number in 1...count {
          object.replace()
          _ = object.derived
          object.number = number
        }
      }
    }
    expectLinear(factor: 16, small: { duration(100) }, large: { duration(1_600) })
  }

  @Test("A rule among many is made and disposed in constant time")
  func aRuleAmongManyIsMadeAndDisposedInConstantTime() {
    func duration(among count: Int) -> Duration {
      let link = Link()
      let rules = (0..<count).map { _ in link.validate(\.value) { _, _ in .valid } }
      let duration = ContinuousClock().measure {
        for _ in 0..<500 { link.validate(\.value) { _, _ in .valid }.dispose() }
      }
      rules.forEach { $0.dispose() }
      return duration
    }
    // A factor of 16 in the number of the others, and the same work.
    expectLinear(factor: 1, small: { duration(among: 250) }, large: { duration(among: 4_000) })
  }

  /// Threads that have used the library, and live.
  private final class Crowd {
    private let isOver = DispatchSemaphore(value: 0)
    private let count: Int

    init(_ count: Int) {
      self.count = count
      let isReady = DispatchSemaphore(value: 0)
      for _ in 0..<count {
        let thread = Thread { [isOver] in
          let row = Row()
          row.value = 1
          withExtendedLifetime(row.observe(\.sum).subscribe()) {
            row.value = 2
            #expect(row.sum == 2)
            isReady.signal()
            isOver.wait()
          }
        }
        thread.stackSize = 128 << 10
        thread.start()
      }
      for _ in 0..<count { isReady.wait() }
    }

    func leave() { for _ in 0..<count { isOver.signal() } }
  }

  @Test("The death of an object with derived values costs the same however many threads live")
  func theDeathOfAnObjectWithDerivedValuesCostsTheSameHoweverManyThreadsLive() {
    func duration() -> Duration {
      let rows = Guarded((0..<500).map { _ in Row() })
      rows.withLock { for row in $0 { _ = row.sum } }
      return ContinuousClock().measure { rows.withLock { $0.removeAll() } }
    }
    let few = (0..<5).map { _ in duration() }.min()!
    let crowd = Crowd(1_000)
    let many = (0..<5).map { _ in duration() }.min()!
    crowd.leave()
    #expect(many < few * 4, "\(few) and \(many)")
  }
}
