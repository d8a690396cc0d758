import Foundation
import Keyline
import Observation
import TestSupport
import Testing

private class Team: ReactiveObject, Observation.Observable, Codable {
  typealias Observed = ObservationBridged
  typealias WeakObserved = WeakObservationBridged

  @Observed var title = ""
  @Observed var numbers: [Int] = []
  @Observed var note: String?
  @WeakObserved var lead: Person?
  @Observed var items = ObservableArray<Int>()
  @Observed var prices = ObservableDictionary<String, Int>()
  @Observed var tags: ObservableSet<String>?
  private var bytes = 0
  var size: Int {
    access("size")
    return bytes
  }
  @Derived({ (self: Team) in self.size }) var shownSize: Int
  @Derived({ (self: Team) in self.title.uppercased() }) var heading: String

  override init() { super.init() }

  func grow() {
    bytes += 1
    didChange("size")
  }

  private enum CodingKeys: CodingKey { case title, note }

  required init(from decoder: any Decoder) throws {
    super.init()
    let container = try decoder.container(keyedBy: CodingKeys.self)
    title = try container.decode(String.self, forKey: .title)
    note = try container.decodeIfPresent(String.self, forKey: .note)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(title, forKey: .title)
    try container.encodeIfPresent(note, forKey: .note)
  }
}

private final class Club: Team {}

/// A class that inherits from no base class.
private final class Board: PropertyObservable, Observation.Observable {
  typealias Observed = ObservationBridged
  typealias WeakObserved = WeakObservationBridged
  let properties = PropertyRegistry()
  @Observed var title = ""
  @WeakObserved var lead: Person?
  @Observed var items = ObservableArray<Int>()
  @Observed var prices = ObservableDictionary<String, Int>()
  @Observed var tags: ObservableSet<String>?
  private var bytes = 0
  @Derived({ (self: Board) in
    self.properties.access("size", of: self)
    return self.bytes
  }) var size: Int

  func grow() {
    properties.willChange("size")
    bytes += 1
    properties.didChange("size")
  }
}

@MainActor private final class Screen: MainReactiveObject, Observation.Observable {
  typealias Observed = ObservationBridged
  typealias WeakObserved = WeakObservationBridged
  @Observed var title = ""
  @WeakObserved var lead: Person?
  @Observed var items = ObservableArray<Int>()
}

/// How often Observation is notified of a change of what `read` reads.
private func notifications<Value>(of read: () -> Value, during body: () throws -> Void) rethrows
  -> Int
{
  let count = Guarded(0)
  withObservationTracking {
    _ = read()
  } onChange: {
    count.withLock { $0 += 1 }
  }
  try body()
  return count.withLock { $0 }
}

/// Classes that are both `PropertyObservable` and `Observation.Observable`.
@Suite struct BridgedClassTests {
  private let team = Team()

  @Test("A set of a property notifies Observation, in place as well")
  func aSetOfAPropertyNotifiesObservation() {
    #expect(notifications(of: { team.title }) { team.title = "a" } == 1)
    #expect(notifications(of: { team.title }) { team.numbers = [1] } == 0)
    #expect(notifications(of: { team.numbers.count }) { team.numbers.append(2) } == 1)
    #expect(notifications(of: { team.note == nil }) { team.note = "a" } == 1)
    #expect(notifications(of: { team.title }) {} == 0)
    let club = Club()
    #expect(notifications(of: { club.title }) { club.title = "a" } == 1)
  }

  @Test("A batch notifies once, at its end")
  func aBatchNotifiesAtItsEnd() {
    var inside = 0
    let count = notifications(of: { team.title }) {
      batchUpdates {
        team.title = "a"
        inside = notifications(of: { team.note }) { team.note = "b" }
      }
    }
    #expect(count == 1 && inside == 0)
    let restored = notifications(of: { team.title }) {
      batchUpdates {
        team.title = "b"
        team.title = "a"
      }
    }
    #expect(restored == 0)
  }

  @Test("A weak property notifies of sets, and of the death of its object")
  func aWeakPropertyNotifiesOfSetsAndDeaths() {
    var ada: Person? = Person("Ada")
    #expect(notifications(of: { team.lead == nil }) { team.lead = ada } == 1)
    #expect(notifications(of: { team.lead == nil }) { ada = nil } == 1)
    #expect(team.lead == nil)
    ada = Person("Ada")
    team.lead = ada
    #expect(notifications(of: { team.lead?.name }) { team.lead = nil } == 1)
    #expect(notifications(of: { team.lead }) { ada = nil } == 0)
  }

  @Test("A read of a collection notifies of edits, and of another collection")
  func aReadOfACollectionNotifiesOfEdits() {
    let former = team.items
    #expect(notifications(of: { team.items.count }) { team.items.append(1) } == 1)
    #expect(notifications(of: { team.items[0] }) { team.items[0] = 2 } == 1)
    #expect(notifications(of: { team.items.count }) { team.items = [1, 2] } == 1)
    #expect(notifications(of: { team.items.count }) { former.append(3) } == 0)
    #expect(notifications(of: { team.items.count }) { team.items.removeAll() } == 1)
    #expect(notifications(of: { team.prices["a"] }) { team.prices["a"] = 1 } == 1)
    #expect(notifications(of: { team.tags?.count }) { team.tags = ["a"] } == 1)
    #expect(notifications(of: { team.tags?.count }) { team.tags?.insert("b") } == 1)
  }

  @Test("Both base classes and a class of its own are alike") @MainActor
  func bothBaseClassesAndAClassOfItsOwnAreAlike() {
    let (board, screen) = (Board(), Screen())
    var ada: Person? = Person("Ada")
    #expect(notifications(of: { board.title }) { board.title = "a" } == 1)
    #expect(notifications(of: { screen.title }) { screen.title = "a" } == 1)
    #expect(notifications(of: { board.items.count }) { board.items.append(1) } == 1)
    #expect(notifications(of: { screen.items.count }) { screen.items.append(1) } == 1)
    #expect(notifications(of: { board.lead }) { board.lead = ada } == 1)
    #expect(notifications(of: { screen.lead }) { screen.lead = ada } == 1)
    let count = notifications(of: { screen.lead }) {
      #expect(notifications(of: { board.lead }) { ada = nil } == 1)
    }
    #expect(count == 1)
  }

  @Test("A class of its own has everything that a subclass has")
  func aClassOfItsOwnHasEverything() throws {
    let (board, ada) = (Board(), Person("Ada"))
    let (titles, leads, sets) = (Log<String>(), Log<String?>(), Log<ChangeSet>())
    titles.follow(board.$title)
    leads.follow(board.$lead.map { $0?.name })
    sets.follow(board.observeChangeSets())
    let history = UndoHistory(board)
    let count = try notifications(of: { board.title }) { try board.setValue("a", forKey: "title") }
    board.lead = ada
    #expect(count == 1 && notifications(of: { board.size }) { board.grow() } == 1)
    #expect(notifications(of: { board.prices["a"] }) { board.prices["a"] = 1 } == 1)
    #expect(notifications(of: { board.tags?.count }) { board.tags = ["a"] } == 1)
    #expect(notifications(of: { board.tags?.count }) { board.tags?.formUnion(["b", "c"]) } == 1)
    #expect(notifications(of: { board.tags?.count }) { history.undo() } == 1)
    #expect(notifications(of: { board.title }) { sets.elements[0].undo() } == 1)
    #expect(sets.take().map(\.names).prefix(3) == [["title"], ["lead"], ["tags"]])
    #expect(titles.take() == ["", "a", ""] && leads.take() == [nil, "Ada"])
    #expect(board.tags?.contents == ["a"] && board.size == 1)
    #expect(try board.value(forKey: "title", as: String.self) == "")
  }

  @Test("$name is the sequence of the values") func dollarNameIsTheSequenceOfTheValues() {
    let (titles, leads) = (Log<String>(), Log<String?>())
    titles.follow(team.$title)
    leads.follow(team.$lead.map { $0?.name })
    team.title = "a"
    var ada: Person? = Person("Ada")
    team.lead = ada
    ada = nil
    #expect(titles.take() == ["", "a"])
    #expect(leads.take() == [nil, "Ada", nil])
  }

  @Test("A property is found by name, and a set by name notifies Observation")
  func aPropertyIsFoundByName() throws {
    let stored = ["title", "numbers", "note", "lead", "items", "prices", "tags"]
    #expect(Team.properties.map(\.name) == stored + ["shownSize", "heading"])
    #expect(Team.properties.filter(\.isWeak).map(\.name) == ["lead"])
    let log = Log<String>()
    log.follow(try team.observe(String.self, "title"))
    let count = try notifications(of: { team.title }) { try team.setValue("a", forKey: "title") }
    #expect(count == 1)
    #expect(try team.value(forKey: "title", as: String.self) == "a")
    #expect(log.take() == ["", "a"])
  }

  @Test("Changes are in change sets, and undo notifies Observation")
  func changesAreInChangeSets() {
    let sets = Log<ChangeSet>()
    sets.follow(team.observeChangeSets())
    let ada = Person("Ada")
    batchUpdates {
      team.title = "a"
      team.lead = ada
    }
    #expect(sets.elements.map(\.names) == [["title", "lead"]])
    #expect(notifications(of: { team.title }) { sets.elements[0].undo() } == 1)
    #expect(team.title == "" && team.lead == nil)
  }

  @Test("A history undoes its changes") func aHistoryUndoesItsChanges() {
    let history = UndoHistory(team)
    team.title = "a"
    team.items.append(1)
    #expect(notifications(of: { team.items.count }) { history.undo() } == 1)
    #expect(notifications(of: { team.title }) { history.undo() } == 1)
    #expect(team.title == "" && team.items.isEmpty)
  }

  @Test("The values are coded by hand, and decoding notifies nobody")
  func theValuesAreCodedByHand() throws {
    team.title = "a"
    let data = try JSONEncoder().encode(team)
    let copy = try JSONDecoder().decode(Team.self, from: data)
    #expect(copy.title == "a" && copy.note == nil)
    #expect(notifications(of: { copy.title }) { copy.title = "b" } == 1)
  }

  @Test("State reported by hand is read through a derived property")
  func stateReportedByHandIsReadThroughADerivedProperty() {
    #expect(notifications(of: { team.shownSize }) { team.grow() } == 1)
    #expect(team.shownSize == 1)
  }

  @Test("tracking emits once for each set, edit and death") @MainActor
  func trackingEmitsOnceForEachSetEditAndDeath() async {
    let log = Log<String>()
    let team = Team()
    log.follow(
      KeylineObservable.tracking {
        "\(team.title) \(team.items.count) \(team.lead?.name ?? "-") \(team.heading)"
      })
    team.title = "a"
    team.items.append(1)
    var ada: Person? = Person("Ada")
    team.lead = ada
    ada = nil
    for _ in 0..<10 { await Task.yield() }
    #expect(log.take() == [" 0 - ", "a 0 - A", "a 1 - A", "a 1 Ada A", "a 1 - A"])
  }

  @Test("A bound property notifies, and follows") func aBoundPropertyNotifiesAndFollows() {
    let person = Person("Ada")
    person.bind(\.name, to: team, \.title, mode: .twoWay)
    #expect(notifications(of: { team.title }) { person.name = "Bea" } == 1)
    team.title = "Cal"
    #expect(person.name == "Cal")
  }

  @Test("Nothing retains the object that has been read") func nothingRetainsTheObject() {
    weak var former: Team?
    do {
      let team = Team()
      former = team
      withObservationTracking {
        _ = (team.title, team.items.count, team.lead, team.heading)
      } onChange: {
      }
    }
    #expect(former == nil)
  }

  @Test("A first read in a deinit, in a rule or in an observer is safe")
  func aFirstReadAnywhereIsSafe() {
    final class Page: ReactiveObject, Observation.Observable {
      typealias Observed = ObservationBridged
      @Observed var title = "a"
      @Observed var items = ObservableArray<Int>([1])
      let log: Log<String>
      @Derived({ (self: Page) in "\(self.title) \(untracked { self.items.count })" })
      var text: String

      init(_ log: Log<String>) {
        self.log = log
        super.init()
      }

      deinit { log.elements.append("\(title) \(items.count)") }
    }
    let log = Log<String>()
    do {
      let page = Page(log)
      #expect(page.text == "a 1")
      page.observe(\.title) { [unowned page] in log.elements.append("\($0) \(page.items.count)") }
      page.title = "b"
      #expect(page.text == "b 1")
      page.items.append(2)
      #expect(page.text == "b 1")
    }
    #expect(log.take() == ["a 1", "b 1", "b 2"])
  }
}
