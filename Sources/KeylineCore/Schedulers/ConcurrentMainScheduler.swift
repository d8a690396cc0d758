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

  public func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    MainScheduler.isCurrent
      ? action(state) : MainScheduler.asyncInstance.schedule(state, action: action)
  }
}
