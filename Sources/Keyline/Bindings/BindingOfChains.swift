// Bindings with a chain as their source. The type that the closure returns determines whether the
// chain can be written, so that `mode:` may be `.twoWay`. Two chains need a converter, which may be
// `.identity`.

extension PropertyObservable {
  /// Binds the property at the end of a chain from this object and `property` of `target`. The
  /// binding follows the chain when its objects are replaced.
  ///
  /// - Parameters:
  ///   - source: the chain: `{ $0.owner.address.city }`.
  ///   - whenBroken: the value to write when the chain is broken. By default nothing is written,
  ///     and the target keeps its value.
  @discardableResult @inlinable @inline(__always)
  public func bind<Value, End: ChainEnd<Self, Value>, Target: PropertyObservable>(
    _ source: (inout ChainStart<Self>) -> End, to target: Target,
    @_eagerMove _ property: __owned ReferenceWritableKeyPath<Target, Value>,
    mode: End.Mode? = nil,
    whenBroken: BindingFallback<Value> = .keep, whenNil: BindingFallback<Value>? = nil,
    exclusive: Bool = false, on schedule: BindingSchedule<Value, Value>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, source), to: BindingEnd(target, writing: property), End.mode(mode),
      .identity, whenBroken: whenBroken, whenNil: whenNil, exclusive: exclusive, on: schedule, file,
      line)
  }

  /// Binds the property at the end of a chain from this object and `property` of `target`, with a
  /// converter.
  @discardableResult @inlinable @inline(__always)
  public func bind<Source, Bound, End: ChainEnd<Self, Source>, Target: PropertyObservable>(
    _ source: (inout ChainStart<Self>) -> End, to target: Target,
    @_eagerMove _ property: __owned ReferenceWritableKeyPath<Target, Bound>,
    mode: End.Mode? = nil, converter: BindingConverter<Source, Bound>,
    whenBroken: BindingFallback<Bound> = .keep, whenNil: BindingFallback<Bound>? = nil,
    exclusive: Bool = false, on schedule: BindingSchedule<Source, Bound>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, source), to: BindingEnd(target, writing: property), End.mode(mode),
      converter, whenBroken: whenBroken, whenNil: whenNil, exclusive: exclusive, on: schedule, file,
      line)
  }

  /// Binds the properties at the ends of two chains, with a converter: `.identity` for equal types.
  @discardableResult @inlinable @inline(__always)
  public func bind<Source, Bound, End: ChainEnd<Self, Source>, Target: PropertyObservable>(
    _ source: (inout ChainStart<Self>) -> End, to target: Target,
    _ property: (inout ChainStart<Target>) -> WritableKeyPathChain<Target, Bound>,
    mode: End.Mode? = nil, converter: BindingConverter<Source, Bound>,
    whenBroken: BindingFallback<Bound> = .keep, whenNil: BindingFallback<Bound>? = nil,
    exclusive: Bool = false, resetOnUnbind: BindingFallback<Bound> = .keep,
    on schedule: BindingSchedule<Source, Bound>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      BindingEnd(self, source), to: BindingEnd(target, property), End.mode(mode), converter,
      whenBroken: whenBroken, whenNil: whenNil, exclusive: exclusive, resetOnUnbind: resetOnUnbind,
      on: schedule, file, line)
  }
}
