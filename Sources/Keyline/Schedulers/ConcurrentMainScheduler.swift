import Dispatch

/// Runs work on the main queue, at once whenever it is called there: for subscribing, where order
/// among actions does not matter.
///
/// ``MainScheduler`` is the one for delivering: it keeps actions in order.
///
/// - Isolation: `Sendable`.
public final class ConcurrentMainScheduler: DispatchQueueBacked {
  /// The one there is.
  public static let instance = ConcurrentMainScheduler()

  var queue: DispatchQueue { .main }

  private init() {}

  public func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    MainScheduler.isCurrent
      ? action(state) : MainScheduler.asyncInstance.schedule(state, action: action)
  }
}
