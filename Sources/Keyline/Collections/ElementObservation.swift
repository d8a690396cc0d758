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
    let contents = contentsAndChanges
    return _Source { observer, context in
      context.seal()
      // Only the values of the elements pass the serializer. The deliveries of the array, which arrive in
      // order and on the thread that edits it, determine the elements to observe. Another thread may
      // dispose the observations, and does nothing else here.
      let junction = UpstreamSerializer(context)
      let observations = CompositeDisposable()
      context.add(observations)
      /// The number of times each object is in the array, and the key of its observation.
      var places: [ObjectIdentifier: (count: Int, key: CompositeDisposable.DisposeKey?)] = [:]
      // Uses closures, because a key path of a generic type would be made again for each use.
      contents.run(in: context.child()) { edits in
        // Edits that were not delivered may have removed elements that have died since: an identifier
        // in `places` may belong to another object now.
        let start = edits.lastIndex { $0.isReset }
        if start != nil {
          for place in exchange(&places, with: [:]).values { place.key.map(observations.remove) }
        }
        let edits = start.map { Array(edits[$0...]) } ?? edits
        let inserted = edits.flatMap { $0.inserted }
        for element in inserted { places[ObjectIdentifier(element), default: (0, nil)].count += 1 }
        for id in edits.flatMap({ $0.removed.map(ObjectIdentifier.init) }) {
          places[id]?.count -= 1
          if places[id]?.count == 0 { places.removeValue(forKey: id)?.key.map(observations.remove) }
        }
        for element in inserted where context.isActive {
          guard let place = places[ObjectIdentifier(element)], place.key == nil else { continue }
          let upstream = SubscriptionContext()
          places[ObjectIdentifier(element)]?.key = observations.insert(upstream)
          let next = { [weak element] (value: Value) in
            if let element { junction.deliver((element, value), to: observer.next) }
          }
          let values = element.observe(keyPath, options: options)
          values.run(in: upstream, next: next, terminate: { _ in })
        }
      } terminate: {
        junction.deliver($0, to: observer.terminate)
      }
    }
  }
}
