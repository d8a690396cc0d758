import Synchronization

/// Counts objects: for tests of what is released, and when.
///
/// ```swift
/// let tracker = LifetimeTracker()
/// let subscription = source.map { [token = tracker.track()] in token.pass($0) }.subscribe { _ in }
/// // tracker.alive == 1
/// subscription.dispose()
/// // tracker.alive == 0
/// ```
///
/// - Isolation: `Sendable`; objects may die on any thread.
public final class LifetimeTracker: Sendable {
  private let count = Atomic<Int>(0)

  public init() {}

  /// How many of the objects returned by ``track()`` are alive.
  public var alive: Int { count.load(ordering: .sequentiallyConsistent) }

  /// A new object.
  public func track() -> Tracked { Tracked(self) }

  /// An object to be captured, which counts as alive until it is released.
  public final class Tracked: Sendable {
    private let tracker: LifetimeTracker

    fileprivate init(_ tracker: LifetimeTracker) {
      self.tracker = tracker
      tracker.count.add(1, ordering: .sequentiallyConsistent)
    }

    /// Returns `value`: a use of the object that makes the closure capture it.
    public func pass<Value>(_ value: Value) -> Value { value }

    deinit { tracker.count.subtract(1, ordering: .sequentiallyConsistent) }
  }
}
