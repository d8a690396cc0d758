// Bindings whose source is a key path: one that is read, or one that is written, too (`mode:`). Each form
// stands with a converter and, for equal types, without one.

extension PropertyObservable {
  /// Binds `source` of this object and `property` of `target`, until either object dies.
  ///
  /// - Timing: before this returns, and then synchronously after every change, through the
  ///   accessors of the property that is written (`didSet` and overrides run).
  /// - Lifetime: retains neither end. The binding need not be retained.
  /// - Parameters:
  ///   - source: a path as for `observe(_:options:)`: stored, computed, or over several hops.
  ///   - target: the object at the other end.
  ///   - property: a property of `target`, of the type of the source.
  ///   - mode: which end follows which.
  ///   - whenNil: what to write for nil, in place of what the converter returns for it.
  ///   - exclusive: whether the end that is written refuses other writers. Of several exclusive
  ///     bindings of one property the first owns it, and the next when that one ends: it writes
  ///     with the next change of its source. Swift runs the property's `didSet` after a refused
  ///     set, too: one that sets the property again until the value is accepted never ends then.
  ///   - schedule: where to deliver: `.main`, or `.scheduler(…)` for `Sendable` values; at once if
  ///     nil.
  /// - Returns: the binding, to end it early and to observe its errors.
  @discardableResult @inlinable @inline(__always)
  public func bind<Value, Target: PropertyObservable>(
    @_eagerMove _ source: __owned KeyPath<Self, Value>, to target: Target,
    @_eagerMove _ property: __owned ReferenceWritableKeyPath<Target, Value>,
    mode: OneWayBindingMode = .oneWay,
    whenNil: BindingFallback<Value>? = nil, exclusive: Bool = false,
    on schedule: BindingSchedule<Value, Value>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, source), to: BindingEnd(target, writing: property),
      BindingSettings(
        mode, .identity, whenNil: whenNil, exclusive: exclusive, on: schedule,
        CallSite(file, line)))
  }

  /// Keeps an optional `property` of `target` equal to `source` of this object.
  @discardableResult @inlinable @inline(__always)
  public func bind<Value, Target: PropertyObservable>(
    @_eagerMove _ source: __owned KeyPath<Self, Value>, to target: Target,
    @_eagerMove _ property: __owned ReferenceWritableKeyPath<Target, Value?>,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, source), to: BindingEnd(target, writing: property),
      BindingSettings(OneWayBindingMode.oneWay, .wrapped, CallSite(file, line)))
  }

  /// Binds `source` of this object and `property` of `target`, with a converter, which may be a closure:
  ///
  /// ```swift
  /// model.bind(\.price, to: row, \.text, converter: BindingConverter { price in "\(price) €" })
  /// ```
  @discardableResult @inlinable @inline(__always)
  public func bind<Source, Bound, Target: PropertyObservable>(
    @_eagerMove _ source: __owned KeyPath<Self, Source>, to target: Target,
    @_eagerMove _ property: __owned ReferenceWritableKeyPath<Target, Bound>,
    mode: OneWayBindingMode = .oneWay, converter: BindingConverter<Source, Bound>,
    whenNil: BindingFallback<Bound>? = nil, exclusive: Bool = false,
    on schedule: BindingSchedule<Source, Bound>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, source), to: BindingEnd(target, writing: property),
      BindingSettings(
        mode, converter, whenNil: whenNil, exclusive: exclusive, on: schedule,
        CallSite(file, line)))
  }

  /// Binds two properties in any mode: the source is one that can be written.
  @_disfavoredOverload @discardableResult @inlinable @inline(__always)
  public func bind<Value, Target: PropertyObservable>(
    @_eagerMove _ source: __owned ReferenceWritableKeyPath<Self, Value>, to target: Target,
    @_eagerMove _ property: __owned ReferenceWritableKeyPath<Target, Value>,
    mode: BindingMode, whenNil: BindingFallback<Value>? = nil, exclusive: Bool = false,
    on schedule: BindingSchedule<Value, Value>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, writing: source), to: BindingEnd(target, writing: property),
      BindingSettings(
        mode, .identity, whenNil: whenNil, exclusive: exclusive, on: schedule,
        CallSite(file, line)))
  }

  /// Binds two properties in any mode, with a converter.
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
      BindingEnd(self, writing: source), to: BindingEnd(target, writing: property),
      BindingSettings(
        mode, converter, whenNil: whenNil, exclusive: exclusive, on: schedule,
        CallSite(file, line)))
  }

  /// Binds `source` of this object and the property at the end of a chain from `target`: whichever
  /// object is there.
  ///
  /// - Parameters:
  ///   - property: the chain: `{ $0.player.output.gain }`.
  ///   - resetOnUnbind: what to write to a leaf when the chain leads to another one. The end of the
  ///     binding writes nothing.
  @discardableResult @inlinable @inline(__always)
  public func bind<Value, Target: PropertyObservable>(
    @_eagerMove _ source: __owned KeyPath<Self, Value>, to target: Target,
    _ property: (inout ChainStart<Target>) -> WritableKeyPathChain<Target, Value>,
    mode: OneWayBindingMode = .oneWay,
    whenNil: BindingFallback<Value>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Value> = .keep,
    on schedule: BindingSchedule<Value, Value>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, source), to: BindingEnd(target, property),
      BindingSettings(
        mode, .identity, whenNil: whenNil, exclusive: exclusive, resetOnUnbind: resetOnUnbind,
        on: schedule, CallSite(file, line)))
  }

  /// Binds `source` of this object and the property at the end of a chain from `target`, with a
  /// converter.
  @discardableResult @inlinable @inline(__always)
  public func bind<Source, Bound, Target: PropertyObservable>(
    @_eagerMove _ source: __owned KeyPath<Self, Source>, to target: Target,
    _ property: (inout ChainStart<Target>) -> WritableKeyPathChain<Target, Bound>,
    mode: OneWayBindingMode = .oneWay, converter: BindingConverter<Source, Bound>,
    whenNil: BindingFallback<Bound>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Bound> = .keep,
    on schedule: BindingSchedule<Source, Bound>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, source), to: BindingEnd(target, property),
      BindingSettings(
        mode, converter, whenNil: whenNil, exclusive: exclusive, resetOnUnbind: resetOnUnbind,
        on: schedule, CallSite(file, line)))
  }

  /// Binds a property that can be written and the one at the end of a chain from `target`, in any mode.
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
      BindingEnd(self, writing: source), to: BindingEnd(target, property),
      BindingSettings(
        mode, .identity, whenNil: whenNil, exclusive: exclusive, resetOnUnbind: resetOnUnbind,
        on: schedule, CallSite(file, line)))
  }

  /// Binds a property that can be written and the one at the end of a chain from `target`, in any mode,
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
      BindingEnd(self, writing: source), to: BindingEnd(target, property),
      BindingSettings(
        mode, converter, whenNil: whenNil, exclusive: exclusive, resetOnUnbind: resetOnUnbind,
        on: schedule, CallSite(file, line)))
  }
}
