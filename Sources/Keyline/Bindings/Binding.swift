extension PropertyObservable {
  /// Binds `source` of this object and `property` of `target`, until either object dies.
  ///
  /// - Timing: before this returns, and then synchronously after every change, through the accessors
  ///   of the property that is written (`didSet` and overrides run).
  /// - Lifetime: retains neither end. Nobody has to keep the binding.
  /// - Parameters:
  ///   - source: a path as for `observe(_:options:)`: stored, computed, or over several hops. One that
  ///     is written to (`.twoWay`, `.oneWayToSource`) must be to a variable.
  ///   - target: the object at the other end.
  ///   - property: a property of `target`.
  ///   - mode: which end follows which.
  ///   - whenBroken: what to write when a chain as source is broken.
  ///   - whenNil: what to write for nil, in the place of what the converter makes of it.
  ///   - exclusive: whether the end that is written refuses other writers. Of several bindings that
  ///     want a property to themselves, the first has it, and the next when that one ends.
  ///     Swift runs the property's `didSet` after a refused set, too: one that sets the property again
  ///     until it has what it wants never ends then.
  ///   - resetOnUnbind: what to write to a leaf that a chain as target leaves behind. The end of the
  ///     binding writes nothing.
  ///   - schedule: where to deliver: `.main`, or `.scheduler(…)` for `Sendable` values; at once if nil.
  /// - Returns: the binding, to end it early and to hear of errors.
  @discardableResult
  public func bind<Value, Target: PropertyObservable>(
    _ source: KeyPath<Self, Value>, to target: Target,
    _ property: ReferenceWritableKeyPath<Target, Value>,
    mode: BindingMode = .oneWay, whenBroken: BindingFallback<Value> = .keep,
    whenNil: BindingFallback<Value>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Value> = .keep, on schedule: BindingSchedule<Value, Value>? = nil
  ) -> PropertyBinding {
    PropertyBinding(
      BindingSide(self, source), to: BindingSide(target, property),
      BindingSettings(mode, .identity, whenBroken, whenNil, exclusive, resetOnUnbind, schedule))
  }

  /// As above, with a converter.
  ///
  /// - Parameter converter: makes values of one end of those of the other.
  @discardableResult
  public func bind<Source, Bound, Target: PropertyObservable>(
    _ source: KeyPath<Self, Source>, to target: Target,
    _ property: ReferenceWritableKeyPath<Target, Bound>,
    mode: BindingMode = .oneWay, converter: BindingConverter<Source, Bound>,
    whenBroken: BindingFallback<Bound> = .keep, whenNil: BindingFallback<Bound>? = nil,
    exclusive: Bool = false, resetOnUnbind: BindingFallback<Bound> = .keep,
    on schedule: BindingSchedule<Source, Bound>? = nil
  ) -> PropertyBinding {
    PropertyBinding(
      BindingSide(self, source), to: BindingSide(target, property),
      BindingSettings(mode, converter, whenBroken, whenNil, exclusive, resetOnUnbind, schedule))
  }

  /// Binds the property at the end of a chain from this object, which follows replacements, and
  /// `property` of `target`.
  @discardableResult
  public func bind<Value, Target: PropertyObservable>(
    _ source: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Value>, to target: Target,
    _ property: ReferenceWritableKeyPath<Target, Value>,
    mode: BindingMode = .oneWay, whenBroken: BindingFallback<Value> = .keep,
    whenNil: BindingFallback<Value>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Value> = .keep, on schedule: BindingSchedule<Value, Value>? = nil
  ) -> PropertyBinding {
    PropertyBinding(
      BindingSide(self, source), to: BindingSide(target, property),
      BindingSettings(mode, .identity, whenBroken, whenNil, exclusive, resetOnUnbind, schedule))
  }

  /// As above, with a converter.
  ///
  /// - Parameter converter: makes values of one end of those of the other.
  @discardableResult
  public func bind<Source, Bound, Target: PropertyObservable>(
    _ source: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Source>, to target: Target,
    _ property: ReferenceWritableKeyPath<Target, Bound>,
    mode: BindingMode = .oneWay, converter: BindingConverter<Source, Bound>,
    whenBroken: BindingFallback<Bound> = .keep, whenNil: BindingFallback<Bound>? = nil,
    exclusive: Bool = false, resetOnUnbind: BindingFallback<Bound> = .keep,
    on schedule: BindingSchedule<Source, Bound>? = nil
  ) -> PropertyBinding {
    PropertyBinding(
      BindingSide(self, source), to: BindingSide(target, property),
      BindingSettings(mode, converter, whenBroken, whenNil, exclusive, resetOnUnbind, schedule))
  }

  /// Binds `source` of this object and the property at the end of a chain from `target`: whichever
  /// object is there. A member of an optional value cannot be written to through a chain.
  @discardableResult
  public func bind<Value, Target: PropertyObservable>(
    _ source: KeyPath<Self, Value>, to target: Target,
    _ property: (KeyPathChain<Target, Target>) -> KeyPathChain<Target, Value>,
    mode: BindingMode = .oneWay, whenBroken: BindingFallback<Value> = .keep,
    whenNil: BindingFallback<Value>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Value> = .keep, on schedule: BindingSchedule<Value, Value>? = nil
  ) -> PropertyBinding {
    PropertyBinding(
      BindingSide(self, source), to: BindingSide(target, property),
      BindingSettings(mode, .identity, whenBroken, whenNil, exclusive, resetOnUnbind, schedule))
  }

  /// As above, with a converter.
  ///
  /// - Parameter converter: makes values of one end of those of the other.
  @discardableResult
  public func bind<Source, Bound, Target: PropertyObservable>(
    _ source: KeyPath<Self, Source>, to target: Target,
    _ property: (KeyPathChain<Target, Target>) -> KeyPathChain<Target, Bound>,
    mode: BindingMode = .oneWay, converter: BindingConverter<Source, Bound>,
    whenBroken: BindingFallback<Bound> = .keep, whenNil: BindingFallback<Bound>? = nil,
    exclusive: Bool = false, resetOnUnbind: BindingFallback<Bound> = .keep,
    on schedule: BindingSchedule<Source, Bound>? = nil
  ) -> PropertyBinding {
    PropertyBinding(
      BindingSide(self, source), to: BindingSide(target, property),
      BindingSettings(mode, converter, whenBroken, whenNil, exclusive, resetOnUnbind, schedule))
  }

  /// Binds the properties at the ends of two chains.
  @discardableResult
  public func bind<Value, Target: PropertyObservable>(
    _ source: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Value>, to target: Target,
    _ property: (KeyPathChain<Target, Target>) -> KeyPathChain<Target, Value>,
    mode: BindingMode = .oneWay, whenBroken: BindingFallback<Value> = .keep,
    whenNil: BindingFallback<Value>? = nil, exclusive: Bool = false,
    resetOnUnbind: BindingFallback<Value> = .keep, on schedule: BindingSchedule<Value, Value>? = nil
  ) -> PropertyBinding {
    PropertyBinding(
      BindingSide(self, source), to: BindingSide(target, property),
      BindingSettings(mode, .identity, whenBroken, whenNil, exclusive, resetOnUnbind, schedule))
  }

  /// As above, with a converter.
  ///
  /// - Parameter converter: makes values of one end of those of the other.
  @discardableResult
  public func bind<Source, Bound, Target: PropertyObservable>(
    _ source: (KeyPathChain<Self, Self>) -> KeyPathChain<Self, Source>, to target: Target,
    _ property: (KeyPathChain<Target, Target>) -> KeyPathChain<Target, Bound>,
    mode: BindingMode = .oneWay, converter: BindingConverter<Source, Bound>,
    whenBroken: BindingFallback<Bound> = .keep, whenNil: BindingFallback<Bound>? = nil,
    exclusive: Bool = false, resetOnUnbind: BindingFallback<Bound> = .keep,
    on schedule: BindingSchedule<Source, Bound>? = nil
  ) -> PropertyBinding {
    PropertyBinding(
      BindingSide(self, source), to: BindingSide(target, property),
      BindingSettings(mode, converter, whenBroken, whenNil, exclusive, resetOnUnbind, schedule))
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
  @discardableResult @inlinable @inline(__always)
  public func bind<Value, Target: PropertyObservable>(
    _ source: KeyPath<Self, Value>, to target: Target,
    _ property: ReferenceWritableKeyPath<Target, Value>
  ) -> PropertyBinding {
    PropertyBinding(observe(source), end: .sourceDied, to: target) { $0[keyPath: property] = $1 }
  }

  /// Keeps an optional `property` of `target` equal to `source` of this object.
  @discardableResult @inlinable @inline(__always)
  public func bind<Value, Target: PropertyObservable>(
    _ source: KeyPath<Self, Value>, to target: Target,
    _ property: ReferenceWritableKeyPath<Target, Value?>
  ) -> PropertyBinding {
    PropertyBinding(observe(source), end: .sourceDied, to: target) { $0[keyPath: property] = $1 }
  }
}

extension ObservableType {
  /// Writes every element to `property` of `target`, until the target dies or this ends.
  ///
  /// - Timing: synchronous, on the thread that emits.
  /// - Errors: an error ends the binding and goes to ``Hooks/defaultErrorHandler``.
  /// - Lifetime: the target is held weakly. Nobody has to keep the binding.
  @discardableResult @inlinable @inline(__always)
  public func bind<Target: PropertyObservable>(
    to target: Target, _ property: ReferenceWritableKeyPath<Target, Element>
  ) -> PropertyBinding {
    PropertyBinding(asObservable(), to: target) { $0[keyPath: property] = $1 }
  }

  /// Writes every element to an optional `property` of `target`.
  @discardableResult @inlinable @inline(__always)
  public func bind<Target: PropertyObservable>(
    to target: Target, _ property: ReferenceWritableKeyPath<Target, Element?>
  ) -> PropertyBinding {
    PropertyBinding(asObservable(), to: target) { $0[keyPath: property] = $1 }
  }
}

extension ObservableType {
  /// Writes every element to the property at the end of a chain from `target`: to the leaf that is
  /// there, and the latest element to the next one when a hop is replaced.
  ///
  /// - Parameter resetOnUnbind: what to write to a leaf that is left behind.
  @discardableResult
  public func bind<Target: PropertyObservable>(
    to target: Target,
    exclusive: Bool = false, resetOnUnbind: BindingFallback<Element> = .keep,
    on schedule: BindingSchedule<Element, Element>? = nil,
    _ property: (KeyPathChain<Target, Target>) -> KeyPathChain<Target, Element>
  ) -> PropertyBinding {
    // Handed over as a whole, so that its end comes after its elements.
    let values =
      schedule.map { asObservable().observe(onUnchecked: $0.scheduler) } ?? asObservable()
    return PropertyBinding(
      BindingSide(values), to: BindingSide(target, property),
      BindingSettings(.oneWay, .identity, .keep, nil, exclusive, resetOnUnbind, nil))
  }
}
