import Keyline
import TestSupport
import Testing

@testable import KeylineCore

/// Long paths, and many updates through them: neither takes more stack, nor leaves anything behind.
@Suite struct LongPathTests {
  final class Link: ReactiveObject {
    @Observed var next: Link?
    @Observed var value = 0
  }

  /// `count` links, each the next of the one before.
  private func links(_ count: Int) -> [Link] {
    let links = (0..<count).map { _ in Link() }
    for (link, next) in zip(links, links.dropFirst()) { link.next = next }
    return links
  }

  /// The value of the last of `count` links.
  private func leaf(_ count: Int) -> (inout ChainRoot<Link>) -> KeyPathChain<Link, Int> {
    { root in
      var chain = root.next
      for _ in 2..<count { chain = chain.next }
      return chain.value
    }
  }

  @Test("A path of a hundred hops follows each of them") func aPathOfAHundredHopsFollowsEachOfThem()
  {
    let links = links(100)
    let log = Log<Int?>()
    let subscription = log.follow(links[0].observeWeakly(leaf(100)))
    links[99].value = 1
    for index in stride(from: 98, through: 0, by: -7) {
      let branch = self.links(99 - index)
      branch[branch.count - 1].value = index
      links[index].next = branch[0]
      #expect(log.take().last == index)
      links[index].next = nil
      log.expect([nil])
      links[index].next = links[index + 1]
      log.expect([1])
    }
    subscription.dispose()
    links[99].value = 2
    log.expect([])
  }

  @Test("Ten thousand updates through a path of ten take no more stack")
  func tenThousandUpdatesThroughAPathOfTenTakeNoMoreStack() {
    let links = links(10)
    var (addresses, sum) = (Set<Int>(), 0)
    let subscription = links[0].observeWeakly(options: .new, leaf(10)).subscribe(onNext: {
      var marker = 0
      withUnsafeMutablePointer(to: &marker) { _ = addresses.insert(Int(bitPattern: $0)) }
      sum += $0 ?? 0
    })
    for value in 1...10_000 { links[9].value = value }
    #expect(sum == 10_000 * 10_001 / 2)
    // One address for the first delivery, which resolves the path, and one for all others.
    #expect(addresses.count <= 2)
    subscription.dispose()
  }

  @Test(
    "Replacements along a path of ten leave nothing behind", arguments: [1, 2, 3, 10, 100, 10_000])
  func replacementsAlongAPathOfTenLeaveNothingBehind(count: Int) {
    final class Token {}
    weak var token: Token?
    var emissions = 0
    let links = links(10)
    let branches = [self.links(5), self.links(5)]
    let subscription: any Disposable
    do {
      let captured = Token()
      token = captured
      subscription = links[0].observeWeakly(options: .new, leaf(10)).subscribe(onNext: { _ in
        withExtendedLifetime(captured) { emissions += 1 }
      })
    }
    for round in 0..<count { links[4].next = branches[round % 2][0] }
    #expect(emissions == count)
    // Only the branch that is there is observed, and once.
    for branch in branches { branch[4].value += 1 }
    #expect(emissions == count + 1)
    subscription.dispose()
    #expect(token == nil)
    withExtendedLifetime(links) {}
  }

  @Test("An observer that sets the leaf again takes no more stack either")
  func anObserverThatSetsTheLeafAgainTakesNoMoreStackEither() {
    let links = links(10)
    var addresses = Set<Int>()
    let subscription = links[0].observeWeakly(options: .new, leaf(10)).subscribe(onNext: {
      var marker = 0
      withUnsafeMutablePointer(to: &marker) { _ = addresses.insert(Int(bitPattern: $0)) }
      if let value = $0, value < 9_000 { links[9].value = value + 1 }
    })
    links[9].value = 1
    #expect(links[9].value == 9_000)
    // The first delivery, and those that had to wait.
    #expect(addresses.count <= 2)
    subscription.dispose()
  }
}
