import Keyline
import KeylineTest
import TestSupport
import Testing

/// Law D10: a value read inside `untracked` is fresh, and no dependency.
@Suite struct UntrackedTests {
  private final class Account: ReactiveObject {
    @Observed var name = "Ada"
    @Observed var visits = 1
    @Observed var next: Account?
    var label: String { "\(name) \(untracked { visits })" }
    var deep: String { untracked { next?.label ?? "-" } + name }
    var again: Int { untracked { visits } + visits }
  }

  @Test func d10WhatIsReadIsFreshAndNotFollowed() {
    let account = Account()
    let log = Log<String>()
    log.follow(account.observe(\.label))
    account.visits = 2
    #expect(log.take() == ["Ada 1"])
    account.name = "Eve"
    #expect(log.take() == ["Eve 2"])
  }

  @Test func d10WhatThatReadsIsNotFollowedEither() {
    let account = Account()
    account.next = Account()
    let log = Log<String>()
    log.follow(account.observe(\.deep))
    account.next?.name = "Bob"
    account.next = nil
    account.name = "Eve"
    #expect(log.take() == ["Ada 1Ada", "-Eve"])
  }

  @Test func d10WhatIsAlsoReadOutsideIsFollowed() {
    let account = Account()
    let log = Log<Int>()
    log.follow(account.observe(\.again))
    account.visits = 2
    #expect(log.take() == [2, 4])
  }

  @Test func d10AnErrorLeavesTrackingAsItWas() {
    struct Refusal: Error {}
    final class Owner: ReactiveObject {
      @Observed var first = 1
      @Observed var second = 1
      var sum: Int {
        (try? untracked { () throws -> Int in
          _ = first
          throw Refusal()
        }) ?? second
      }
    }
    let owner = Owner()
    let log = Log<Int>()
    log.follow(owner.observe(\.sum))
    owner.first = 5
    owner.second = 7
    #expect(log.take() == [1, 7])
  }

  @Test func d10OutsideOfAnEvaluationItIsTheBodyAlone() {
    let account = Account()
    let log = Log<String>()
    log.follow(account.observe(\.name))
    untracked { account.name = "Eve" }
    #expect(untracked { account.name } == "Eve")
    #expect(log.take() == ["Ada", "Eve"])
  }
}
