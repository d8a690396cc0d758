import Synchronization

/// The kinds of resources counted while ``Resources/isCounting``.
public enum ResourceKind: UInt8, Sendable, CaseIterable {
  /// Subscriptions, and the inner subscriptions of operators.
  case subscription
  /// Disposables that hold a resource, bags included.
  case disposable
  /// Objects with a list of observers: subjects, relays, shared observables and observed
  /// properties.
  case subject

  var alive: Int { ResourceCount.alive.withLock { $0[Int(rawValue)] } }
}

/// Counts the object that stores it, until it ends or, at the latest, is released.
///
/// It records whether it was counted: counts stay correct when counting is switched on and off.
///
/// - Complexity: one relaxed load on initialisation and one at the end, while counting is off; a
///   lock round trip when it is on.
struct ResourceCount: ~Copyable {
  static let isOn = Atomic<Bool>(false)
  /// Indexed by the kind's raw value.
  fileprivate static let alive = Mutex([Int](repeating: 0, count: ResourceKind.allCases.count))

  /// The raw value of the kind that counts the object now, or `uncounted`.
  private let counted: Atomic<UInt8>
  private static var uncounted: UInt8 { .max }

  @inline(__always)
  init(_ kind: ResourceKind) {
    guard Self.isOn.load(ordering: .relaxed) else {
      counted = Atomic(Self.uncounted)
      return
    }
    counted = Atomic(kind.rawValue)
    Self.add(1, to: kind.rawValue)
  }

  /// Counts the object no longer, although something may still refer to it.
  @inline(__always)
  func end() {
    if counted.load(ordering: .relaxed) != Self.uncounted { endCounted() }
  }

  @inline(never) private func endCounted() {
    let kind = counted.exchange(Self.uncounted, ordering: .relaxed)
    if kind != Self.uncounted { Self.add(-1, to: kind) }
  }

  deinit { end() }

  @inline(never) private static func add(_ difference: Int, to kind: UInt8) {
    alive.withLock { $0[Int(kind)] += difference }
  }
}
