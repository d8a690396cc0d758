import Keyline
import Observation
import Synchronization
import TestSupport
import Testing

/// The reads and sets of a rule of a derived value, and the reports about them.
@Suite struct RuleTests {
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
    values.expect([2])
    loop.isClosed = true
    expectOneReport(about: "ObservedLoop")
    _ = values.take()
    loop.seed = 5
    loop.isClosed = false
    #expect(values.take().last == 6)
    #expect(loop.left == 5 && loop.right == 6)
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
      values.expect((isObserved ? [30, 70, 30] : []))
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

  // MARK: What a rule's subscription reads

  private final class Point: ReactiveObject {
    @Observed var x = 0
    @Observed var y = 0
  }

  @Test("D10: A subscription of a rule records nothing, whatever its options")
  func aSubscriptionOfARuleRecordsNothing() {
    final class Watcher: ReactiveObject {
      let point = Point()
      var runs = 0
      @Derived({ (self: Watcher) in
        self.runs += 1
        for options in [.initial, [.initial, .new], .new] as [KeyValueObservingOptions] {
          _ = self.point.observe(\.x, options: options).take(1).subscribe(onNext: { _ in
            _ = self.point.y
          })
        }
        return 0
      }) var value: Int
    }
    let watcher = Watcher()
    #expect(watcher.value == 0 && watcher.runs == 1)
    watcher.point.x = 1
    watcher.point.y = 1
    #expect(watcher.value == 0 && watcher.runs == 1)
  }

  @Test("D15: A rule that observes a value derived from its own is reported, and recovers")
  func aRuleThatObservesAValueDerivedFromItsOwn() {
    final class Narcissus: ReactiveObject {
      @Observed var seed = 1
      let seen = Log<Int>()
      @Derived(
        or: -1,
        { (self: Narcissus) in
          _ = self.observe(\.image).take(1).subscribe(onNext: self.seen.append)
          return self.seed
        }) var face: Int
      @Derived({ (self: Narcissus) in self.face * 2 }) var image: Int
    }
    Reports.collect()
    let narcissus = Narcissus()
    #expect(narcissus.face == 1 && narcissus.seen.take() == [-2])
    #expect(Reports.about("Narcissus").map(\.category) == [.derivedCycle])
    narcissus.seed = 2
    #expect(narcissus.image == 4)
  }

  private final class Note: ReactiveObject, Observation.Observable {
    typealias Observed = ObservationBridged
    @Observed var title = "a"
    @Observed var body = "b"
    @Derived({ (self: Note) in
      let title = self.title
      return untracked { title + self.body }
    }) var text: String
  }

  @Test("D10: Observation does not register what a rule reads untracked")
  func observationDoesNotRegisterUntrackedReads() {
    let note = Note()
    let changes = Mutex(0)
    func track() {
      withObservationTracking {
        _ = note.text
      } onChange: {
        changes.withLock { $0 += 1 }
      }
    }
    track()
    note.body = "c"
    #expect(changes.withLock { $0 } == 0)
    note.title = "d"
    #expect(changes.withLock { $0 } == 1)
    track()
    note.title = "e"
    #expect(changes.withLock { $0 } == 2)
  }
}
