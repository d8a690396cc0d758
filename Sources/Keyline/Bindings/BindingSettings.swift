import KeylineCore

/// Which end of a binding follows which.
public enum BindingMode: Sendable {
  /// The target follows the source.
  case oneWay
  /// Each follows the other. The source wins initially.
  case twoWay
  /// The target is set to the source once, and the binding ends.
  case oneTime
}

/// The modes of a binding whose source is only read.
public enum OneWayBindingMode: Sendable {
  /// The target follows the source.
  case oneWay
  /// The target is set to the source once, and the binding ends.
  case oneTime

  @inlinable var mode: BindingMode {
    switch self {
    case .oneWay: .oneWay
    case .oneTime: .oneTime
    }
  }
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
  /// Nil for the main thread.
  let scheduler: (any ImmediateSchedulerType)?

  /// On the main thread; at once if that is where the change is made.
  public static var main: Self { Self(scheduler: nil) }
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
    _ mode: BindingMode, _ converter: BindingConverter<Source, Target>,
    _ whenBroken: BindingFallback<Target>, _ whenNil: BindingFallback<Target>?, _ exclusive: Bool,
    _ resetOnUnbind: BindingFallback<Target>, _ schedule: BindingSchedule<Source, Target>?,
    _ call: CallSite
  ) {
    self.mode = mode
    self.converter = converter
    self.whenBroken = whenBroken
    self.whenNil = whenNil
    self.isExclusive = exclusive
    self.resetOnUnbind = resetOnUnbind
    self.schedule = schedule
    self.call = call
  }

  /// The value to write to the target; nil to leave it.
  func forward(_ value: Source) throws -> Target? {
    guard let whenNil, Optionals.isNil(value) else { return try converter.forward(value) }
    if case .value(let value) = whenNil { return value }
    return nil
  }
}
