/// Runs actions on the main thread, synchronously whenever it is called there: for subscribing, where
/// order among actions does not matter.
///
/// For delivering use ``MainScheduler``, which keeps actions in order.
///
/// - Isolation: `Sendable`.
public final class ConcurrentMainScheduler: LoopBacked {
  /// The only instance.
  public static let instance = ConcurrentMainScheduler()

  var loop: any MainLoop { MainScheduler.loop }

  private init() {}

  func claimImmediateRun() -> Bool { MainScheduler.isCurrent }
}
