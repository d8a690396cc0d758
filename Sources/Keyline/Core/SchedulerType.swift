/// A span of time, under RxSwift's name.
public typealias RxTimeInterval = Duration

/// Runs work somewhere, now.
public protocol ImmediateSchedulerType {
  /// Schedules `action` to be run with `state` as soon as possible.
  ///
  /// - Returns: cancels the action if it has not begun, else what the action returned.
  func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable
}

/// Runs work somewhere, now or later.
///
/// - Isolation: actions and states are handed to the scheduler's thread and used there alone. Where
///   a scheduler hops threads, the operators that use it ask for `Sendable` elements.
public protocol SchedulerType: ImmediateSchedulerType {
  /// The time since an origin of the scheduler's own: only differences mean anything.
  var now: Duration { get }

  /// Schedules `action` to be run with `state` when `dueTime` has passed.
  func scheduleRelative<State>(
    _ state: State, dueTime: Duration, action: @escaping (State) -> any Disposable
  ) -> any Disposable

  /// Schedules `action` to be run after `startAfter` and every `period` from then on, with the state
  /// it returned the time before.
  func schedulePeriodic<State>(
    _ state: State, startAfter: Duration, period: Duration, action: @escaping (State) -> State
  ) -> any Disposable
}

extension SchedulerType {
  /// By default each run schedules the next one, at times that do not drift.
  public func schedulePeriodic<State>(
    _ state: State, startAfter: Duration, period: Duration, action: @escaping (State) -> State
  ) -> any Disposable {
    let pending = SerialDisposable()
    let start = now + startAfter
    func arm(_ state: State, round: Int, dueTime: Duration) {
      pending.hold {
        run(after: dueTime) {
          let next = action(state)
          arm(next, round: round + 1, dueTime: max(.zero, start + period * (round + 1) - now))
        }
      }
    }
    arm(state, round: 0, dueTime: startAfter)
    return pending
  }
}

extension ImmediateSchedulerType {
  /// Runs `action`, which may ask to be run again with another state, any number of times.
  ///
  /// - Timing: each round is scheduled, so rounds do not pile up on the stack of a scheduler that
  ///   queues.
  /// - Returns: ends what is scheduled and lets nothing be scheduled any more.
  /// - Parameter action: gets the state, and a function to call with the state of a further round.
  public func scheduleRecursive<State>(
    _ state: State, action: @escaping (_ state: State, _ recurse: (State) -> Void) -> Void
  ) -> any Disposable {
    let rounds = CompositeDisposable()
    func run(_ state: State) {
      // Held before it is scheduled: it may run, and schedule the next, before that returns.
      let round = SingleAssignmentDisposable()
      guard let key = rounds.insert(round) else { return }
      round.setDisposable(
        self.run {
          guard !rounds.isDisposed else { return }
          action(state, run)
          rounds.remove(for: key)
        })
    }
    run(state)
    return rounds
  }
}

// MARK: Plain work

extension ImmediateSchedulerType {
  /// Does `work` as soon as possible.
  func run(_ work: @escaping () -> Void) -> any Disposable {
    schedule(()) { _ in
      work()
      return Disposables.create()
    }
  }

  /// Does `step` again and again while it returns true and `context` has not ended.
  @usableFromInline func repeatedly(_ step: @escaping () -> Bool, in context: SubscriptionContext) {
    context.add(scheduleRecursive(()) { if context.isActive, step() { $1(()) } })
  }
}

extension SchedulerType {
  /// Does `work` when `dueTime` has passed.
  func run(after dueTime: Duration, _ work: @escaping () -> Void) -> any Disposable {
    scheduleRelative((), dueTime: dueTime) { _ in
      work()
      return Disposables.create()
    }
  }
}
