// Observing collections with a closure. Each method subscribes at once to the sequence of the same name.

extension PropertyObservable {
  /// Calls `onNext` with every change of a property that holds an observable collection: the edits of the
  /// collection, and its replacement by another one.
  ///
  /// ```swift
  /// team.observeChanges(\.members) { print($0.kind, $0.new ?? []) }
  /// team.members.append("Ada")
  /// ```
  /// ```text
  /// insertion ["Ada"]
  /// ```
  ///
  /// - SeeAlso: `observeChanges(_:options:)` for such a property, which emits these changes.
  @discardableResult public func observeChanges<Edit, Object: ObservableCollection<Edit>>(
    _ keyPath: KeyPath<Self, Object>, options: KeyValueObservingOptions = [.old, .new],
    file: StaticString = #fileID, line: UInt = #line,
    _ onNext: @escaping (PropertyChange<Edit.Contents>) -> Void
  ) -> any Disposable {
    observeChanges(keyPath, options: options).subscribe(onNext: onNext, file: file, line: line)
  }

  /// Calls `onNext` with every change of a collection that may be nil; not while it is nil.
  @discardableResult public func observeChanges<Edit, Object: ObservableCollection<Edit>>(
    _ keyPath: KeyPath<Self, Object?>, options: KeyValueObservingOptions = [.old, .new],
    file: StaticString = #fileID, line: UInt = #line,
    _ onNext: @escaping (PropertyChange<Edit.Contents>) -> Void
  ) -> any Disposable {
    observeChanges(keyPath, options: options).subscribe(onNext: onNext, file: file, line: line)
  }
}
