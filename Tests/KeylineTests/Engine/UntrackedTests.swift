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

  @Test("D10: An untracked read is fresh, and not followed")
  func d10WhatIsReadIsFreshAndNotFollowed() {
    let account = Account()
    let log = Log<String>()
    log.follow(account.observe(\.label))
    account.visits = 2
    log.expect(["Ada 1"])
    account.name = "Eve"
    log.expect(["Eve 2"])
  }

  @Test("D10: The reads inside an untracked read are not followed either")
  func d10WhatThatReadsIsNotFollowedEither() {
    let account = Account()
    account.next = Account()
    let log = Log<String>()
    log.follow(account.observe(\.deep))
    account.next?.name = "Bob"
    account.next = nil
    account.name = "Eve"
    log.expect(["Ada 1Ada", "-Eve"])
  }

  @Test("D10: A property that is also read outside is followed")
  func d10WhatIsAlsoReadOutsideIsFollowed() {
    let account = Account()
    let log = Log<Int>()
    log.follow(account.observe(\.again))
    account.visits = 2
    log.expect([2, 4])
  }

  @Test("D10: An error leaves tracking as it was") func d10AnErrorLeavesTrackingAsItWas() {
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
    log.expect([1, 7])
  }

  @Test("D10: Outside of an evaluation it is the body alone")
  func d10OutsideOfAnEvaluationItIsTheBodyAlone() {
    let account = Account()
    let log = Log<String>()
    log.follow(account.observe(\.name))
    untracked { account.name = "Eve" }
    #expect(untracked { account.name } == "Eve")
    log.expect(["Ada", "Eve"])
  }

  @Test("D10: A binding that a rule makes or feeds adds nothing to the reads of the rule")
  func d10BindingsInRules() {
    final class Feeding: ReactiveObject {
      @Observed var input = 1
      let stream = PublishSubject<String>()
      let (root, source, target) = (Account(), Account(), Account())
      var runs = 0
      @Derived({ (self: Feeding) in
        self.runs += 1
        self.stream.onNext("\(self.input)")
        return self.input
      }) var fed: Int
      @Derived({ (self: Feeding) in
        self.runs += 1
        self.source.bind(\.name, to: self.root) { $0.next.name }.dispose()
        return self.input
      }) var bound: Int
    }
    for path in [\Feeding.fed, \Feeding.bound] {
      let feeding = Feeding()
      feeding.root.next = feeding.target
      feeding.stream.bind(to: feeding.root) { $0.next.name }
      feeding.observe(path) { _ in }
      feeding.root.next = Account()
      feeding.root.next?.name = "Eve"
      feeding.source.name = "Bob"
      #expect(feeding.runs == 1)
      feeding.input = 2
      #expect(feeding.runs == 2)
    }
  }
}
