// Observing with a closure in the place of a subscription: each form is the sequence of the same name,
// subscribed to at once.

extension PropertyObservable {
  /// Calls `onNext` with the value of `keyPath` now, and after every change.
  ///
  /// ```swift
  /// person.observe(\.name) { print($0) }
  /// person.name = "Bea"
  /// ```
  /// ```text
  /// Ada
  /// Bea
  /// ```
  ///
  /// - Lifetime: `onNext` is released when the object dies, or when the subscription is disposed. Neither
  ///   has to be retained: capture the object weakly in `onNext`, or it is retained by it.
  /// - Returns: the subscription, to end it early.
  /// - SeeAlso: `observe(_:options:)`, whose values these are.
  @discardableResult @inlinable @inline(__always) public func observe<Value>(
    @_eagerMove _ keyPath: __owned KeyPath<Self, Value>,
    options: KeyValueObservingOptions = [.initial, .new],
    file: StaticString = #fileID, line: UInt = #line, _ onNext: @escaping (Value) -> Void
  ) -> any Disposable {
    observe(keyPath, options: options).subscribe(onNext: onNext, file: file, line: line)
  }

  /// Calls `onNext` with the values of several paths now, and once after every outermost set that changes
  /// any of them.
  ///
  /// ```swift
  /// person.observe(\.name, \.age) { name, age in title = "\(name), \(age)" }
  /// ```
  ///
  /// - SeeAlso: `observe(_:_:_:options:)`, whose values these are.
  @discardableResult public func observe<First, Second, each Other>(
    _ first: KeyPath<Self, First>, _ second: KeyPath<Self, Second>,
    _ others: repeat KeyPath<Self, each Other>,
    options: KeyValueObservingOptions = [.initial, .new],
    file: StaticString = #fileID, line: UInt = #line,
    _ onNext: @escaping (First, Second, repeat each Other) -> Void
  ) -> any Disposable {
    // A tuple of a pack cannot be taken apart: what is observed is the call.
    let path = PropertyPath<() -> Void>(read: { root in
      // Proof of the cast: the path is used with this object only.
      let root = cast(root, to: Self.self)
      let values = (root[keyPath: first], root[keyPath: second])
      let rest = (repeat root[keyPath: each others])
      return { onNext(values.0, values.1, repeat each rest) }
    })
    return observation(of: path, options).subscribe(onNext: { $0() }, file: file, line: line)
  }

  /// Calls `onNext` with every change of `keyPath`.
  ///
  /// - SeeAlso: `observeChanges(_:options:)`, whose changes these are.
  @discardableResult @inlinable @inline(__always) public func observeChanges<Value>(
    _ keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = [.old, .new],
    file: StaticString = #fileID, line: UInt = #line,
    _ onNext: @escaping (PropertyChange<Value>) -> Void
  ) -> any Disposable {
    observeChanges(keyPath, options: options).subscribe(onNext: onNext, file: file, line: line)
  }

  /// Calls `onNext` with the value at the end of a chain now, and after every change; nil while the chain
  /// is broken.
  ///
  /// ```swift
  /// person.observeWeakly {
  ///   $0.manager.address.city
  /// } onNext: {
  ///   title = $0 ?? "—"
  /// }
  /// ```
  ///
  /// - SeeAlso: `observeWeakly(options:_:)`, whose values these are.
  @_disfavoredOverload @discardableResult @inlinable @inline(__always)
  public func observeWeakly<Leaf>(
    options: KeyValueObservingOptions = [.initial, .new],
    _ path: (inout ChainRoot<Self>) -> KeyPathChain<Self, Leaf>,
    file: StaticString = #fileID, line: UInt = #line, onNext: @escaping (Leaf?) -> Void
  ) -> any Disposable {
    observeWeakly(options: options, path).subscribe(onNext: onNext, file: file, line: line)
  }

  /// Calls `onNext` with the value at the end of a chain whose leaf is optional: nil for a nil leaf, and
  /// for a broken chain.
  @discardableResult @inlinable @inline(__always)
  public func observeWeakly<Leaf>(
    options: KeyValueObservingOptions = [.initial, .new],
    _ path: (inout ChainRoot<Self>) -> KeyPathChain<Self, Leaf?>,
    file: StaticString = #fileID, line: UInt = #line, onNext: @escaping (Leaf?) -> Void
  ) -> any Disposable {
    observeWeakly(options: options, path).subscribe(onNext: onNext, file: file, line: line)
  }

  /// Calls `onNext` with every change at the end of a chain, and why there is another value.
  ///
  /// - SeeAlso: `observeChanges(options:_:)`, whose changes these are.
  @_disfavoredOverload @discardableResult @inlinable @inline(__always)
  public func observeChanges<Leaf>(
    options: KeyValueObservingOptions = [.old, .new],
    _ path: (inout ChainRoot<Self>) -> KeyPathChain<Self, Leaf>,
    file: StaticString = #fileID, line: UInt = #line,
    onNext: @escaping (PropertyChange<Leaf>) -> Void
  ) -> any Disposable {
    observeChanges(options: options, path).subscribe(onNext: onNext, file: file, line: line)
  }

  /// Calls `onNext` with every change at the end of a chain whose leaf is optional.
  @discardableResult @inlinable @inline(__always)
  public func observeChanges<Leaf>(
    options: KeyValueObservingOptions = [.old, .new],
    _ path: (inout ChainRoot<Self>) -> KeyPathChain<Self, Leaf?>,
    file: StaticString = #fileID, line: UInt = #line,
    onNext: @escaping (PropertyChange<Leaf>) -> Void
  ) -> any Disposable {
    observeChanges(options: options, path).subscribe(onNext: onNext, file: file, line: line)
  }
}
