// Observing with a closure. Each method subscribes at once to the sequence of the same name.

extension PropertyObservable {
  /// Calls `onNext` with the current value of `keyPath`, and with its value after every change.
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
  /// - Lifetime: `onNext` is released when the object dies, or when the subscription is disposed.
  ///   The subscription need not be retained. An `onNext` that uses the object should capture it
  ///   weakly, because a strong capture retains the object.
  /// - Returns: the subscription, to end it early.
  /// - SeeAlso: `observe(_:options:)`, which emits these values.
  @discardableResult @inlinable @inline(__always) public func observe<Value>(
    @_eagerMove _ keyPath: __owned KeyPath<Self, Value>,
    options: KeyValueObservingOptions = [.initial, .new],
    file: StaticString = #fileID, line: UInt = #line, _ onNext: @escaping (Value) -> Void
  ) -> any Disposable {
    observe(keyPath, options: options).subscribe(onNext: onNext, file: file, line: line)
  }

  /// Calls `onNext` with the current values of several paths, and once after every outermost set
  /// that changes any of them.
  ///
  /// ```swift
  /// person.observe(\.name, \.age) { name, age in title = "\(name), \(age)" }
  /// ```
  ///
  /// - SeeAlso: `observe(_:_:_:options:)`, which emits these values.
  @discardableResult public func observe<First, Second, each Other>(
    _ first: KeyPath<Self, First>, _ second: KeyPath<Self, Second>,
    _ others: repeat KeyPath<Self, each Other>,
    options: KeyValueObservingOptions = [.initial, .new],
    file: StaticString = #fileID, line: UInt = #line,
    _ onNext: @escaping (First, Second, repeat each Other) -> Void
  ) -> any Disposable {
    observe(first, second, repeat each others, options: options)
      .subscribe(onNext: tupled(onNext), file: file, line: line)
  }

  /// Calls `onNext` with every change of `keyPath`.
  ///
  /// - SeeAlso: `observeChanges(_:options:)`, which emits these changes.
  @_disfavoredOverload @discardableResult @inlinable @inline(__always)
  public func observeChanges<Value>(
    _ keyPath: KeyPath<Self, Value>, options: KeyValueObservingOptions = [.old, .new],
    file: StaticString = #fileID, line: UInt = #line,
    _ onNext: @escaping (PropertyChange<Value>) -> Void
  ) -> any Disposable {
    observeChanges(keyPath, options: options).subscribe(onNext: onNext, file: file, line: line)
  }
}

/// `body` as a function of one tuple.
private func tupled<each Value>(
  _ body: @escaping (repeat each Value) -> Void
) -> ((repeat each Value)) -> Void { { body(repeat each $0) } }
