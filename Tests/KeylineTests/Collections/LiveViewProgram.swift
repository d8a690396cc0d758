import Keyline
import TestSupport

/// The shared state that all predicates of a program may read.
final class LiveViewSettings: ReactiveObject {
  @Observed var limit = 4
  @Observed var isAscending = true
  let tags = ObservableArray([1, 3, 5])
}

final class LiveViewItem: ReactiveObject {
  let id: Int
  /// As many marks as the item is repeated by a stage.
  let marks = ObservableArray([0])
  @Observed var rank: Int
  @Observed var isOn = true
  @WeakObserved var friend: LiveViewItem?
  var died: (() -> Void)?
  @Derived({ (self: LiveViewItem) in self.rank * 2 + (self.friend?.rank ?? 0) }) var score: Int

  init(_ id: Int, _ rank: Int) {
    self.id = id
    self.rank = rank
    super.init()
  }

  deinit { died?() }
}

final class LiveViewRow {
  let item: LiveViewItem
  init(_ item: LiveViewItem) { self.item = item }
}

/// A view of items, and the same thing computed anew with the methods of `Array`.
struct LiveViewStage {
  static let kinds = 16
  /// 0 to 5 filter, 6 to 11 sort, the others arrange in further ways.
  let kind: Int

  private func isIncluded(_ item: LiveViewItem, _ settings: LiveViewSettings) -> Bool {
    switch kind {
    case 0: item.rank > settings.limit
    case 1: item.isOn
    case 2: item.isOn ? item.rank < 7 : item.friend?.isOn ?? false
    case 3: item.score % 3 != 0
    case 4: settings.tags.contains(item.rank)
    default: item.isOn || settings.isAscending
    }
  }

  private func isBefore(
    _ one: LiveViewItem, _ other: LiveViewItem, _ settings: LiveViewSettings
  ) -> Bool {
    switch kind {
    case 6: one.rank < other.rank
    case 7: settings.isAscending ? one.rank < other.rank : one.rank > other.rank
    case 8: one.score > other.score
    case 9: one.isOn != other.isOn ? one.isOn : one.isOn && one.rank < other.rank
    case 10: (one.friend?.rank ?? -1) < (other.friend?.rank ?? -1)
    default: (one.isOn ? 0 : one.rank) < (other.isOn ? 0 : other.rank)
    }
  }

  private func repeated<Element>(_ element: Element, _ item: LiveViewItem) -> [Element] {
    item.isOn ? [element, element] : item.rank > 5 ? [] : [element]
  }

  private func range(_ settings: LiveViewSettings) -> Range<Int> {
    settings.limit..<(settings.limit + 3 + settings.tags.count)
  }

  func view<Element>(
    of array: LiveArray<Element>, _ settings: LiveViewSettings,
    _ item: @escaping (Element) -> LiveViewItem
  ) -> LiveArray<Element> {
    switch kind {
    case ..<6: return array.filtered { isIncluded(item($0), settings) }
    case ..<12: return array.sorted { isBefore(item($0), item($1), settings) }
    case 12: return array.flatMapped { ObservableArray(repeated($0, item($0))) }
    case 13: return array.flatMapped { element in item(element).marks.mapped { _ in element } }
    case 14: return array.reversed()
    default: return array.window { range(settings) }
    }
  }

  func applied(to items: [LiveViewItem], _ settings: LiveViewSettings) -> [LiveViewItem] {
    switch kind {
    case ..<6: return items.filter { isIncluded($0, settings) }
    case ..<12: return items.sorted { isBefore($0, $1, settings) }
    case 12: return items.flatMap { repeated($0, $0) }
    case 13: return items.flatMap { item in item.marks.map { _ in item } }
    case 14: return items.reversed()
    default: return Array(items[range(settings).clamped(to: items.indices)])
    }
  }
}

/// A random program over an array of items, with nested views of it.
struct LiveViewProgram: SteppedProgram {
  enum Step {
    /// An edit of the array, a set, or a death; the numbers choose its kind and its places.
    case change(Int, Int, Int)
    case batch([Step])
    /// Reads a view; in a batch, in the middle of it.
    case read(Int)
    case observe(Int)
    case dispose(Int)
    /// Lets the next set of a rank make another change, inside its observer.
    case react(Int, Int, Int)
  }

  /// Each view: the stages below the rows, and whether rows and further stages follow.
  let views: [(below: [LiveViewStage], above: [LiveViewStage]?)]
  /// How many items there are at first; some programs have so many that views change as a whole.
  let count: Int
  var steps: [Step]

  init(seed: UInt64) {
    var random = SplitMix(seed: seed)
    func stages(_ count: Int, _ random: inout SplitMix) -> [LiveViewStage] {
      (0..<count).map { _ in LiveViewStage(kind: random.number(0..<LiveViewStage.kinds)) }
    }
    views = (0..<random.number(1...3)).map { _ in
      let below = random.number(0...3)
      let above = random.chance(1, of: 2) ? stages(random.number(0...(3 - below)), &random) : nil
      return (stages(below == 0 && above == nil ? 1 : below, &random), above)
    }
    count = random.chance(1, of: 4) ? random.number(20...80) : 6
    steps = (0..<random.number(1...14)).map { _ in Self.step(&random, isInBatch: false) }
  }

  private static func step(_ random: inout SplitMix, isInBatch: Bool) -> Step {
    let places = (random.number(0..<1000), random.number(0..<1000))
    switch random.number(0..<20) {
    case 0..<2 where !isInBatch:
      return .batch((0..<random.number(1...5)).map { _ in step(&random, isInBatch: true) })
    case 2: return .read(places.0)
    case 3..<6: return .observe(places.0)
    case 6: return .dispose(places.0)
    case 7 where !isInBatch: return .react(random.number(0..<18), places.0, places.1)
    default: return .change(random.number(0..<18), places.0, places.1)
    }
  }

  var failures: [LawFailure] {
    let run = LiveViewRun(self)
    run.checkDeath()
    return run.failures
  }

  var description: String {
    let views = views.map { view in
      "items.\(view.below.map(\.kind))" + (view.above.map { ".mapped.\($0.map(\.kind))" } ?? "")
    }
    return (["\(count) items"] + views + steps.map { "  \($0)" }).joined(separator: "\n")
  }
}

/// Runs a program, and compares each view with the same thing computed anew.
final class LiveViewRun {
  private(set) var failures: [LawFailure] = []
  private let settings = LiveViewSettings()
  private var items: ObservableArray<LiveViewItem>?
  private var pool: [LiveViewItem] = []
  private var views: [any CheckedView] = []
  private var nextID = 0
  private var step = 0
  private var reaction: (() -> Void)?
  private var hasReacted = false
  private var last: [[Int]] = []

  init(_ program: LiveViewProgram) {
    let array = ObservableArray((0..<program.count).map { _ in newItem() })
    items = array
    for (below, above) in program.views {
      let base = below.reduce(array as LiveArray) { [settings] view, stage in
        stage.view(of: view, settings) { $0 }
      }
      let expected = { [settings] (items: [LiveViewItem]) in
        (below + (above ?? [])).reduce(items) { $1.applied(to: $0, settings) }
      }
      guard let above else {
        views.append(View(base, expected) { $0 })
        continue
      }
      let rows = MadeRows()
      let mapped = base.mapped { rows.make($0) }
      let view = View(
        above.reduce(mapped) { [settings] view, stage in stage.view(of: view, settings, \.item) },
        expected, \.item)
      rows.source = { [settings] in
        below.reduce(array.elements) { $1.applied(to: $0, settings) }
      }
      view.rows = rows
      views.append(view)
    }
    for step in program.steps where failures.isEmpty {
      self.step += 1
      views.forEach { $0.begin() }
      run(step)
      check(isExact: !hasReacted)
      hasReacted = false
    }
    views.forEach { $0.end() }
    last = views.map { $0.expected(array.elements) }
    items = nil
  }

  /// After the run: the array has died.
  func checkDeath() {
    guard failures.isEmpty else { return }
    for (view, last) in zip(views, last) { view.checkDeath(last, record) }
  }

  private func newItem() -> LiveViewItem {
    nextID += 1
    let item = LiveViewItem(nextID, nextID * 7 % 10)
    _ = item.observe(\.rank, options: .new).subscribe(onNext: { [weak self] _ in
      guard let self, let reaction else { return }
      self.reaction = nil
      hasReacted = true
      reaction()
    })
    // A death inside a scope is another change, and may be another emission.
    item.died = { [weak self] in self?.hasReacted = true }
    pool.append(item)
    return item
  }

  private func run(_ step: LiveViewProgram.Step) {
    guard let items else { return }
    switch step {
    case .change(let kind, let first, let second): change(items, kind, first, second)
    case .batch(let steps): batchUpdates { for step in steps { run(step) } }
    case .read(let index): views[index % views.count].read(items.elements, record)
    case .observe(let index): views[index % views.count].observe()
    case .dispose(let index): views[index % views.count].dispose()
    case .react(let kind, let first, let second):
      reaction = { [weak self, weak items] in
        if let items { self?.change(items, kind, first, second) }
      }
    }
  }

  private func change(
    _ items: ObservableArray<LiveViewItem>, _ kind: Int, _ first: Int, _ second: Int
  ) {
    let count = items.count
    let place = first % (count + 1)
    let item = pool[first % pool.count]
    switch kind {
    case 0: items.insert(newItem(), at: place)
    case 1: items.insert(contentsOf: [newItem(), item], at: place)
    case 2 where count > 0: items.remove(at: first % count)
    case 3 where count > 0: items.move(from: first % count, to: second % count)
    case 4 where count > 0: items.swapAt(first % count, second % count)
    case 5: items.replaceSubrange(place..<min(count, place + second % 3), with: [newItem()])
    case 6: items.sort { $0.rank < $1.rank }
    case 7: items.removeAll { $0.rank % 4 == second % 4 }
    case 8: items.reverse()
    case 9: settings.limit = second % 10
    case 10: settings.isAscending.toggle()
    case 11: item.isOn.toggle()
    case 12: item.friend = pool[second % pool.count]
    case 13:
      pool.remove(at: first % pool.count)
      if pool.isEmpty { _ = newItem() }
    case 14: settings.tags.append(second % 10)
    case 15: item.marks.append(second)
    case 16 where item.marks.count > 0: item.marks.remove(at: second % item.marks.count)
    default: item.rank = second % 10
    }
  }

  private func check(isExact: Bool) {
    guard let items else { return }
    for view in views { view.checkDelivery(items.elements, isExact: isExact, record) }
    // Reading an unobserved view may release the last reference to an item that has left.
    repeat {
      hasReacted = false
      for view in views { view.read(items.elements) { _, _ in } }
    } while hasReacted
    for view in views { view.check(items.elements, record) }
  }

  private func record(_ law: String, _ message: String) {
    failures.append(LawFailure(law: law, step: step, message: message))
  }
}

private typealias Record = (_ law: String, _ message: String) -> Void

private protocol CheckedView: AnyObject {
  func begin()
  func observe()
  func dispose()
  func read(_ items: [LiveViewItem], _ record: Record)
  func checkDelivery(_ items: [LiveViewItem], isExact: Bool, _ record: Record)
  func check(_ items: [LiveViewItem], _ record: Record)
  func expected(_ items: [LiveViewItem]) -> [Int]
  func end()
  func checkDeath(_ last: [Int], _ record: Record)
}

/// The rows that the closure of a view has made.
private final class MadeRows {
  var made: [LiveViewItem] = []
  var source: (() -> [LiveViewItem])?

  func make(_ item: LiveViewItem) -> LiveViewRow {
    made.append(item)
    return LiveViewRow(item)
  }
}

private final class View<Element: AnyObject>: CheckedView {
  private let view: LiveArray<Element>
  private let expectation: ([LiveViewItem]) -> [LiveViewItem]
  private let item: (Element) -> LiveViewItem
  var rows: MadeRows?
  private var copy: [Element]?
  private var emissions = 0
  private var hasCompleted = false
  private var subscription: (any Disposable)?
  /// The items that had rows, while the view has been observed.
  private var known: Set<ObjectIdentifier> = []
  private var hasBeenObserved = false

  init(
    _ view: LiveArray<Element>, _ expectation: @escaping ([LiveViewItem]) -> [LiveViewItem],
    _ item: @escaping (Element) -> LiveViewItem
  ) {
    self.view = view
    self.expectation = expectation
    self.item = item
  }

  func expected(_ items: [LiveViewItem]) -> [Int] { expectation(items).map(\.id) }

  func begin() {
    emissions = 0
    rows?.made = []
    hasBeenObserved = subscription != nil
    if hasBeenObserved, let source = rows?.source {
      known = Set(source().map { ObjectIdentifier($0) })
    }
  }

  func observe() {
    guard subscription == nil else { return }
    copy = view.elements
    subscription = view.changes.subscribe(
      onNext: { [weak self] edits in
        self?.emissions += 1
        for edit in edits { if self?.copy != nil { edit.apply(to: &self!.copy!) } }
      },
      onCompleted: { [weak self] in self?.hasCompleted = true })
    emissions = 0
  }

  func dispose() {
    subscription?.dispose()
    subscription = nil
    copy = nil
  }

  func read(_ items: [LiveViewItem], _ record: Record) {
    let expected = expected(items)
    let read = view.map { item($0).id }
    if read != expected { record("read", "\(read) instead of \(expected)") }
  }

  // The copy is checked first, because reading brings the view up to date.
  func checkDelivery(_ items: [LiveViewItem], isExact: Bool, _ record: Record) {
    guard let copy else { return }
    let (ids, expected) = (copy.map { item($0).id }, expected(items))
    if ids != expected { record("replay", "\(ids) instead of \(expected)") }
    guard isExact, hasBeenObserved else { return }
    if emissions > 1 { record("P4", "\(emissions) emissions") }
    var made: Set<ObjectIdentifier> = []
    for item in rows?.made ?? [] {
      if !made.insert(ObjectIdentifier(item)).inserted { record("once", "two rows for an item") }
      if known.contains(ObjectIdentifier(item)) { record("kept", "another row for an item") }
    }
  }

  func check(_ items: [LiveViewItem], _ record: Record) {
    let expected = expected(items)
    if view.count != expected.count { record("count", "\(view.count) not \(expected.count)") }
    if view.count == expected.count, let last = expected.indices.last,
      item(view[last / 2]).id != expected[last / 2]
    {
      record("subscript", "at \(last / 2)")
    }
    read(items, record)
    if let copy, !copy.elementsEqual(view, by: ===) { record("identity", "other elements") }
  }

  /// Prepares for the death of the array.
  func end() {
    rows?.source = nil
    if subscription == nil { observe() }
  }

  func checkDeath(_ last: [Int], _ record: Record) {
    if !hasCompleted { record("death", "no completion") }
    let ids = view.map { item($0).id }
    if ids != last { record("death", "\(ids) kept, instead of \(last)") }
  }
}
