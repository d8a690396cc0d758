import Keyline
import ModelsElsewhere
import TestSupport

// Models shared by the tests of properties by name.

enum Shape: Equatable {
  case point
  case circle(radius: Double)
}

protocol Pet { var sound: String { get } }
struct Dog: Pet { let sound = "woof" }

/// A property of every kind of value.
final class Everything: ReactiveObject {
  @Observed var signed = Int64.min
  @Observed var unsigned = UInt64.max
  @Observed var shape = Shape.point
  @Observed var place = Location()
  @Observed var nested: Int?? = .some(nil)
  @Observed var pet: any Pet = Dog()
  @Observed var anything: Any = 1
  @Observed var transform: (Int) -> Int = { $0 + 1 }
  @Observed var pair: (Int, String) = (1, "one")
  @Observed var list: [Shape] = []
  @Observed var table: [String: [Int]] = [:]
  @Observed var object = City("Rome")
  @Observed var person: Person?
  @WeakObserved var weak: City?
}

class Shelf<Item>: ReactiveObject {
  @Observed var items: [Item] = []
  let unobserved = 1
}

class Library<Item>: Shelf<Item> {
  @Observed var favourite: Item?
}

final class Archive: Library<String> {
  @Observed var `class` = "fiction"
  @Observed var _hidden = 0
}

final class Car: Vehicle {
  @Observed var doors = 5
}

/// Properties whose accessors do something.
class Account: ReactiveObject {
  @Observed var balance = 0 { didSet { sets.append(balance) } }
  @Observed private(set) var secret = "s"
  @Observed var factor = 1
  var sets: [Int] = []

  var doubled: Int {
    get { balance * 2 }
    set { balance = newValue / 2 }
  }

  override class var registeredProperties: [RegisteredProperty] {
    [
      RegisteredProperty("balance", \Account.balance),
      RegisteredProperty("secret", \Account.secret, isWritable: false),
      RegisteredProperty("doubled", \Account.doubled),
    ]
  }
}

final class SavingsAccount: Account {
  override var balance: Int {
    get { super.balance }
    set { super.balance = max(0, newValue) }
  }

  /// Reads by name, as a computed property may.
  var product: Int { ((try? value(forKey: "factor", as: Int.self)) ?? 0) * balance }

  override class var registeredProperties: [RegisteredProperty] {
    [RegisteredProperty("product", \SavingsAccount.product)]
  }
}

/// A class of the main actor.
@MainActor
final class MainModel: ReactiveObject {
  @Observed var title = "" { didSet { titles.append(title) } }
  @Observed var count = 0
  var titles: [String] = []

  override class var registeredProperties: [RegisteredProperty] {
    MainActor.assumeIsolated { [RegisteredProperty("title", \MainModel.title)] }
  }
}

/// A class whose superclass is taken.
class Taken {}

final class Conforming: Taken, PropertyObservable {
  let properties = PropertyRegistry()
  @Observed var title = "untitled"
}
