extension PropertyObservable {
  /// Emits every change of an array: of its elements, and of the array that it is.
  ///
  /// ```swift
  /// team.observeChanges(\.members).subscribe(onNext: { print($0.kind, $0.indexes!) })
  /// team.members.append(ada)                    // insertion, at the index of ada
  /// team.members = ObservableArray([ada, bob])  // setting: old and new are all elements
  /// ```
  ///
  /// Of an edit, `old` are the elements that went, `new` those that came, and `indexes` where they
  /// stood or stand. A move is a removal and an insertion; the edits of an `update(_:)` are a change
  /// each.
  ///
  /// - Timing: as for ``ObservableArray/changes``; nothing is announced before, `.prior` or not.
  /// - Lifetime: retains neither the object, nor any hop, nor the array; completes when the object
  ///   dies.
  /// - Complexity: O(size of the edit).
  /// - Parameters:
  ///   - keyPath: a path as for `observe(_:options:)`.
  ///   - options: as for the changes of other properties.
  public func observeChanges<Element>(
    _ keyPath: KeyPath<Self, ObservableArray<Element>>,
    options: KeyValueObservingOptions = [.old, .new]
  ) -> Observable<PropertyChange<[Element]>> {
    arrayChanges({ $0[keyPath: keyPath] }, options)
  }

  /// As for an array that is always there; while it is not, nothing changes but that.
  public func observeChanges<Element>(
    _ keyPath: KeyPath<Self, ObservableArray<Element>?>,
    options: KeyValueObservingOptions = [.old, .new]
  ) -> Observable<PropertyChange<[Element]>> {
    arrayChanges({ $0[keyPath: keyPath] }, options)
  }

  private func arrayChanges<Element>(
    _ read: @escaping (Self) -> ObservableArray<Element>?, _ options: KeyValueObservingOptions
  ) -> Observable<PropertyChange<[Element]>> {
    var path = PropertyPath<Self, ObservableArray<Element>?> { root, _ in read(root) }
    // The elements of a constant are observable, and nothing else on the path need be.
    path.mayBeConstant = true
    let arrays = changes(path, [.initial, .new])
    return Observable.deferred { () -> Observable<[PropertyChange<[Element]>]> in
      weak var former: ObservableArray<Element>?
      return arrays.flatMapLatest { change -> Observable<[PropertyChange<[Element]>]> in
        let array = change.new ?? nil
        let setting = PropertyChange(
          old: former?.elements, new: array?.elements, cause: change.cause)
        former = array
        let first = change.cause != .initial || options.contains(.initial) ? [setting] : []
        guard let array else { return .just(first) }
        return array.contents.enumerated()
          .map { index, edits in index == 0 ? first : edits.flatMap(\.propertyChanges) }
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
  /// The edit in the words of KVO.
  fileprivate var propertyChanges: [PropertyChange<[Element]>] {
    let (gone, come) = (RangeSet(removedRange), RangeSet(insertedRange))
    if case .replacement = self {
      return [PropertyChange(kind: .replacement, old: removed, new: inserted, indexes: come)]
    }
    let changes = [
      PropertyChange(kind: .removal, old: removed, indexes: gone),
      PropertyChange(kind: .insertion, new: inserted, indexes: come),
    ]
    return changes.filter { $0.indexes?.isEmpty == false }
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
