/// A time interval, under RxSwift's name.
public typealias RxTimeInterval = Duration

extension Duration {
  /// Longer than any program runs.
  public static var never: Duration { .seconds(Int64.max) }

  /// The interval, within the range in which a time can be added to it.
  var saturated: Duration { min(max(self, .seconds(Int64.min)), .never) }
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
/// - Isolation: actions and states are handed to the scheduler's thread and used there alone, which the
///   compiler does not check. Where a scheduler hops threads, the operators that use it require `Sendable`
///   elements. They may call a scheduler on any thread: declare your own as `Sendable`, unless it is confined.
public protocol SchedulerType: ImmediateSchedulerType, SendableMetatype {
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
/// schedulers in code of the main actor, the current thread's, virtual clocks. Operators accept any
/// element with it, `Sendable` or not.
///
/// In Swift 6 mode, the compiler checks three rules about threads:
/// - Elements that an operator hands to another thread are `Sendable`: with `observe(on:)`,
///   `subscribe(on:)` and all operators that take a scheduler, unless it is one of these, except
///   `skip(_:scheduler:)`, which delivers nothing on it; with `values` and `toBlocking`, always.
/// - Only code of the main actor delivers elements that are not `Sendable` on the main thread: with a
///   main scheduler, `drive` and `emit`, a ``Binder``, a ``ControlProperty`` and a ``ControlEvent``.
/// - Subjects and relays are shared by threads only if their elements are `Sendable`; observables,
///   which hold closures, are not shared at all.
///
/// The compiler does not check:
/// - Where a sequence emits. `interval(_:scheduler:)` or a subject of another thread, combined with elements
///   that are not `Sendable` by `combineLatest`, `zip`, `withLatestFrom`, `sample`, `take(until:)`, `concat`,
///   `andThen` or `withUnretained`, delivers these on its own thread. Put `observe(on:)` between.
/// - Where a closure runs. `map`, `subscribe` and other operators take ordinary closures, which may
///   capture anything, as do ``AnyObserver``, the actions given to `schedule`, and the closures that run
///   where something is disposed: `onDisposed`, ``Disposables/create(with:)``. The compiler assumes that
///   a closure formed on the main actor runs there, which is wrong after `observe(on: background)`. A
///   closure that uses the main actor's state belongs behind `observe(on: MainScheduler.instance)`, or in
///   a `Binder`, or with a driver or signal. A closure marked `@Sendable` is checked.
/// - Where an object is used that a call receives: the observer given to `subscribe`, also within an
///   ``AnyObserver``; the object of `subscribe(with:)` and `bind(with:)`; the seed of `scan` and `reduce`; the
///   state given to `schedule` and its relatives. They are used where the sequence emits, or the action runs.
/// - Where a conformance isolated to the main actor is used: `Equatable` by `distinctUntilChanged`,
///   `Hashable` by `groupBy`, ``ImmediateSchedulerType``; and likewise a key path, as in `map(\.name)`.
///   Conformances to the other protocols of this module that elements pass through cannot be isolated.
/// - Elements of a driver or signal that is subscribed to as an observable, off the main actor; and where a
///   ``SharingStrategyProtocol`` of the program, or `SharingScheduler.mock`, names another thread's scheduler.
/// - The conformance to this protocol, and elements of a scheduler taken as confined by
///   ``SchedulerType/unsafelyConfined``; that a scheduler of the program that is not `Sendable`, or a virtual
///   clock, is reached from one thread only.
///
/// None of this is checked at run time, not even in debug builds. When a subscription is made, its
/// thread of delivery is unknown, because a subject may be fed from any thread. A closure's isolation
/// shows where the closure was formed, not which state it uses. In debug builds `drive` and `emit`
/// report a call that is not made on the main thread.
public protocol ThreadConfinedSchedulerType: ImmediateSchedulerType {}

extension SchedulerType {
  /// By default each call schedules the next one, at times that do not drift from the first. Of calls
  /// that are overdue, the last one is made.
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
          let elapsed = now - start
          let due = max(round + 1, Int(exactly: (elapsed / period).rounded(.down)) ?? 0)
          arm(next, round: due, dueTime: max(.zero, period * due - elapsed))
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
  /// - Timing: each round is scheduled. A scheduler that runs an action at once leaves it to the round
  ///   under way, so that rounds do not grow the stack.
  /// - Returns: cancels the scheduled round and prevents further ones.
  /// - Parameter action: receives the state, and a function to call with the state of a further
  ///   round.
  public func scheduleRecursive<State>(
    _ state: State, action: @escaping (_ state: State, _ recurse: (State) -> Void) -> Void
  ) -> any Disposable {
    let queue = SchedulerQueue(self)
    func recurse(_ state: State) { queue.append { action(state, recurse) } }
    recurse(state)
    return queue
  }

  /// Schedules `work` to be called as soon as possible.
  package func schedule(_ work: @escaping () -> Void) -> any Disposable {
    schedule(()) { _ in
      work()
      return Disposables.create()
    }
  }
}
