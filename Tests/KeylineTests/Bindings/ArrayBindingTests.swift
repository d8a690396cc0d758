import Keyline
import TestSupport
import Testing

/// `bind` from an array to an array of rows.
@Suite struct ArrayBindingTests {
  private final class Item: ReactiveObject {
    @Observed var name: String
    init(_ name: String) {
      self.name = name
      super.init()
    }
  }

  private final class Row: ReactiveObject {
    @Observed var title = ""
    init(_ item: Item) {
      super.init()
      item.bind(\.name, to: self, \.title, mode: .twoWay)
    }
  }

  private final class Store: ReactiveObject {
    @Observed var items: ObservableArray = [Item("a"), Item("b")]
    @Observed var plain: [Item] = [Item("p")]
    var open: LiveArray<Item> { items.filtered { $0.name != "" } }
  }

  private final class Screen: ReactiveObject {
    @Observed var rows = ObservableArray<Row>()
    var titles: [String] { rows.map(\.title) }
  }

  private final class Copy: ReactiveObject { @Observed var items = ObservableArray<Item>() }

  private let store = Store()
  private let screen = Screen()

  @Test("Rows follow the items, and are kept") func rows() {
    store.bind(\.items, to: screen, \.rows) { Row($0) }
    let rows = screen.rows.elements
    let titles = Log<[String]>()
    titles.follow(screen.observe(\.titles))
    store.items.append(Item("c"))
    store.items.move(from: 0, to: 2)
    #expect(screen.rows[2] === rows[0])
    screen.rows[0].title = "B"
    #expect(store.items[0].name == "B")
    batchUpdates {
      store.items.removeLast()
      store.items.insert(Item("d"), at: 0)
    }
    #expect(screen.titles == ["d", "B", "c"])
    #expect(titles.take().count == 5)
  }

  @Test("Another array at either end is followed") func replacedArrays() {
    let binding = store.bind(\.items, to: screen, \.rows) { Row($0) }
    let former = store.items
    store.items = [Item("x"), Item("y")]
    former.append(Item("z"))
    #expect(screen.titles == ["x", "y"])
    screen.rows = [Row(Item("other"))]
    #expect(screen.titles == ["x", "y"] && binding.isActive && binding.mode == .oneWay)
    binding.dispose()
    store.items.removeAll()
    #expect(screen.titles == ["x", "y"] && "\(binding)".contains("Screen"))
  }

  @Test("Edits of the rows by others are overwritten") func foreignEdits() {
    store.bind(\.items, to: screen, \.rows) { Row($0) }
    screen.rows.removeAll()
    store.items.append(Item("c"))
    #expect(screen.titles == ["a", "b", "c"])
  }

  @Test("Edits that an observer of the rows makes are edits by others") func reactingObservers() {
    let (source, target) = (Numbers(), Numbers())
    source.bind(\.all, to: target, \.all) { $0 }
    let subscription = target.all.changes.subscribe(onNext: { _ in
      if target.all.count > 3 { target.all.removeFirst() }
    })
    for number in 0..<6 { source.all.append(number) }
    #expect(target.all.elements == [3, 4, 5])
    source.all.insert(9, at: 0)
    subscription.dispose()
    source.all.remove(at: 6)
    #expect(target.all.elements == [9, 0, 1, 2, 3, 4])
  }

  private final class Numbers: ReactiveObject {
    let all = ObservableArray<Int>()
    @Observed var limit = 5
    private(set) lazy var some = all.filtered { [unowned self] in $0 < limit }
  }

  @Test("Random edits at both ends: after an edit of the source, the rows follow it")
  func randomEdits() {
    for seed in 1...150 {
      var random = SplitMix(seed: UInt64(seed))
      let (source, target) = (Numbers(), Numbers())
      var (observersEdit, areOthersLast) = (false, false)
      // Before and after the observer that the binding adds.
      let edits = [0, 1].map { place in
        { [unowned target] (_: [ArrayEdit<Int>]) in
          guard observersEdit, target.all.count > place else { return }
          (observersEdit, areOthersLast) = (false, true)
          target.all.remove(at: place)
        }
      }
      _ = target.all.changes.subscribe(onNext: edits[0])
      source.bind(\.some, to: target, \.all) { $0 }
      _ = target.all.changes.subscribe(onNext: edits[1])
      for _ in 0..<12 {
        let step = {
          switch random.number(0..<7) {
          case 0, 1:
            source.all.insert(random.number(0..<8), at: random.number(0...source.all.count))
          case 2 where !source.all.isEmpty:
            source.all.remove(at: random.number(0..<source.all.count))
          case 3 where source.all.count > 1: source.all.move(from: 0, to: source.all.count - 1)
          case 4: source.limit = random.number(0..<8)
          default:
            target.all.append(-1)
            areOthersLast = true
          }
        }
        observersEdit = random.chance(1, of: 4)
        if random.chance(1, of: 3) {
          batchUpdates { (0..<3).forEach { _ in step() } }
        } else {
          step()
        }
        observersEdit = false
        // One more edit, of the source alone, puts everything right.
        if areOthersLast { source.all.insert(-5, at: 0) }
        areOthersLast = false
        #expect(target.all.elements == source.some.elements, "seed \(seed)")
      }
    }
  }

  @Test("A plain array is followed through its difference") func plainArrays() {
    store.bind(\.plain, to: screen, \.rows) { Row($0) }
    let row = screen.rows[0]
    store.plain.insert(Item("o"), at: 0)
    #expect(screen.titles == ["o", "p"] && screen.rows[1] === row)
    store.plain.reverse()
    #expect(screen.titles == ["p", "o"] && screen.rows[0] === row)
    store.plain = []
    #expect(screen.titles == [])
  }

  @Test("The binding holds both ends weakly, and ends with them") func ends() {
    var store: Store? = Store()
    var screen: Screen? = Screen()
    weak let weakRows = screen?.rows
    let first = store!.bind(\.items, to: self.screen, \.rows) { Row($0) }
    let second = store!.bind(\.items, to: screen!, \.rows) { Row($0) }
    screen = nil
    #expect(weakRows == nil)
    #expect(second.endReason.map { "\($0)" } == "targetDied")
    store = nil
    #expect(first.endReason.map { "\($0)" } == "sourceDied")
    #expect(self.screen.titles == ["a", "b"])
  }

  @Test("Elements are their own rows without a closure; a bound view needs no other reference")
  func elementsAsRows() {
    let copies = (0..<3).map { _ in Copy() }
    var array: ObservableArray? = store.items
    weak let weakArray = array
    store.bind(\.items, to: copies[0], \.items)
    store.bind(\.open, to: copies[1], \.items)
    let binding = array!.filtered { $0.name != "a" }.bind(to: copies[2], \.items)
    array!.append(Item("c"))
    array![1].name = ""
    #expect(copies[0].items.map(\.name) == ["a", "", "c"])
    #expect(copies[1].items.map(\.name) == ["a", "c"])
    #expect(copies[2].items.map(\.name) == ["", "c"])
    array = nil
    store.items = [Item("d")]
    #expect(weakArray == nil && binding.endReason.map { "\($0)" } == "sourceDied")
    #expect(copies.map { $0.items.map(\.name) } == [["d"], ["d"], ["", "c"]])
  }
}
