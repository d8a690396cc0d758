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
  /// element. The changes of dictionaries and sets have no `indexes`; insertions that follow each other in
  /// one emission are one change, and so are removals. Another collection on the path, or a reset, is one
  /// `setting`, whose `old` contains the former elements at that time; nil if the former collection has
  /// died, as in a batch. Replaying the changes onto the former contents gives the new contents. If an
  /// observer of an edit replaces the collection, later observers receive the `setting`, and not the edit.
  ///
  /// - Timing: as for ``ObservableCollection/changes``. The edits of an `update(_:)` are emitted one by
  ///   one after it; nothing is emitted before an edit, not even with `.prior`.
  /// - Lifetime: retains neither the object, nor any hop, nor the collection; completes when the object
  ///   dies.
  /// - Complexity: O(size of the edit).
  /// - Parameters:
  ///   - keyPath: a path as for `observe(_:options:)`.
  ///   - options: `.old`, `.new` and `.initial`, as for any other property; `.prior` has no effect.
  public func observeChanges<Collection: ObservedCollection>(
    _ keyPath: KeyPath<Self, Collection>, options: KeyValueObservingOptions = [.old, .new]
  ) -> Observable<PropertyChange<Collection.Edit.Contents>> {
    let path = PropertyPath(keyPath, mayBeConstant: true)
    return collectionChanges(changes(path) { $0.edited }, options).named()
  }

  /// Emits the changes of the collection at the end of a chain; emits nothing while the chain is
  /// broken.
  public func observeChanges<Collection: ObservedCollection>(
    options: KeyValueObservingOptions = [.old, .new],
    _ path: (inout ChainRoot<Self>) -> KeyPathChain<Self, Collection>
  ) -> Observable<PropertyChange<Collection.Edit.Contents>> {
    let chain = ChainRule<Collection>(leaf(of: path)) { $0 }
    return collectionChanges(changes(PropertyPath(chain)) { $0?.edited }, options).named()
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
  @discardableResult public func observeChanges<Collection: ObservedCollection>(
    _ keyPath: KeyPath<Self, Collection>, options: KeyValueObservingOptions = [.old, .new],
    file: StaticString = #fileID, line: UInt = #line,
    _ onNext: @escaping (PropertyChange<Collection.Edit.Contents>) -> Void
  ) -> any Disposable {
    observeChanges(keyPath, options: options).subscribe(onNext: onNext, file: file, line: line)
  }

  /// Calls `onNext` with every change of the collection at the end of a chain. For a collection that may be
  /// nil, use a key path: `observeChanges(\.team?.guests) { … }`.
  @discardableResult public func observeChanges<Edit, Object: ObservableCollection<Edit>>(
    options: KeyValueObservingOptions = [.old, .new],
    _ path: (inout ChainRoot<Self>) -> KeyPathChain<Self, Object>,
    file: StaticString = #fileID, line: UInt = #line,
    onNext: @escaping (PropertyChange<Edit.Contents>) -> Void
  ) -> any Disposable {
    observeChanges(options: options, path).subscribe(onNext: onNext, file: file, line: line)
  }

  /// The edits of the collections that `collections` emits, and their replacements.
  func collectionChanges<Edit>(
    _ collections: PropertySequence<PropertyChange<ObservableCollection<Edit>>>,
    _ options: KeyValueObservingOptions
  ) -> Observable<PropertyChange<Edit.Contents>> {
    Observable.deferred { () -> Observable<[PropertyChange<Edit.Contents>]> in
      weak var former: ObservableCollection<Edit>?
      // Emitted beside the edits: the collection may be replaced again before this is delivered.
      let settings = PublishSubject<[PropertyChange<Edit.Contents>]>()
      // A computed property may return the same collection again.
      let others = collections.filter { $0.new == nil || $0.new !== former }
      let edits = others.flatMapLatest { change -> Observable<[PropertyChange<Edit.Contents>]> in
        let (old, cause) = (former?.snapshot, change.cause)
        former = change.new
        let isWanted = cause != .initial || options.contains(.initial)
        let set: (Edit.Contents?) -> [PropertyChange<Edit.Contents>] = { new in
          if isWanted { settings.onNext([PropertyChange(old: old, new: new, cause: cause)]) }
          return []
        }
        return change.new?.values(set, Edit.changes) ?? .deferred { .just(set(nil)) }
      }
      return .merge(settings, edits)
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

/// An observable collection of any type, or an optional one. Do not conform other types to it.
public protocol ObservedCollection<Edit> {
  /// The type of the collection's edits.
  associatedtype Edit: CollectionEdit
  /// The collection; nil if there is none.
  var edited: ObservableCollection<Edit>? { get }
}

extension Optional: ObservedCollection where Wrapped: ObservedCollection {
  public var edited: ObservableCollection<Wrapped.Edit>? { flatMap(\.edited) }
}
