/// An observer that sets something of a target's, on the main thread.
///
/// ```swift
/// let isEnabled = Binder(button) { button, value in button.isEnabled = value }
/// form.isValid.drive(isEnabled).disposed(by: bag)
/// ```
///
/// - Timing: each element in an action of its scheduler; of the main one at once when it can be.
/// - Errors: an error is reported to ``Diagnostics/handler`` and changes nothing. It never traps.
/// - Lifetime: holds the target weakly; elements that come after its death are dropped.
public struct Binder<Value>: ObserverType {
  private let scheduler: any ImmediateSchedulerType
  private let bind: (Value) -> Void

  /// - Parameters:
  ///   - target: what `binding` gets while it lives; held weakly.
  ///   - scheduler: where `binding` is called.
  ///   - binding: takes an element to the target.
  public init<Target: AnyObject>(
    _ target: Target, scheduler: any ImmediateSchedulerType = MainScheduler(),
    binding: @escaping (Target, Value) -> Void
  ) {
    self.scheduler = scheduler
    bind = { [weak target] value in if let target { binding(target, value) } }
  }

  public func on(_ event: Event<Value>) {
    switch event {
    case .next(let value): _ = scheduler.run { bind(value) }
    case .error(let error): report(failureOfBinding: error)
    case .completed: break
    }
  }
}

/// An error cannot be shown by what a control or a property is bound to: somebody forgot to handle it.
func report(failureOfBinding error: any Error) {
  Diagnostics.report(.misuse, "an error reached a binding, which cannot show it: \(error)")
}
