import KeylineCore

// Bindings between two properties. Four forms: either end is a key path or a chain. Each form
// stands four times: with a converter or, for equal types, without (Swift cannot default a
// converter to identity), and for a source that is read or one that is written (what cannot be
// written does not compile).

extension PropertyObservable {
  /// Binds `source` of this object and `property` of `target`, until either object dies.
  ///
  /// - Timing: before this returns, and then synchronously after every change, through the
  ///   accessors of the property that is written (`didSet` and overrides run).
  /// - Lifetime: retains neither end. The binding need not be retained.
  /// - Parameters:
  ///   - source: a path as for `observe(_:options:)`: stored, computed, or over several hops. One
  ///     that is written to (`.twoWay`) must be to a variable.
  ///   - target: the object at the other end.
  ///   - property: a property of `target`.
  ///   - mode: which end follows which.
  ///   - whenBroken: what to write when a chain as source is broken; by default nothing, and the
  ///     target keeps its value.
  ///   - whenNil: what to write for nil, in place of what the converter returns for it.
  ///   - exclusive: whether the end that is written refuses other writers. Of several exclusive
  ///     bindings of one property the first owns it, and the next when that one ends: it writes
  ///     with the next change of its source. Swift runs the property's `didSet` after a refused
  ///     set, too: one that sets the property again until the value is accepted never ends then.
  ///   - resetOnUnbind: what to write to a leaf that a chain as target has replaced. The end of the
  ///     binding writes nothing.
  ///   - schedule: where to deliver: `.main`, or `.scheduler(…)` for `Sendable` values; at once if
  ///     nil.
  /// - Returns: the binding, to end it early and to observe its errors.
  @discardableResult @inlinable @inline(__always)
  public func bind<Value, Target: PropertyObservable>(
    @_eagerMove _ source: __owned KeyPath<Self, Value>, to target: Target,
    @_eagerMove _ property: __owned ReferenceWritableKeyPath<Target, Value>,
    mode: OneWayBindingMode = .oneWay, whenBroken: BindingFallback<Value> = .keep,
    whenNil: BindingFallback<Value>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Value> = .keep,
    on schedule: BindingSchedule<Value, Value>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, source), to: BindingEnd(target, writing: property),
      BindingSettings(
        mode.mode, .identity, whenBroken, whenNil, exclusive, resetOnUnbind, schedule,
        CallSite(file, line)))
  }

  /// Binds a property and a property of `target`, in any mode: the source can be written.
  @_disfavoredOverload @discardableResult @inlinable @inline(__always)
  public func bind<Value, Target: PropertyObservable>(
    @_eagerMove _ source: __owned ReferenceWritableKeyPath<Self, Value>, to target: Target,
    @_eagerMove _ property: __owned ReferenceWritableKeyPath<Target, Value>,
    mode: BindingMode, whenBroken: BindingFallback<Value> = .keep,
    whenNil: BindingFallback<Value>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Value> = .keep,
    on schedule: BindingSchedule<Value, Value>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, writing: source), to: BindingEnd(target, writing: property),
      BindingSettings(
        mode, .identity, whenBroken, whenNil, exclusive, resetOnUnbind, schedule,
        CallSite(file, line)))
  }

  /// Binds a property and a property of `target`, with a converter.
  @discardableResult @inlinable @inline(__always)
  public func bind<Source, Bound, Target: PropertyObservable>(
    @_eagerMove _ source: __owned KeyPath<Self, Source>, to target: Target,
    @_eagerMove _ property: __owned ReferenceWritableKeyPath<Target, Bound>,
    mode: OneWayBindingMode = .oneWay, converter: BindingConverter<Source, Bound>,
    whenBroken: BindingFallback<Bound> = .keep,
    whenNil: BindingFallback<Bound>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Bound> = .keep,
    on schedule: BindingSchedule<Source, Bound>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, source), to: BindingEnd(target, writing: property),
      BindingSettings(
        mode.mode, converter, whenBroken, whenNil, exclusive, resetOnUnbind, schedule,
        CallSite(file, line)))
  }

  /// Binds a property and a property of `target`, with a converter, in any mode: the source
  /// can be written.
  @_disfavoredOverload @discardableResult @inlinable @inline(__always)
  public func bind<Source, Bound, Target: PropertyObservable>(
    @_eagerMove _ source: __owned ReferenceWritableKeyPath<Self, Source>, to target: Target,
    @_eagerMove _ property: __owned ReferenceWritableKeyPath<Target, Bound>,
    mode: BindingMode, converter: BindingConverter<Source, Bound>,
    whenBroken: BindingFallback<Bound> = .keep,
    whenNil: BindingFallback<Bound>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Bound> = .keep,
    on schedule: BindingSchedule<Source, Bound>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, writing: source), to: BindingEnd(target, writing: property),
      BindingSettings(
        mode, converter, whenBroken, whenNil, exclusive, resetOnUnbind, schedule,
        CallSite(file, line)))
  }

  /// Binds a property and the property at the end of a chain from `target`: whichever object
  /// is there.
  @discardableResult @inlinable @inline(__always)
  public func bind<Value, Target: PropertyObservable>(
    @_eagerMove _ source: __owned KeyPath<Self, Value>, to target: Target,
    _ property: (TargetChain<Target, Target>) -> TargetLeaf<Target, Value>,
    mode: OneWayBindingMode = .oneWay, whenBroken: BindingFallback<Value> = .keep,
    whenNil: BindingFallback<Value>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Value> = .keep,
    on schedule: BindingSchedule<Value, Value>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, source), to: BindingEnd(target, property),
      BindingSettings(
        mode.mode, .identity, whenBroken, whenNil, exclusive, resetOnUnbind, schedule,
        CallSite(file, line)))
  }

  /// Binds a property and the property at the end of a chain from `target`: whichever object
  /// is there, in any mode: the source can be written.
  @_disfavoredOverload @discardableResult @inlinable @inline(__always)
  public func bind<Value, Target: PropertyObservable>(
    @_eagerMove _ source: __owned ReferenceWritableKeyPath<Self, Value>, to target: Target,
    _ property: (TargetChain<Target, Target>) -> TargetLeaf<Target, Value>,
    mode: BindingMode, whenBroken: BindingFallback<Value> = .keep,
    whenNil: BindingFallback<Value>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Value> = .keep,
    on schedule: BindingSchedule<Value, Value>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, writing: source), to: BindingEnd(target, property),
      BindingSettings(
        mode, .identity, whenBroken, whenNil, exclusive, resetOnUnbind, schedule,
        CallSite(file, line)))
  }

  /// Binds a property and the property at the end of a chain from `target`: whichever object
  /// is there, with a converter.
  @discardableResult @inlinable @inline(__always)
  public func bind<Source, Bound, Target: PropertyObservable>(
    @_eagerMove _ source: __owned KeyPath<Self, Source>, to target: Target,
    _ property: (TargetChain<Target, Target>) -> TargetLeaf<Target, Bound>,
    mode: OneWayBindingMode = .oneWay, converter: BindingConverter<Source, Bound>,
    whenBroken: BindingFallback<Bound> = .keep,
    whenNil: BindingFallback<Bound>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Bound> = .keep,
    on schedule: BindingSchedule<Source, Bound>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, source), to: BindingEnd(target, property),
      BindingSettings(
        mode.mode, converter, whenBroken, whenNil, exclusive, resetOnUnbind, schedule,
        CallSite(file, line)))
  }

  /// Binds a property and the property at the end of a chain from `target`: whichever object
  /// is there, with a converter, in any mode: the source can be written.
  @_disfavoredOverload @discardableResult @inlinable @inline(__always)
  public func bind<Source, Bound, Target: PropertyObservable>(
    @_eagerMove _ source: __owned ReferenceWritableKeyPath<Self, Source>, to target: Target,
    _ property: (TargetChain<Target, Target>) -> TargetLeaf<Target, Bound>,
    mode: BindingMode, converter: BindingConverter<Source, Bound>,
    whenBroken: BindingFallback<Bound> = .keep,
    whenNil: BindingFallback<Bound>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Bound> = .keep,
    on schedule: BindingSchedule<Source, Bound>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, writing: source), to: BindingEnd(target, property),
      BindingSettings(
        mode, converter, whenBroken, whenNil, exclusive, resetOnUnbind, schedule,
        CallSite(file, line)))
  }
}
