// Bindings with a sequence as their source, which is a stream of values to write.

extension ObservableConvertibleType {
  /// Writes every element to `property` of `target`, until the target dies or the sequence
  /// terminates.
  ///
  /// - Timing: synchronous, on the thread that emits.
  /// - Errors: an error ends the binding and goes to `Hooks.defaultErrorHandler`, with the call of `bind`
  ///   and the property in place of a call stack.
  /// - Lifetime: the target is held weakly. The binding need not be retained.
  /// - Parameters:
  ///   - exclusive: whether the property refuses other writers.
  ///   - schedule: where to deliver: `.main`, or `.scheduler(…)` for `Sendable` values; nil to
  ///     deliver at once.
  @discardableResult @inlinable @inline(__always)
  public func bind<Target: PropertyObservable>(
    to target: Target, @_eagerMove _ property: __owned ReferenceWritableKeyPath<Target, Element>,
    exclusive: Bool = false, on schedule: BindingSchedule<Element, Element>? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      nil, to: BindingEnd(target, writing: property), .oneWay, .identity, exclusive: exclusive,
      on: schedule, following: asObservable(), file, line)
  }

  /// Writes every element to an optional `property` of `target`.
  @discardableResult @inlinable @inline(__always)
  public func bind<Target: PropertyObservable>(
    to target: Target, @_eagerMove _ property: __owned ReferenceWritableKeyPath<Target, Element?>,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding {
    PropertyBinding(
      nil, to: BindingEnd(target, writing: property), .oneWay,
      .init(forward: { $0 }, backward: { $0 }, name: ""), following: asObservable(), file, line)
  }

  /// Writes every element to `property` of `owner`, which refuses other writers.
  ///
  /// Called inside the owner's class, it may write a `private(set)` property:
  ///
  /// ```swift
  /// final class Search: ReactiveObject {
  ///   @Observed private(set) var results: [Hit] = []
  ///   init(_ hits: Observable<[Hit]>) {
  ///     super.init()
  ///     hits.assign(to: \.results, of: self)
  ///   }
  /// }
  /// ```
  ///
  /// - Timing: synchronous, on the thread that emits.
  /// - Errors: an error ends the binding and goes to `Hooks.defaultErrorHandler`. A write by any
  ///   other code is ignored and reported.
  /// - Lifetime: the owner is held weakly; its death ends the binding.
  /// - SeeAlso: ReactiveUI's `ToProperty`.
  @discardableResult @inlinable @inline(__always)
  public func assign<Owner: PropertyObservable>(
    @_eagerMove to property: __owned ReferenceWritableKeyPath<Owner, Element>, of owner: Owner,
    file: StaticString = #fileID, line: UInt = #line
  ) -> PropertyBinding { bind(to: owner, property, exclusive: true, file: file, line: line) }

  /// Writes every element to the property at the end of a chain from `target`. When a hop is
  /// replaced, the latest element is written to the new leaf, after everything else that the
  /// replacement causes: if that emits an element, only this one is written.
  ///
  /// - Parameter resetOnUnbind: the value to write to a leaf that was replaced.
  @discardableResult @inlinable @inline(__always)
  public func bind<Target: PropertyObservable>(
    to target: Target, exclusive: Bool = false, resetOnUnbind: BindingFallback<Element> = .keep,
    on schedule: BindingSchedule<Element, Element>? = nil,
    file: StaticString = #fileID, line: UInt = #line,
    _ property: (inout ChainStart<Target>) -> WritableKeyPathChain<Target, Element>
  ) -> PropertyBinding {
    PropertyBinding(
      nil, to: BindingEnd(target, property), .oneWay, .identity, exclusive: exclusive,
      resetOnUnbind: resetOnUnbind, on: schedule, following: asObservable(), file, line)
  }
}
