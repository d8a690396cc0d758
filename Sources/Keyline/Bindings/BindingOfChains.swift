import KeylineCore

// Bindings whose source is a chain: the forms of BindingOfProperties.swift.

extension PropertyObservable {
  /// Binds the property at the end of a chain from this object, which follows replacements,
  /// and a property of `target`.
  @discardableResult @inlinable @inline(__always)
  public func bind<Value, Target: PropertyObservable>(
    _ source: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Value>, to target: Target,
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

  /// Binds the property at the end of a chain from this object, which follows replacements,
  /// and a property of `target`, in any mode: the source can be written.
  @_disfavoredOverload @discardableResult @inlinable @inline(__always)
  public func bind<Value, Target: PropertyObservable>(
    _ source: (TargetChain<Self, Self>) -> TargetLeaf<Self, Value>, to target: Target,
    @_eagerMove _ property: __owned ReferenceWritableKeyPath<Target, Value>,
    mode: BindingMode, whenBroken: BindingFallback<Value> = .keep,
    whenNil: BindingFallback<Value>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Value> = .keep,
    on schedule: BindingSchedule<Value, Value>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, source), to: BindingEnd(target, writing: property),
      BindingSettings(
        mode, .identity, whenBroken, whenNil, exclusive, resetOnUnbind, schedule,
        CallSite(file, line)))
  }

  /// Binds the property at the end of a chain from this object, which follows replacements,
  /// and a property of `target`, with a converter.
  @discardableResult @inlinable @inline(__always)
  public func bind<Source, Bound, Target: PropertyObservable>(
    _ source: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Source>, to target: Target,
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

  /// Binds the property at the end of a chain from this object, which follows replacements,
  /// and a property of `target`, with a converter, in any mode: the source can be written.
  @_disfavoredOverload @discardableResult @inlinable @inline(__always)
  public func bind<Source, Bound, Target: PropertyObservable>(
    _ source: (TargetChain<Self, Self>) -> TargetLeaf<Self, Source>, to target: Target,
    @_eagerMove _ property: __owned ReferenceWritableKeyPath<Target, Bound>,
    mode: BindingMode, converter: BindingConverter<Source, Bound>,
    whenBroken: BindingFallback<Bound> = .keep,
    whenNil: BindingFallback<Bound>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Bound> = .keep,
    on schedule: BindingSchedule<Source, Bound>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, source), to: BindingEnd(target, writing: property),
      BindingSettings(
        mode, converter, whenBroken, whenNil, exclusive, resetOnUnbind, schedule,
        CallSite(file, line)))
  }

  /// Binds the properties at the ends of two chains.
  @discardableResult @inlinable @inline(__always)
  public func bind<Value, Target: PropertyObservable>(
    _ source: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Value>, to target: Target,
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

  /// Binds the properties at the ends of two chains, in any mode: the source can be written.
  @_disfavoredOverload @discardableResult @inlinable @inline(__always)
  public func bind<Value, Target: PropertyObservable>(
    _ source: (TargetChain<Self, Self>) -> TargetLeaf<Self, Value>, to target: Target,
    _ property: (TargetChain<Target, Target>) -> TargetLeaf<Target, Value>,
    mode: BindingMode, whenBroken: BindingFallback<Value> = .keep,
    whenNil: BindingFallback<Value>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Value> = .keep,
    on schedule: BindingSchedule<Value, Value>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, source), to: BindingEnd(target, property),
      BindingSettings(
        mode, .identity, whenBroken, whenNil, exclusive, resetOnUnbind, schedule,
        CallSite(file, line)))
  }

  /// Binds the properties at the ends of two chains, with a converter.
  @discardableResult @inlinable @inline(__always)
  public func bind<Source, Bound, Target: PropertyObservable>(
    _ source: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Source>, to target: Target,
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

  /// Binds the properties at the ends of two chains, with a converter, in any mode: the
  /// source can be written.
  @_disfavoredOverload @discardableResult @inlinable @inline(__always)
  public func bind<Source, Bound, Target: PropertyObservable>(
    _ source: (TargetChain<Self, Self>) -> TargetLeaf<Self, Source>, to target: Target,
    _ property: (TargetChain<Target, Target>) -> TargetLeaf<Target, Bound>,
    mode: BindingMode, converter: BindingConverter<Source, Bound>,
    whenBroken: BindingFallback<Bound> = .keep,
    whenNil: BindingFallback<Bound>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Bound> = .keep,
    on schedule: BindingSchedule<Source, Bound>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, source), to: BindingEnd(target, property),
      BindingSettings(
        mode, converter, whenBroken, whenNil, exclusive, resetOnUnbind, schedule,
        CallSite(file, line)))
  }
}
