// Observing chains with a closure. Each method subscribes at once to the sequence of the same name.

extension PropertyObservable {
  /// Calls `onNext` with the current value at the end of a chain, and with its value after every
  /// change; with nil while the chain is broken.
  ///
  /// ```swift
  /// person.observeWeakly {
  ///   $0.manager.address.city
  /// } onNext: {
  ///   title = $0 ?? "—"
  /// }
  /// ```
  ///
  /// - SeeAlso: `observeWeakly(options:_:)`, which emits these values.
  @_disfavoredOverload @discardableResult @inlinable @inline(__always)
  public func observeWeakly<Leaf>(
    options: KeyValueObservingOptions = [.initial, .new],
    _ path: (inout ChainRoot<Self>) -> KeyPathChain<Self, Leaf>,
    file: StaticString = #fileID, line: UInt = #line, onNext: @escaping (Leaf?) -> Void
  ) -> any Disposable {
    observeWeakly(options: options, path).subscribe(onNext: onNext, file: file, line: line)
  }

  /// Calls `onNext` with the value at the end of a chain whose leaf is optional: nil stands for a
  /// nil leaf and for a broken chain.
  @discardableResult @inlinable @inline(__always)
  public func observeWeakly<Leaf>(
    options: KeyValueObservingOptions = [.initial, .new],
    _ path: (inout ChainRoot<Self>) -> KeyPathChain<Self, Leaf?>,
    file: StaticString = #fileID, line: UInt = #line, onNext: @escaping (Leaf?) -> Void
  ) -> any Disposable {
    observeWeakly(options: options, path).subscribe(onNext: onNext, file: file, line: line)
  }

  /// Calls `onNext` with every change at the end of a chain, and with its cause.
  ///
  /// - SeeAlso: `observeChanges(options:_:)`, which emits these changes.
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
