import Synchronization

/// What is counted while ``Resources/isCounting``.
public enum ResourceKind: UInt8, Sendable, CaseIterable {
  /// What a `subscribe` opens, and the inner subscriptions of operators.
  case subscription
  /// Disposables that hold something, bags included.
  case disposable
  /// Subjects, relays, shared observables and observed properties: what has a list of observers.
  case subject

  var alive: Int {
    switch self {
    case .subscription: ResourceCount.subscriptions.load(ordering: .relaxed)
    case .disposable: ResourceCount.disposables.load(ordering: .relaxed)
    case .subject: ResourceCount.subjects.load(ordering: .relaxed)
    }
  }
}

/// Counts the object that stores it, for as long as that lives.
///
/// It remembers whether it was counted: counts stay right whenever counting is switched on and off.
///
/// - Complexity: one relaxed load when made, while counting is off; an atomic addition when it is on.
struct ResourceCount: ~Copyable {
  static let isOn = Atomic<Bool>(false)
  fileprivate static let subscriptions = Atomic<Int>(0)
  fileprivate static let disposables = Atomic<Int>(0)
  fileprivate static let subjects = Atomic<Int>(0)

  private let counted: ResourceKind?

  @inline(__always)
  init(_ kind: ResourceKind) {
    counted = Self.isOn.load(ordering: .relaxed) ? kind : nil
    if let counted { Self.add(1, to: counted) }
  }

  deinit {
    if let counted { Self.add(-1, to: counted) }
  }

  @inline(never)
  private static func add(_ difference: Int, to kind: ResourceKind) {
    switch kind {
    case .subscription: subscriptions.add(difference, ordering: .relaxed)
    case .disposable: disposables.add(difference, ordering: .relaxed)
    case .subject: subjects.add(difference, ordering: .relaxed)
    }
  }
}
