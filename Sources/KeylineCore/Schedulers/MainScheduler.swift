import Dispatch
import Synchronization

/// Runs work on the main queue: where user interfaces live.
///
/// `instance` runs an action at once when it is called on the main queue and none of its actions is
/// under way or waiting; `asyncInstance` always waits for the queue's next turn.
///
/// - Isolation: `Sendable`. Elements that it delivers need not be `Sendable`, because they belong to the
///   main thread.
public final class MainScheduler: SerialDispatchQueueScheduler, @unchecked Sendable {
  // Proof of @unchecked: immutable but for an atomic.
  /// Runs at once if it can.
  public static let instance = MainScheduler(isAlwaysAsync: false)
  /// Never runs at once.
  public static let asyncInstance = MainScheduler(isAlwaysAsync: true)

  private let isAlwaysAsync: Bool
  /// The actions that are under way or waiting.
  private let pending = Atomic<Int>(0)

  private static let marker: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()

  /// A scheduler that runs actions at once if it can, and waits for actions of its own only.
  public convenience init() { self.init(isAlwaysAsync: false) }

  init(isAlwaysAsync: Bool) {
    self.isAlwaysAsync = isAlwaysAsync
    super.init(serialQueue: .main)
  }

  /// Whether this code runs on the main queue.
  package static var isCurrent: Bool { DispatchQueue.getSpecific(key: marker) != nil }

  /// Reports, in debug builds, that it was called off the main queue.
  public static func ensureExecutingOnScheduler(
    errorMessage: @autoclosure () -> String = "executed off the main queue"
  ) {
    #if DEBUG
      if !isCurrent { Diagnostics.report(.misuse, errorMessage()) }
    #endif
  }

  override func claimImmediateRun() -> Bool {
    let isFirst = pending.add(1, ordering: .relaxed).oldValue == 0
    return isFirst && !isAlwaysAsync && Self.isCurrent
  }

  override func endRun() { pending.subtract(1, ordering: .relaxed) }
}
