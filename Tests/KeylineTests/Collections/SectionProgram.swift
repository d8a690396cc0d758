import Keyline
import TestSupport
import Testing

private final class Item: ReactiveObject {
  let id: Int
  @Observed var key: Int
  init(_ id: Int, key: Int) {
    self.id = id
    self.key = key
    super.init()
  }
}

private typealias Section = LiveSection<Int, Item>

/// A value that all keys read.
private final class Shift: ReactiveObject { @Observed var value = 0 }

/// A random program over an array of items and its sections, compared with a grouping by plain code.
struct SectionProgram: SteppedProgram {
  enum Step {
    case change(Int, Int, Int)
    case batch([Step])
    /// Observes the sections, a section, or a view of one, or ends this.
    case toggle(Int)
    /// Reads the sections, or one of them.
    case read(Int)
    /// Makes the view of sections anew; the former sections keep their elements.
    case renew
  }

  var steps: [Step]

  init(seed: UInt64) {
    var random = SplitMix(seed: seed)
    steps = (0..<random.number(1...20)).map { _ in Self.step(&random, isInBatch: false) }
  }

  private static func step(_ random: inout SplitMix, isInBatch: Bool) -> Step {
    let places = (random.number(0..<1000), random.number(0..<1000))
    return switch random.number(0..<24) {
    case 0..<3 where !isInBatch:
      .batch((0..<random.number(1...6)).map { _ in step(&random, isInBatch: true) })
    case 3..<8 where !isInBatch: .toggle(places.0)
    case 8..<10: .read(places.0)
    case 10 where places.1 < 300 && !isInBatch: .renew
    default: .change(random.number(0..<13), places.0, places.1)
    }
  }

  var failures: [LawFailure] { SectionRun(self).failures }
}

private final class SectionRun {
  private(set) var failures: [LawFailure] = []
  private let items: ObservableArray<Item>
  private var pool: [Item]
  private var sections: LiveArray<Section>
  /// All sections that have been seen, and how they are followed.
  private var followed: [Follower] = []
  /// Those that had elements after the last step, by their keys.
  private var last: [Int: Section] = [:]
  private var copy: [Section]?
  private var emissions = 0
  private var subscription: (any Disposable)?
  private let distinct: LiveArray<Int>
  private let shift = Shift()
  private var step = 0

  init(_ program: SectionProgram) {
    pool = (0..<7).map { Item($0, key: $0 % 3) }
    items = ObservableArray(pool[0..<5])
    sections = items.grouped { [shift] in ($0.key + shift.value) % 7 }
    distinct = items.filtered { $0.key < 4 }.flatMapped { ObservableArray([$0.key]) }.distinct()
    if program.steps.count % 2 == 0 { _ = distinct.changes.subscribe() }
    for step in program.steps where failures.isEmpty {
      self.step += 1
      run(step)
      check(isBatch: { if case .batch = step { true } else { false } }())
    }
  }

  private func run(_ step: SectionProgram.Step) {
    switch step {
    case .change(let kind, let first, let second): change(kind, first, second)
    case .batch(let steps): batchUpdates { for step in steps { run(step) } }
    case .toggle(let index): toggle(index)
    case .read(let index): read(index)
    case .renew: renew()
    }
  }

  private func change(_ kind: Int, _ first: Int, _ second: Int) {
    let item = pool[first % pool.count]
    let place = first % (items.count + 1)
    switch kind {
    case 0:
      pool.append(Item(pool.count, key: second % 6))
      items.insert(pool[pool.count - 1], at: place)
    case 1: items.insert(contentsOf: [item, pool[second % pool.count]], at: place)
    case 2: items.removeSubrange(place..<min(items.count, place + 1 + second % 3))
    case 3 where items.count > 1: items.move(from: first % items.count, to: second % items.count)
    case 4 where second % 3 == 0: items.reverse()
    case 5 where second % 4 == 0: items.removeAll { $0.key % 2 == first % 2 }
    case 6 where second % 6 == 0: items.removeAll()
    case 7 where second % 4 == 0:
      batchUpdates { for item in items { item.key = (item.key + 1) % 6 } }
    case 8 where second % 4 == 0: batchUpdates { for item in items { item.key = first % 2 } }
    case 9 where !items.isEmpty: items[first % items.count] = pool[second % pool.count]
    case 10 where second % 3 == 0:
      let new = (0..<40).map { Item(pool.count + $0, key: ($0 * first + second) % 6) }
      pool += new
      items.insert(contentsOf: new, at: place)
    case 11 where second % 3 == 0:
      let middle = first % (items.count + 1)
      items.replaceSubrange(0..., with: items[middle...] + items[..<middle])
    case 12 where second % 3 == 0: shift.value = first % 7
    default: item.key = second % 6
    }
  }

  private func toggle(_ index: Int) {
    guard index % 3 == 0 || followed.isEmpty else {
      return followed[index % followed.count].toggle(isNested: index % 2 == 0)
    }
    if let subscription {
      subscription.dispose()
      (self.subscription, copy) = (nil, nil)
      return
    }
    copy = sections.elements
    subscription = sections.changes.subscribe(onNext: { [unowned self] edits in
      emissions += 1
      for edit in edits { edit.apply(to: &copy!) }
    })
  }

  private func read(_ index: Int) {
    guard index % 2 == 0 || followed.isEmpty else {
      return followed[index % followed.count].read()
    }
    compareSections()
  }

  private func renew() {
    subscription?.dispose()
    (subscription, copy, last) = (nil, nil, [:])
    compareSections()
    for follower in followed { follower.end() }
    sections = items.grouped { [shift] in ($0.key + shift.value) % 7 }
  }

  // MARK: Checks

  private func key(of item: Item) -> Int { (item.key + shift.value) % 7 }

  private var expected: [(key: Int, ids: [Int])] {
    let groups = Dictionary(grouping: items.elements, by: key)
    var keys: [Int] = []
    for key in items.elements.map(key) where !keys.contains(key) { keys.append(key) }
    return keys.map { key in (key, groups[key]?.map(\.id) ?? []) }
  }

  private func check(isBatch: Bool) {
    if emissions > 1 { record("P4", "\(emissions) emissions of the sections") }
    emissions = 0
    compareSections()
    if let copy, !copy.elementsEqual(sections.elements, by: ===) {
      record("replay", "\(copy.map(\.key)) instead of \(sections.map(\.key))")
    }
    var current: [Int: Section] = [:]
    for (index, section) in sections.enumerated() {
      current[section.key] = section
      if !isBatch, let former = last[section.key], former !== section {
        record("identity", "another section for \(section.key)")
      }
      if !followed.contains(where: { $0.section === section }) {
        followed.append(Follower(section))
      }
      let place = sections.sourceIndex(of: index)
      if items[place] !== section.first { record("source index", "\(place) of \(index)") }
    }
    for (place, item) in items.enumerated() {
      let index = sections.index(ofSource: place)
      if index.map({ sections[$0].key }) != key(of: item) { record("index", "of \(place)") }
    }
    last = current
    for follower in followed {
      follower.check(isCurrent: current[follower.section.key] === follower.section, record)
    }
    var keys: [Int] = []
    for item in items.elements where item.key < 4 && !keys.contains(item.key) {
      keys.append(item.key)
    }
    if distinct.elements != keys { record("distinct", "\(distinct) instead of \(keys)") }
  }

  private func compareSections() {
    let found = sections.map { "\($0.key): \($0.map(\.id))" }
    let wanted = expected.map { "\($0.key): \($0.ids)" }
    if found != wanted { record("contents", "\(found) instead of \(wanted)") }
    if sections.count != wanted.count { record("count", "\(sections.count)") }
  }

  private func record(_ law: String, _ message: String) {
    failures.append(LawFailure(law: law, step: step, message: message))
  }
}

/// A section, with copies that its edits, and the edits of a view, keep up to date.
private final class Follower {
  let section: Section
  /// Retains the view of sections.
  private var large: LiveArray<Int>?
  private var copy: [Item]?
  private var ids: [Int]?
  private var emissions = [0, 0]
  private var subscriptions: [(any Disposable)?] = [nil, nil]
  /// The elements at the end of the view of sections.
  private var final: [Int] = []

  init(_ section: Section) {
    self.section = section
    large = section.filtered { $0.id > 2 }.sorted { $0.id > $1.id }.mapped(\.id)
  }

  func toggle(isNested: Bool) {
    guard let large else { return }
    let index = isNested ? 1 : 0
    if let subscription = subscriptions[index].take() {
      subscription.dispose()
      if isNested { ids = nil } else { copy = nil }
      return
    }
    if isNested {
      ids = large.elements
      subscriptions[1] = large.changes.subscribe(onNext: { [unowned self] edits in
        emissions[1] += 1
        for edit in edits { edit.apply(to: &ids!) }
      })
    } else {
      copy = section.elements
      subscriptions[0] = section.changes.subscribe(onNext: { [unowned self] edits in
        emissions[0] += 1
        for edit in edits { edit.apply(to: &copy!) }
      })
    }
  }

  func read() { _ = (section.count, large?.count) }

  /// Keeps the elements from now on: the view of sections is released.
  func end() {
    guard large != nil else { return }
    for subscription in subscriptions { subscription?.dispose() }
    (copy, ids, subscriptions) = (nil, nil, [nil, nil])
    (final, large) = (section.map(\.id), nil)
  }

  func check(isCurrent: Bool, _ record: (String, String) -> Void) {
    let found = section.map(\.id)
    guard let large else {
      if found != final { record("end", "\(found) instead of \(final)") }
      return
    }
    if !isCurrent, !found.isEmpty { record("left", "\(section.key): \(found)") }
    if emissions.contains(where: { $0 > 1 }) { record("P4", "\(emissions) of \(section.key)") }
    emissions = [0, 0]
    let wanted = found.filter { $0 > 2 }.sorted { $0 > $1 }
    if large.elements != wanted { record("view", "\(large) instead of \(wanted)") }
    if let copy, copy.map(\.id) != found { record("copy", "\(copy.map(\.id)) of \(found)") }
    if let ids, ids != wanted { record("copy of the view", "\(ids) instead of \(wanted)") }
  }
}

@Suite struct SectionProgramTests {
  @Test("Sections agree with a grouping by plain code") func randomPrograms() {
    let count = RandomPrograms.number("KEYLINE_VIEWS") ?? rounds(40, optimised: 3_000)
    RandomPrograms.expectLaws("SectionProgram", seeds: RandomPrograms.seeds(count)) {
      SectionProgram(seed: $0)
    }
  }
}
