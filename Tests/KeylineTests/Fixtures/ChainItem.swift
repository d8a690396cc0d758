import Keyline

/// An object with hops of every kind, and leaves that are stored, computed and derived.
final class ChainItem: ReactiveObject {
  struct Box { var item: ChainItem? }

  @Observed var next: ChainItem?
  @Observed var other: ChainItem?
  @WeakObserved var peer: ChainItem?
  @Observed var box = Box()
  @Observed var value: Int
  @Observed var flag = false
  weak var plain: ChainItem?

  init(_ value: Int = 0, next: ChainItem? = nil, other: ChainItem? = nil) {
    self.value = value
    self.next = next
    self.other = other
  }

  var computed: ChainItem? { flag ? other : next }
  @Derived({ (item: ChainItem) in item.flag ? item.other : item.next }) var derived: ChainItem?
  @Derived({ (item: ChainItem) in item.next ?? item.peer }) var nearest: ChainItem?
  /// No property announces its changes.
  var unannounced: ChainItem? { plain }
  /// Of `next` and `other`, the item with the larger value.
  var larger: ChainItem? {
    guard let next, let other else { return nil }
    return next.value > other.value ? next : other
  }

  var double: Int { value * 2 }
  @Derived({ (item: ChainItem) in item.value * 2 }) var derivedDouble: Int
  @Derived({ (item: ChainItem) in (item.next?.value ?? 0) + (item.other?.value ?? 0) }) var sum: Int
}
