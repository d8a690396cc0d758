import KeylineCore

// Bindings of one direction whose converter is a closure, which Swift does not convert to a
// ``BindingConverter``: the forms with a converter of BindingOfProperties.swift and
// BindingOfChains.swift. And the chain as source of an optional property.

extension PropertyObservable {
  /// Binds a property and a property of `target`, with a closure as converter:
  ///
  /// ```swift
  /// model.bind(\.price, to: row, \.text, converter: { price in "\(price) €" })
  /// ```
  ///
  /// - Parameter converter: returns the value for the target, or nil to leave that as it is, or
  ///   throws an error for ``PropertyBinding/errors``.
  @discardableResult @inlinable @inline(__always)
  public func bind<Source, Bound, Target: PropertyObservable>(
    @_eagerMove _ source: __owned KeyPath<Self, Source>, to target: Target,
    @_eagerMove _ property: __owned ReferenceWritableKeyPath<Target, Bound>,
    mode: OneWayBindingMode = .oneWay, converter: @escaping (Source) throws -> Bound?,
    whenBroken: BindingFallback<Bound> = .keep,
    whenNil: BindingFallback<Bound>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Bound> = .keep,
    on schedule: BindingSchedule<Source, Bound>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    bind(
      source, to: target, property, mode: mode, converter: BindingConverter(converter),
      whenBroken: whenBroken, whenNil: whenNil, exclusive: exclusive, resetOnUnbind: resetOnUnbind,
      on: schedule, file: file, line: line)
  }

  /// Binds a property and the property at the end of a chain from `target`, with a closure as
  /// converter.
  @discardableResult @inlinable @inline(__always)
  public func bind<Source, Bound, Target: PropertyObservable>(
    @_eagerMove _ source: __owned KeyPath<Self, Source>, to target: Target,
    _ property: (TargetChain<Target, Target>) -> TargetLeaf<Target, Bound>,
    mode: OneWayBindingMode = .oneWay, converter: @escaping (Source) throws -> Bound?,
    whenBroken: BindingFallback<Bound> = .keep,
    whenNil: BindingFallback<Bound>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Bound> = .keep,
    on schedule: BindingSchedule<Source, Bound>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    bind(
      source, to: target, property, mode: mode, converter: BindingConverter(converter),
      whenBroken: whenBroken, whenNil: whenNil, exclusive: exclusive, resetOnUnbind: resetOnUnbind,
      on: schedule, file: file, line: line)
  }

  /// Binds the property at the end of a chain from this object and a property of `target`, with a
  /// closure as converter.
  @discardableResult @inlinable @inline(__always)
  public func bind<Source, Bound, Target: PropertyObservable>(
    _ source: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Source>, to target: Target,
    @_eagerMove _ property: __owned ReferenceWritableKeyPath<Target, Bound>,
    mode: OneWayBindingMode = .oneWay, converter: @escaping (Source) throws -> Bound?,
    whenBroken: BindingFallback<Bound> = .keep,
    whenNil: BindingFallback<Bound>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Bound> = .keep,
    on schedule: BindingSchedule<Source, Bound>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    bind(
      source, to: target, property, mode: mode, converter: BindingConverter(converter),
      whenBroken: whenBroken, whenNil: whenNil, exclusive: exclusive, resetOnUnbind: resetOnUnbind,
      on: schedule, file: file, line: line)
  }

  /// Binds the properties at the ends of two chains, with a closure as converter.
  @discardableResult @inlinable @inline(__always)
  public func bind<Source, Bound, Target: PropertyObservable>(
    _ source: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Source>, to target: Target,
    _ property: (TargetChain<Target, Target>) -> TargetLeaf<Target, Bound>,
    mode: OneWayBindingMode = .oneWay, converter: @escaping (Source) throws -> Bound?,
    whenBroken: BindingFallback<Bound> = .keep,
    whenNil: BindingFallback<Bound>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Bound> = .keep,
    on schedule: BindingSchedule<Source, Bound>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    bind(
      source, to: target, property, mode: mode, converter: BindingConverter(converter),
      whenBroken: whenBroken, whenNil: whenNil, exclusive: exclusive, resetOnUnbind: resetOnUnbind,
      on: schedule, file: file, line: line)
  }

  /// Binds the property at the end of a chain from this object and an optional property of `target`.
  @discardableResult @inlinable @inline(__always)
  public func bind<Value, Target: PropertyObservable>(
    _ source: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Value>, to target: Target,
    @_eagerMove _ property: __owned ReferenceWritableKeyPath<Target, Value?>,
    mode: OneWayBindingMode = .oneWay, whenBroken: BindingFallback<Value?> = .keep,
    whenNil: BindingFallback<Value?>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Value?> = .keep,
    on schedule: BindingSchedule<Value, Value?>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    bind(
      source, to: target, property, mode: mode, converter: .wrapped, whenBroken: whenBroken,
      whenNil: whenNil, exclusive: exclusive, resetOnUnbind: resetOnUnbind, on: schedule,
      file: file, line: line)
  }
}
