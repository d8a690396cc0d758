/// An observer that updates a target, on the main thread.
///
/// ```swift
/// let isEnabled = Binder(button) { button, value in button.isEnabled = value }
/// form.isValid.drive(isEnabled).disposed(by: bag)
/// ```
///
/// - Timing: one scheduled action per element; on the main scheduler, synchronously if possible.
/// - Errors: an error goes to ``Hooks/defaultErrorHandler`` and changes nothing. It never traps.
/// - Lifetime: references the target weakly; elements after its death are dropped.
public struct Binder<Value>: ObserverType {
  private let scheduler: any ImmediateSchedulerType
  private let bind: (Value) -> Void

  /// - Parameters:
  ///   - target: the argument of `binding` while it is alive; referenced weakly.
  ///   - scheduler: where `binding` is called.
  ///   - binding: updates the target with an element.
  public init<Target: AnyObject>(
    _ target: Target, scheduler: any ImmediateSchedulerType = MainScheduler(),
    binding: @escaping (Target, Value) -> Void
  ) {
    self.scheduler = scheduler
    bind = { [weak target] value in if let target { binding(target, value) } }
  }

  public func on(_ event: Event<Value>) {
    switch event {
    case .next(let value): _ = scheduler.schedule { bind(value) }
    case .error(let error): Hooks.report(unhandled: error)
    case .completed: break
    }
  }
}
