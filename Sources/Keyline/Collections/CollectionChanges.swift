extension PropertyObservable {
  /// Emits every change of a property that holds an observable collection: the edits of the
  /// collection, and its replacement by another one.
  ///
  /// ```swift
  /// _ = team.observeChanges(\.members).subscribe(onNext: { print($0.kind, $0.new!) })
  /// team.members.append(ada)
  /// team.members.move(from: 0, to: 2)
  /// team.members = ObservableArray([ada, bob])
  /// ```
  /// ```text
  /// insertion ["Ada"]
  /// movement(from: 0, to: 2) ["Bea"]
  /// setting ["Ada", "Bob"]
  /// ```
  ///
  /// For an array, each ``ArrayEdit`` is one change: `old` contains the removed elements, `new` the inserted
  /// ones, and `indexes` their positions; for a movement, `indexes` contains both positions of the
  /// element. The changes of dictionaries and sets have no `indexes`. Another collection on the
  /// path, or a reset, is one `setting`. Replaying the
  /// changes onto the former contents gives the new contents.
  ///
  /// - Timing: as for ``ObservableCollection/changes``. The edits of an `update(_:)` are emitted one by
  ///   one after it; nothing is emitted before an edit, not even with `.prior`.
  /// - Lifetime: retains neither the object, nor any hop, nor the collection; completes when the object
  ///   dies.
  /// - Complexity: O(size of the edit).
  /// - Parameters:
  ///   - keyPath: a path as for `observe(_:options:)`.
  ///   - options: `.old`, `.new` and `.initial`, as for any other property; `.prior` has no effect.
  public func observeChanges<Edit, Object: ObservableCollection<Edit>>(
    _ keyPath: KeyPath<Self, Object>, options: KeyValueObservingOptions = [.old, .new]
  ) -> Observable<PropertyChange<Edit.Contents>> {
    collectionChanges(changes(PropertyPath(keyPath).allowingConstant()) { $0 }, options).named()
  }

  /// Emits the changes of a collection that may be nil; emits nothing while it is nil.
  public func observeChanges<Edit, Object: ObservableCollection<Edit>>(
    _ keyPath: KeyPath<Self, Object?>, options: KeyValueObservingOptions = [.old, .new]
  ) -> Observable<PropertyChange<Edit.Contents>> {
    collectionChanges(changes(PropertyPath(keyPath).allowingConstant()) { $0 }, options).named()
  }

  /// Emits the changes of the collection at the end of a chain; emits nothing while the chain is
  /// broken.
  public func observeChanges<Edit, Object: ObservableCollection<Edit>>(
    options: KeyValueObservingOptions = [.old, .new],
    _ path: (inout ChainRoot<Self>) -> KeyPathChain<Self, Object>
  ) -> Observable<PropertyChange<Edit.Contents>> {
    collectionChanges(changes(PropertyPath(ChainRule(leaf(of: path)) { $0 })) { $0 }, options)
      .named()
  }

  // With a closure: each method subscribes at once to the sequence of the same name.

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

  /// The edits of the collections that `collections` emits, and their replacements.
  func collectionChanges<Edit, Object: ObservableCollection<Edit>>(
    _ collections: PropertySequence<PropertyChange<Object>>, _ options: KeyValueObservingOptions
  ) -> Observable<PropertyChange<Edit.Contents>> {
    Observable.deferred { () -> Observable<[PropertyChange<Edit.Contents>]> in
      weak var former: Object?
      // A computed property may return the same collection again.
      let others = collections.filter { $0.new == nil || $0.new !== former }
      return others.flatMapLatest { change -> Observable<[PropertyChange<Edit.Contents>]> in
        let setting = PropertyChange(old: former?.snapshot, cause: change.cause)
        former = change.new
        let isWanted = change.cause != .initial || options.contains(.initial)
        guard let collection = change.new else { return .just(isWanted ? [setting] : []) }
        // The first emission takes the setting, because later ones must not retain the elements.
        var first: PropertyChange? = setting
        return collection.contentsAndChanges.map { edits in
          guard var setting = exchange(&first, with: nil) else { return Edit.changes(of: edits) }
          setting.new = former?.snapshot
          return isWanted ? [setting] : []
        }
      }
    }
    .lift { observer in
      observer.withNext { changes in
        for var change in changes {
          if !options.contains(.old) { change.old = nil }
          if !options.contains(.new) { change.new = nil }
          observer.next(change)
        }
      }
    }
    .take(until: life.reached(.dead))
  }
}
