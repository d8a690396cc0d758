// Bindings with a key path as their source, which is only read, or also written (`mode:`). Each
// form exists with a converter and, for equal types, without one.

extension PropertyObservable {
  /// Binds `source` of this object and `property` of `target`, until either object dies.
  ///
  /// - Timing: before this method returns, and then synchronously after every change, through the
  ///   accessors of the target's property (`didSet` and overrides run).
  /// - Lifetime: retains neither end. The binding need not be retained.
  /// - Parameters:
  ///   - source: a path as for `observe(_:options:)`: to a stored or computed property, or over
  ///     several hops.
  ///   - target: the object at the other end.
  ///   - property: a property of `target` with the type of the source.
  ///   - whenNil: the value to write for nil, in place of the converter's result.
  ///   - exclusive: whether the written end refuses other writers. If several exclusive bindings
  ///     write one property, the first owns it. When it ends, the next one owns the property, and
  ///     writes with the next change of its source. Swift runs the property's `didSet` even after a
  ///     refused set: a `didSet` that repeats the set until the value is accepted never ends.
  ///   - schedule: where to deliver: `.main`, or `.scheduler(…)` for `Sendable` values; nil to
  ///     deliver at once.
  /// - Returns: the binding, to end it early and to observe its errors.
  @discardableResult @inlinable @inline(__always)
  public func bind<Value, Target: PropertyObservable>(
    @_eagerMove _ source: __owned KeyPath<Self, Value>, to target: Target,
    @_eagerMove _ property: __owned ReferenceWritableKeyPath<Target, Value>,
    whenNil: BindingFallback<Value>? = nil, exclusive: Bool = false,
    on schedule: BindingSchedule<Value, Value>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, source), to: BindingEnd(target, writing: property), .oneWay, .identity,
      whenNil: whenNil, exclusive: exclusive, on: schedule, file, line)
  }

  /// Keeps an optional `property` of `target` equal to `source` of this object.
  @discardableResult @inlinable @inline(__always)
  public func bind<Value, Target: PropertyObservable>(
    @_eagerMove _ source: __owned KeyPath<Self, Value>, to target: Target,
    @_eagerMove _ property: __owned ReferenceWritableKeyPath<Target, Value?>,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    bind(source, to: target, property, converter: .wrapped, file: file, line: line)
  }

  /// Binds `source` of this object and `property` of `target`, with a converter, which may be made
  /// from a closure:
  ///
  /// ```swift
  /// model.bind(\.price, to: row, \.text, converter: BindingConverter { price in "\(price) €" })
  /// ```
  @discardableResult @inlinable @inline(__always)
  public func bind<Source, Bound, Target: PropertyObservable>(
    @_eagerMove _ source: __owned KeyPath<Self, Source>, to target: Target,
    @_eagerMove _ property: __owned ReferenceWritableKeyPath<Target, Bound>,
    converter: BindingConverter<Source, Bound>,
    whenNil: BindingFallback<Bound>? = nil, exclusive: Bool = false,
    on schedule: BindingSchedule<Source, Bound>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, source), to: BindingEnd(target, writing: property), .oneWay, converter,
      whenNil: whenNil, exclusive: exclusive, on: schedule, file, line)
  }

  /// Binds two properties that can both be written, in any mode.
  @_disfavoredOverload @discardableResult @inlinable @inline(__always)
  public func bind<Value, Target: PropertyObservable>(
    @_eagerMove _ source: __owned ReferenceWritableKeyPath<Self, Value>, to target: Target,
    @_eagerMove _ property: __owned ReferenceWritableKeyPath<Target, Value>,
    mode: BindingMode, whenNil: BindingFallback<Value>? = nil, exclusive: Bool = false,
    on schedule: BindingSchedule<Value, Value>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, writing: source), to: BindingEnd(target, writing: property), mode, .identity,
      whenNil: whenNil, exclusive: exclusive, on: schedule, file, line)
  }

  /// Binds two properties that can both be written, in any mode, with a converter.
  @_disfavoredOverload @discardableResult @inlinable @inline(__always)
  public func bind<Source, Bound, Target: PropertyObservable>(
    @_eagerMove _ source: __owned ReferenceWritableKeyPath<Self, Source>, to target: Target,
    @_eagerMove _ property: __owned ReferenceWritableKeyPath<Target, Bound>,
    mode: BindingMode, converter: BindingConverter<Source, Bound>,
    whenNil: BindingFallback<Bound>? = nil, exclusive: Bool = false,
    on schedule: BindingSchedule<Source, Bound>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, writing: source), to: BindingEnd(target, writing: property), mode, converter,
      whenNil: whenNil, exclusive: exclusive, on: schedule, file, line)
  }

  /// Binds `source` of this object and the property at the end of a chain from `target`. The
  /// binding follows the chain when its objects are replaced.
  ///
  /// - Parameters:
  ///   - property: the chain: `{ $0.player.output.gain }`.
  ///   - resetOnUnbind: the value to write to a leaf when the chain leads to another one. The end
  ///     of the binding writes nothing.
  @discardableResult @inlinable @inline(__always)
  public func bind<Value, Target: PropertyObservable>(
    @_eagerMove _ source: __owned KeyPath<Self, Value>, to target: Target,
    _ property: (inout ChainStart<Target>) -> WritableKeyPathChain<Target, Value>,
    whenNil: BindingFallback<Value>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Value> = .keep,
    on schedule: BindingSchedule<Value, Value>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, source), to: BindingEnd(target, property), .oneWay, .identity,
      whenNil: whenNil, exclusive: exclusive, resetOnUnbind: resetOnUnbind, on: schedule, file, line
    )
  }

  /// Binds `source` of this object and the property at the end of a chain from `target`, with a
  /// converter.
  @discardableResult @inlinable @inline(__always)
  public func bind<Source, Bound, Target: PropertyObservable>(
    @_eagerMove _ source: __owned KeyPath<Self, Source>, to target: Target,
    _ property: (inout ChainStart<Target>) -> WritableKeyPathChain<Target, Bound>,
    converter: BindingConverter<Source, Bound>,
    whenNil: BindingFallback<Bound>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Bound> = .keep,
    on schedule: BindingSchedule<Source, Bound>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, source), to: BindingEnd(target, property), .oneWay, converter,
      whenNil: whenNil, exclusive: exclusive, resetOnUnbind: resetOnUnbind, on: schedule, file, line
    )
  }

  /// Binds a writable property and the property at the end of a chain from `target`, in any mode.
  @_disfavoredOverload @discardableResult @inlinable @inline(__always)
  public func bind<Value, Target: PropertyObservable>(
    @_eagerMove _ source: __owned ReferenceWritableKeyPath<Self, Value>, to target: Target,
    _ property: (inout ChainStart<Target>) -> WritableKeyPathChain<Target, Value>,
    mode: BindingMode, whenNil: BindingFallback<Value>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Value> = .keep,
    on schedule: BindingSchedule<Value, Value>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, writing: source), to: BindingEnd(target, property), mode, .identity,
      whenNil: whenNil, exclusive: exclusive, resetOnUnbind: resetOnUnbind, on: schedule, file, line
    )
  }

  /// Binds a writable property and the property at the end of a chain from `target`, in any mode,
  /// with a converter.
  @_disfavoredOverload @discardableResult @inlinable @inline(__always)
  public func bind<Source, Bound, Target: PropertyObservable>(
    @_eagerMove _ source: __owned ReferenceWritableKeyPath<Self, Source>, to target: Target,
    _ property: (inout ChainStart<Target>) -> WritableKeyPathChain<Target, Bound>,
    mode: BindingMode, converter: BindingConverter<Source, Bound>,
    whenNil: BindingFallback<Bound>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Bound> = .keep,
    on schedule: BindingSchedule<Source, Bound>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, writing: source), to: BindingEnd(target, property), mode, converter,
      whenNil: whenNil, exclusive: exclusive, resetOnUnbind: resetOnUnbind, on: schedule, file, line
    )
  }
}
