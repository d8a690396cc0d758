import Keyline
import TestSupport
import Testing

/// What programs written from outside, with the documentation alone, have found wrong.
@Suite struct EngineRowTests {
  // MARK: Cycles that are closed later

  class Loop: ReactiveObject {
    @Observed var isClosed = false
    @Observed var seed = 1
    @Derived({ (self: Loop) in self.isClosed ? self.right + 1 : self.seed }) var left: Int
    @Derived({ (self: Loop) in self.left + 1 }) var right: Int
  }

  /// D15: while dependencies are checked, not while the rules run.
  private func expectOneReport(
    about type: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let reports = Reports.about(type).filter { $0.category == .derivedCycle }
    #expect(reports.count == 1, sourceLocation: sourceLocation)
    let text = reports.first?.description ?? ""
    #expect(text.contains("left") && text.contains("right"), sourceLocation: sourceLocation)
  }

  final class ReadLoop: Loop {}

  @Test("D15: A cycle that a branch closes later is reported when it is read")
  func d15ACycleThatABranchClosesLaterIsReportedWhenItIsRead() {
    Reports.collect()
    let loop = ReadLoop()
    #expect(loop.right == 2 && loop.left == 1)
    loop.isClosed = true
    _ = loop.right
    expectOneReport(about: "ReadLoop")
    // Reported once, and recoverable.
    _ = loop.left
    loop.seed = 5
    _ = loop.right
    expectOneReport(about: "ReadLoop")
    loop.isClosed = false
    #expect(loop.left == 5 && loop.right == 6)
  }

  final class ObservedLoop: Loop {}

  @Test("D15: A cycle that a branch closes later is reported when it is observed")
  func d15ACycleThatABranchClosesLaterIsReportedWhenItIsObserved() {
    Reports.collect()
    let loop = ObservedLoop()
    let values = Log<Int>()
    values.follow(loop.observe(\.right))
    #expect(values.take() == [2])
    loop.isClosed = true
    expectOneReport(about: "ObservedLoop")
    _ = values.take()
    loop.seed = 5
    loop.isClosed = false
    #expect(values.take().last == 6)
    #expect(loop.left == 5 && loop.right == 6)
  }

  // MARK: Announcements that set

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

  // MARK: Overrides

  class Plain: ReactiveObject {
    @Observed var x = 0
    @Observed var child: Plain?
  }

  final class Tenfold: Plain {
    override var x: Int {
      get { super.x * 10 }
      set { super.x = newValue }
    }
  }

  /// An observer receives what reading the key path gives (DESIGN §3.1), whichever class the key path
  /// names.
  @Test("Observers of an overridden getter receive the value that reading returns")
  func anOverriddenGetterGivesObserversWhatReadingGives() {
    let tenfold = Tenfold()
    let base: Plain = tenfold
    tenfold.x = 4
    let values = (Log<Int>(), Log<Int>())
    values.0.follow(tenfold.observe(\.x))
    values.1.follow(base.observe(\.x))
    let changes = (Log<[Int?]>(), Log<[Int?]>())
    changes.0.follow(tenfold.observeChanges(\.x).map { [$0.old, $0.new] })
    changes.1.follow(base.observeChanges(\.x).map { [$0.old, $0.new] })
    tenfold.x = 5
    base.x = 6
    #expect(tenfold.x == 60 && base.x == 60)
    #expect(values.0.take() == [40, 50, 60] && values.1.take() == [40, 50, 60])
    #expect(changes.0.take() == [[40, 50], [50, 60]])
    #expect(changes.1.take() == [[40, 50], [50, 60]])
    batchUpdates {
      tenfold.x = 8
      tenfold.x = 7
    }
    #expect(values.0.take() == [70] && values.1.take() == [70])
    #expect(changes.0.take() == [[60, 70]] && changes.1.take() == [[60, 70]])
  }

  @Test("Chains, paths and bindings of an overridden getter receive the value that reading returns")
  func anOverriddenGetterGivesChainsPathsAndBindingsWhatReadingGives() throws {
    let root = Plain()
    let (tenfold, plain) = (Tenfold(), Plain())
    tenfold.x = 5
    let (chain, path, named, tuple) = (Log<Int?>(), Log<Int?>(), Log<Int?>(), Log<Int?>())
    chain.follow(root.observeWeakly { $0.child.x })
    path.follow(root.observe(\.child?.x))
    named.follow(try root.observeWeakly(Int.self, "child.x"))
    tuple.follow(root.observe(\.child?.x, \.x).map { $0.0 })
    let (bound, boundByChain) = (Plain(), Plain())
    tenfold.bind(\.x, to: bound, \.x)
    root.bind({ $0.child.x }, to: boundByChain, \.x)
    root.child = tenfold
    tenfold.x = 6
    root.child = plain
    plain.x = 1
    root.child = tenfold
    for log in [chain, path, tuple] { #expect(log.take() == [nil, 50, 60, 0, 1, 60]) }
    // By name, a property that is not registered is read in its storage (`RegisteredProperty`).
    #expect(named.take() == [nil, 5, 6, 0, 1, 6])
    #expect(bound.x == 60 && boundByChain.x == 60)
  }

  // MARK: Rules that set

  /// D17: reported once for each class and property, whether it is observed or not.
  @Test("D17: A rule that sets an unobserved property is reported")
  func d17ARuleThatSetsWhatNobodyObservesIsReported() {
    final class Counting: ReactiveObject {
      @Observed var source = 1
      @Observed var runs = 0
      let other = Elsewhere()
      @Derived({ (self: Counting) in
        self.runs = 1
        self.other.count = 2
        return self.source * 2
      }) var double: Int
    }
    final class Elsewhere: ReactiveObject { @Observed var count = 0 }
    Reports.collect()
    let counting = Counting()
    #expect(counting.double == 2)
    let reports = Reports.about("Counting").filter { $0.category == .derivedWrite }
    #expect(reports.map(\.property) == ["runs"])
    let others = Reports.about("Elsewhere").filter { $0.category == .derivedWrite }
    #expect(others.map(\.property) == ["count"])
  }

  /// D17: the readers of a value that its own evaluation has outdated follow it, too.
  @Test("D17: A rule that outdates what it has read is evaluated again before it is read")
  func d17ARuleThatOutdatesWhatItHasReadIsEvaluatedAgain() {
    final class Raising: ReactiveObject {
      @Observed var source = 0
      @Derived({ (self: Raising) in self.source }) var same: Int
      @Derived({ (self: Raising) in
        let value = self.same
        if value < 3 { self.source = value + 1 }
        return value
      }) var raised: Int
      @Derived({ (self: Raising) in self.raised * 10 }) var tenfold: Int
    }
    Reports.collect()
    for isObserved in [false, true] {
      let raising = Raising()
      let values = Log<Int>()
      if isObserved { values.follow(raising.observe(\.tenfold)) }
      #expect(raising.tenfold == 30 && raising.raised == 3 && raising.source == 3)
      raising.source = 7
      #expect(raising.tenfold == 70)
      raising.source = 1
      #expect(raising.tenfold == 30)
      #expect(values.take() == (isObserved ? [30, 70, 30] : []))
    }
    #expect(Reports.about("Raising").map(\.category) == [.derivedWrite])
  }

  @Test("A referent that a rule's read releases is not reported as a set")
  func aReferentWhoseLastReferenceGoesWhileARuleReadsItIsNoSet() {
    final class Friend: ReactiveObject { @Observed var value = 7 }
    final class Reading: ReactiveObject {
      @WeakObserved var friend: Friend?
      @Observed var factor = 1
      var whileReading: () -> Void = {}
      @Derived({ (self: Reading) in
        let friend = self.friend
        self.whileReading()
        return (friend?.value ?? -1) * self.factor
      }) var value: Int
    }
    Reports.collect()
    for isObserved in [false, true] {
      let reading = Reading()
      var friend: Friend? = Friend()
      reading.friend = friend
      let values = Log<Int>()
      if isObserved { values.follow(reading.observe(\.value)) }
      reading.whileReading = { friend = nil }
      reading.factor = 2
      _ = reading.value
      #expect(friend == nil && reading.friend == nil)
      #expect(reading.value == -2)
      if isObserved { #expect(values.take().last == -2) }
    }
    #expect(Reports.about("Reading").isEmpty && Reports.about("Friend").isEmpty)
  }

  // MARK: Batches

  final class Sum: ReactiveObject {
    @Observed var a = 0
    @Observed var b = 0
    @Derived({ (self: Sum) in self.a + self.b }) var sum: Int
  }

  /// D5: the value is compared with the last delivered value, not with values read in between.
  @Test("D5: A value that is back after a subscription in the batch is not emitted again")
  func d5AValueThatIsBackAfterASubscriptionInTheBatchIsNotEmittedAgain() {
    let sum = Sum()
    let (fresh, known) = (Log<Int>(), Log<Int>())
    batchUpdates {
      fresh.follow(sum.observe(\.sum))
      sum.a = 1
      #expect(sum.sum == 1)
      sum.b = -1
      #expect(sum.sum == 0)
    }
    #expect(fresh.take() == [0])
    batchUpdates {
      sum.a = 5
      known.follow(sum.observe(\.sum))
      sum.a = 9
      #expect(sum.sum == 8)
      sum.a = 5
    }
    // Whether the batch delivers the value again that the observer has received in it is left open (D36).
    #expect(Set(known.take()) == [4])
    // The other one joined before, and the value is another one than it has received.
    #expect(fresh.take() == [4])
    sum.a = 6
    #expect(known.take() == [5] && fresh.take() == [5])
  }

  /// D31: also behind two layers of optionals.
  @Test("D31: An object in two optionals that is set to itself counts as not set")
  func d31AnObjectInTwoOptionalsThatIsSetToItselfCountsAsNotSet() {
    final class Nested: ReactiveObject {
      @Observed var object: Sum??
      var isThere: Bool { object.flatMap { $0 } != nil }
    }
    for value in [Sum(), .some(.none), .none] as [Sum??] {
      let nested = Nested()
      nested.object = value
      let (sets, computed) = (Log<Void>(), Log<Bool>())
      sets.follow(nested.observe(\.object, options: .new).map { _ in })
      computed.follow(nested.observe(\.isThere, options: .new))
      batchUpdates { nested.object = nested.object }
      batchUpdates {
        let former = nested.object
        nested.object = Sum()
        nested.object = former
      }
      #expect(sets.take().count == 0)
      _ = computed.take()
      batchUpdates { nested.object = Sum() }
      #expect(sets.take().count == 1 && computed.take().count == 1)
      // Not the same: nil in an optional, and no optional.
      batchUpdates { nested.object = .some(.none) }
      batchUpdates { nested.object = .none }
      #expect(sets.take().count == 2 && computed.take().count == 2)
    }
  }
}
