import Dispatch

/// Runs actions on the main queue, synchronously whenever it is called there: for subscribing,
/// where order among actions does not matter.
///
/// For delivering use ``MainScheduler``, which keeps actions in order.
///
/// - Isolation: `Sendable`.
public final class ConcurrentMainScheduler: DispatchQueueBacked {
  /// The only instance.
  public static let instance = ConcurrentMainScheduler()

  var queue: DispatchQueue { .main }

  private init() {}

  func claimImmediateRun() -> Bool { MainScheduler.isCurrent }
}
