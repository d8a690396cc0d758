extension PropertyObservable {
  /// Emits every change of an array property: the edits of the array, and its replacement by
  /// another array.
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
  /// Each ``ArrayEdit`` is one change: `old` contains the removed elements, `new` the inserted
  /// ones, and `indexes` their positions; for a movement, `indexes` contains both positions of the
  /// element. Another array on the path, or a reset of the array, is one `setting`. Replaying the
  /// changes (``PropertyChange/apply(to:)``) onto the former contents gives the new contents.
  ///
  /// - Timing: as for ``ObservableArray/changes``. The edits of an `update(_:)` are emitted one by
  ///   one after it; nothing is emitted before an edit, not even with `.prior`.
  /// - Lifetime: retains neither the object, nor any hop, nor the array; completes when the object
  ///   dies.
  /// - Complexity: O(size of the edit).
  /// - Parameters:
  ///   - keyPath: a path as for `observe(_:options:)`.
  ///   - options: as for `observeChanges(_:options:)` of any other property.
  public func observeChanges<Element>(
    _ keyPath: KeyPath<Self, ObservableArray<Element>>,
    options: KeyValueObservingOptions = [.old, .new]
  ) -> Observable<PropertyChange<[Element]>> {
    var path = PropertyPath(keyPath)
    // The elements of a constant array are observable, so that nothing else on the path has to be.
    path.mayBeConstant = true
    return arrayChanges(path.converted { $0 }, options).named()
  }

  /// Emits the changes of an array that may be nil; emits nothing while it is nil.
  public func observeChanges<Element>(
    _ keyPath: KeyPath<Self, ObservableArray<Element>?>,
    options: KeyValueObservingOptions = [.old, .new]
  ) -> Observable<PropertyChange<[Element]>> {
    var path = PropertyPath(keyPath)
    path.mayBeConstant = true
    return arrayChanges(path, options).named()
  }

  private func arrayChanges<Element>(
    _ path: PropertyPath<ObservableArray<Element>?>, _ options: KeyValueObservingOptions
  ) -> Observable<PropertyChange<[Element]>> {
    let arrays = changes(path, [.initial, .new])
    return Observable.deferred { () -> Observable<[PropertyChange<[Element]>]> in
      weak var former: ObservableArray<Element>?
      return arrays.flatMapLatest { change -> Observable<[PropertyChange<[Element]>]> in
        let array = change.new ?? nil
        let setting = PropertyChange(old: former?.elements, cause: change.cause)
        former = array
        let isWanted = change.cause != .initial || options.contains(.initial)
        guard let array else { return .just(isWanted ? [setting] : []) }
        // The first emission takes the setting, because later ones must not retain the elements.
        var first: PropertyChange? = setting
        return array.contents.map { edits in
          guard var setting = first else { return edits.map { $0.propertyChange } }
          first = nil
          setting.new = edits.flatMap { $0.inserted }
          return isWanted ? [setting] : []
        }
      }
    }
    .lift { observer in
      AnyObserver(
        next: { for change in $0 { observer.next(change.reduced(to: options)) } },
        terminate: observer.terminate)
    }
    .take(until: properties.death.ended)
  }
}

extension ArrayEdit {
  /// The edit as a change of the corresponding kind.
  fileprivate var propertyChange: PropertyChange<[Element]> {
    let removal = RangeSet(removedRange)
    let insertion = RangeSet(insertedRange)
    return switch self {
    case .insertion: PropertyChange(kind: .insertion, new: inserted, indexes: insertion)
    case .removal: PropertyChange(kind: .removal, old: removed, indexes: removal)
    case .replacement:
      PropertyChange(kind: .replacement, old: removed, new: inserted, indexes: insertion)
    case .move(_, let source, let destination):
      PropertyChange(
        kind: .movement(from: source, to: destination), old: removed, new: inserted,
        indexes: removal.union(insertion))
    case .reset: PropertyChange(new: inserted)
    }
  }
}

extension PropertyChange {
  fileprivate func reduced(to options: KeyValueObservingOptions) -> PropertyChange {
    var change = self
    if !options.contains(.old) { change.old = nil }
    if !options.contains(.new) { change.new = nil }
    return change
  }
}

extension PropertyChange {
  /// Applies the change to `elements`. The change must come from `observeChanges` of an
  /// ``ObservableArray``, with `.new`. A nil array counts as empty.
  ///
  /// ```swift
  /// var copy: [Person] = []
  /// _ = team.observeChanges(\.members, options: [.initial, .new])
  ///   .subscribe(onNext: { $0.apply(to: &copy) })           // copy == team.members.elements, always
  /// ```
  ///
  /// - Errors: a change that does not fit is reported as `misuse`, and ignored.
  /// - Complexity: O(elements), for the removal and the insertion.
  public func apply<Element>(to elements: inout [Element]) where Value == [Element] {
    let range = indexes?.ranges.first ?? 0..<0
    let old = old ?? Array(elements[range.clamped(to: elements.indices)])
    let new = new ?? []
    let edits: [ArrayEdit<Element>] =
      switch kind {
      case .setting: [.reset(new)]
      case .insertion: [.insertion(new, at: range.lowerBound)]
      case .removal: [.removal(old, at: range.lowerBound)]
      case .replacement: [.replacement(old, with: new, at: range.lowerBound)]
      case .movement(let source, let destination):
        new.map { .move($0, from: source, to: destination) }
      }
    for edit in edits { edit.apply(to: &elements) }
  }
}
