import Keyline
import KeylineDiagnostics
import KeylineTest
import Synchronization
import TestSupport
import Testing

/// The objects that a value of any type holds.
@Suite struct HolderTests {
  private final class Item: ReactiveObject, Hashable {
    @Observed var text = ""
    static func == (left: Item, right: Item) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  private struct Box {
    var name = "box"
    var item: Item?
  }

  private struct Reference {
    weak var object: Item?
    unowned var owner: AnyObject
    var item: Item?
  }

  private indirect enum List {
    case end
    case item(Item, List)
    case labelled(name: String, item: Item)
  }

  private final class Shelf: ReactiveObject {
    @Observed var observed: Any = 0
    let lock = Mutex(0)
    var plain: Any = 0
    var byName: [String: Item] = [:]
    var box = Box()
    var boxes: [Box] = []
    var pair = (1, nil as Item?)
    var list = List.end
    var references: [Reference] = []
    var action = {}
    lazy var later: [Item?] = []
  }

  /// The first line of the survivors, if `shelf` holds an item as `hold` makes it.
  private func holder(_ hold: (Shelf, Item) -> Void) -> String { holder(Shelf(), Item(), hold) }

  /// The first line of the survivors, if `owner` holds an object as `hold` makes it.
  private func holder<Owner: PropertyObservable, Object: PropertyObservable>(
    _ owner: Owner, _ object: @autoclosure () -> Object, _ hold: (Owner, Object) -> Void
  ) -> String {
    let tracker = LifetimeTracker()
    do {
      let object = object()
      tracker.track(object)
      hold(owner, object)
    }
    return String(tracker.survivors(reachableFrom: owner).prefix { $0 != "\n" })
  }

  @Test("An object is found in a dictionary, a struct, a tuple, a payload and Any")
  func anObjectIsFoundInAnyValue() {
    let found = [
      holder { $0.byName["a"] = $1 }, holder { $0.box.item = $1 },
      holder { $0.boxes = [Box(), Box(item: $1)] }, holder { $0.pair.1 = $1 },
      holder { $0.list = .item($1, .end) }, holder { $0.list = .labelled(name: "a", item: $1) },
      holder { $0.plain = $1 }, holder { $0.plain = ["a": [Box(item: $1)]] },
      holder { $0.plain = Set([ObjectIdentifier($1)]).isEmpty ? [] : [($1, 1)] },
      holder { $0.observed = (name: "a", box: Optional(Box(item: $1))) },
      holder { $0.observed = [1: $1] }, holder { $0.references = [Reference(owner: $0, item: $1)] },
    ]
    let names = [
      "byName", "box", "boxes", "pair", "list", "list", "plain", "plain", "plain", "observed",
      "observed", "references",
    ]
    #expect(found == names.map { "Item#1 is held by Shelf#1.\($0)" })
  }

  @Test("An object is found in each kind of property of a class of its own, and in collections")
  func anObjectIsFoundInAClassOfItsOwn() {
    final class Case: PropertyObservable, Hashable {
      let properties = PropertyRegistry()
      @Observed var list: [Case] = []
      @Observed var rows = ObservableArray<Case>()
      @Observed var set: ObservableSet<Case>?
      @Observed var names = ObservableDictionary<String, [Case]>()
      let fixed = ObservableArray<Case>()
      var keyed: [Case: Int] = [:]
      var existential: (any PropertyObservable)?
      var result: Result<Case, any Error>?
      lazy var later: Case? = nil
      static func == (left: Case, right: Case) -> Bool { left === right }
      func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }
    func holder(_ hold: (Case, Case) -> Void) -> String { self.holder(Case(), Case(), hold) }
    let own = [
      holder { $0.list = [$1] }, holder { $0.keyed[$1] = 1 }, holder { $0.existential = $1 },
      holder { $0.result = .success($1) }, holder { $0.later = $1 },
    ]
    let names = ["list", "keyed", "existential", "result", "later"]
    #expect(own == names.map { "Case#2 is held by Case#1.\($0)" })
    let collections = [
      holder { $0.rows.append($1) }, holder { $0.set = [$1] }, holder { $0.names["a"] = [$1] },
      holder { $0.fixed.append($1) },
    ]
    let types = ["Array<Case>", "Set<Case>", "Dictionary<String, Array<Case>>", "Array<Case>"]
    #expect(collections == types.map { "Case#2 is held by Observable\($0)#1.elements" })
  }

  @Test("A lazy property is a holder by its own name") func aLazyPropertyIsAHolderByItsOwnName() {
    #expect(holder { $0.later = [$1] } == "Item#1 is held by Shelf#1.later")
  }

  @Test("A graph shows the holders of an object") func aGraphShowsTheHoldersOfAnObject() {
    let (shelf, item) = (Shelf(), Item())
    item.text = "a"
    let subscription = item.observe(\.text).subscribe()
    shelf.byName = ["a": item]
    shelf.observed = Box(item: item)
    let graph = Diagnostics.graph(of: shelf)
    #expect(graph["Item#1"]?.holders.map(\.property).sorted() == ["byName", "observed"])
    #expect(graph["Item#1"]?.isHeldFromOutside == false)
    subscription.dispose()
  }

  @Test("Weak fields, closures and other objects hold nothing that is known")
  func weakFieldsClosuresAndOtherObjectsHoldNothingThatIsKnown() {
    final class Plain { var item: Item? }
    let unknown = "Item#1 is held by no property that is known: by a closure or a variable"
    let plain = Plain()
    #expect(
      holder { shelf, item in
        plain.item = item
        shelf.plain = plain
        shelf.references = [Reference(object: item, owner: shelf)]
      } == unknown)
    #expect(holder { shelf, item in shelf.action = { item.text = "b" } } == unknown)
  }

  @Test("An unowned field of an object that has died is not read")
  func anUnownedFieldOfAnObjectThatHasDiedIsNotRead() {
    let shelf = Shelf()
    do {
      let mortal = Item()
      shelf.references = [Reference(object: mortal, owner: mortal)]
    }
    let graph = Diagnostics.graph(of: shelf)
    #expect(graph.objects.map(\.id) == ["Shelf#1"])
    shelf.references = []
  }

  @Test("Values of any type are passed over") func valuesOfAnyTypeArePassedOver() async {
    enum Nothing {}
    struct Pack<each Value> { var values: (repeat each Value) }
    final class Varied<Value>: ReactiveObject {
      let mutex = Mutex([Item()])
      let atomic = Atomic(0)
      let task = Task { 1 }
      let stream = AsyncStream<Item>.makeStream()
      let pointer = UnsafeMutablePointer<Item>.allocate(capacity: 1)
      let raw: UnsafeRawPointer? = nil
      let nothing: Nothing? = nil
      let nothings: [Never] = []
      let void: Void = ()
      let type: Any.Type = Item.self
      let path: PartialKeyPath<Item> = \Item.text
      let error: any Error = CancellationError()
      let function: (Item) -> Item = { $0 }
      let convention: @convention(c) (Int32) -> Int32 = { $0 }
      let nested: [[Int?]?] = [nil, [1, nil]]
      let pack = Pack(values: (1, "a", Item()))
      let array: InlineArray<2, Int> = [1, 2]
      let generic: Value
      let boxed: any Sequence<Int> = [1].lazy.map { $0 }
      let unmanaged: Unmanaged<Item>? = nil
      weak var plainWeak: Item?
      unowned(unsafe) var dangling: Item?
      init(_ generic: Value) { self.generic = generic }
      deinit { pointer.deallocate() }
    }
    let (first, item) = (Varied(1...), Item())
    let second = Varied([item: first].mapValues { [$0] })
    first.plainWeak = item
    let graph = Diagnostics.graph(of: first, second)
    #expect(graph["Varied<Dictionary<Item, Array<Varied<PartialRangeFrom<Int>>>>>#1"] != nil)
    #expect(
      graph.objects.first { $0.identity == ObjectIdentifier(first) }?.holders.map(\.property)
        == ["generic"])
    // Without the fields that refer to their objects weakly.
    #expect(Mirror(reflecting: first).children.count == 20)
    _ = await first.task.value
  }

  @Test("A long list in payloads does not use up the stack")
  func aLongListInPayloadsDoesNotUseUpTheStack() {
    let (shelf, item) = (Shelf(), Item())
    shelf.list = (0..<2_000).reduce(List.end) { list, _ in .item(item, list) }
    let subscription = item.observe(\.text).subscribe()
    #expect(Diagnostics.graph(of: shelf)["Item#1"]?.holders.map(\.property) == ["list"])
    subscription.dispose()
  }

  @Test("Survivors are found in a linear number of steps")
  func survivorsAreFoundInALinearNumberOfSteps() {
    func duration(_ count: Int) -> Duration {
      let (shelf, tracker) = (Shelf(), LifetimeTracker())
      for index in 0..<count {
        let item = Item()
        tracker.track(item)
        shelf.byName["\(index)"] = item
      }
      return ContinuousClock().measure {
        #expect(tracker.survivors(reachableFrom: shelf).utf8.count > count)
      }
    }
    _ = duration(100)
    // Quadratic would be a factor of 100.
    #expect(duration(5_000) < duration(500) * 40)
  }
}
