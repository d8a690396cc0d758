// Elements delivered on the main thread belong to it: with these schedulers, operators accept
// elements that are not `Sendable`.

extension MainScheduler: ThreadConfinedSchedulerType {}
extension ConcurrentMainScheduler: ThreadConfinedSchedulerType {}

extension ImmediateSchedulerType {
  /// This scheduler for elements that are not known to be `Sendable`: the one escape from the checks
  /// of ``ThreadConfinedSchedulerType``.
  ///
  /// For generic code whose elements are unconstrained, as in libraries written for RxSwift:
  ///
  /// ```swift
  /// extension ObservableType {
  ///   func retry(after pause: Duration, scheduler: any SchedulerType) -> Observable<Element> {
  ///     retry { errors in errors.delay(pause, scheduler: scheduler.unsafelyConfined) }
  ///   }
  /// }
  /// ```
  ///
  /// - Isolation: unchecked. The caller guarantees that no two threads use an element at a time.
  public var unsafelyConfined: UnsafelyConfinedImmediateScheduler {
    UnsafelyConfinedImmediateScheduler(base: self)
  }
}

extension SchedulerType {
  /// This scheduler for elements that are not known to be `Sendable`: the one escape from the checks
  /// of ``ThreadConfinedSchedulerType``, as for an ``ImmediateSchedulerType``.
  public var unsafelyConfined: UnsafelyConfinedScheduler { UnsafelyConfinedScheduler(base: self) }
}

/// A scheduler that the program declares to be confined to a thread.
///
/// - SeeAlso: ``ImmediateSchedulerType/unsafelyConfined``.
public struct UnsafelyConfinedImmediateScheduler: ThreadConfinedSchedulerType {
  fileprivate let base: any ImmediateSchedulerType

  public func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    base.schedule(state, action: action)
  }
}

/// A scheduler that the program declares to be confined to a thread.
///
/// - SeeAlso: ``SchedulerType/unsafelyConfined``.
public struct UnsafelyConfinedScheduler: SchedulerType, ThreadConfinedSchedulerType {
  fileprivate let base: any SchedulerType

  public var now: Duration { base.now }

  public func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    base.schedule(state, action: action)
  }

  public func scheduleRelative<State>(
    _ state: State, dueTime: Duration, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    base.scheduleRelative(state, dueTime: dueTime, action: action)
  }

  public func schedulePeriodic<State>(
    _ state: State, startAfter: Duration, period: Duration, action: @escaping (State) -> State
  ) -> any Disposable {
    base.schedulePeriodic(state, startAfter: startAfter, period: period, action: action)
  }
}
