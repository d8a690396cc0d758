/// Which end of a binding follows the other. A source that is only read takes no mode: the target
/// follows it (B8).
public enum BindingMode: Sendable {
  /// The target follows the source.
  case oneWay
  /// Each end follows the other. The source wins initially.
  case twoWay
  /// The binding sets the target to the source's value once, and ends.
  case oneTime
}

/// The value to write when there is nothing to convert.
public enum BindingFallback<Value> {
  /// Writes nothing: the property keeps its value.
  case keep
  /// Writes this value.
  case value(Value)
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

/// The options of a binding.
///
/// A class, so that generic code can pass the options on without looking up how to copy them.
@usableFromInline final class BindingSettings<Source, Target> {
  let mode: BindingMode
  let converter: BindingConverter<Source, Target>
  let whenBroken: BindingFallback<Target>
  let whenNil: BindingFallback<Target>?
  let isExclusive: Bool
  let resetOnUnbind: BindingFallback<Target>
  let schedule: BindingSchedule<Source, Target>?
  let call: CallSite

  /// The parameters stand in the order of the parameters of `bind`.
  @usableFromInline init(
    _ mode: BindingMode, _ converter: BindingConverter<Source, Target>,
    whenBroken: BindingFallback<Target> = .keep, whenNil: BindingFallback<Target>? = nil,
    exclusive: Bool = false, resetOnUnbind: BindingFallback<Target> = .keep,
    on schedule: BindingSchedule<Source, Target>? = nil, _ file: StaticString, _ line: UInt
  ) {
    self.mode = mode
    self.converter = converter
    self.whenBroken = whenBroken
    self.whenNil = whenNil
    self.isExclusive = exclusive
    self.resetOnUnbind = resetOnUnbind
    self.schedule = schedule
    call = CallSite(file, line, "bind")
  }

  /// Converts a value of the source to the value to write to the target, with `whenNil` applied.
  var conversion: BindingConversion<Source, Target> {
    guard let whenNil else { return converter.passForward }
    return { [converter] value, body in
      guard Optionals.content(of: value) == nil else {
        return try converter.passForward(value, body)
      }
      guard case .value(let value) = whenNil else { return false }
      body(value)
      return true
    }
  }
}
