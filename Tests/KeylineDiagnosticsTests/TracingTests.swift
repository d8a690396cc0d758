import Keyline
import KeylineDiagnostics
import TestSupport
import Testing

/// Traces apart from their text: causes, limits, threads, and the absence of side effects.
@Suite struct TracingTests {
  let bag = DisposeBag()
  let recording = RecordingSession()
  /// The name of an observer of these tests in a trace.
  func watcher(_ property: String) -> String {
    "observe(\\.\(property)) → subscribe (TracingTests.swift:\(#line + 6))"
  }

  func watch<Element>(
    _ source: Observable<Element>, _ onNext: @escaping (Element) -> Void = { _ in }
  ) {
    source.subscribe(onNext: onNext).disposed(by: bag)
  }

  @Test("An observer finds the cause of its call") func anObserverFindsWhatHasLedToIt() throws {
    let bill = Bill()
    var causes: [String?] = []
    watch(bill.observe(\.total)) { _ in causes.append(Diagnostics.currentCause?.description) }
    bill.rate = 25
    #expect(causes == [nil, nil])
    let trace = Diagnostics.trace { bill.rate = 30 }
    let cause = """
      set Bill#1.rate: 25 → 30
      → evaluate Bill#1.tax, because Bill#1.rate changed: 25 → 30
      → evaluate Bill#1.total, because Bill#1.tax changed: 125 → 130
      → deliver 130 to \(watcher("total"))
      """
    #expect(causes.last == cause)
    #expect(trace.why(\.total, of: bill)?.description == cause)
    #expect(trace.why("Bill#1.total")?.steps.map(\.step) == [.set, .evaluate, .evaluate, .deliver])
    #expect(trace.why(\.rate, of: bill)?.description == "set Bill#1.rate: 25 → 30")
    #expect(trace.why(\.net, of: bill) == nil)
    #expect(trace.why(\.total, of: Bill()) == nil)
    #expect(Diagnostics.currentCause == nil)
  }

  /// A set by an observer has the delivery behind it, and what that has behind it.
  @Test("A cause leads through observers") func aCauseLeadsThroughObservers() {
    let (bill, purse) = (Bill(), Purse())
    watch(bill.observe(\.total)) { [unowned purse] in purse.balance = $0 }
    watch(purse.observe(\.balance))
    let trace = Diagnostics.trace { bill.net = 200 }
    #expect(
      trace.why(\.balance, of: purse)?.description == """
        set Bill#1.net: 100 → 200
        → evaluate Bill#1.total, because Bill#1.net changed: 120 → 240
        → deliver 240 to \(watcher("total"))
        → set Purse#1.balance: 120 → 240
        → deliver 240 to \(watcher("balance"))
        """)
  }

  /// A derived value that is read lazily has the set behind it, though that is over.
  @Test("A lazy evaluation has the set behind it") func aLazyEvaluationHasTheSetBehindIt() {
    let bill = Bill()
    #expect(bill.tax == 20)
    let (tax, trace) = Diagnostics.trace {
      bill.rate = 25
      return bill.tax
    }
    #expect(tax == 25)
    #expect(
      trace.why(\.tax, of: bill)?.description == """
        set Bill#1.rate: 20 → 25
        → evaluate Bill#1.tax, because Bill#1.rate changed: 20 → 25
        """)
  }

  @Test("A trace inside another one is in both") func aTraceInsideAnotherOneIsInBoth() {
    let purse = Purse()
    watch(purse.observe(\.balance))
    var inner: Trace?
    let outer = Diagnostics.trace {
      purse.balance = 1
      inner = Diagnostics.trace { purse.balance = 2 }
      purse.balance = 3
    }
    #expect(
      inner?.description == """
        set Purse#1.balance: 1 → 2
          deliver 2 to \(watcher("balance"))
        """)
    #expect(
      outer.description == """
        set Purse#1.balance: 10 → 1
          deliver 1 to \(watcher("balance"))
        set Purse#1.balance: 1 → 2
          deliver 2 to \(watcher("balance"))
        set Purse#1.balance: 2 → 3
          deliver 3 to \(watcher("balance"))
        """)
  }

  /// The trace contains the events inside its body, and no events of the delivery around it.
  @Test("A trace inside an observer ends with its body")
  func aTraceInsideAnObserverEndsWithItsBody() {
    let (bill, purse) = (Bill(), Purse())
    var trace: Trace?
    watch(bill.observe(\.total, options: .new))
    watch(purse.observe(\.balance, options: .new)) { [unowned bill] _ in
      trace = Diagnostics.trace { bill.net = 200 }
    }
    purse.balance = 1
    #expect(
      trace?.description == """
        set Bill#1.net: 100 → 200
          mark Bill#1.tax, Bill#1.total
        """)
  }

  @Test("An error of the body is thrown") func anErrorOfTheBodyIsThrown() {
    let purse = Purse()
    watch(purse.observe(\.balance))
    #expect(throws: Overdrawn.self) {
      try Diagnostics.trace {
        purse.balance = 1
        throw Overdrawn()
      } as Trace
    }
    #expect(Diagnostics.currentCause == nil)
    #expect(Diagnostics.trace { purse.balance = 2 }.entries.map(\.step) == [.set, .deliver])
  }

  // MARK: No side effects

  @Test("A trace retains nothing") func aTraceRetainsNothing() {
    var worker: Worker? = Worker("Ada")
    weak var desk: Desk?
    watch(worker!.observe(\.desk))
    let trace = Diagnostics.trace {
      let made = Desk()
      desk = made
      worker?.desk = made
      worker?.desk = nil
    }
    #expect(desk == nil)
    weak let trackedWorker = worker
    worker = nil
    #expect(trackedWorker == nil)
    #expect(trace.entries.map(\.step) == [.set, .deliver, .set, .deliver])
  }

  /// Its description reads and sets properties.
  struct Talkative: CustomStringConvertible {
    let purse: Purse

    var description: String {
      purse.limit += 1
      return "limit \(purse.limit)"
    }
  }

  final class Holder: ReactiveObject {
    @Observed var talkative: Talkative

    init(_ purse: Purse) { talkative = Talkative(purse: purse) }
  }

  @Test("Descriptions of values are neither tracked nor recorded")
  func descriptionsOfValuesAreNeitherTrackedNorRecorded() {
    let purse = Purse()
    let holder = Holder(purse)
    var deliveries = 0
    watch(purse.observe(\.limit)) { _ in deliveries += 1 }
    watch(holder.observe(\.talkative))
    let trace = Diagnostics.trace { holder.talkative = Talkative(purse: purse) }
    #expect(trace.entries.map(\.step) == [.set, .deliver])
    #expect(purse.limit == 100 + deliveries - 1)
    #expect(deliveries > 1)
    var values = 0
    watch(holder.observe(\.talkative)) { _ in values += 1 }
    purse.limit = 0
    #expect(values == 1)
  }

  @Test("Long values are cut") func longValuesAreCut() {
    let memo = Memo()
    watch(memo.observe(\.text))
    let trace = Diagnostics.trace { memo.text = String(repeating: "x", count: 10_000) }
    #expect(trace.description.count < 300)
  }

  // MARK: Bounds

  final class Link: ReactiveObject {
    @Observed var value = 0
    var next: Link?
    @Derived({ (self: Link) in self.next.map { $0.sum + self.value } ?? self.value }) var sum: Int
  }

  @Test("Deep entries are indented to a limit") func deepEntriesAreIndentedToALimit() {
    var links = [Link()]
    for _ in 0..<1_000 {
      let link = Link()
      link.next = links.last
      links.append(link)
    }
    let (sum, trace) = Diagnostics.trace { links.last!.sum }
    #expect(sum == 0)
    #expect(trace.entries.map(\.depth).max() == 1_000)
    #expect(trace.description.split(separator: "\n").allSatisfy { $0.utf8.count < 200 })
  }

  /// However much one set causes.
  @Test("The entries of a trace are bounded") func theEntriesOfATraceAreBounded() {
    let (bill, purse, memo) = (Bill(), Purse(), Memo())
    for _ in 0..<30 {
      watch(bill.observe(\.net, options: .new)) { [unowned purse] _ in purse.balance += 1 }
      watch(purse.observe(\.balance, options: .new)) { [unowned memo] _ in memo.text += "x" }
      watch(memo.observe(\.text, options: .new))
    }
    let trace = Diagnostics.trace { bill.net = 0 }
    #expect(memo.text.count == 900)
    #expect((10_000...20_000).contains(trace.entries.count))
    #expect(trace.omitted > 0)
    Diagnostics.isTracing = true
    defer { Diagnostics.isTracing = false }
    bill.net = 1
    let recent = Diagnostics.recentTrace
    #expect((10_000...20_000).contains(recent?.entries.count ?? 0))
    #expect(recent?.why(\.net, of: bill)?.steps.first?.subject == "Bill#1.net")
  }

  /// The switch is for a debug session, however long, of an application of any size.
  @Test("The switch keeps the last entries") func theSwitchKeepsTheLastEntries() {
    let purses = (0..<10_000).map { _ in Purse() }
    for purse in purses { watch(purse.observe(\.balance)) }
    Diagnostics.isTracing = true
    defer { Diagnostics.isTracing = false }
    #expect(Diagnostics.isTracing)
    for purse in purses + purses { purse.balance = purse.balance + 1 }
    let recent = Diagnostics.recentTrace
    #expect(recent?.omitted == 20_000)
    #expect(recent?.entries.count == 20_000)
    #expect(recent?.entries.suffix(2).first?.description == "set Purse#10000.balance: 11 → 12")
    var cause: Cause?
    watch(purses[7].observe(\.limit, options: .new)) { _ in cause = Diagnostics.currentCause }
    purses[7].limit = 7
    #expect(cause?.steps.map(\.step) == [.set, .deliver])
    Diagnostics.isTracing = false
    #expect(Diagnostics.recentTrace == nil)
  }

  /// A trace inside the switch leaves it as it was.
  @Test("A trace ends as it has begun") func aTraceEndsAsItHasBegun() {
    let purse = Purse()
    watch(purse.observe(\.balance))
    _ = Diagnostics.trace {
      #expect(Diagnostics.isTracing)
      purse.balance = 1
    }
    #expect(!Diagnostics.isTracing)
    Diagnostics.isTracing = true
    defer { Diagnostics.isTracing = false }
    purse.balance = 2
    let trace = Diagnostics.trace { purse.balance = 3 }
    #expect(trace.entries.map(\.depth) == [0, 1])
    #expect(Diagnostics.recentTrace?.entries.count == 4)
  }

  /// All observers of one property, and all readers.
  @Test("Many observers of one property cost no more each")
  func manyObserversOfOnePropertyCostNoMoreEach() {
    func time(observers: Int) -> Duration {
      let bill = Bill()
      let bag = DisposeBag()
      for _ in 0..<observers { bill.observe(\.net).subscribe().disposed(by: bag) }
      for _ in 0..<observers { bill.observe(\.label).subscribe().disposed(by: bag) }
      return (0..<3).map { round in
        ContinuousClock().measure { _ = Diagnostics.trace { bill.net = round } } / observers
      }.min()!
    }
    #expect(time(observers: 2_000) < time(observers: 100) * 14)
  }

  // MARK: Threads

  @Test("Each thread has its own") func eachThreadHasItsOwn() {
    Diagnostics.isTracing = true
    defer { Diagnostics.isTracing = false }
    for index in 0..<4 {
      onAnotherThread {
        #expect(!Diagnostics.isTracing)
        let purse = Purse()
        let subscription = purse.observe(\.balance).subscribe()
        let place = "TracingTests.swift:\(#line - 1)"
        let trace = Diagnostics.trace { purse.balance = index }
        subscription.dispose()
        #expect(
          trace.description == """
            set Purse#1.balance: 10 → \(index)
              deliver \(index) to observe(\\.balance) → subscribe (\(place))
            """)
      }
    }
    #expect(Diagnostics.recentTrace?.entries.count == 0)
  }

  /// An object of this thread dies on another one, which is recorded.
  @Test("A death on another thread is recorded there") func aDeathOnAnotherThreadIsRecordedThere() {
    let doomed = Doomed<Worker>(Worker("Ada"))
    watch(doomed.value!.observe(\.name))
    onAnotherThread {
      let trace = Diagnostics.trace { doomed.release() }
      #expect(
        trace.description == """
          death of Worker#1
            complete Worker#1.name
          """)
    }
  }

  final class Doomed<Value>: @unchecked Sendable {
    // Proof of @unchecked: used by one thread after the other.
    private(set) var value: Value?

    init(_ value: Value) { self.value = value }

    func release() { value = nil }
  }
}
