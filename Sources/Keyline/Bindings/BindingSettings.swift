/// Which end of a binding follows which.
public enum BindingMode: Sendable {
  /// The target follows the source.
  case oneWay
  /// Each follows the other. The source wins initially.
  case twoWay
  /// The target is set to the source once, and the binding ends.
  case oneTime
  /// The source follows the target, which wins initially.
  case oneWayToSource
}

/// What is written when there is nothing to convert.
public enum BindingFallback<Value> {
  /// Nothing: the property keeps what it has.
  case keep
  /// This value.
  case value(Value)
}

/// Where a binding delivers.
public struct BindingSchedule<Source, Target> {
  let scheduler: any ImmediateSchedulerType

  /// On the main thread; at once if that is where the change is made.
  public static var main: Self { Self(scheduler: MainScheduler.instance) }
}

extension BindingSchedule where Source: Sendable, Target: Sendable {
  /// On `scheduler`, a serial one. It must be where the ends are confined that are written to, and
  /// read from.
  public static func scheduler(_ scheduler: any ImmediateSchedulerType) -> Self {
    Self(scheduler: scheduler)
  }
}

/// What a binding is asked to do.
struct BindingSettings<Source, Target> {
  let mode: BindingMode
  let converter: BindingConverter<Source, Target>
  let whenBroken: BindingFallback<Target>
  let whenNil: BindingFallback<Target>?
  let isExclusive: Bool
  let resetOnUnbind: BindingFallback<Target>
  let schedule: BindingSchedule<Source, Target>?

  /// In the order in which `bind` takes them.
  init(
    _ mode: BindingMode, _ converter: BindingConverter<Source, Target>,
    _ whenBroken: BindingFallback<Target>, _ whenNil: BindingFallback<Target>?, _ exclusive: Bool,
    _ resetOnUnbind: BindingFallback<Target>, _ schedule: BindingSchedule<Source, Target>?
  ) {
    (self.mode, self.converter, self.whenBroken, self.whenNil) =
      (mode, converter, whenBroken, whenNil)
    (isExclusive, self.resetOnUnbind, self.schedule) = (exclusive, resetOnUnbind, schedule)
  }

  /// What the target is to become; nil to leave it.
  func forward(_ value: Source) throws -> Target? {
    guard let whenNil, Optionals.isNil(value) else { return try converter.forward(value) }
    if case .value(let value) = whenNil { return value }
    return nil
  }
}

/// One end of a binding: which property it is, now and whenever that changes.
struct BindingSide<Value> {
  /// The object whose death ends the binding; nil for a stream.
  let root: (any PropertyObservable)?
  /// Calls back with the property, or with nil while there is none, until the context ends.
  let follow: (BindingContext, @escaping (PropertyReference<Value>?) -> Void) -> Void

  init<Object: PropertyObservable>(_ object: Object, _ keyPath: KeyPath<Object, Value>) {
    root = object
    follow = { $1(PropertyReference(object, PropertyPath(keyPath))) }
  }

  init<Root: PropertyObservable>(
    _ object: Root, _ path: (KeyPathChain<Root, Root>) -> KeyPathChain<Root, Value>
  ) {
    let chain = path(KeyPathChain<Root, Root>.beginning)
    root = object
    follow = { chain.path(object, ChainObserver($1), $0) }
  }

  /// The elements of `stream`, the latest of which counts as its value.
  init(_ stream: Observable<Value>) {
    root = nil
    follow = { context, next in
      let latest = ReplaySubject<Value>.create(bufferSize: 1)
      next(PropertyReference(nil, values: latest, read: { nil }))
      stream.run(
        in: context.child(), next: latest.onNext,
        terminate: { context.sourceEnded($0, meaning: .sourceCompleted) })
    }
  }
}
