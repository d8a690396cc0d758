/// A property kept equal to a source of values.
///
/// ```swift
/// model.bind(\.name, to: viewModel, \.title)                       // now, and on every change
/// model.observe(\.price).map(format).bind(to: row, \.priceText)    // any observable
/// ```
///
/// Laws, tested under these numbers:
/// 1. A binding holds both ends weakly and ends when either dies; nobody has to keep it.
/// 2. The source wins initially.
///
/// - Isolation: `Sendable`, for disposal from any thread; the ends stay where they are confined, and
///   the target is written on the thread that changes the source.
public final class PropertyBinding: Cancelable {
  private let context = SubscriptionContext()

  /// Whether the binding is in force: neither end has died, it has not been disposed, and its source
  /// has not terminated.
  public var isActive: Bool { context.isActive }

  public var isDisposed: Bool { context.isDisposed }

  /// Ends the binding. Both ends keep their values.
  public func dispose() { context.dispose() }

  /// Writes every element of `source` to `target`.
  ///
  /// - Parameter write: sets the property, through its own accessors.
  @usableFromInline
  init<Target: PropertyObservable, Value>(
    _ source: Observable<Value>, to target: Target, write: @escaping (Target, Value) -> Void
  ) {
    let context = context
    target.properties.death.whenEnded(in: context, context.dispose)
    let writer = Writer(target, context, write)
    source.run(
      in: context, next: writer.write,
      terminate: { error in
        if let error { Hooks.report(unhandled: error) }
      })
  }
}

/// Writes to a target that may die meanwhile, on another thread too.
private final class Writer<Target: AnyObject, Value> {
  // A constant, so that reading it costs no check for exclusive access.
  private weak let target: Target?
  private let context: SubscriptionContext
  private let set: (Target, Value) -> Void

  init(
    _ target: Target, _ context: SubscriptionContext, _ set: @escaping (Target, Value) -> Void
  ) {
    self.target = target
    self.context = context
    self.set = set
  }

  func write(_ value: Value) {
    if context.isActive, let target { set(target, value) }
  }
}

extension PropertyObservable {
  /// Keeps `property` of `target` equal to `source` of this object, from now on until either dies.
  ///
  /// - Timing: the target is written before this returns, and then synchronously after every change
  ///   of the source, through the property's own accessors (`didSet` and overrides run).
  /// - Lifetime: retains neither end. Nobody has to keep the binding.
  /// - Parameters:
  ///   - source: a path as for `observe(_:options:)`: stored, computed, or over several hops.
  ///   - target: the object that is written to.
  ///   - property: a property of the target of the source's type.
  /// - Returns: the binding, to end it early.
  @discardableResult
  @inlinable @inline(__always)
  public func bind<Value, Target: PropertyObservable>(
    _ source: KeyPath<Self, Value>, to target: Target,
    _ property: ReferenceWritableKeyPath<Target, Value>
  ) -> PropertyBinding {
    PropertyBinding(observe(source), to: target) { $0[keyPath: property] = $1 }
  }

  /// Keeps an optional `property` of `target` equal to `source` of this object.
  @discardableResult
  @inlinable @inline(__always)
  public func bind<Value, Target: PropertyObservable>(
    _ source: KeyPath<Self, Value>, to target: Target,
    _ property: ReferenceWritableKeyPath<Target, Value?>
  ) -> PropertyBinding {
    PropertyBinding(observe(source), to: target) { $0[keyPath: property] = $1 }
  }
}

extension ObservableType {
  /// Writes every element to `property` of `target`, until the target dies or this ends.
  ///
  /// - Timing: synchronous, on the thread that emits.
  /// - Errors: an error ends the binding and goes to ``Hooks/defaultErrorHandler``.
  /// - Lifetime: the target is held weakly. Nobody has to keep the binding.
  @discardableResult
  @inlinable @inline(__always)
  public func bind<Target: PropertyObservable>(
    to target: Target, _ property: ReferenceWritableKeyPath<Target, Element>
  ) -> PropertyBinding {
    PropertyBinding(asObservable(), to: target) { $0[keyPath: property] = $1 }
  }

  /// Writes every element to an optional `property` of `target`.
  @discardableResult
  @inlinable @inline(__always)
  public func bind<Target: PropertyObservable>(
    to target: Target, _ property: ReferenceWritableKeyPath<Target, Element?>
  ) -> PropertyBinding {
    PropertyBinding(asObservable(), to: target) { $0[keyPath: property] = $1 }
  }
}
