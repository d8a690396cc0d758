/// A time interval, under RxSwift's name.
public typealias RxTimeInterval = Duration

/// A time interval as operators take it: a `Duration`, or a `DispatchTimeInterval`, which programs
/// written for RxSwift have in variables.
///
/// ```swift
/// _ = query.debounce(.milliseconds(300), scheduler: scheduler)   // a `Duration`
///
/// let pause: DispatchTimeInterval = .milliseconds(300)
/// _ = query.debounce(pause, scheduler: scheduler)
/// ```
///
/// A number of seconds in a variable of type `TimeInterval` is `.seconds(number)`.
///
/// Public because a program's own timed operators take `some TimeIntervalType` as well.
public protocol TimeIntervalType {
  /// The same interval.
  func asDuration() -> Duration
}

extension Duration: TimeIntervalType {
  public func asDuration() -> Duration { self }

  /// The interval, within the range in which a time can be added to it.
  var saturated: Duration { min(max(self, .seconds(Int64.min)), .never) }
}

// The members after a `.` where operators take any interval: the durations of the standard library.
extension TimeIntervalType where Self == Duration {
  /// No time.
  public static var zero: Duration { Duration.zero }

  /// Longer than any program runs.
  public static var never: Duration { .seconds(Int64.max) }

  /// A whole number of seconds.
  public static func seconds(_ seconds: some BinaryInteger) -> Duration {
    Duration.seconds(seconds)
  }

  /// A number of seconds.
  public static func seconds(_ seconds: Double) -> Duration { Duration.seconds(seconds) }

  /// A whole number of milliseconds.
  public static func milliseconds(_ milliseconds: some BinaryInteger) -> Duration {
    Duration.milliseconds(milliseconds)
  }

  /// A number of milliseconds.
  public static func milliseconds(_ milliseconds: Double) -> Duration {
    Duration.milliseconds(milliseconds)
  }

  /// A whole number of microseconds.
  public static func microseconds(_ microseconds: some BinaryInteger) -> Duration {
    Duration.microseconds(microseconds)
  }

  /// A number of microseconds.
  public static func microseconds(_ microseconds: Double) -> Duration {
    Duration.microseconds(microseconds)
  }

  /// A whole number of nanoseconds.
  public static func nanoseconds(_ nanoseconds: some BinaryInteger) -> Duration {
    Duration.nanoseconds(nanoseconds)
  }
}

/// Runs actions in an execution context, as soon as possible. A program's own schedulers conform.
public protocol ImmediateSchedulerType {
  /// Schedules `action` to be called with `state` as soon as possible.
  ///
  /// - Returns: cancels the action if it has not begun, else disposes the disposable that it returned.
  func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable
}

/// Runs actions in an execution context, as soon as possible or after a delay.
///
/// - Isolation: actions and states are handed to the scheduler's thread and used there alone. Where
///   a scheduler hops threads, the operators that use it require `Sendable` elements.
public protocol SchedulerType: ImmediateSchedulerType {
  /// The time since an origin that the scheduler chooses: only differences are meaningful.
  var now: Duration { get }

  /// Schedules `action` to be called with `state` when `dueTime` has passed.
  func scheduleRelative<State>(
    _ state: State, dueTime: Duration, action: @escaping (State) -> any Disposable
  ) -> any Disposable

  /// Schedules `action` to be called after `startAfter` and every `period` from then on, with the
  /// state it returned the time before.
  func schedulePeriodic<State>(
    _ state: State, startAfter: Duration, period: Duration, action: @escaping (State) -> State
  ) -> any Disposable
}

/// A scheduler whose actions never leave the thread that its user's elements belong to: the main
/// schedulers, the current thread's, virtual clocks. Operators accept any element with it,
/// `Sendable` or not.
///
/// In Swift 6 mode, the compiler checks two rules about threads:
/// - Elements that an operator hands to another thread are `Sendable`: with `observe(on:)`,
///   `subscribe(on:)` and all operators that take a scheduler, unless it is one of these; with
///   `values`, always.
/// - Subjects and relays are shared by threads only if their elements are `Sendable`; observables,
///   which hold closures, are not shared at all.
///
/// The compiler does not check:
/// - Where a closure runs. `map`, `subscribe` and other operators take ordinary closures, which may
///   capture anything. The compiler assumes that a closure formed on the main actor runs there, which
///   is wrong after `observe(on: background)`. A closure that uses the main actor's state belongs
///   behind `observe(on: MainScheduler.instance)`, or in a `Binder`, or with a driver or signal.
/// - Elements of a scheduler taken as confined by ``SchedulerType/unsafelyConfined``.
///
/// None of this is checked at run time, not even in debug builds. When a subscription is made, its
/// thread of delivery is unknown, because a subject may be fed from any thread. A closure's isolation
/// shows where the closure was formed, not which state it uses. In debug builds `drive` and `emit`
/// report a call that is not made on the main queue.
public protocol ThreadConfinedSchedulerType: ImmediateSchedulerType {}

extension SchedulerType {
  /// By default each call schedules the next one, at times that do not drift from the first.
  public func schedulePeriodic<State>(
    _ state: State, startAfter: Duration, period: Duration, action: @escaping (State) -> State
  ) -> any Disposable {
    let pending = SerialDisposable()
    let period = min(max(.zero, period), .never)
    var first: Duration?
    func arm(_ state: State, round: Int, dueTime: Duration) {
      pending.hold {
        schedule(after: dueTime) {
          let start = first ?? now
          first = start
          let next = action(state)
          arm(next, round: round + 1, dueTime: max(.zero, start + period * (round + 1) - now))
        }
      }
    }
    arm(state, round: 0, dueTime: startAfter)
    return pending
  }

  /// Schedules `work` to be called when `dueTime` has passed.
  func schedule(after dueTime: Duration, _ work: @escaping () -> Void) -> any Disposable {
    scheduleRelative((), dueTime: dueTime) { _ in
      work()
      return Disposables.create()
    }
  }
}

extension ImmediateSchedulerType {
  /// Calls `action`, which may schedule itself again with another state, any number of times.
  ///
  /// - Timing: each round is scheduled, so that rounds do not grow the stack of a scheduler that
  ///   queues.
  /// - Returns: cancels the scheduled round and prevents further ones.
  /// - Parameter action: receives the state, and a function to call with the state of a further
  ///   round.
  public func scheduleRecursive<State>(
    _ state: State, action: @escaping (_ state: State, _ recurse: (State) -> Void) -> Void
  ) -> any Disposable {
    let rounds = CompositeDisposable()
    func recurse(_ state: State) {
      // Inserted before it is scheduled: it may run, and schedule the next, before that returns.
      let round = SingleAssignmentDisposable()
      guard let key = rounds.insert(round) else { return }
      round.setDisposable(
        schedule {
          guard !rounds.isDisposed else { return }
          action(state, recurse)
          rounds.remove(for: key)
        })
    }
    recurse(state)
    return rounds
  }

  /// Schedules `work` to be called as soon as possible.
  func schedule(_ work: @escaping () -> Void) -> any Disposable {
    schedule(()) { _ in
      work()
      return Disposables.create()
    }
  }
}
