/// The value to write when there is nothing to convert.
public enum BindingFallback<Value> {
  /// Writes nothing: the property keeps its value.
  case keep
  /// Writes this value.
  case value(Value)

  @inlinable var isKept: Bool { if case .keep = self { true } else { false } }
}

/// Where a binding delivers. A class, so that a binding without a schedule passes a null pointer,
/// and compiles no copying.
public final class BindingSchedule<Source, Target> {
  let scheduler: any ImmediateSchedulerType

  init(_ scheduler: any ImmediateSchedulerType) { self.scheduler = scheduler }

  /// On the main thread; at once if the change is made there.
  public static var main: BindingSchedule { BindingSchedule(MainScheduler.asyncInstance) }
}

extension BindingSchedule where Source: Sendable, Target: Sendable {
  /// On `scheduler`, which must be serial, and must run where the written and read ends are
  /// confined.
  public static func scheduler(_ scheduler: any ImmediateSchedulerType) -> BindingSchedule {
    BindingSchedule(scheduler)
  }
}

/// What only some bindings have: options other than a converter, or a chain as the target.
@usableFromInline final class BindingOptions<Source, Target> {
  let whenBroken: BindingFallback<Target>
  let whenNil: BindingFallback<Target>?
  let isExclusive: Bool
  let resetOnUnbind: BindingFallback<Target>
  /// The scheduler, and its waiting deliveries, are nil for a binding that delivers at once.
  let schedule: BindingSchedule<Source, Target>?
  var queue: SchedulerQueue?
  /// For a binding on a scheduler: whether the target is the end that changed last, and the batch
  /// that set the source last; 0 for none.
  var isTargetLatest = false
  var sourceBatch: UInt64 = 0
  /// The claim to the target's property, if the binding is exclusive.
  var claim: ExclusiveClaim?
  /// The latest element of a stream, or value of a source that belongs to another thread than the chain that is
  /// the target: written again when the target has another owner.
  var latest: Source?
  /// The version of the source that was passed on before its delivery, because the target has another
  /// owner; 0 for none.
  var passedVersion: UInt = 0

  @usableFromInline init(
    _ whenBroken: BindingFallback<Target> = .keep, _ whenNil: BindingFallback<Target>? = nil,
    _ isExclusive: Bool = false, _ resetOnUnbind: BindingFallback<Target> = .keep,
    _ schedule: BindingSchedule<Source, Target>? = nil
  ) {
    self.whenBroken = whenBroken
    self.whenNil = whenNil
    self.isExclusive = isExclusive
    self.resetOnUnbind = resetOnUnbind
    self.schedule = schedule
  }

  // A function of its own: an optional value would cost its caller a look-up of its type.
  @inline(never) func remember(_ value: Source) { latest = value }

  /// `convert` with `whenNil` applied.
  @inline(never) func conversion(
    _ convert: @escaping BindingConversion<Source, Target>
  ) -> BindingConversion<Source, Target> {
    guard let whenNil else { return convert }
    return { value, body in
      guard Optionals.content(of: value) == nil else { return try convert(value, body) }
      guard case .value(let value) = whenNil else { return false }
      body(value)
      return true
    }
  }
}
