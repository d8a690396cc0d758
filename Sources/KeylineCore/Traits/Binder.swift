/// An observer that updates a target, on the main thread.
///
/// ```swift
/// let isEnabled = Binder(button) { button, value in button.isEnabled = value }
/// form.isValid.drive(isEnabled).disposed(by: bag)
/// ```
///
/// - Timing: one scheduled action per element; on the main scheduler, synchronously if possible.
/// - Isolation: code of the main actor binds any target and any elements. Elsewhere, and on another
///   scheduler, both are `Sendable`.
/// - Errors: an error goes to ``Hooks/defaultErrorHandler`` and changes nothing. It never traps.
/// - Lifetime: references the target weakly; elements after its death are dropped.
public struct Binder<Value>: ObserverType {
  private let scheduler: any ImmediateSchedulerType
  private let bind: (Value) -> Void

  /// - Parameters:
  ///   - target: the argument of `binding` while it is alive; referenced weakly.
  ///   - scheduler: where `binding` is called; confined to the thread of the target and of the elements.
  ///   - binding: updates the target with an element.
  // Proof of the attribute, here and below: the initialisers for a main scheduler are preferred.
  @_disfavoredOverload public init<Target: AnyObject>(
    _ target: Target, scheduler: any ThreadConfinedSchedulerType,
    binding: @escaping (Target, Value) -> Void
  ) {
    self.scheduler = scheduler
    bind = { [weak target] value in if let target { binding(target, value) } }
  }

  /// - Parameters:
  ///   - target: the argument of `binding` while it is alive; referenced weakly.
  ///   - scheduler: a main scheduler.
  ///   - binding: updates the target with an element, on the main thread.
  @MainActor public init<Target: AnyObject>(
    _ target: Target, scheduler: MainScheduler = MainScheduler(),
    binding: @escaping (Target, Value) -> Void
  ) {
    self.init(target, scheduler: scheduler.unsafelyConfined, binding: binding)
  }

  /// - Parameters:
  ///   - target: the argument of `binding` while it is alive; referenced weakly.
  ///   - scheduler: a main scheduler.
  ///   - binding: updates the target with an element, on the main thread.
  public init<Target: AnyObject & Sendable>(
    _ target: Target, scheduler: MainScheduler = MainScheduler(),
    binding: @escaping (Target, Value) -> Void
  ) where Value: Sendable {
    self.init(target, scheduler: scheduler.unsafelyConfined, binding: binding)
  }

  /// - Parameters:
  ///   - target: the argument of `binding` while it is alive; referenced weakly.
  ///   - scheduler: where `binding` is called.
  ///   - binding: updates the target with an element.
  @_disfavoredOverload public init<Target: AnyObject & Sendable>(
    _ target: Target, scheduler: any ImmediateSchedulerType & Sendable,
    binding: @escaping @Sendable (Target, Value) -> Void
  ) where Value: Sendable {
    self.init(target, scheduler: scheduler.unsafelyConfined, binding: binding)
  }

  public func on(_ event: Event<Value>) {
    switch event {
    case .next(let value): _ = scheduler.schedule { bind(value) }
    case .error(let error): Hooks.report(unhandled: error)
    case .completed: break
    }
  }
}
