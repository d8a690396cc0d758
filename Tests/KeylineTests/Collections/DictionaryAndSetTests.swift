import Keyline
import TestSupport
import Testing

/// ``ObservableDictionary`` and ``ObservableSet``.
@Suite struct DictionaryAndSetTests {
  private final class Shop: ReactiveObject {
    let prices: ObservableDictionary = ["apple": 3]
    @Observed var selection: ObservableSet = ["a"]
    var sum: Int { prices.reduce(0) { $0 + $1.value } }
  }

  private let shop = Shop()

  @Test("A value is changed in place without a copy, if nothing observes the dictionary")
  func inPlaceChanges() {
    let lists: ObservableDictionary<String, [Int]> = ["a": Array(0..<100)]
    lists["a"]?.reserveCapacity(200)
    lists["b", default: []].reserveCapacity(200)
    func addresses() -> [UnsafePointer<Int>?] {
      ["a", "b"].map { key in lists[key]?.withUnsafeBufferPointer { $0.baseAddress } }
    }
    let former = addresses()
    lists["a"]?.append(1)
    lists["a", default: []].append(2)
    lists["b", default: []].append(3)
    #expect(addresses() == former && lists["b"] == [3] && lists["a"]?.count == 102)
    let log = Log<[DictionaryEdit<String, [Int]>]>()
    log.follow(lists.changes)
    lists["b", default: []].append(4)
    lists["c", default: [7]].append(8)
    lists["b"]?.removeAll()
    lists["x"]?.append(1)
    #expect(
      log.take() == [
        [.replacement([3], with: [3, 4], forKey: "b")], [.insertion([7, 8], forKey: "c")],
        [.replacement([3, 4], with: [], forKey: "b")],
      ])
  }

  @Test("Each edit of a dictionary is exact") func dictionaryEdits() {
    let prices = shop.prices
    let log = Log<[DictionaryEdit<String, Int>]>()
    log.follow(prices.changes)
    prices["pear"] = 5
    prices["pear"] = 6
    prices["pear", default: 0] += 1
    prices["fig", default: 0] += 1
    #expect(prices.removeValue(forKey: "apple") == 3 && prices.removeValue(forKey: "kiwi") == nil)
    prices["kiwi"] = nil
    #expect(
      log.take() == [
        [.insertion(5, forKey: "pear")], [.replacement(5, with: 6, forKey: "pear")],
        [.replacement(6, with: 7, forKey: "pear")], [.insertion(1, forKey: "fig")],
        [.removal(3, forKey: "apple")],
      ])
    prices.merge(["fig": 2, "plum": 4])
    #expect(log.take().map(\.count) == [2])
    #expect(prices.count == 3 && prices.contents == ["pear": 7, "fig": 2, "plum": 4])
    prices.removeAll()
    #expect(log.take().map(\.count) == [3] && prices.isEmpty && "\(prices)" == "[:]")
  }

  @Test("One key is observed on its own") func observedKey() {
    let log = Log<Int?>()
    let prices = shop.prices
    log.follow(prices.observe("pear"))
    prices["apple"] = 4
    prices["pear"] = 5
    prices["pear"] = 5
    batchUpdates {
      prices["pear"] = 1
      prices["pear"] = nil
    }
    log.expect([nil, 5, 5, nil])
  }

  @Test("A computed property follows a dictionary") func computedProperty() {
    let log = Log<Int>()
    log.follow(shop.observe(\.sum))
    shop.prices["pear"] = 5
    batchUpdates {
      shop.prices["pear"] = 6
      shop.prices["fig"] = 1
    }
    log.expect([3, 8, 10])
  }

  @Test("Changes of dictionaries and sets have key-value observing's kinds") func kinds() {
    let prices = Log<PropertyChange<[String: Int]>>()
    prices.follow(shop.observeChanges(\.prices))
    shop.prices["pear"] = 5
    shop.prices["pear"] = 6
    shop.prices["pear"] = nil
    let changes = prices.take()
    #expect(changes.map(\.kind) == [.insertion, .replacement, .removal])
    #expect(changes.map(\.old) == [nil, ["pear": 5], ["pear": 6]])
    #expect(changes.map(\.new) == [["pear": 5], ["pear": 6], nil])
    let selection = Log<PropertyChange<Set<String>>>()
    selection.follow(shop.observeChanges(\.selection, options: [.initial, .old, .new]))
    shop.selection.insert("b")
    shop.selection.remove("a")
    shop.selection = ["c"]
    #expect(selection.take().map(\.kind) == [.setting, .insertion, .removal, .setting])
    shop.selection.formUnion(["c", "d", "e", "f"])
    shop.selection.formIntersection(["a", "f"])
    batchUpdates {
      shop.selection.insert("x")
      shop.selection.formUnion(["y", "z"])
      shop.selection.remove("f")
    }
    let runs = selection.take()
    #expect(runs.map(\.kind) == [.insertion, .removal, .insertion, .removal])
    #expect(runs.map(\.new) == [["d", "e", "f"], nil, ["x", "y", "z"], nil])
    #expect(runs.map(\.old) == [nil, ["c", "d", "e"], nil, ["f"]])
  }

  @Test("Values that are merged into a dictionary, or removed together, are one change")
  func mergedValues() throws {
    final class OwnShop: PropertyObservable {
      let properties = PropertyRegistry()
      @Observed var prices: ObservableDictionary<String, Int>? = [:]
    }
    let shop = OwnShop()
    let (typed, named) = (
      Log<PropertyChange<[String: Int]>>(), Log<PropertyChange<[String: Int]>>()
    )
    shop.observeChanges(\.prices) { typed.append($0) }
    named.follow(try shop.observeChanges([String: Int].self, "prices"))
    shop.prices?.merge(["a": 1, "b": 2])
    batchUpdates {
      shop.prices?.merge(["a": 3, "c": 4, "d": 5])
      shop.prices?["a"] = 6
    }
    shop.prices?.removeAll()
    let changes = typed.take()
    let inserted = changes.filter { $0.kind == .insertion }.compactMap(\.new)
    #expect(inserted.reduce(into: [:]) { $0.merge($1) { $1 } } == ["a": 1, "b": 2, "c": 4, "d": 5])
    #expect(changes.first?.new == ["a": 1, "b": 2])
    let replaced = changes.filter { $0.kind == .replacement }
    #expect(
      replaced.map(\.old) == [["a": 1], ["a": 3]] && replaced.map(\.new) == [["a": 3], ["a": 6]])
    #expect(changes.last?.kind == .removal && changes.last?.new == nil)
    #expect(changes.last?.old == ["a": 6, "b": 2, "c": 4, "d": 5])
    #expect(changes == named.take())
  }

  @Test("Each edit of a set is exact") func setEdits() {
    let set = shop.selection
    let log = Log<[SetEdit<String>]>()
    let contains = Log<Bool>()
    log.follow(set.changes)
    contains.follow(set.observe("b"))
    #expect(set.insert("b") && !set.insert("b") && set.remove("a") && !set.remove("a"))
    log.expect([[.insertion("b")], [.removal("a")]])
    set.formUnion(["b", "c", "d"])
    set.subtract(["c", "x"])
    set.formSymmetricDifference(["b", "e", "e"])
    #expect(log.take().map(\.count) == [2, 1, 2] && contains.take() == [false, true, false])
    #expect(set.contents == ["d", "e"] && set.contains("d") && Set(set) == ["d", "e"])
    set.removeAll()
    #expect(log.take().map(\.count) == [2] && set.isEmpty)
  }

  @Test("Edits replayed onto a copy give the contents, and their inverses lead back")
  func replay() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix(seed: seed)
    let numbers = ObservableDictionary<Int, Int>()
    let set = ObservableSet<Int>()
    var (model, elements) = ([Int: Int](), Set<Int>())
    var (copy, copied) = ([Int: Int](), Set<Int>())
    var (done, doneToSet) = ([DictionaryEdit<Int, Int>](), [SetEdit<Int>]())
    let (otherNumbers, otherSet) = (ObservableDictionary<Int, Int>(), ObservableSet<Int>())
    let subscriptions = [
      numbers.changes.subscribe(onNext: { edits in
        for edit in edits { edit.apply(to: &copy) }
        edits.forEach(otherNumbers.apply)
        done += edits
      }),
      set.changes.subscribe(onNext: { edits in
        for edit in edits { edit.apply(to: &copied) }
        edits.forEach(otherSet.apply)
        doneToSet += edits
      }),
    ]
    func edit() {
      let (key, value) = (random.number(0..<6), random.number(0..<9))
      switch random.number(0..<4) {
      case 0:
        numbers[key] = nil
        model[key] = nil
        #expect(set.remove(key) == (elements.remove(key) != nil))
      case 1:
        numbers[key, default: 1] *= value
        model[key, default: 1] *= value
        set.formSymmetricDifference([key, value])
        elements.formSymmetricDifference(Set([key, value]))
      default:
        numbers[key] = value
        model[key] = value
        #expect(set.insert(value) == elements.insert(value).inserted)
      }
    }
    for step in 0..<2_000 {
      if step % 7 == 0 { batchUpdates { for _ in 0..<5 { edit() } } } else { edit() }
      guard numbers.contents == model, copy == model, set.contents == elements,
        copied == elements, otherNumbers.contents == model, otherSet.contents == elements
      else {
        Issue.record("step \(step) of seed \(seed)")
        break
      }
    }
    for subscription in subscriptions { subscription.dispose() }
    for edit in done.reversed() { edit.inverse.map(numbers.apply) }
    for edit in doneToSet.reversed() { edit.inverse.map(set.apply) }
    #expect(numbers.isEmpty && set.isEmpty)
    numbers.apply(.reset([1: 2]))
    set.apply(.reset([3]))
    #expect(numbers.contents == [1: 2] && set.contents == [3])
  }

  @Test("A value whose deinit uses the dictionary") func deinitOfValue() {
    final class Value {
      let action: () -> Void
      init(_ action: @escaping () -> Void) { self.action = action }
      deinit { action() }
    }
    let values = ObservableDictionary<Int, Value>()
    let log = Log<Int>()
    log.follow(values.observe(\.count))
    values[1] = Value { [unowned values] in values[2] = nil }
    values[2] = Value { [unowned values] in values[3] = Value {} }
    values[1] = Value {}
    values[1] = nil
    #expect(values.count == 1 && log.take().last == 1)
  }

  @Test("A feedback loop ends with a reset") func feedbackLoop() {
    Reports.collect()
    final class Loop: Hashable {
      static func == (left: Loop, right: Loop) -> Bool { left === right }
      func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }
    let numbers = ObservableDictionary<Loop, Int>()
    let key = Loop()
    var copy: [Loop: Int] = [:]
    let subscription = numbers.changes.subscribe(onNext: { [unowned numbers] edits in
      for edit in edits { edit.apply(to: &copy) }
      numbers[key]? += 1
    })
    numbers[key] = 0
    #expect(Reports.of(.feedbackLoop).contains { $0.type?.contains("Loop") == true })
    subscription.dispose()
    #expect(copy[key] != nil)
  }
}
