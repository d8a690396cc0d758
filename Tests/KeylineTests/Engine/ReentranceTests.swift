import Keyline
import TestSupport
import Testing

/// Rules, announcements and derived values whose own code sets properties, or reads in a circle.
@Suite struct ReentranceTests {
  // MARK: Rules that set

  class Ruled: ReactiveObject {
    @Observed var one = 0
    @Observed var other = 0
  }

  final class SettingItself: Ruled {}

  @Test("A rule that sets its own property is reported and stopped")
  func aRuleThatSetsItsOwnPropertyIsReportedAndStopped() {
    Reports.collect()
    let object = SettingItself()
    object.validate(\.one) { object, value in
      object.one = value + 1
      return .valid
    }
    object.one = 5
    #expect(object.one == 5)
    let reports = Reports.about("SettingItself").filter { $0.category == .refusedWrite }
    #expect(reports.map(\.property) == ["one"])
  }

  /// Gives each property of `object` a rule that sets the other one.
  private static func link(_ object: Ruled, growingBy step: Int) {
    object.validate(\.one) { object, value in
      object.other = value + step
      return .valid
    }
    object.validate(\.other) { object, value in
      object.one = value + step
      return .valid
    }
  }

  final class SettingOther: Ruled {}

  @Test("Rules that set each other's property are reported and stopped")
  func rulesThatSetEachOthersPropertyAreReportedAndStopped() async {
    await #expect(processExitsWith: .success) {
      Diagnostics.feedbackLimit = 100
      Reports.collect()
      let object = SettingOther()
      ReentranceTests.link(object, growingBy: 0)
      object.one = 5
      #expect(object.one == 5 && object.other == 5)
      object.other = 9
      #expect(object.one == 9 && object.other == 9)
      #expect(Reports.about("SettingOther").contains { $0.category == .refusedWrite })
    }
  }

  final class Racing: Ruled {}

  /// P3: each rule makes the other one's property grow.
  @Test("Rules that never agree are stopped") func rulesThatNeverAgreeAreStopped() async {
    await #expect(processExitsWith: .success) {
      Diagnostics.feedbackLimit = 100
      Reports.collect()
      let object = Racing()
      ReentranceTests.link(object, growingBy: 1)
      object.one = 5
      #expect(Reports.about("Racing").contains { $0.category == .feedbackLoop })
    }
  }

  // MARK: Announcements that set

  final class Announced: ReactiveObject {
    @Observed var name = ""
    @Observed var count = 0
    var label: String { "\(name) \(count)" }
  }

  /// P4: the announcement is part of the set that it announces.
  @Test("P4: Sets by observers of an announcement settle with the announced set")
  func p4WhatAnAnnouncementSetsSettlesWithTheSetAnnounced() {
    let object = Announced()
    let labels = Log<String>()
    labels.follow(object.observe(\.label))
    _ = object.observeChanges(\.name, options: .prior).filter(\.isPrior)
      .subscribe(onNext: { [unowned object] _ in object.count += 1 })
    labels.expect([" 0"])
    object.name = "a"
    labels.expect(["a 1"])
    batchUpdates { object.name = "b" }
    labels.expect(["b 2"])
    object.name.append("c")
    labels.expect(["bc 3"])
  }

  final class Team: ReactiveObject {
    let members: ObservableArray<Int> = [1]
    var size: Int { members.count }
  }

  /// An edit that turns out to be none.
  @Test("P4: Sets by observers of an array's announcement settle")
  func p4WhatTheAnnouncementOfAnArraySetsSettles() {
    let object = Announced()
    let team = Team()
    let labels = Log<String>()
    labels.follow(object.observe(\.label))
    _ = team.observeChanges(\.size, options: .prior).filter(\.isPrior)
      .subscribe(onNext: { _ in object.count += 1 })
    _ = labels.take()
    team.members.replaceSubrange(0..<0, with: [])
    team.members.append(2)
    labels.expect([" 1", " 2"])
  }

  // MARK: Cycles

  final class ClosingLoop: ReactiveObject {
    @Observed var isClosed = false
    @Observed var seed = 1
    @Derived({ (self: ClosingLoop) in self.isClosed ? self.right + 1 : self.seed }) var left: Int
    @Derived({ (self: ClosingLoop) in self.left + 1 }) var right: Int
  }

  /// D2, D15: without a fallback, the last value.
  @Test("D15: The values of a cycle stay until something changes")
  func d15TheValuesOfACycleStayUntilSomethingChanges() {
    let loop = ClosingLoop()
    #expect(loop.right == 2)
    loop.isClosed = true
    let (left, right) = (loop.left, loop.right)
    for _ in 0..<3 { #expect((loop.left, loop.right) == (left, right)) }
    loop.isClosed = false
    #expect((loop.left, loop.right) == (1, 2))
    loop.seed = 4
    #expect((loop.right, loop.left) == (5, 4))
  }

  // MARK: Feedback

  final class Fed: ReactiveObject {
    @Observed var source = 0
    @Derived({ (self: Fed) in self.source + 1 }) var next: Int
  }

  @Test("A feedback loop of a derived value is named by it")
  func aFeedbackLoopOfADerivedValueIsNamedByIt() async {
    await #expect(processExitsWith: .success) {
      let reports = SharedLog<Diagnostics.Report>()
      Diagnostics.handler = { reports.append($0) }
      Diagnostics.feedbackLimit = 50
      let object = Fed()
      _ = object.observe(\.next, options: .new).subscribe(onNext: { [unowned object] in
        object.source = $0
      })
      object.source = 1
      #expect(reports.all.map(\.category) == [.feedbackLoop])
      #expect(reports.all.map(\.property) == ["next"])
    }
  }

  final class Invalidating: ReactiveObject {
    @Observed var source = 0
    @Derived({ (self: Invalidating) in self.evaluate() }) var value: Int

    func evaluate() -> Int {
      $value.invalidate()
      return source
    }
  }

  /// D17: within the feedback limit.
  @Test("A rule that invalidates itself is stopped") func aRuleThatInvalidatesItselfIsStopped()
    async
  {
    await #expect(processExitsWith: .success) {
      let reports = SharedLog<Diagnostics.Report>()
      Diagnostics.handler = { reports.append($0) }
      Diagnostics.feedbackLimit = 50
      let object = Invalidating()
      let values = Log<Int>()
      values.follow(object.observe(\.value))
      object.source = 1
      values.expect([0, 1])
      #expect(reports.all.allSatisfy { $0.category == .feedbackLoop && $0.property == "value" })
    }
  }

  final class Comparing: ReactiveObject {
    struct Value {
      let number: Int
      let owner: Comparing
    }
    @Observed var source = 0
    @Derived(
      { (self: Comparing) in Value(number: self.source, owner: self) },
      equals: { one, other in
        one.owner.source += 1
        return one.number == other.number
      }) var value: Value
  }

  @Test("A comparison that sets a property read by the rule is stopped")
  func aComparisonThatSetsWhatTheRuleReadsIsStopped() async {
    await #expect(processExitsWith: .success) {
      let reports = SharedLog<Diagnostics.Report>()
      Diagnostics.handler = { reports.append($0) }
      Diagnostics.feedbackLimit = 50
      let object = Comparing()
      _ = object.observe(\.value).subscribe(onNext: { _ in })
      object.source = 1
      #expect(object.source < 1000)
      #expect(reports.all.contains { $0.category == .feedbackLoop })
    }
  }

  // MARK: Deaths inside deliveries

  final class Holder: ReactiveObject {
    @WeakObserved var referent: Holder?
  }

  /// The object that an observer sets lives only until it has been delivered.
  @Test("The death of a referent set by an observer is delivered")
  func theDeathOfAReferentSetByAnObserverIsDelivered() {
    let holder = Holder()
    var first: Holder? = Holder()
    holder.referent = first
    var isFirst = true
    let isNil = Log<Bool>()
    holder.observe(\.referent, options: .new) { [unowned holder] in
      isNil.append($0 == nil)
      guard isFirst else { return }
      isFirst = false
      holder.referent = Holder()
    }
    first = nil
    #expect(holder.referent == nil && first == nil)
    isNil.expect([true, false, true])
    let next = Holder()
    holder.referent = next
    isNil.expect([false])
  }

  // MARK: Results of rules

  final class Rejecting: Ruled {}

  @Test("An observer of the results may set the property")
  func anObserverOfTheResultsMaySetTheProperty() {
    struct Negative: Error {}
    Reports.collect()
    let object = Rejecting()
    object.one = 3
    let validation = object.validate(\.one) { _, value in
      value < 0 ? .rejected(Negative()) : .valid
    }
    _ = validation.results.subscribe(onNext: { [unowned object] in
      if $0.error != nil { object.one = 0 }
    })
    object.one = -1
    #expect(object.one == 0)
    #expect(Reports.about("Rejecting").isEmpty)
  }
}
