import Foundation
import Keyline
import KeylineTest
import Testing

/// The table of "Moving from KVO": each row has a program here, which uses the right column.
@Suite struct KeyValueTableTests {
  private class Item: ReactiveObject {
    @Observed var name = "Ada"
    @Observed var price = 1
    @Observed var parts: [Item] = []
    @WeakObserved var owner: Item?
    let items = ObservableArray<Int>()
    var label: String { "\(name) \(price)" }
    override class var registeredProperties: [RegisteredProperty] {
      [RegisteredProperty("items", \Item.items)]
    }
    private var raw = 0
    var size: Int {
      get {
        access("size")
        return raw
      }
      set {
        willChange("size")
        raw = newValue
        didChange("size")
      }
    }
  }

  private final class OpenItem: Item {
    override func value(forUndefinedKey key: String) throws -> Any? { key }
    override func setValue(_ value: Any?, forUndefinedKey key: String) throws { name = key }
    override func setNilValue(forKey key: String, of type: Any.Type) throws { price = -1 }
  }

  private final class Row: ReactiveObject {
    @Observed var text = ""
  }

  private struct Refusal: Error {}

  /// The values that the program of a row found, and the expected ones.
  private typealias Outcome = (found: [String], expected: [String])

  /// The programs by the first words of their rows.
  private static let programs: KeyValuePairs<String, @Sendable () throws -> Outcome> = [
    "`@objc dynamic var name`": {
      let (item, found) = (Item(), Found())
      item.observe(\.name) { found.add($0) }
      item.name = "Bea"
      return (found.texts, ["Ada", "Bea"])
    },
    "`observe(\\.name, options:": {
      let (item, found) = (Item(), Found())
      item.observeChanges(\.name, options: [.initial, .old, .new]) {
        found.add("\($0.old ?? "") \($0.new ?? "")")
      }
      item.name = "Bea"
      return (found.texts, [" Ada", "Ada Bea"])
    },
    "`NSKeyValueObservation`": {
      let (item, found) = (Item(), Found())
      let kept = item.observe(\.price, options: .new) { found.add($0) }
      item.price = 2
      kept.dispose()
      item.price = 3
      return (found.texts, ["2"])
    },
    "`change.kind`": {
      let (item, found) = (Item(), Found())
      item.observeChanges(\.items) { change in
        found.add("\(change.kind) \(change.indexes.map { $0.ranges.count } ?? 0)")
        found.add("\(change.old ?? []) \(change.new ?? []) \(change.isPrior)")
      }
      item.items.append(7)
      return (found.texts, ["insertion 1", "[] [7] false"])
    },
    "`keyPathsForValuesAffectingValue": {
      let (item, found) = (Item(), Found())
      item.observe(\.label) { found.add($0) }
      item.price = 2
      return (found.texts, ["Ada 1", "Ada 2"])
    },
    "`willChangeValue(forKey:)`": {
      let (item, found) = (Item(), Found())
      item.observe(\.size) { found.add($0) }
      item.size = 3
      return (found.texts, ["0", "3"])
    },
    "`value(forKey:)`": {
      let item = Item()
      let owner = Item()
      item.owner = owner
      try item.setValue("Bea", forKeyPath: "owner.name")
      return ([try item.value(forKey: "name", as: String.self), owner.name], ["Ada", "Bea"])
    },
    "`validateValue(_:forKey:)`": {
      let item = Item()
      let validation = item.validate(\.price) { _, price in
        price < 0 ? .rejected(Refusal()) : .valid
      }
      _ = validation.results.subscribe()
      item.price = -1
      return (["\(item.price)"], ["1"])
    },
    "`mutableArrayValue(forKey:)`": {
      let (item, found) = (Item(), Found())
      _ = item.items.changes.subscribe(onNext: { found.add($0.count) })
      _ = try item.observeChanges([Int].self, "items").subscribe(onNext: { found.add($0.new ?? []) }
      )
      item.items.append(contentsOf: [1, 2])
      return (found.texts + ["\(item.items.elements)"], ["1", "[1, 2]", "[1, 2]"])
    },
    "Cocoa bindings": {
      let (item, row) = (Item(), Row())
      item.bind({ $0.owner.name }, to: row, \.text)
      let owner = Item()
      item.owner = owner
      return ([row.text], ["Ada"])
    },
    "`valueTransformer:`": {
      let (item, row) = (Item(), Row())
      item.bind(\.price, to: row, \.text, mode: .twoWay, converter: .decimal)
      row.text = "12"
      return (["\(item.price)"], ["12"])
    },
    "`NSNullPlaceholderBindingOption`": {
      let (item, row) = (Item(), Row())
      item.bind({ $0.owner.name }, to: row, \.text, whenBroken: .value("nobody"))
      return ([row.text], ["nobody"])
    },
    "`items.@sum.price`": {
      let (item, found) = (Item(), Found())
      _ = try item.observeWeakly(Int.self, "parts.@sum.price").subscribe(onNext: {
        found.add($0 ?? -1)
      })
      item.parts = [Item(), Item()]
      let operators = ["@sum.price", "@count", "@avg.price", "@min.name", "@max.price"]
      let values = try operators.map {
        "\(try item.value(forKeyPath: "parts.\($0)") ?? "nil")"
      }
      let names = try item.value(
        forKeyPath: "parts.@distinctUnionOfObjects.name", as: [String].self)
      let texts = found.texts + values + names
      return (texts, ["0", "2", "2", "2", "1.0", "Ada", "1", "Ada"])
    },
    "`valueForUndefinedKey:`": {
      let item = OpenItem()
      try item.setValue(1, forKey: "Cal")
      try item.setValue(nil, forKey: "price")
      let value = try item.value(forKey: "other")
      return (["\(value ?? "nil") \(item.label)"], ["other Cal -1"])
    },
  ]

  private final class Found {
    var texts: [String] = []
    func add(_ value: some Any) { texts.append("\(value)") }
  }

  @Test("Each row of the table from KVO has a program") func eachRowHasAProgram() throws {
    let page = try Package.contents(of: "Sources/Keyline/Keyline.docc/Moving.md")
    let lines = page.split(separator: "\n")
    let start = try #require(lines.firstIndex(of: "| KVO, KVC | Keyline |"))
    let rows = lines[(start + 2)...].prefix { $0.hasPrefix("| ") }
    #expect(rows.count == Self.programs.count)
    for (row, program) in zip(rows, Self.programs) {
      #expect(row.hasPrefix("| \(program.key)" as String))
      let (found, expected) = try program.value()
      #expect(found == expected, "\(program.key)")
    }
  }
}
