import Foundation
import Keyline
import TestSupport
import Testing

private class Item: ReactiveObject {
  @Observed var name: String
  @Observed var price: Double
  @Observed var count: Int
  @Observed var discount: Int?
  @Observed var cost: Decimal
  @Observed var owner: City?
  @Observed var shape = Shape.point
  @Observed var parts: [Item] = []

  init(_ name: String, price: Double = 0, count: Int = 0, discount: Int? = nil) {
    self.name = name
    self.price = price
    self.count = count
    self.discount = discount
    cost = Decimal(count) / 10
    super.init()
  }
}

private final class Priced: ReactiveObject { @Observed var price = 1 }

private final class Order: ReactiveObject {
  @Observed var items: [Item] = []
  @Observed var live = ObservableArray<Item>()
  @Observed var optional: [Item]?
  @Observed var gaps: [Item?] = []
  @Observed var nested: [[Item]] = []
  @Observed var set: Set<Town> = []
  @Observed var names = ObservableSet<String>()
  @Observed var numbers: [Int] = []
  @Observed var mixed: [any PropertyObservable] = []
  @Observed var title = "order"
  var total: Double { (try? value(forKeyPath: "live.@sum.price", as: Double.self)) ?? -1 }
}

/// A collection that is an object with properties, too.
private final class Folder: ReactiveObject, Collection {
  @Observed var title = "folder"
  @Observed var items = [Item("a"), Item("b")]
  var startIndex: Int { items.startIndex }
  var endIndex: Int { items.endIndex }
  func index(after index: Int) -> Int { index + 1 }
  subscript(index: Int) -> Item { items[index] }
}

private final class Cabinet: ReactiveObject { @Observed var folder = Folder() }

private final class Town: ReactiveObject, Hashable {
  @Observed var name: String
  init(_ name: String) { self.name = name }
  static func == (left: Town, right: Town) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Paths by name through collections, and the operators of key-value coding.
@Suite struct CollectionPathTests {
  private let order = Order()

  init() {
    order.items = [
      Item("a", price: 1.5, count: 3, discount: 1), Item("b", price: 2, count: 4),
      Item("a", price: 0.5, count: 5, discount: 7),
    ]
    order.live = ObservableArray(order.items)
  }

  private func value(_ path: String) throws -> Any? { try order.value(forKeyPath: path) }

  // MARK: Names

  @Test("A name after a collection gives an array of the values", arguments: ["items", "live"])
  func aNameAfterACollectionGivesAnArrayOfTheValues(key: String) throws {
    #expect(try value("\(key).name") as? [String] == ["a", "b", "a"])
    #expect(try order.value(forKeyPath: "\(key).count", as: [Int].self) == [3, 4, 5])
    #expect(try value("\(key).discount") as? [Int?] == [1, nil, 7])
  }

  @Test("Names behind it are applied to each value") func namesBehindItAreAppliedToEachValue()
    throws
  {
    order.items[0].owner = City("Rome")
    order.items[2].owner = City("Oslo")
    #expect(try value("items.owner.name") as? [String?] == ["Rome", nil, "Oslo"])
  }

  @Test("Sets give an array") func setsGiveAnArray() throws {
    order.set = [Town("Rome"), Town("Oslo")]
    #expect(try (value("set.name") as? [String])?.sorted() == ["Oslo", "Rome"])
    #expect(try value("set.@count") as? Int == 2)
    order.names = ["x", "y"]
    #expect(try value("names.@max") as? String == "y")
  }

  @Test("An array of arrays gives an array of arrays") func anArrayOfArraysGivesAnArrayOfArrays()
    throws
  {
    order.nested = [[Item("a"), Item("b")], [], [Item("c")]]
    #expect(try value("nested.name") as? [[String]] == [["a", "b"], [], ["c"]])
    order.items[1].parts = [Item("p")]
    #expect(try value("items.parts.name") as? [[String]] == [[], ["p"], []])
  }

  @Test("A nil element has nil") func aNilElementHasNil() throws {
    order.gaps = [Item("a"), nil]
    #expect(try value("gaps.name") as? [String?] == ["a", nil])
    #expect(try value("optional.name") == nil)
    #expect(try value("optional.@count") == nil)
    #expect(throws: PropertyError.brokenPath(key: "optional")) {
      try order.value(forKeyPath: "optional.@count", as: Int.self)
    }
  }

  @Test("A property of a collection comes before its elements")
  func aPropertyOfACollectionComesBeforeItsElements() throws {
    let cabinet = Cabinet()
    #expect(try cabinet.value(forKeyPath: "folder.title") as? String == "folder")
    #expect(try cabinet.value(forKeyPath: "folder.name") as? [String] == ["a", "b"])
    try cabinet.setValue("box", forKeyPath: "folder.title")
    #expect(cabinet.folder.title == "box")
  }

  @Test("Errors name the class and the key") func errorsNameTheClassAndTheKey() {
    let errors: [(String, PropertyError)] = [
      ("items.nmae", .undefinedKey(type: "Item", key: "nmae")),
      ("items.name.size", .undefinedKey(type: "String", key: "size")),
      ("title.name", .undefinedKey(type: "String", key: "name")),
      ("title.@count", .undefinedKey(type: "String", key: "@count")),
      ("items.@median.price", .undefinedKey(type: "Array<Item>", key: "@median")),
      ("@count", .undefinedKey(type: "Order", key: "@count")),
      ("items.@sum.nmae", .undefinedKey(type: "Item", key: "nmae")),
      (
        "items.@sum.name",
        .typeMismatch(key: "name", expected: "String", actual: "AdditiveArithmetic")
      ),
      (
        "items.@avg.name",
        .typeMismatch(key: "name", expected: "String", actual: "BinaryFloatingPoint")
      ),
      (
        "items.@avg.cost",
        .typeMismatch(key: "cost", expected: "Decimal", actual: "BinaryFloatingPoint")
      ),
      ("items.@min.shape", .typeMismatch(key: "shape", expected: "Shape", actual: "Comparable")),
    ]
    for (path, error) in errors {
      #expect(throws: error, "\(path)") { try value(path) }
    }
    #expect(throws: PropertyError.undefinedKey(type: "Array<Item>", key: "name")) {
      try order.setValue("x", forKeyPath: "items.name")
    }
    #expect(throws: PropertyError.typeMismatch(key: "count", expected: "Int", actual: "String")) {
      try order.value(forKeyPath: "items.@sum.count", as: String.self)
    }
  }

  // MARK: Operators

  @Test("A sum has the type of the values") func aSumHasTheTypeOfTheValues() throws {
    #expect(try value("items.@sum.price") as? Double == 4)
    #expect(try value("items.@sum.count") as? Int == 12)
    #expect(try value("live.@sum.cost") as? Decimal == Decimal(string: "1.2"))
    #expect(try value("items.@sum.discount") as? Int == 8)
    order.numbers = [1, 2, 3]
    #expect(try value("numbers.@sum") as? Int == 6)
  }

  @Test("The sum of nothing is zero, of the declared type")
  func theSumOfNothingIsZeroOfTheDeclaredType() throws {
    order.items = []
    #expect(try value("items.@sum.price") as? Double == 0)
    #expect(try value("items.@sum.discount") as? Int == 0)
    #expect(try value("items.@sum.cost") as? Decimal == 0)
    #expect(try value("items.owner.@sum.size") as? Int == 0)
    #expect(try value("numbers.@sum") as? Int == 0)
    #expect(try order.value(forKeyPath: "items.@sum.price", as: Double.self) == 0)
  }

  @Test("A mean is a Double") func aMeanIsADouble() throws {
    #expect(try value("items.@avg.count") as? Double == 4)
    #expect(try value("items.@avg.price") as? Double == 4.0 / 3)
    // Nil does not count.
    #expect(try value("items.@avg.discount") as? Double == 4)
    order.items = []
    #expect(try value("items.@avg.count") == nil)
    #expect(try order.value(forKeyPath: "items.@avg.count", as: Double?.self) == nil)
    // The sum of both would overflow.
    order.numbers = [.max, .max]
    #expect(try value("numbers.@avg") as? Double == Double(Int.max))
  }

  @Test("The least and the greatest value") func theLeastAndTheGreatestValue() throws {
    #expect(try value("items.@min.price") as? Double == 0.5)
    #expect(try value("items.@max.name") as? String == "b")
    #expect(try value("items.@max.discount") as? Int == 7)
    order.items = []
    #expect(try value("items.@min.price") == nil)
  }

  @Test("The count includes nil") func theCountIncludesNil() throws {
    order.gaps = [Item("a", count: 2), nil]
    #expect(try value("gaps.@count") as? Int == 2)
    #expect(try value("gaps.@sum.count") as? Int == 2)
    // As in key-value coding, the rest of the path is not used.
    #expect(try value("items.@count.discount") as? Int == 3)
  }

  @Test("Different values, and different objects") func differentValuesAndDifferentObjects() throws
  {
    #expect(try value("items.@distinctUnionOfObjects.name") as? [String] == ["a", "b"])
    #expect(try value("items.@distinctUnionOfObjects.discount") as? [Int] == [1, 7])
    let part = Item("p")
    for item in order.items { item.parts = [part] }
    order.nested = [[part, part, order.items[0]]]
    order.mixed = [part, order.items[0], part]
    let found = try value("mixed.@distinctUnionOfObjects") as? [Item]
    #expect(found?.elementsEqual([part, order.items[0]], by: ===) == true)
    #expect(
      throws: PropertyError.typeMismatch(key: "shape", expected: "Shape", actual: "AnyObject")
    ) { try value("items.@distinctUnionOfObjects.shape") }
  }

  @Test("Values of different types have no sum") func valuesOfDifferentTypesHaveNoSum() throws {
    order.mixed = [Priced(), Item("a", price: 2.5)]
    let error = PropertyError.typeMismatch(key: "price", expected: "Double", actual: "Int")
    for name in ["@sum", "@min", "@max"] {
      #expect(throws: error, "\(name)") { try value("mixed.\(name).price") }
    }
    #expect(try value("mixed.@avg.price") as? Double == 1.75)
    #expect(try value("mixed.@distinctUnionOfObjects.price") as? [AnyHashable] == [1, 2.5])
  }

  @Test("A computed property that reads such a path follows it")
  func aComputedPropertyThatReadsSuchAPathFollowsIt() {
    let log = Log<Double>()
    log.follow(order.observe(\.total))
    order.live.append(Item("c", price: 10))
    order.live[3].price = 20
    order.live.remove(at: 0)
    order.live = []
    log.expect([4, 14, 24, 22.5, 0])
  }

  /// Random items against the same operations of Swift.
  @Test("Operators agree with Swift") func operatorsAgreeWithSwift() throws {
    for seed in RandomPrograms.seeds(rounds(100, optimised: 2_000)) {
      var random = SplitMix(seed: UInt64(seed))
      order.items = (0..<random.number(0...8)).map { _ in
        let item = Item(
          "n\(random.number(0...3))", price: Double(random.number(-40...40)) / 4,
          count: random.number(-9...9),
          discount: random.chance(1, of: 3) ? nil : random.number(0...4))
        item.parts = (0..<random.number(0...2)).map { Item("p\($0)", count: $0) }
        return item
      }
      order.live = ObservableArray(order.items)
      let key = random.chance(1, of: 2) ? "items" : "live"
      let items = order.items
      let discounts = items.compactMap(\.discount)
      func mean(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
      }
      func distinct<Value: Hashable>(_ values: [Value]) -> [Value] {
        values.enumerated().filter { !values[..<$0].contains($1) }.map(\.element)
      }
      func expect<Value: Equatable>(_ path: String, _ expected: Value) throws {
        let found = try order.value(forKeyPath: "\(key).\(path)", as: Value.self)
        #expect(found == expected, "seed \(seed): \(path)")
      }
      try expect("name", items.map(\.name))
      try expect("discount", items.map(\.discount))
      try expect("parts.count", items.map { $0.parts.map(\.count) })
      try expect("@count", items.count)
      try expect("@sum.price", items.map(\.price).reduce(0, +))
      try expect("@sum.count", items.map(\.count).reduce(0, +))
      try expect("@sum.cost", items.map(\.cost).reduce(0, +))
      try expect("@sum.discount", discounts.reduce(0, +))
      try expect("@avg.price", mean(items.map(\.price)))
      try expect("@avg.count", mean(items.map { Double($0.count) }))
      try expect("@avg.discount", mean(discounts.map(Double.init)))
      try expect("@min.price", items.map(\.price).min())
      try expect("@max.cost", items.map(\.cost).max())
      try expect("@max.discount", discounts.max())
      try expect("@min.name", items.map(\.name).min())
      try expect("@distinctUnionOfObjects.name", distinct(items.map(\.name)))
      try expect("@distinctUnionOfObjects.discount", distinct(discounts))
    }
  }
}
