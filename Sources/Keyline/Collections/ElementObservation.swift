extension LiveArray where Element: PropertyObservable {
  /// Emits every element with its value of `keyPath`, at first and whenever the value changes.
  ///
  /// ```swift
  /// _ = order.items.observeElements(\.price).subscribe(onNext: { item, price in print(price) })
  /// order.items[0].price = 2
  /// ```
  /// ```text
  /// 1
  /// 2
  /// ```
  ///
  /// | event | emissions |
  /// | --- | --- |
  /// | subscribe, `.initial` | one for each object, in order of its first place |
  /// | an element's property changes, `.new` | one, however often the element occurs |
  /// | an object is inserted that was not in the array, `.initial` | one: its value |
  /// | an element is removed, moved, or inserted again | nothing |
  /// | the array is reset, `.initial` | one for each object, in the same order |
  /// | the array dies | completion |
  ///
  /// An element is observed while it is in the array. If one emission of
  /// ``ObservableCollection/changes`` removes an element and inserts it again, the observation is
  /// not interrupted.
  ///
  /// - Timing: as for `observe(_:options:)`.
  /// - Lifetime: retains a view, but neither an ``ObservableArray`` nor the elements.
  /// - Complexity: O(1) per change of an element, O(size of the edit) per edit.
  /// - SeeAlso: DynamicData's `WhenPropertyChanged`, ReactFX's `merge` over a collection.
  public func observeElements<Value>(
    _ keyPath: KeyPath<Element, Value>, options: KeyValueObservingOptions = [.initial, .new]
  ) -> Observable<(element: Element, value: Value)> {
    let view = arrayLife.map { _ in self }
    return Source { [weak self] observer, context in
      guard let array = view ?? self else { return observer.terminate(nil) }
      context.seal()
      let junction = UpstreamSerializer(context)
      // Each element is observed as long as its result is part of the view.
      let observations = array.mapped { element in
        let observation = SubscriptionContext()
        element.observe(keyPath, options: options).run(
          in: observation,
          next: { [weak element] value in
            if let element { junction.deliver((element, value), to: observer.next) }
          },
          terminate: { _ in })
        return DisposeBag(disposing: observation)
      }
      // A view of joined arrays is retained by no subscription.
      context.add(Disposables.create { withExtendedLifetime(observations) {} })
      observations.contentsAndChanges.run(
        in: context.child(), next: { _ in },
        terminate: { junction.deliver($0, to: observer.terminate) })
    }
  }
}

extension PropertyObservable {
  /// Emits the difference between each value of an array property and the previous one; at first,
  /// the difference between the current value and an empty array. Every set is one emission, even
  /// if the difference is empty.
  ///
  /// - Lifetime: as for `observe(_:options:)`; retains a copy of the array.
  /// - Complexity: per set, the complexity of `difference(from:)`; an in-place edit copies the
  ///   array. An ``ObservableArray`` emits its edits without a comparison.
  public func observeDifference<Element: Equatable>(
    _ keyPath: KeyPath<Self, [Element]>
  ) -> Observable<CollectionDifference<Element>> {
    observe(keyPath).startWith([]).withPrevious()
      .map { $0.current.difference(from: $0.previous) }
  }
}
