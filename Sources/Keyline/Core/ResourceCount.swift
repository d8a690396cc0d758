import Synchronization

/// The kinds of resources counted while ``Resources/isCounting``.
public enum ResourceKind: UInt8, Sendable, CaseIterable {
  /// Subscriptions, and the inner subscriptions of operators.
  case subscription
  /// Disposables that hold a resource, bags included.
  case disposable
  /// Objects with a list of observers: subjects, relays, shared observables and observed properties.
  case subject

  var alive: Int { ResourceCount.alive.withLock { $0[Int(rawValue)] } }
}

/// Counts the object that stores it, for the lifetime of that object.
///
/// It records whether it was counted: counts stay correct when counting is switched on and off.
///
/// - Complexity: one relaxed load on initialisation, while counting is off; a lock round trip when it is on.
struct ResourceCount: ~Copyable {
  static let isOn = Atomic<Bool>(false)
  /// Indexed by the kind's raw value.
  fileprivate static let alive = Mutex([Int](repeating: 0, count: ResourceKind.allCases.count))

  private let counted: ResourceKind?

  @inline(__always)
  init(_ kind: ResourceKind) {
    counted = Self.isOn.load(ordering: .relaxed) ? kind : nil
    if let counted { Self.add(1, to: counted) }
  }

  deinit {
    if let counted { Self.add(-1, to: counted) }
  }

  @inline(never) private static func add(_ difference: Int, to kind: ResourceKind) {
    alive.withLock { $0[Int(kind.rawValue)] += difference }
  }
}
