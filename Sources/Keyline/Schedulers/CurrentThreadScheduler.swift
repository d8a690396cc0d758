/// Runs work on the thread that schedules it: at once if nothing scheduled here is running there,
/// else when that has returned.
///
/// ```swift
/// _ = CurrentThreadScheduler.instance.schedule(()) { _ in
///   _ = CurrentThreadScheduler.instance.schedule(()) { _ in
///     print("inner")
///     return Disposables.create()
///   }
///   print("outer")
///   return Disposables.create()
/// }   // outer inner
/// ```
///
/// Sequences that are given no scheduler (`of`, `from`, `range`, `generate`, `repeatElement`) take
/// turns with each other and with this work; `subscribe` runs on it too.
///
/// - Timing: first come, first served, per thread. What is scheduled is done before the outermost
///   `schedule` or `subscribe` of the thread returns.
/// - SeeAlso: ReactiveX [Scheduler](https://reactivex.io/documentation/scheduler.html).
public final class CurrentThreadScheduler: ImmediateSchedulerType, Sendable {
  /// The scheduler: one for all threads, since it keeps nothing itself.
  public static let instance = CurrentThreadScheduler()

  private init() {}

  /// Whether work scheduled now would run at once, because nothing is running on this thread.
  public static var isScheduleRequired: Bool { !Trampoline.isRunning }

  public func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    let scheduled = ScheduledAction { action(state) }
    Trampoline.add { _ in
      scheduled.run()
      return false
    }
    return scheduled
  }
}
