import Keyline
import TestSupport
import Testing

/// Feedback loops are stopped and reported by name; finite bursts are none.
@Suite struct FeedbackTests {
  final class Unlimited: ReactiveObject {
    @Observed var count = 0
    @Observed var other = 0
    var doubled: Int { count * 2 }
    var tripled: Int { other * 3 }
  }

  /// In a process of its own: the limit is the process's.
  @Test("Without a limit nothing traps") func withoutALimitNothingTraps() async {
    await #expect(processExitsWith: .success) {
      Diagnostics.feedbackLimit = .max
      Diagnostics.handler = { #expect(Bool(false), "\($0)") }
      let counter = Unlimited()
      let log = Log<Int>()
      _ = counter.observe(\.count, options: .new).subscribe(onNext: { [unowned counter] in
        if $0 < 30_000 { counter.count = $0 + 1 }
      })
      log.follow(counter.observe(\.count))
      counter.count = 1
      log.expect(Array(0...30_000))
      let priors = counter.observeChanges(\.other, options: .prior).filter(\.isPrior)
        .subscribe(onNext: { [unowned counter] _ in
          if counter.other < 30_000 { counter.other += 1 }
        })
      counter.other = 1
      priors.dispose()
      #expect(counter.other >= 1)
      _ = counter.observe(\.tripled, options: .new).subscribe(onNext: { [unowned counter] tripled in
        if tripled < 60_000 { counter.other += 1 }
      })
      counter.other = 1
      #expect(counter.other == 20_000)
      let (first, second) = (Unlimited(), Unlimited())
      first.bind(\.count, to: second, \.other, mode: .twoWay)
      second.bind(\.other, to: first, \.count, mode: .twoWay)
      second.other = 3
      #expect(first.count == 3)
      Diagnostics.feedbackLimit = 10_000
    }
  }

  final class Announced: ReactiveObject {
    @Observed var count = 0
    @Observed var other = 0
    var doubled: Int { count * 2 }
    var tripled: Int { other * 3 }
  }

  @Test("A set by an observer of an announcement is not announced again")
  func aSetByAnObserverOfAnAnnouncementIsNotAnnouncedAgain() {
    Reports.collect()
    let counter = Announced()
    let values = Log<Int>()
    var announcements = 0
    _ = counter.observe(\.count, options: .new).subscribe(onNext: values.append)
    _ = counter.observeChanges(\.count, options: .prior).filter(\.isPrior)
      .subscribe(onNext: { [unowned counter] _ in
        announcements += 1
        counter.count += 10
      })
    counter.count = 1
    #expect(announcements == 1 && values.take() == [10, 1])
    counter.count = 2
    #expect(announcements == 2 && values.take() == [11, 2])
    #expect(Reports.about("Announced").isEmpty)
  }

  final class AnnouncedComputed: ReactiveObject {
    @Observed var count = 0
    @Observed var other = 0
    var doubled: Int { count * 2 }
    var tripled: Int { other * 3 }
  }

  @Test("A set of a property that a path reads, by an observer of its announcement")
  func aPriorObserverThatSetsWhatItsPathIsComputedFrom() {
    Reports.collect()
    let counter = AnnouncedComputed()
    var announcements = 0
    _ = counter.observeChanges(\.doubled, options: .prior).filter(\.isPrior)
      .subscribe(onNext: { [unowned counter] _ in
        announcements += 1
        counter.count += 1
      })
    counter.count = 1
    counter.count = 2
    #expect(announcements == 2 && counter.doubled == 4)
    #expect(Reports.about("AnnouncedComputed").isEmpty)
  }

  final class Leaf: ReactiveObject { @Observed var leaf = 0 }
  final class Trunk: ReactiveObject { @Observed var hop: Leaf? = Leaf() }

  @Test("An observer of announcements that replaces a hop of its chain")
  func aPriorObserverThatReplacesAHopOfItsChain() {
    Reports.collect()
    let trunk = Trunk()
    var (announcements, changes) = (0, 0)
    _ = trunk.observeChanges(options: [.prior, .new]) { $0.hop.leaf }
      .subscribe(onNext: { [unowned trunk] change in
        guard change.isPrior else { return changes += 1 }
        announcements += 1
        trunk.hop = Leaf()
      })
    trunk.hop = Leaf()
    #expect((announcements, changes) == (1, 1))
    trunk.hop?.leaf = 1
    #expect((announcements, changes) == (2, 2))
    #expect(Reports.about("Trunk").isEmpty)
  }

  @Test("A burst inside an observer reaches all observers")
  func aBurstInsideAnObserverReachesAllObservers() {
    final class Burst: ReactiveObject {
      @Observed var count = 0
      @Observed var other = 0
      var doubled: Int { count * 2 }
      var tripled: Int { other * 3 }
    }
    Reports.collect()
    let counter = Burst()
    let (before, after, computed) = (Log<Int>(), Log<Int>(), Log<Int>())
    before.follow(counter.observe(\.count, options: .new))
    computed.follow(counter.observe(\.doubled, options: .new))
    _ = counter.observe(\.count, options: .new).filter { $0 == 1 }
      .subscribe(onNext: { [unowned counter] _ in
        for count in 2...20_001 { counter.count = count }
      })
    after.follow(counter.observe(\.count, options: .new))
    counter.count = 1
    before.expect(Array(1...20_001))
    after.expect(Array(1...20_001))
    computed.expect([40_002])
    #expect(Reports.about("Burst").isEmpty)
  }

  @Test("A loop ends on the stored value for the other observers")
  func aLoopEndsOnTheStoredValueForTheOtherObservers() {
    final class Loop: ReactiveObject {
      @Observed var count = 0
      @Observed var other = 0
      var doubled: Int { count * 2 }
      var tripled: Int { other * 3 }
    }
    Reports.collect()
    let counter = Loop()
    let limit = Diagnostics.feedbackLimit
    let (before, after, computed) = (Log<Int>(), Log<Int>(), Log<Int>())
    before.follow(counter.observe(\.count, options: .new))
    var (rounds, budget) = (0, Int.max)
    _ = counter.observe(\.count, options: .new).subscribe(onNext: { [unowned counter] in
      rounds += 1
      if rounds < budget { counter.count = $0 + 1 }
    })
    after.follow(counter.observe(\.count, options: .new))
    computed.follow(counter.observe(\.doubled, options: .new))
    counter.count = 1
    #expect(limit...(limit + 3) ~= rounds)
    // The looping observer sets it in the very last delivery, too.
    #expect(before.elements == Array(1...(counter.count - 1)))
    #expect(after.elements == before.elements)
    computed.expect([2 * counter.count])
    #expect(Reports.about("Loop").map(\.category) == [.feedbackLoop])
    // One that stops in the last delivery leaves no observer behind.
    budget = rounds + rounds
    counter.count = 1
    #expect(counter.count == before.elements.last)
    #expect(counter.count == after.elements.last)
    computed.expect([2 * counter.count])
  }

  @Test("A loop across two computed properties is reported once")
  func aLoopAcrossTwoComputedPropertiesIsReportedOnce() async {
    await #expect(processExitsWith: .success) {
      Diagnostics.feedbackLimit = 100
      final class Crossed: ReactiveObject {
        @Observed var count = 0
        @Observed var other = 0
        var doubled: Int { count * 2 }
        var tripled: Int { other * 3 }
      }
      Reports.collect()
      let counter = Crossed()
      let limit = Diagnostics.feedbackLimit
      let bystander = Log<Int>()
      var rounds = 0
      bystander.follow(counter.observe(\.doubled, options: .new))
      _ = counter.observe(\.doubled, options: .new).subscribe(onNext: { [unowned counter] _ in
        rounds += 1
        if rounds < 3 * limit { counter.other += 1 }
      })
      _ = counter.observe(\.tripled, options: .new).subscribe(onNext: { [unowned counter] _ in
        counter.count += 1
      })
      counter.count = 1
      #expect(limit...(limit + 3) ~= rounds)
      let reports = Reports.about("Crossed")
      do {
        #expect(reports.map(\.category) == [.feedbackLoop])
      }
      #expect(reports.allSatisfy { $0.category == .feedbackLoop })
      #expect(reports.first?.property == "count")
      #expect(abs(2 * counter.count - (bystander.elements.last ?? 0)) <= 2)
    }
  }

  @Test("A loop across computed properties of two objects is reported once")
  func aLoopAcrossComputedPropertiesOfTwoObjectsIsReportedOnce() async {
    await #expect(processExitsWith: .success) {
      Diagnostics.feedbackLimit = 100
      final class Ping: ReactiveObject {
        @Observed var count = 0
        @Observed var other = 0
        var doubled: Int { count * 2 }
        var tripled: Int { other * 3 }
      }
      final class Pong: ReactiveObject {
        @Observed var count = 0
        @Observed var other = 0
        var doubled: Int { count * 2 }
        var tripled: Int { other * 3 }
      }
      Reports.collect()
      let (ping, pong) = (Ping(), Pong())
      let limit = Diagnostics.feedbackLimit
      var rounds = 0
      _ = ping.observe(\.doubled, options: .new).subscribe(onNext: { [unowned pong] _ in
        rounds += 1
        if rounds < 3 * limit { pong.count += 1 }
      })
      _ = pong.observe(\.doubled, options: .new).subscribe(onNext: { [unowned ping] _ in
        ping.count += 1
      })
      ping.count = 1
      #expect(limit...(limit + 3) ~= rounds)
      let reports = Reports.about("Ping") + Reports.about("Pong")
      #expect(reports.map(\.category) == [.feedbackLoop])
      #expect(reports.first?.property == "count")
    }
  }

  /// P3: calls before and after the store are rounds of one loop.
  @Test("P3: An observer that sets in each announcement and in each change is stopped at the limit")
  func p3AnObserverThatSetsInEachAnnouncementAndInEachChangeIsStoppedAtTheLimit() async {
    await #expect(processExitsWith: .success) {
      final class Announced: ReactiveObject { @Observed var n = 0 }
      let reports = SharedLog<Diagnostics.Report>()
      Diagnostics.handler = { reports.append($0) }
      Diagnostics.feedbackLimit = 100
      let object = Announced()
      var calls = 0
      _ = object.observeChanges(\.n, options: [.prior]).subscribe(onNext: { [unowned object] _ in
        calls += 1
        if calls < 50_000 { object.n += 1 }
      })
      let values = Log<Int>()
      values.follow(object.observe(\.n, options: .new))
      object.n = 1
      // Of each round an announcement and a change.
      #expect(calls >= 50 && calls <= 210, "\(calls) calls")
      #expect(reports.all.map(\.category) == [.feedbackLoop])
      #expect(reports.all.first?.property == "n")
      // A value set in the last delivery is stored, and not delivered.
      #expect(values.elements.last.map { object.n - $0 <= 2 } == true)
    }
  }
}
