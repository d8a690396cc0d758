// Elements delivered on the main thread belong to the main actor: its code, and no other, uses these
// schedulers with elements that are not `Sendable`.

extension MainScheduler: @MainActor ThreadConfinedSchedulerType {}
extension ConcurrentMainScheduler: @MainActor ThreadConfinedSchedulerType {}

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
  public var unsafelyConfined: any ThreadConfinedSchedulerType {
    self as? any ThreadConfinedSchedulerType ?? UnsafelyConfined(base: self)
  }
}

extension SchedulerType {
  /// This scheduler for elements that are not known to be `Sendable`: the one escape from the checks
  /// of ``ThreadConfinedSchedulerType``, as for an ``ImmediateSchedulerType``.
  public var unsafelyConfined: any SchedulerType & ThreadConfinedSchedulerType {
    self as? any SchedulerType & ThreadConfinedSchedulerType ?? UnsafelyConfined(base: self)
  }
}

/// A scheduler that the program declares to be confined to a thread.
private struct UnsafelyConfined<Base: ImmediateSchedulerType>: ThreadConfinedSchedulerType {
  let base: Base

  func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    base.schedule(state, action: action)
  }
}

extension UnsafelyConfined: SchedulerType where Base: SchedulerType {
  var now: Duration { base.now }

  func scheduleRelative<State>(
    _ state: State, dueTime: Duration, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    base.scheduleRelative(state, dueTime: dueTime, action: action)
  }
}
