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
  /// - Complexity: O(1) per change of an element, O(size of the edit) per edit, and a move of the
  ///   identifiers behind it.
  /// - SeeAlso: DynamicData's `WhenPropertyChanged`, ReactFX's `merge` over a collection.
  public func observeElements<Value>(
    _ keyPath: KeyPath<Element, Value>, options: KeyValueObservingOptions = [.initial, .new]
  ) -> Observable<(element: Element, value: Value)> {
    observations({ $0.observe(keyPath, options: options) }) { item, value, _ in (item, value) }
  }

  /// Emits every change of `keyPath` in an element, with the element's index, as
  /// ``observeElements(_:options:)`` emits values.
  ///
  /// ```swift
  /// _ = order.items.observeElementChanges(\.price)
  ///   .subscribe(onNext: { _, index, change in print(index, change.old!, change.new!) })
  /// order.items[1].price = 2
  /// ```
  /// ```text
  /// 1 1 2
  /// ```
  ///
  /// The index is the first of the element in the contents that ``ObservableCollection/changes`` has emitted.
  ///
  /// - Complexity: O(n) per change of an element, to find the index.
  public func observeElementChanges<Value>(
    _ keyPath: KeyPath<Element, Value>, options: KeyValueObservingOptions = [.old, .new]
  ) -> Observable<(element: Element, index: Int, change: PropertyChange<Value>)> {
    observations({ $0.observeChanges(keyPath, options: options) }) { ($0, $2(), $1) }
  }

  /// - Parameter result: makes an emission of an element, its value, and its index.
  private func observations<Value, Result>(
    _ observe: @escaping (Element) -> PropertySequence<Value>,
    _ result: @escaping (Element, Value, () -> Int) -> Result
  ) -> Observable<Result> {
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
      /// The elements, in order.
      var order: [ObjectIdentifier] = []
      // Uses closures, because a key path of a generic type would be made again for each use.
      contents.run(in: context.child()) { edits in
        for edit in edits {
          // Edits that were not delivered may have removed elements that have died since: an identifier
          // in `places` may belong to another object now.
          if edit.isReset {
            for place in exchange(&places, with: [:]).values { place.key.map(observations.remove) }
            order = []
          }
          let inserted = edit.inserted.map { ObjectIdentifier($0) }
          for id in inserted { places[id, default: (0, nil)].count += 1 }
          for id in order[edit.removedRange] { places[id]?.count -= 1 }
          order.removeSubrange(edit.removedRange)
          order.insert(contentsOf: inserted, at: edit.insertedRange.lowerBound)
        }
        for id in edits.flatMap({ $0.removed.map { ObjectIdentifier($0) } })
        where places[id]?.count == 0 {
          places.removeValue(forKey: id)?.key.map(observations.remove)
        }
        for element in edits.flatMap({ $0.inserted }) where context.isActive {
          guard let place = places[ObjectIdentifier(element)], place.key == nil else { continue }
          let upstream = SubscriptionContext()
          places[ObjectIdentifier(element)]?.key = observations.insert(upstream)
          observe(element).run(in: upstream) { [weak element] value in
            guard let element else { return }
            // An element is in the array while it is observed.
            let index = { order.firstIndex(of: ObjectIdentifier(element))! }
            junction.deliver(result(element, value, index), to: observer.next)
          } terminate: { _ in
          }
        }
      } terminate: {
        junction.deliver($0, to: observer.terminate)
      }
    }
  }
}
