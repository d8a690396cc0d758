import Keyline
import TestSupport
import Testing

/// An element of a tree: it has a rank, and elements below.
private final class Folder: ReactiveObject {
  let id: Int
  @Observed var rank: Int
  @Observed var isOpen = true
  @Observed var children = ObservableArray<Folder>()

  init(_ id: Int) {
    self.id = id
    rank = id * 7 % 5
    super.init()
  }

  var text: Text { Text(letters: "\(rank),") }
}

/// A text that is added to another one, in order.
private struct Text: AdditiveArithmetic {
  static let zero = Text(letters: "")
  let letters: String

  static func + (left: Text, right: Text) -> Text { Text(letters: left.letters + right.letters) }
  static func - (left: Text, right: Text) -> Text { left }
}

/// A random program over arrays of folders, with flattened views, aggregates and computed values, each
/// compared with the same thing computed anew by plain code.
struct ArrangementProgram: SteppedProgram {
  enum Step {
    case change(Int, Int, Int)
    case batch([Step])
    /// Observes a view or a computed value, or ends this.
    case toggle(Int)
    case read(Int)
  }

  var steps: [Step]

  init(seed: UInt64) {
    var random = SplitMix(seed: seed)
    steps = (0..<random.number(1...16)).map { _ in Self.step(&random, isInBatch: false) }
  }

  private static func step(_ random: inout SplitMix, isInBatch: Bool) -> Step {
    let places = (random.number(0..<1000), random.number(0..<1000))
    return switch random.number(0..<20) {
    case 0..<3 where !isInBatch:
      .batch((0..<random.number(1...5)).map { _ in step(&random, isInBatch: true) })
    case 3..<7: .toggle(places.0)
    case 7: .read(places.0)
    default: .change(random.number(0..<10), places.0, places.1)
    }
  }

  var failures: [LawFailure] { ArrangementRun(self).failures }
}

private final class ArrangementRun {
  private(set) var failures: [LawFailure] = []
  private let folders: ObservableArray<Folder>
  private let others: ObservableArray<Folder>
  private var pool: [Folder] = []
  private var checks: [any Check] = []
  private var step = 0

  init(_ program: ArrangementProgram) {
    pool = (0..<6).map { Folder($0) }
    folders = ObservableArray(pool[0..<4])
    others = ObservableArray(pool[3..<6])
    pool[1].children.append(contentsOf: [pool[4], pool[5]])
    makeViews()
    makeTotals()
    makeIndexes()
    for step in program.steps where failures.isEmpty {
      self.step += 1
      run(step)
      for check in checks { check.check(record) }
    }
  }

  private func makeViews() {
    let (folders, others) = (folders, others)
    checks = [
      CopiedView("children", folders.flatMapped(\.children).mapped(\.id)) {
        folders.flatMap { $0.children.map(\.id) }
      },
      CopiedView("condition", folders.flatMapped { $0.children.count > 1 ? $0.children : others }) {
        folders.flatMap { Array($0.children.count > 1 ? $0.children : others) }
      },
      CopiedView("joined", LiveArray.joined([folders, others, folders])) {
        folders.elements + others.elements + folders.elements
      },
      CopiedView("first", folders.sorted(by: \.rank).prefix(2)) {
        Array(folders.elements.sorted { $0.rank < $1.rank }.prefix(2))
      },
      CopiedView("windows", folders.window { 1..<3 }.flatMapped { $0.children.reversed() }) {
        folders.elements.dropFirst().prefix(2).flatMap { $0.children.elements.reversed() }
      },
    ]
  }

  private func makeTotals() {
    let folders = folders
    let open = folders.filtered { $0.isOpen }
    checks += [
      TotalCheck("sum", Computed { folders.sum(of: \.rank) }) {
        folders.elements.map(\.rank).reduce(0, +)
      },
      TotalCheck("smallest", Computed { folders.min(of: \.rank) }) {
        folders.elements.map(\.rank).min()
      },
      TotalCheck("largest of a view", Computed { open.max(of: \.rank) }) {
        folders.elements.filter(\.isOpen).map(\.rank).max()
      },
      TotalCheck("average", Computed { folders.average(of: \.rank) }) {
        let ranks = folders.elements.map(\.rank)
        return ranks.isEmpty ? nil : Double(ranks.reduce(0, +)) / Double(ranks.count)
      },
      TotalCheck("names", Computed { folders.sum(of: \.text) }) {
        Text(letters: folders.elements.map(\.text.letters).joined())
      },
      TotalCheck("sum of a view", Computed { open.sum(of: \.rank) - open.count(where: \.isOpen) }) {
        folders.elements.filter(\.isOpen).map { $0.rank - 1 }.reduce(0, +)
      },
      TotalCheck("sum of sums", Computed { folders.reduce(0) { $0 + $1.children.sum(of: \.rank) } })
      {
        folders.elements.flatMap(\.children.elements).map(\.rank).reduce(0, +)
      },
      TotalCheck("open", Computed { open.count + folders.count { !$0.isOpen } }) {
        folders.elements.count
      },
      TotalCheck("below", Computed { folders.flatMap { $0.children.map(\.rank) }.max() }) {
        folders.elements.flatMap { $0.children.elements.map(\.rank) }.max()
      },
    ]
  }

  private func makeIndexes() {
    let folders = folders
    checks += [
      IndexCheck("filtered", folders.filtered { $0.isOpen }, of: folders) { $0 === $1 },
      IndexCheck("sorted", folders.sorted(by: \.rank), of: folders) { $0 === $1 },
      IndexCheck("reversed", folders.reversed(), of: folders) { $0 === $1 },
      IndexCheck("window", folders.window { 1..<3 }, of: folders) { $0 === $1 },
      IndexCheck("mapped", folders.mapped(\.id), of: folders) { $0 == $1.id },
      IndexCheck("children", folders.flatMapped(\.children), of: folders) { child, folder in
        folder.children.contains { $0 === child }
      },
      IndexCheck("itself", folders, of: folders) { $0 === $1 },
    ]
  }

  private func run(_ step: ArrangementProgram.Step) {
    switch step {
    case .change(let kind, let first, let second): change(kind, first, second)
    case .batch(let steps): batchUpdates { for step in steps { run(step) } }
    case .toggle(let index): checks[index % checks.count].toggle()
    case .read(let index): checks[index % checks.count].read(record)
    }
  }

  private func change(_ kind: Int, _ first: Int, _ second: Int) {
    let folder = pool[first % pool.count]
    let arrays = [folders, others, folder.children]
    let array = arrays[second % 3]
    let place = first % (array.count + 1)
    switch kind {
    case 0:
      let new = Folder(pool.count)
      pool.append(new)
      array.insert(new, at: place)
    case 1: array.insert(contentsOf: [folder, pool[second % pool.count]], at: place)
    case 2: array.removeSubrange(place..<min(array.count, place + 1 + second % 3))
    case 3 where array.count > 1: array.move(from: first % array.count, to: second % array.count)
    case 4: array.reverse()
    case 5: folder.children = pool[second % pool.count].children
    case 6: folder.children = ObservableArray([folder])
    case 7: folder.isOpen.toggle()
    case 8: array.removeAll { $0.rank % 3 == second % 3 }
    default: folder.rank = second % 5
    }
  }

  private func record(_ law: String, _ message: String) {
    failures.append(LawFailure(law: law, step: step, message: message))
  }
}

private typealias RecordFailure = (_ law: String, _ message: String) -> Void

private protocol Check: AnyObject {
  func toggle()
  func read(_ record: RecordFailure)
  func check(_ record: RecordFailure)
}

/// A view, and a copy that its edits keep up to date.
private final class CopiedView<Element>: Check {
  private let name: String
  private let view: LiveArray<Element>
  private let expected: () -> [Element]
  private var copy: [Element]?
  private var emissions = 0
  private var subscription: (any Disposable)?

  init(_ name: String, _ view: LiveArray<Element>, _ expected: @escaping () -> [Element]) {
    self.name = name
    self.view = view
    self.expected = expected
  }

  func toggle() {
    if let subscription {
      subscription.dispose()
      (self.subscription, copy) = (nil, nil)
      return
    }
    copy = view.elements
    subscription = view.changes.subscribe(onNext: { [weak self] edits in
      self?.emissions += 1
      guard var copy = self?.copy else { return }
      for edit in edits { edit.apply(to: &copy) }
      self?.copy = copy
    })
  }

  func read(_ record: RecordFailure) { compare(view.elements, "read", record) }

  func check(_ record: RecordFailure) {
    if emissions > 1 { record("P4", "\(emissions) emissions of \(name)") }
    emissions = 0
    if let copy { compare(copy, "replay", record) }
    compare(view.elements, "contents", record)
    if view.count != expected().count { record("count", name) }
    if let last = view.last { compare([last], "last", record, Array(expected().suffix(1))) }
  }

  private func compare(
    _ elements: [Element], _ law: String, _ record: RecordFailure, _ other: [Element]? = nil
  ) {
    let (one, other) = (elements.map(Self.id), (other ?? expected()).map(Self.id))
    if one != other { record("\(law) of \(name)", "\(one) instead of \(other)") }
  }

  private static func id(_ element: Element) -> Int {
    (element as? Folder)?.id ?? element as? Int ?? -9
  }
}

/// A view whose indexes lead to the elements of its array, and back.
private final class IndexCheck<Element>: Check {
  private let name: String
  private let view: LiveArray<Element>
  private let source: LiveArray<Folder>
  private let belongs: (Element, Folder) -> Bool

  init(
    _ name: String, _ view: LiveArray<Element>, of source: LiveArray<Folder>,
    _ belongs: @escaping (Element, Folder) -> Bool
  ) {
    self.name = name
    self.view = view
    self.source = source
    self.belongs = belongs
  }

  func toggle() {}

  func read(_ record: RecordFailure) { check(record) }

  func check(_ record: RecordFailure) {
    let places = view.indices.map(view.sourceIndex)
    for (index, place) in places.enumerated() where !belongs(view[index], source[place]) {
      record("source index in \(name)", "of \(index): \(place)")
    }
    for place in source.indices {
      let (index, expected) = (view.index(ofSource: place), places.firstIndex(of: place))
      if index != expected {
        record("index in \(name)", "of \(place): \(index ?? -1) instead of \(expected ?? -1)")
      }
    }
  }
}

private final class TotalCheck<Value: Equatable>: Check {
  private let name: String
  private let computed: Computed<Value>
  private let expected: () -> Value
  private var last: Value?
  private var subscription: (any Disposable)?

  init(_ name: String, _ computed: Computed<Value>, _ expected: @escaping () -> Value) {
    self.name = name
    self.computed = computed
    self.expected = expected
  }

  func toggle() {
    if let subscription {
      subscription.dispose()
      (self.subscription, last) = (nil, nil)
      return
    }
    subscription = computed.observe(\.value).subscribe(onNext: { [weak self] in self?.last = $0 })
  }

  func read(_ record: RecordFailure) {
    if computed.value != expected() {
      record("read of \(name)", "\(computed.value) instead of \(expected())")
    }
  }

  func check(_ record: RecordFailure) {
    if let last, last != expected() {
      record("emission of \(name)", "\(last) instead of \(expected())")
    }
    read(record)
  }
}

@Suite struct ArrangementProgramTests {
  @Test("Flattened views and computed values agree with plain code") func randomPrograms() {
    let count =
      RandomPrograms.number("KEYLINE_VIEWS") ?? rounds(40, optimised: 3_000)
    RandomPrograms.expectLaws("ArrangementProgram", seeds: RandomPrograms.seeds(count)) {
      ArrangementProgram(seed: $0)
    }
  }
}
