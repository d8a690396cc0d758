import KeylineTest

/// An element whose lifetime is tracked.
struct Item: Equatable, Sendable {
  let value: Int
  let token: LifetimeTracker.Tracked

  init(_ value: Int, _ tracker: LifetimeTracker) {
    self.value = value
    token = tracker.track()
  }

  static func == (lhs: Item, rhs: Item) -> Bool { lhs.value == rhs.value }
}

/// An object with an item, for operators on objects.
final class Holder: Sendable {
  let item: Item

  init(_ item: Item) { self.item = item }
}
