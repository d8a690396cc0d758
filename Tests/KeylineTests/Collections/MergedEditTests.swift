import Keyline
import TestSupport
import Testing

/// Edits of views: neighbours that come or go together are one edit.
@Suite struct MergedEditTests {
  private final class Item: ReactiveObject {
    @Observed var rank: Int
    init(_ rank: Int) { self.rank = rank }
  }

  private final class Settings: ReactiveObject {
    @Observed var limit = 0
    @Observed var isDescending = false
  }

  @Test("A limit that passes neighbours removes them by one edit") func limit() {
    let settings = Settings()
    let items = ObservableArray((1...100).map { Item($0) })
    settings.limit = 20
    let view = items.filtered { $0.rank > settings.limit }.mapped(\.rank)
    let log = Log<[ArrayEdit<Int>]>()
    log.follow(view.changes)
    settings.limit = 30
    settings.limit = 50
    settings.limit = 48
    #expect(
      log.take() == [
        [.removal(Array(21...30), at: 0)], [.removal(Array(31...50), at: 0)],
        [.insertion([49, 50], at: 0)],
      ])
  }

  @Test("Elements that leave a sorted view together are one edit for each region") func sorted() {
    let items = ObservableArray((0..<100).map { Item($0 * 7 % 100) })
    let view = items.sorted(by: \.rank).mapped(\.rank)
    let log = Log<[ArrayEdit<Int>]>()
    log.follow(view.changes)
    items.removeAll { 10..<15 ~= $0.rank || 70..<73 ~= $0.rank }
    log.expect([[.removal(Array(10..<15), at: 10), .removal([70, 71, 72], at: 65)]])
    items.append(contentsOf: [72, 10, 70, 11, 71].map { Item($0) })
    log.expect([[.insertion([10, 11], at: 10), .insertion([70, 71, 72], at: 67)]])
  }

  @Test("An element that moves in the source, and not in the view, is no edit") func moves() {
    let items = ObservableArray((0..<8).map { Item($0) })
    let log = Log<[ArrayEdit<Item>]>()
    let views = [items.sorted(by: \.rank), items.filtered { $0.rank % 2 == 0 }]
    for view in views { log.follow(view.changes) }
    items.move(from: 1, to: 0)
    #expect(log.take().isEmpty)
    items.move(from: 1, to: 7)
    #expect(log.take().count == 1)
  }

  /// How many regions of `elements` consist of elements for which `isChanged` is true.
  private func regions(of elements: [Item], _ isChanged: (Item) -> Bool) -> Int {
    let flags = elements.map(isChanged)
    return zip(flags, [false] + flags).count { $0 && !$1 }
  }

  @Test(
    "A view has no more edits than regions that change, whatever changes",
    arguments: RandomPrograms.seeds(rounds(25, optimised: 1_000)))
  func regions(seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    let settings = Settings()
    let items = ObservableArray((0..<random.number(1...60)).map { Item($0 * 31 % 60) })
    let filtered = items.filtered { $0.rank > settings.limit && $0.rank % 5 != 0 }
    let sorted = filtered.sorted {
      settings.isDescending ? $0.rank > $1.rank : $0.rank < $1.rank
    }
    var edits: [[ArrayEdit<Item>]] = [[], []]
    var copies = [filtered.elements, sorted.elements]
    for (index, view) in [filtered, sorted].enumerated() {
      _ = view.changes.subscribe(onNext: {
        edits[index] += $0
        for edit in $0 { edit.apply(to: &copies[index]) }
      })
    }
    for _ in 0..<20 {
      let former = copies
      edits = [[], []]
      let kind = random.number(0..<8)
      switch kind {
      case 0..<3: settings.limit = random.number(0..<60)
      case 3: settings.isDescending.toggle()
      default:
        batchUpdates {
          for _ in 0..<random.number(1...40) where !items.isEmpty {
            let item = items[random.number(0..<items.count)]
            // The order stays, but for the last kind.
            let rank: Int = item.rank
            let isMultiple: Bool = rank % 5 == 0
            if isMultiple {
              item.rank = rank + 1
            } else if kind == 7 {
              item.rank = rank + random.number(-9...9)
            } else {
              item.rank = rank - rank % 5
            }
          }
        }
      }
      let current = [filtered.elements, sorted.elements]
      let included = items.map(\.rank).filter { (rank: Int) -> Bool in
        rank > settings.limit && rank % 5 != 0
      }
      let ascending = included.sorted()
      #expect(current[0].map(\.rank) == included)
      #expect(
        current[1].map(\.rank) == (settings.isDescending ? Array(ascending.reversed()) : ascending))
      for index in 0..<2 {
        let (isCopy, isSame) = (
          copies[index].elementsEqual(current[index], by: ===),
          former[index].elementsEqual(current[index], by: ===)
        )
        #expect(isCopy)
        #expect(edits[index].isEmpty == isSame)
      }
      let gone = regions(of: former[0]) { item in !current[0].contains { $0 === item } }
      let come = regions(of: current[0]) { item in !former[0].contains { $0 === item } }
      #expect(edits[0].count <= max(gone + come, gone + come > 0 ? 2 : 0))
    }
  }

  @Test("An order that is reversed takes few comparisons, and is one edit") func reversal() {
    let settings = Settings()
    let items = ObservableArray((0..<1_000).map { Item($0 * 7 % 1_000) })
    var comparisons = 0
    let view = items.sorted { one, other in
      comparisons += 1
      return settings.isDescending ? one.rank > other.rank : one.rank < other.rank
    }
    let log = Log<[ArrayEdit<Int>]>()
    log.follow(view.mapped(\.rank).changes)
    comparisons = 0
    settings.isDescending = true
    // One with each neighbour to sort, and one to follow its reads.
    #expect(comparisons < 2_100)
    let ranks = Array(0..<1_000)
    log.expect([[.replacement(ranks, with: ranks.reversed(), at: 0)]])
  }

  @Test("Equal elements have the order of the source, whatever the order was before")
  func equalElements() {
    let settings = Settings()
    let items = ObservableArray((0..<200).map { Item($0 * 7 % 200) })
    let rank = { (item: Item) in
      settings.isDescending ? item.rank % 10 : item.rank / max(1, settings.limit)
    }
    let view = items.sorted { rank($0) < rank($1) }
    var isInOrder: Bool {
      view.elements.elementsEqual(items.elements.sorted { rank($0) < rank($1) }, by: ===)
    }
    for limit in [0, 3, 50, 199, 500] {
      settings.limit = limit
      #expect(isInOrder)
      settings.isDescending.toggle()
      #expect(isInOrder)
      items.append(contentsOf: (0..<100).map { Item($0) })
      items.move(from: 0, to: items.count - 1)
      #expect(isInOrder)
    }
  }

  @Test("A section that moves while others change is one move") func sections() {
    let items = ObservableArray([0, 0, 1, 1, 2, 2, 3, 3].map { Item($0) })
    let view = items.grouped { $0.rank }
    let log = Log<[ArrayEdit<Int>]>()
    log.follow(view.mapped(\.key).changes)
    // The third section begins before the second now: either of them has moved.
    items[1].rank = 2
    log.expect([[.move(1, from: 1, to: 2)]])
    batchUpdates {
      items[0].rank = 3
      items[2].rank = 0
    }
    #expect(view.map(\.key) == [3, 2, 0, 1])
    #expect(view.map { $0.map(\.rank) } == [[3, 3, 3], [2, 2, 2], [0], [1]])
  }
}
