import Keyline
import KeylineTest
import TestSupport
import Testing

@Suite struct UndoHistoryTests {
  final class Item: ReactiveObject {
    @Observed var title: String
    @Observed var rank = 0
    @WeakObserved var partner: Item?
    @Observed var parts: [Item] = []
    @Observed var named: [String: Item] = [:]

    init(_ title: String) {
      self.title = title
      super.init()
    }
  }

  final class Shelf: ReactiveObject {
    @Observed var name = ""
    @Observed var cover: Item?
    let items: ObservableArray<Item> = []
    let tags: ObservableSet<String> = []
    let prices: ObservableDictionary<String, Int> = [:]
    let spare = Item("spare")
  }

  let shelf = Shelf()

  @Test("A step is what one batch changes, across objects and collections")
  func aStepIsWhatOneBatchChanges() {
    let history = UndoHistory(shelf)
    #expect(!history.canUndo)
    let item = Item("a")
    batchUpdates {
      shelf.name = "books"
      shelf.items.append(item)
      shelf.tags.formUnion(["x", "y"])
      shelf.prices["a"] = 3
      shelf.spare.title = "used"
    }
    shelf.prices["a"] = 4
    history.undo()
    #expect(shelf.prices.contents == ["a": 3])
    history.undo()
    #expect(shelf.name == "" && shelf.items.isEmpty && shelf.tags.isEmpty && shelf.prices.isEmpty)
    #expect(shelf.spare.title == "spare" && !history.canUndo)
    history.undo()
    history.redo()
    #expect(shelf.items.elements.map(\.title) == ["a"] && shelf.items[0] === item)
    #expect(shelf.tags.contents == ["x", "y"] && shelf.spare.title == "used")
    history.redo()
    #expect(shelf.prices.contents == ["a": 4] && !history.canRedo)
  }

  @Test("The change of an element that leaves in the same step is undone")
  func theChangeOfAnElementThatLeavesIsUndone() {
    shelf.items.append(Item("1"))
    let history = UndoHistory(shelf)
    batchUpdates {
      shelf.items[0].title = "2"
      shelf.items.removeAll()
    }
    history.undo()
    #expect(shelf.items.map(\.title) == ["1"])
    history.redo()
    #expect(shelf.items.isEmpty)
  }

  @Test("An element that comes back with changes has its former values after an undo")
  func anElementThatComesBackHasItsFormerValues() {
    let item = Item("1")
    shelf.items.append(item)
    let history = UndoHistory(shelf)
    shelf.items.removeAll()
    batchUpdates {
      shelf.cover = item
      item.title = "2"
    }
    history.undo()
    history.undo()
    #expect(shelf.items.map(\.title) == ["1"] && shelf.cover == nil)
  }

  @Test("Objects in optionals, arrays, dictionaries and constants belong to the document")
  func containedObjectsBelongToTheDocument() {
    let history = UndoHistory(shelf)
    let (cover, part, named) = (Item("cover"), Item("part"), Item("named"))
    shelf.cover = cover
    cover.parts = [part]
    part.named = ["n": named]
    named.title = "other"
    history.undo()
    #expect(named.title == "named" && part.named["n"] === named)
    history.undo()
    #expect(part.named.isEmpty)
    history.undo()
    history.undo()
    #expect(shelf.cover == nil && !history.canUndo)
  }

  @Test("A weak property is restored, and its object does not belong to the document")
  func aWeakPropertyIsRestored() {
    let (cover, stranger) = (Item("cover"), Item("stranger"))
    shelf.cover = cover
    let history = UndoHistory(shelf)
    cover.partner = stranger
    stranger.title = "unknown"
    history.undo()
    #expect(cover.partner == nil && stranger.title == "unknown" && !history.canUndo)
    history.redo()
    #expect(cover.partner === stranger)
  }

  @Test("Equal arrays of other objects are a step") func equalArraysOfOtherObjectsAreAStep() {
    let (one, other) = (UndoHistoryProgram.Leaf(1), UndoHistoryProgram.Leaf(2))
    let book = UndoHistoryProgram.Book()
    book.drawer = [one]
    let history = UndoHistory(book)
    batchUpdates { book.drawer = [other] }
    #expect(history.canUndo)
    history.undo()
    #expect(book.drawer.first === one)
  }

  @Test("A replacement by the same element or an equal value is no step")
  func aReplacementByTheSameElementIsNoStep() {
    shelf.items.append(Item("1"))
    shelf.prices["a"] = 3
    let history = UndoHistory(shelf)
    shelf.items[0] = shelf.items[0]
    shelf.items.replaceSubrange(0..., with: shelf.items.elements)
    shelf.prices["a"] = 3
    #expect(!history.canUndo)
    batchUpdates {
      shelf.items[0] = shelf.items[0]
      shelf.items.insert(Item("0"), at: 0)
    }
    history.undo()
    #expect(shelf.items.map(\.title) == ["1"] && !history.canUndo)
    shelf.items[0] = Item("1")
    #expect(history.canUndo)
  }

  @Test("A group is one step with a name; the outer group gives it")
  func aGroupIsOneStepWithAName() {
    let history = UndoHistory(shelf)
    var names: [String?] = []
    let subscription = history.observe(\.undoName).subscribe(onNext: { names.append($0) })
    history.group("Fill") {
      shelf.name = "a"
      history.group("inner") { shelf.items.append(Item("1")) }
      shelf.name = "b"
    }
    shelf.name = "c"
    #expect(names == [nil, "Fill", nil])
    history.undo()
    #expect(shelf.name == "b" && history.undoName == "Fill" && history.redoName == nil)
    history.undo()
    #expect(shelf.name == "" && shelf.items.isEmpty && history.redoName == "Fill")
    subscription.dispose()
  }

  @Test("A group that throws keeps its changes, as a step") func aGroupThatThrowsKeepsItsChanges() {
    struct Failure: Error {}
    let history = UndoHistory(shelf)
    #expect(throws: Failure.self) {
      try history.group("Half") {
        shelf.name = "a"
        throw Failure()
      }
    }
    #expect(shelf.name == "a" && history.undoName == "Half")
    history.undo()
    #expect(shelf.name == "")
  }

  @Test("Changes of one property in quick succession are one step")
  func changesInQuickSuccessionAreOneStep() {
    let scheduler = TestScheduler(initialClock: 0)
    let history = UndoHistory(shelf, coalescing: .seconds(2), scheduler: scheduler)
    for (time, text) in [(100, "L"), (101, "La"), (102, "Law"), (105, "Laws")] {
      scheduler.scheduleAt(time) { shelf.name = text }
    }
    scheduler.start()
    history.undo()
    #expect(shelf.name == "Law")
    history.undo()
    #expect(shelf.name == "" && !history.canUndo)
    // Another property, and what follows an undo, is a step of its own.
    shelf.name = "x"
    history.undo()
    history.redo()
    shelf.name = "xy"
    shelf.spare.title = "y"
    shelf.spare.rank = 1
    for expected in [("xy", "y", 0), ("xy", "spare", 0), ("x", "spare", 0), ("", "spare", 0)] {
      history.undo()
      #expect((shelf.name, shelf.spare.title, shelf.spare.rank) == expected)
    }
  }

  @Test("Steps of the same properties coalesce, in whatever order they were set")
  func stepsCoalesceInAnyOrder() {
    let history = UndoHistory(shelf, coalescing: .seconds(100))
    batchUpdates {
      shelf.name = "a"
      shelf.spare.title = "a"
      shelf.spare.rank = 1
    }
    batchUpdates {
      shelf.spare.rank = 2
      shelf.name = "b"
      shelf.spare.title = "b"
    }
    history.undo()
    #expect(shelf.name == "" && shelf.spare.title == "spare" && shelf.spare.rank == 0)
    #expect(!history.canUndo)
    history.redo()
    #expect(shelf.name == "b" && shelf.spare.title == "b" && shelf.spare.rank == 2)
    batchUpdates {
      shelf.spare.rank = 3
      shelf.spare.title = "c"
    }
    history.undo()
    #expect(shelf.spare.title == "b" && shelf.spare.rank == 2 && history.canUndo)
  }

  @Test("The oldest steps go beyond the limit") func theOldestStepsGoBeyondTheLimit() {
    let history = UndoHistory(shelf, limit: 2)
    for name in ["a", "b", "c"] { shelf.name = name }
    history.undo()
    history.undo()
    history.undo()
    #expect(shelf.name == "a" && !history.canUndo)
    let none = UndoHistory(shelf, limit: 0)
    shelf.name = "d"
    #expect(!none.canUndo)
  }

  @Test("A new step removes the steps to redo; canUndo and canRedo are observable")
  func aNewStepRemovesTheStepsToRedo() {
    let history = UndoHistory(shelf)
    var states: [String] = []
    let subscription = Observable.combineLatest(
      history.observe(\.canUndo), history.observe(\.canRedo)
    )
    .map { "\($0)\($1)" }.distinctUntilChanged().subscribe(onNext: { states.append($0) })
    shelf.name = "a"
    history.undo()
    shelf.name = "b"
    #expect(history.canUndo && !history.canRedo)
    history.redo()
    #expect(shelf.name == "b" && states.last == "truefalse")
    history.removeAll()
    #expect(!history.canUndo && states.last == "falsefalse")
    subscription.dispose()
  }

  @Test("Undo passes by rules, and restores values that a rule accepts together only")
  func undoPassesByRules() {
    struct Refusal: Error {}
    final class Span: ReactiveObject {
      @Observed var low = 0
      @Observed var high = 1
    }
    let span = Span()
    span.validate(\.low) { $1 < $0.high ? .valid : .rejected(Refusal()) }
    span.validate(\.high) { $1 > $0.low ? .valid : .rejected(Refusal()) }
    let history = UndoHistory(span)
    span.high = 11
    span.low = 10
    history.group {
      span.high = 21
      span.low = 20
    }
    history.undo()
    #expect(span.low == 10 && span.high == 11)
    history.undo()
    history.undo()
    #expect(span.low == 0 && span.high == 1)
    history.redo()
    history.redo()
    history.redo()
    #expect(span.low == 20 && span.high == 21)
  }

  @Test("Sets by observers and bindings belong to the step, and are not repeated by an undo")
  func setsByObserversBelongToTheStep() {
    let shelf = shelf
    let other = Item("copy")
    shelf.bind(\.name, to: other, \.title)
    let observer = shelf.observe(\.name, options: .new)
      .subscribe(onNext: { shelf.tags.insert($0) })
    let history = UndoHistory(shelf, other)
    shelf.name = "a"
    shelf.name = "b"
    history.undo()
    #expect(shelf.name == "a" && other.title == "a" && shelf.tags.contents == ["a"])
    history.undo()
    #expect(other.title == "" && !history.canUndo && history.canRedo)
    history.redo()
    history.redo()
    #expect(other.title == "b" && shelf.tags.contents.isSuperset(of: ["a", "b"]))
    observer.dispose()
  }

  @Test("Undo inside a batch takes effect when the batch has settled, and undoes it")
  func undoInsideABatch() {
    let history = UndoHistory(shelf)
    shelf.name = "a"
    batchUpdates {
      shelf.name = "b"
      history.undo()
      #expect(shelf.name == "b")
    }
    #expect(shelf.name == "a" && history.canUndo && history.canRedo)
  }

  @Test("An observer may undo, also during an undo or a redo") func anObserverMayUndo() {
    let history = UndoHistory(shelf)
    var isUndoing = false
    let observer = shelf.observe(\.name, options: .new)
      .subscribe(onNext: { if isUndoing, $0 == "b" { history.undo() } })
    for name in ["a", "b", "c"] { shelf.name = name }
    isUndoing = true
    history.undo()
    #expect(shelf.name == "a" && history.canUndo && history.canRedo)
    history.redo()
    #expect(shelf.name == "a" && history.canUndo && history.canRedo)
    isUndoing = false
    history.redo()
    history.redo()
    #expect(shelf.name == "c" && !history.canRedo)
    for expected in ["b", "a", ""] {
      history.undo()
      #expect(shelf.name == expected)
    }
    observer.dispose()
    let other = shelf.observe(\.name, options: .new).subscribe(onNext: { _ in history.removeAll() })
    history.redo()
    #expect(!history.canUndo && !history.canRedo)
    other.dispose()
  }

  @Test("Values of any type are restored, nil among them") func valuesOfAnyTypeAreRestored() {
    final class Box: ReactiveObject { @Observed var value: Any = Int?.none as Any }
    let box = Box()
    let history = UndoHistory(box)
    box.value = 3
    box.value = [1]
    history.undo()
    #expect(box.value as? Int == 3)
    history.undo()
    #expect(box.value as? Int == nil && !history.canUndo)
  }

  @Test("Objects that die are forgotten, and nothing is retained without a history")
  func objectsThatDieAreForgotten() {
    let tracker = LifetimeTracker()
    do {
      let shelf = Shelf()
      tracker.track(shelf)
      let history = UndoHistory(shelf, limit: 1)
      tracker.track(history)
      for index in 0..<100 {
        let item = Item("\(index)")
        tracker.track(item)
        shelf.items.append(item)
        shelf.items.removeAll()
      }
      #expect(tracker.alive < 6)
    }
    #expect(tracker.alive == 0)
  }

  @Test("The document may die before its history") func theDocumentMayDieFirst() {
    let history: UndoHistory
    do {
      let shelf = Shelf()
      history = UndoHistory(shelf)
      shelf.items.append(Item("a"))
      shelf.name = "x"
    }
    #expect(history.canUndo)
    history.undo()
    history.undo()
    history.redo()
  }

  @Test("A collection may be the root") func aCollectionMayBeTheRoot() {
    let items: ObservableArray = [Item("a"), Item("b")]
    let history = UndoHistory(items)
    items.move(from: 0, to: 1)
    items[0].title = "c"
    items.reverse()
    history.undo()
    history.undo()
    history.undo()
    #expect(items.map(\.title) == ["a", "b"] && !history.canUndo)
    history.redo()
    history.redo()
    history.redo()
    #expect(items.map(\.title) == ["a", "c"])
  }
}
