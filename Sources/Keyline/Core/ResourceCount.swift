import Synchronization

/// What is counted while ``Resources/isCounting``.
public enum ResourceKind: UInt8, Sendable, CaseIterable {
  /// What a `subscribe` opens, and the inner subscriptions of operators.
  case subscription
  /// Disposables that hold something, bags included.
  case disposable
  /// Subjects, relays, shared observables and observed properties: what has a list of observers.
  case subject

  var alive: Int { ResourceCount.alive.withLock { $0[Int(rawValue)] } }
}

/// Counts the object that stores it, for as long as that lives.
///
/// It remembers whether it was counted: counts stay right whenever counting is switched on and off.
///
/// - Complexity: one relaxed load when made, while counting is off; a lock round trip when it is on.
struct ResourceCount: ~Copyable {
  static let isOn = Atomic<Bool>(false)
  /// By the kind's raw value.
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
