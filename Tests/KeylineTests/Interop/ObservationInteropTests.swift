import Foundation
import Keyline
import Observation
import Synchronization
import TestSupport
import Testing

private class Note: ReactiveObject, Observation.Observable {
  typealias Observed = ObservationBridged

  @Observed var title = ""
  @Observed var tags: [String] = []
  var shout: String { title.uppercased() }
}

@Observation.Observable private final class Ledger {
  var name = ""
  var isHidden = false
}

/// Observation sees Keyline's objects, and Keyline Observation's.
@MainActor @Suite struct ObservationInteropTests {
  private let note = Note()
  private let account = Ledger()
  private let person = Person("Ada")

  @Test("Observation tracks bridged properties") func observationTracksBridgedProperties() {
    let fired = Mutex(0)
    func track<Value>(_ read: () -> Value) -> Value {
      withObservationTracking(read, onChange: { fired.withLock { $0 += 1 } })
    }
    #expect(track { note.shout } == "")
    note.tags.append("a")
    #expect(fired.withLock { $0 } == 0)
    note.title = "a"
    note.title = "b"
    #expect(fired.withLock { $0 } == 1)
    #expect(track { note.tags } == ["a"])
    note.tags.append("b")
    #expect(fired.withLock { $0 } == 2)
    #expect(note.tags == ["a", "b"])
  }

  @Test("Keyline observes them all the same") func keylineObservesThemAllTheSame() {
    let log = Log<String>()
    log.follow(note.observe(\.shout))
    let tags = Log<[String]>()
    tags.follow(note.observe(\.tags))
    note.title = "a"
    note.tags.append("b")
    log.expect(["", "A"])
    tags.expect([[], ["b"]])
  }

  @Test("P3: Holds for them however they are reached") func p3HoldsForThemHoweverTheyAreReached() {
    final class Letter: Note {}
    Reports.collect()
    let letter = Letter()
    let (inherited, computed) = (Log<String>(), Log<String>())
    let subscription = letter.observe(\.title, options: .new).subscribe(
      onNext: { [unowned letter] in if $0.count < 3 { letter.title += "a" } })
    inherited.follow(letter.observe(\.title))
    computed.follow(letter.observe(\.shout))
    letter.title = "a"
    inherited.expect(["", "aaa"])
    computed.expect(["", "AAA"])
    subscription.dispose()
    _ = letter.observe(\.tags, options: .new).subscribe(
      onNext: { [unowned letter] in letter.tags = $0 })
    letter.tags = []
    #expect(Reports.about("Letter").map(\.category) == [.feedbackLoop])
    #expect(Reports.about("Letter").map(\.property) == ["tags"])
  }

  @available(macOS 26.0, iOS 26.0, watchOS 26.0, tvOS 26.0, visionOS 26.0, *)
  @Test("Observations iterates over them") func observationsIteratesOverThem() async {
    var titles: [String] = []
    let note = note
    for await title in Observations({ note.title }) {
      titles.append(title)
      if titles.count == 3 { break }
      note.title += "a"
    }
    #expect(titles == ["", "a", "aa"])
  }

  @Test("Keyline properties are tracked synchronously")
  func keylinePropertiesAreTrackedSynchronously() {
    let log = Log<String>()
    let subscription = log.follow(.tracking { person.label })
    person.name = "Bea"
    person.address = Address(city: City("Rome"))
    log.expect(["Ada, —", "Bea, —", "Bea, Rome"])
    subscription.dispose()
    person.name = "Cal"
    log.expect([])
  }

  @Test("A change announced by Observation is emitted when the actor has finished its turn")
  func whatObservationAnnouncesIsEmittedOnceTheActorIsThrough() async {
    let (names, next) = follow { account.name }
    account.name = "a"
    account.name = "b"
    names.expect([""])
    await next()
    names.expect(["b"])
    account.name = "b"
    account.name = "c"
    await next()
    names.expect(["c"])
  }

  @Test("Both kinds may be mixed and dependencies change with the branch")
  func bothKindsMayBeMixedAndDependenciesChangeWithTheBranch() async {
    let (log, next) = follow { account.isHidden ? "hidden" : "\(account.name) \(person.name)" }
    person.name = "Bea"
    log.expect([" Ada", " Bea"])
    account.name = "a"
    await next()
    log.expect(["a Bea"])
    account.isHidden = true
    await next()
    log.expect(["hidden"])
    person.name = "Cal"
    account.name = "b"
    log.expect([])
    account.isHidden = false
    await next()
    log.expect(["b Cal"])
    person.name = "Dan"
    person.name = "Eve"
    account.name = "c"
    await next()
    log.expect(["b Dan", "b Eve", "c Eve"])
  }

  @Test("An object of both worlds is emitted at once, and only then")
  func anObjectOfBothWorldsIsEmittedAtOnce() async {
    let log = Log<String>()
    log.follow(.tracking { note.title })
    note.title = "a"
    log.expect(["", "a"])
    for _ in 0..<10 { await Task.yield() }
    log.expect([])
  }

  @Test("A registered property of both kinds is in change sets, and is set by name")
  func aRegisteredPropertyOfBothKindsIsInChangeSets() throws {
    let report = Report()
    let sets = Log<ChangeSet>()
    sets.follow(report.observeChangeSets())
    let fired = Mutex(0)
    withObservationTracking {
      _ = report.title
    } onChange: {
      fired.withLock { $0 += 1 }
    }
    try report.setValue("a", forKey: "title")
    #expect(fired.withLock { $0 } == 1)
    #expect(sets.elements.map(\.names) == [["title"]])
    sets.elements[0].undo()
    #expect(report.title == "")
  }

  @Test("A class of both kinds codes its properties by hand")
  func aClassOfBothKindsCodesItsPropertiesByHand() throws {
    let report = Report()
    report.title = "a"
    let data = try JSONEncoder().encode(report)
    #expect(String(decoding: data, as: UTF8.self) == #"{"title":"a"}"#)
    #expect(try JSONDecoder().decode(Report.self, from: data).title == "a")
  }

  @Test("State reported by hand notifies Observation through a derived value")
  func stateReportedByHandNotifiesObservationThroughADerivedValue() {
    let report = Report()
    let fired = Mutex(0)
    withObservationTracking {
      _ = report.shownSize
    } onChange: {
      fired.withLock { $0 += 1 }
    }
    report.grow()
    #expect(fired.withLock { $0 } == 1)
    #expect(report.shownSize == 1)
  }

  private final class Report: ReactiveObject, Observation.Observable, Codable {
    typealias Observed = ObservationBridged
    @Observed var title = ""
    private var bytes = 0
    var size: Int {
      access("size")
      return bytes
    }
    @Derived({ (self: Report) in self.size }) var shownSize: Int

    override class var registeredProperties: [RegisteredProperty] {
      [RegisteredProperty("title", \Report.title)]
    }

    override init() { super.init() }

    func grow() {
      willChange("size")
      bytes += 1
      didChange("size")
    }

    private enum CodingKeys: CodingKey { case title }

    init(from decoder: any Decoder) throws {
      super.init()
      title = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .title)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(title, forKey: .title)
    }
  }

  @Test("Disposal ends the tracking by Observation") func disposalEndsWhatObservationTracks() {
    final class Token {}
    weak var token: Token?
    let subscription: any Disposable
    do {
      let held = Token()
      token = held
      subscription = Keyline.Observable.tracking { [account] in
        _ = held
        return account.name
      }.subscribe()
    }
    #expect(token != nil)
    account.name = "a"
    person.name = "Bea"
    subscription.dispose()
    #expect(token == nil)
  }

  @Test("Outside an actor it is reported") func outsideAnActorItIsReported() {
    struct Outside {}
    Reports.collect()
    let person = person
    let account = account
    let log = Log<String>()
    log.follow(
      KeylineObservable.tracking(isolation: nil) { account.name + person.name })
    let reports = Reports.of(.misuse).count { $0.type == "String" }
    account.name = "a"
    person.name = "Bea"
    log.expect(["Ada", "aBea"])
    #expect(Reports.of(.misuse).count { $0.type == "String" } == reports + 1)
  }

  /// Follows `expression`; the function returned waits for the next value that the actor emits
  /// after work of its own.
  private func follow(
    _ expression: @escaping () -> String
  ) -> (Log<String>, next: () async -> Void) {
    let log = Log<String>()
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    let isWaiting = Flag()
    _ = KeylineObservable.tracking(expression).subscribe(onNext: {
      log.elements.append($0)
      if isWaiting.value { continuation.yield() }
    })
    return (
      log,
      {
        isWaiting.value = true
        for await _ in stream { break }
        isWaiting.value = false
      }
    )
  }

  private final class Flag {
    var value = false
  }
}

/// Law D21: a cached read is registered with Observation, too.
@Suite struct DerivedInteropTests {
  private final class Note: ReactiveObject, Observation.Observable {
    typealias Observed = ObservationBridged
    @Observed var title = "a"
    var runs = 0
    @Derived({ (self: Note) in
      self.runs += 1
      return self.title.uppercased()
    }) var heading: String
    @Derived(or: -1, { (self: Note) in try Note.parse(self.title) }) var number: Int

    struct NoNumber: Error {}
    static func parse(_ text: String) throws -> Int {
      guard let number = Int(text) else { throw NoNumber() }
      return number
    }
  }

  @Test("D21: A cached read is registered with observation")
  func d21ACachedReadIsRegisteredWithObservation() {
    let note = Note()
    #expect(note.heading == "A")
    var changes = 0
    func track() {
      withObservationTracking {
        _ = note.heading
      } onChange: { [counter = Counter.self] in
        counter.count.add(1)
      }
    }
    track()
    #expect(note.runs == 1)
    note.title = "b"
    changes = Counter.count.value
    #expect(changes == 1 && note.runs == 1)
    #expect(note.heading == "B" && note.runs == 2)
    track()
    batchUpdates {
      note.title = "c"
      note.title = "d"
    }
    #expect(Counter.count.value == 2)
    #expect(note.heading == "D")
  }

  @Test("D21: It is observed with Keyline as well") func d21ItIsObservedWithKeylineAsWell() {
    let note = Note()
    let log = Log<String>()
    let numbers = Log<Int>()
    let errors = Log<Bool>()
    log.follow(note.observe(\.heading))
    numbers.follow(note.observe(\.number))
    errors.follow(note.$number.errors.map { $0 is Note.NoNumber })
    note.title = "1"
    note.title = "x"
    log.expect(["A", "1", "X"])
    numbers.expect([-1, 1, -1])
    errors.expect([true])
  }

  @Test("D21: A weak property and a collection that a rule reads notify Observation")
  func d21AWeakPropertyAndACollectionThatARuleReadsNotifyObservation() {
    final class Window: ReactiveObject, Observation.Observable {
      @WeakObserved var document: Note?
      let items = ObservableArray<Int>()
      @Derived({ (self: Window) in self.document == nil }) var isEmpty: Bool
      @Derived({ (self: Window) in self.items.count }) var count: Int
    }
    let window = Window()
    let notified = SharedCount()
    func changes<Value>(of read: () -> Value, _ body: () -> Void) -> Int {
      let before = notified.value
      withObservationTracking {
        _ = read()
      } onChange: {
        notified.add(1)
      }
      body()
      return notified.value - before
    }
    var note: Note? = Note()
    #expect(changes(of: { window.isEmpty }) { window.document = note } == 1)
    #expect(!window.isEmpty)
    #expect(changes(of: { window.isEmpty }) { note = nil } == 1)
    #expect(window.isEmpty)
    #expect(changes(of: { window.count }) { window.items.append(1) } == 1)
    #expect(changes(of: { window.count }) { window.items.removeAll() } == 1)
    #expect(window.count == 0)
  }

  private enum Counter {
    static let count = SharedCount()
  }

  private final class SharedCount: Sendable {
    private let number = Guarded(0)
    var value: Int { number.withLock { $0 } }
    func add(_ other: Int) { number.withLock { $0 += other } }
  }
}
