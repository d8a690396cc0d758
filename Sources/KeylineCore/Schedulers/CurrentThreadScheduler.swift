/// Runs actions on the thread that schedules them: synchronously if no action of this scheduler is
/// running there, else when that has returned.
///
/// ```swift
/// _ = CurrentThreadScheduler.instance.schedule(()) { _ in
///   _ = CurrentThreadScheduler.instance.schedule(()) { _ in
///     print("inner")
///     return Disposables.create()
///   }
///   print("outer")
///   return Disposables.create()
/// }
/// ```
/// ```text
/// outer
/// inner
/// ```
///
/// Sequences without a scheduler (`of`, `from`, `range`, `generate`, `repeatElement`) take turns
/// with each other and with these actions; `subscribe` runs on it too.
///
/// - Timing: first come, first served, per thread. All actions are performed before the outermost
///   `schedule` or `subscribe` of the thread returns.
/// - SeeAlso: ReactiveX [Scheduler](https://reactivex.io/documentation/scheduler.html).
public final class CurrentThreadScheduler: ThreadConfinedSchedulerType, Sendable {
  /// The scheduler: one for all threads, since it has no state of its own.
  public static let instance = CurrentThreadScheduler()

  private init() {}

  /// Whether an action scheduled now would run synchronously, because none is running on this
  /// thread.
  public static var isScheduleRequired: Bool { !Trampoline.isRunning }

  public func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    let scheduled = ScheduledAction { action(state) }
    Trampoline.enqueue {
      scheduled.invoke()
      return false
    }
    return scheduled
  }
}
