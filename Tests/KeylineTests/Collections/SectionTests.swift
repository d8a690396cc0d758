import Dispatch
import Keyline
import TestSupport
import Testing

/// Sections of an array, and arrays without repetitions, one law each.
@Suite struct SectionTests {
  private final class Message: ReactiveObject {
    let subject: String
    @Observed var day: Int
    init(_ subject: String, day: Int) {
      self.subject = subject
      self.day = day
      super.init()
    }
  }

  private static func messages() -> ObservableArray<Message> {
    [Message("a", day: 2), Message("b", day: 1), Message("c", day: 2)]
  }

  private func texts(_ sections: LiveArray<LiveSection<Int, Message>>) -> [String] {
    sections.map { "\($0.key)" + $0.map(\.subject).joined() }
  }

  @Test("Sections stand in the order of their first elements, which keep the order of the array")
  func order() {
    let messages = Self.messages()
    let days = messages.grouped { $0.day }
    #expect(texts(days) == ["2ac", "1b"] && days.map(\.key) == [2, 1])
    messages.move(from: 1, to: 0)
    #expect(texts(days) == ["1b", "2ac"])
    messages.insert(Message("d", day: 3), at: 1)
    messages.move(from: 3, to: 0)
    #expect(texts(days) == ["2ca", "1b", "3d"])
    #expect(days.sourceIndex(of: 2) == 2 && days.index(ofSource: 3) == 0)
    #expect(days[0].sourceIndex(of: 1) == 1)
  }

  @Test("The view emits edits of sections only; a section emits those of its elements")
  func edits() {
    let messages = Self.messages()
    let days = messages.grouped { $0.day }
    let (keys, elements) = (Log<[ArrayEdit<Int>]>(), Log<[ArrayEdit<String>]>())
    keys.follow(days.mapped(\.key).changes)
    elements.follow(days[0].mapped(\.subject).changes)
    messages.append(Message("d", day: 2))
    #expect(keys.take().isEmpty && elements.take() == [[.insertion(["d"], at: 2)]])
    messages[1].day = 2
    keys.expect([[.removal([1], at: 1)]])
    elements.expect([[.insertion(["b"], at: 1)]])
    messages.move(from: 3, to: 0)
    #expect(keys.take().isEmpty && elements.take() == [[.move("d", from: 3, to: 0)]])
    batchUpdates {
      messages[0].day = 5
      messages[1].day = 4
    }
    keys.expect([[.insertion([5, 4], at: 0)]])
    elements.expect([[.removal(["d", "a"], at: 0)]])
    messages.move(from: 0, to: 3)
    keys.expect([[.move(5, from: 0, to: 2)]])
    for message in messages { message.day = 9 }
    #expect(keys.take().flatMap { $0 }.count <= 6 && days.map(\.key) == [9])
  }

  @Test("A key is followed in whatever it reads, and the pass over all elements is one emission")
  func followedKeys() {
    final class Settings: ReactiveObject { @Observed var width = 10 }
    let (settings, numbers) = (Settings(), ObservableArray(Array(0..<40)))
    let groups = numbers.grouped { $0 / settings.width }
    let log = Log<Int>()
    log.follow(groups.changes.map(\.count))
    settings.width = 20
    #expect(groups.map(\.count) == [20, 20] && log.take().count == 1)
    let (first, second) = (groups[0], groups[1])
    settings.width = 40
    #expect(groups.map(\.count) == [40] && groups[0] === first && second.isEmpty)
    settings.width = 20
    #expect(groups[1] !== second && groups[1].elements == Array(20..<40) && second.isEmpty)
  }

  @Test("A section stays the same while it has elements, also if nobody observes the view")
  func identity() {
    let messages = Self.messages()
    let days = messages.grouped { $0.day }
    let section = days[0]
    messages.replaceSubrange(0..<3, with: [Message("x", day: 2), Message("y", day: 7)])
    #expect(days[0] === section && section.map(\.subject) == ["x"])
    batchUpdates {
      let first = messages.removeFirst()
      messages.append(first)
    }
    #expect(days[1] === section && section.count == 1)
  }

  @Test("A subscription to a section, or to a view of it, retains the view of sections")
  func retention() {
    let messages = Self.messages()
    let log = Log<[String]>()
    do {
      let (days, others) = (messages.grouped { $0.day }, messages.grouped { $0.day })
      let late = others[0].filtered { $0.subject > "c" }
      for changes in [days[0].changes, late.changes] {
        log.follow(changes.map { $0.flatMap(\.inserted).map(\.subject) })
      }
    }
    messages.append(Message("d", day: 2))
    log.expect([["d"], ["d"]])
    let kept = { messages.grouped { $0.day }[0] }()
    messages.append(Message("e", day: 2))
    #expect(kept.map(\.subject) == ["a", "c", "d"])
  }

  @Test("Sections die with the array: they keep their elements, complete, and leak nothing")
  func deaths() {
    weak var released: LiveSection<Int, Message>?
    weak var array: ObservableArray<Message>?
    let log = Log<Int>()
    do {
      var messages: ObservableArray<Message>? = Self.messages()
      array = messages
      let days = messages?.grouped { $0.day }
      released = days?[1]
      let section = days?[0]
      _ = section.map { log.follow($0.changes.map(\.count)) }
      messages = nil
      #expect(array == nil && log.isCompleted)
      #expect(section?.map(\.subject) == ["a", "c"] && days?.count == 2)
    }
    #expect(released == nil)
  }

  @Test("A view of sections that outlives the array leaks nothing", arguments: [false, true])
  func viewsOfSectionsAfterTheDeath(isMadeLate: Bool) {
    typealias Days = LiveArray<LiveSection<Int, Message>>
    let kinds: [(Days?) -> AnyObject?] = [
      { $0?.mapped { $0.key } }, { $0?.filtered { _ in true } }, { $0?.reversed() },
      { $0?.flatMapped { $0 } }, { $0?.prefix(1) }, { $0?[0].mapped { $0.subject } },
    ]
    for (index, make) in kinds.enumerated() {
      weak var released: Message?
      do {
        var messages: ObservableArray<Message>? = Self.messages()
        released = messages?[0]
        var days: Days? = messages?.grouped { $0.day }
        var view = isMadeLate ? nil : make(days)
        _ = days?.count
        messages = nil
        if isMadeLate {
          _ = days?.count
          view = make(days)
        }
        days = nil
        withExtendedLifetime(view) {}
      }
      #expect(released == nil, "\(index)")
    }
  }

  @Test("Of equal elements, the one that came first stands at the place of the first")
  func distinct() {
    let words: ObservableArray = ["b", "a", "b", "c", "a"]
    let distinct = words.distinct()
    let log = Log<[ArrayEdit<String>]>()
    log.follow(distinct.changes)
    #expect(distinct.elements == ["b", "a", "c"])
    words.removeFirst()
    words.remove(at: 1)
    words.append("d")
    #expect(
      log.take() == [
        [.move("b", from: 0, to: 1)], [.removal(["b"], at: 1)], [.insertion(["d"], at: 2)],
      ])
    words.replaceSubrange(0..<4, with: Array(repeating: "z", count: 3))
    #expect(distinct.elements == ["z"] && distinct.index(ofSource: 2) == 0)
  }

  @Test("An element may read the sections, observed or not, when it is released")
  func releasedElements() {
    final class ReleasedNote: ReactiveObject {
      @Observed var day = 1
      var onRelease: () -> Void = {}
      deinit { onRelease() }
    }
    Reports.collect()
    for isObserved in [true, false] {
      for isRead in [true, false] {
        let notes = ObservableArray((0..<40).map { _ in ReleasedNote() })
        let days = notes.grouped { $0.day }
        var counts: [[Int]] = []
        notes[0].onRelease = { [unowned days] in counts.append(days.map(\.count)) }
        if isObserved { _ = days.changes.subscribe() }
        if isRead { _ = days.map(\.count) }
        notes.remove(at: 0)
        _ = days.map(\.count)
        #expect(counts == [[39]])
      }
    }
    #expect(Reports.of(.derivedCycle).allSatisfy { !$0.message.contains("ReleasedNote") })
  }

  @Test("A rule follows sections that it makes itself") func sectionsInRules() {
    let messages = Self.messages()
    let counts = Computed { messages.grouped { $0.day }.map { $0.count } }
    let log = Log<[Int]>()
    log.follow(counts.observe(\.value))
    messages[1].day = 2
    messages.append(Message("d", day: 3))
    log.expect([[2, 1], [3], [3, 1]])
  }

  @Test("A rule reads sections, and their aggregates")
  func rules() {
    let messages = Self.messages()
    let days = messages.grouped { $0.day }
    let longest = Computed { days.map(\.count).max() ?? 0 }
    let log = Log<Int>()
    log.follow(longest.observe(\.value))
    messages[1].day = 2
    messages.removeAll()
    log.expect([2, 3, 0])
  }

  @Test("100,000 elements make sections at once, and one by one") func manyElements() {
    let count = rounds(5_000, optimised: 100_000)
    let numbers = ObservableArray(Array(0..<count))
    let groups = numbers.grouped { $0 % 1000 }
    #expect(groups.count == 1000 && groups[7].count == count / 1000)
    _ = groups.changes.subscribe()
    for number in 0..<1000 { numbers.append(number) }
    #expect(groups[7].count == count / 1000 + 1 && numbers.distinct().count == count)
  }
}

extension ViewConcurrencyTests {
  @Test("The view of sections dies on another thread while its sections are read and observed")
  func sections() {
    for round in 0..<ThreadTime.rounds(2_000, brief: 300) {
      let numbers = ObservableArray(Array(0..<12))
      var groups: LiveArray<LiveSection<Int, Int>>? = numbers.grouped { $0 % 3 }
      let sections = groups.map { Array($0.elements.prefix(2)) } ?? []
      let below = round % 2 == 0 ? sections[1].observe(\.count).subscribe() : Disposables.create()
      let group = DispatchGroup()
      groups.map { releaseElsewhere($0, after: round * 13 % 700, in: group) }
      groups = nil
      numbers.append(12)
      let read = sections.map(\.elements)
      #expect(read[0] == [0, 3, 6, 9] || read[0] == [0, 3, 6, 9, 12])
      numbers.append(13)
      group.wait()
      #expect(sections[1].elements == [1, 4, 7, 10] || sections[1].elements == [1, 4, 7, 10, 13])
      below.dispose()
    }
  }
}
