/// Which end of a binding follows which.
public enum BindingMode: BindingModes {
  /// The target follows the source.
  case oneWay
  /// Each follows the other. The source wins initially.
  case twoWay
  /// The target is set to the source once, and the binding ends.
  case oneTime

  public var mode: BindingMode { self }
}

/// The modes of a binding whose source is only read: a type of its own, so that `.twoWay` does not
/// compile there (B8).
public enum OneWayBindingMode: BindingModes {
  /// The target follows the source.
  case oneWay
  /// The target is set to the source once, and the binding ends.
  case oneTime

  public var mode: BindingMode { self == .oneTime ? .oneTime : .oneWay }
}

/// The modes of a binding: do not conform other types to it.
public protocol BindingModes: Sendable {
  /// The target follows the source.
  static var oneWay: Self { get }
  /// The mode as one of all.
  var mode: BindingMode { get }
}

/// What is written when there is nothing to convert.
public enum BindingFallback<Value> {
  /// Nothing: the property keeps its value.
  case keep
  /// This value.
  case value(Value)
}

/// Where a binding delivers.
public struct BindingSchedule<Source, Target> {
  let scheduler: any ImmediateSchedulerType

  /// On the main thread; at once if that is where the change is made.
  public static var main: Self { Self(scheduler: MainScheduler.asyncInstance) }
}

extension BindingSchedule where Source: Sendable, Target: Sendable {
  /// On `scheduler`, a serial one. It must be where the ends are confined that are written to, and
  /// read from.
  public static func scheduler(_ scheduler: any ImmediateSchedulerType) -> Self {
    Self(scheduler: scheduler)
  }
}

/// The options of a binding.
///
/// A class, so that generic code passes it on without looking up how to copy it.
@usableFromInline final class BindingSettings<Source, Target> {
  let mode: BindingMode
  let converter: BindingConverter<Source, Target>
  let whenBroken: BindingFallback<Target>
  let whenNil: BindingFallback<Target>?
  let isExclusive: Bool
  let resetOnUnbind: BindingFallback<Target>
  let schedule: BindingSchedule<Source, Target>?
  let call: CallSite

  /// In the order in which `bind` takes them.
  @usableFromInline init(
    _ mode: some BindingModes, _ converter: BindingConverter<Source, Target>,
    whenBroken: BindingFallback<Target> = .keep, whenNil: BindingFallback<Target>? = nil,
    exclusive: Bool = false, resetOnUnbind: BindingFallback<Target> = .keep,
    on schedule: BindingSchedule<Source, Target>? = nil, _ call: CallSite
  ) {
    self.mode = mode.mode
    self.converter = converter
    self.whenBroken = whenBroken
    self.whenNil = whenNil
    self.isExclusive = exclusive
    self.resetOnUnbind = resetOnUnbind
    self.schedule = schedule
    self.call = call
  }

  /// Passes on the value to write to the target.
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
