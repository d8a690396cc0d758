import Synchronization

/// Runs work on the main thread, where user interfaces live: on Dispatch's main queue, or on the
/// ``MainLoop`` that the program has named.
///
/// `instance` runs an action at once when it is called on the main thread and none of its actions is
/// under way or waiting; `asyncInstance` always waits for the loop's next turn.
///
/// - Isolation: `Sendable`. In code of the main actor, elements that it delivers need not be `Sendable`.
public final class MainScheduler: LoopBacked {
  /// Runs at once if it can.
  public static let instance = MainScheduler(isAlwaysAsync: false)
  /// Never runs at once.
  public static let asyncInstance = MainScheduler(isAlwaysAsync: true)

  private let isAlwaysAsync: Bool
  /// The actions that are under way or waiting.
  private let pending = Atomic<Int>(0)

  /// A scheduler that runs actions at once if it can, and waits for actions of its own only.
  public convenience init() { self.init(isAlwaysAsync: false) }

  init(isAlwaysAsync: Bool) { self.isAlwaysAsync = isAlwaysAsync }

  var loop: any MainLoop { Self.loop }

  /// Whether this code runs on the main thread's loop.
  package static var isCurrent: Bool { loop.isCurrent }

  /// Reports, in debug builds, that it was called off the main thread's loop.
  public static func ensureExecutingOnScheduler(
    errorMessage: @autoclosure () -> String = "executed off the main thread"
  ) {
    #if DEBUG
      if !isCurrent { Diagnostics.report(.misuse, errorMessage()) }
    #endif
  }

  func claimImmediateRun() -> Bool {
    let isFirst = pending.add(1, ordering: .relaxed).oldValue == 0
    return isFirst && !isAlwaysAsync && Self.isCurrent
  }

  func endRun() { pending.subtract(1, ordering: .relaxed) }
}
