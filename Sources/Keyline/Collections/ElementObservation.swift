extension ObservableArray where Element: PropertyObservable {
  /// Emits the value of `keyPath` of every element, with the element: now, and whenever it changes.
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
  /// | event | what is emitted |
  /// | --- | --- |
  /// | subscribe, `.initial` | one for each element, in order |
  /// | an element's property changes, `.new` | one, wherever and however often the element stands |
  /// | an object comes that was not there, `.initial` | one: its value |
  /// | an element goes, moves, or comes a second time | nothing |
  /// | the array is reset, `.initial` | one for each element, in order |
  /// | the array dies | completion |
  ///
  /// An element is followed as long as it stands anywhere in the array. An element that one
  /// emission of ``changes`` removes and inserts again is followed without interruption.
  ///
  /// - Timing: as for `observe(_:options:)`.
  /// - Lifetime: retains neither the array nor its elements.
  /// - Complexity: O(1) per change of an element, O(size of the edit) per edit.
  /// - SeeAlso: DynamicData's `WhenPropertyChanged`, ReactFX's `merge` over a collection.
  public func observeElements<Value>(
    _ keyPath: KeyPath<Element, Value>, options: KeyValueObservingOptions = [.initial, .new]
  ) -> Observable<(element: Element, value: Value)> {
    Source { [weak self] observer, context in
      guard let self else { return observer.terminate(nil) }
      context.seal()
      let junction = UpstreamSerializer(context)
      let followed = FollowedElements<Element>(in: context) { element, context in
        element.observe(keyPath, options: options).run(
          in: context,
          next: { [weak element] value in
            if let element { junction.deliver((element, value), to: observer.next) }
          },
          terminate: { _ in })
      }
      contents.run(
        in: context.child(), next: followed.change,
        terminate: { junction.deliver($0, to: observer.terminate) })
    }
  }
}

/// The elements that are observed, each once.
///
/// Only their values pass the serializer: which elements are followed is decided in the deliveries
/// of the array, which are in order.
private final class FollowedElements<Object: AnyObject> {
  private let observe: (Object, SubscriptionContext) -> Void
  private let observations = CompositeDisposable()
  /// How often each object stands in the array, and its observation.
  private var places: [ObjectIdentifier: (count: Int, key: CompositeDisposable.DisposeKey?)] = [:]

  init(
    in context: SubscriptionContext, _ observe: @escaping (Object, SubscriptionContext) -> Void
  ) {
    self.observe = observe
    context.add(observations)
  }

  // With closures in it: a key path of a generic type would be made anew for each use.
  func change(_ edits: [ArrayEdit<Object>]) {
    // Elements may be missing from the edits that were left out, and have died meanwhile: an
    // identifier in `places` may be that of another object now.
    if edits.contains(where: { $0.isReset }) {
      for place in places.values { place.key.map(observations.remove) }
      places = [:]
    }
    let inserted = edits.flatMap { $0.inserted }
    for element in inserted { places[ObjectIdentifier(element), default: (0, nil)].count += 1 }
    for id in edits.flatMap({ $0.removed.map(ObjectIdentifier.init) }) {
      places[id]?.count -= 1
      if places[id]?.count == 0 { places.removeValue(forKey: id)?.key.map(observations.remove) }
    }
    inserted.forEach(follow)
  }

  private func follow(_ element: Object) {
    guard let place = places[ObjectIdentifier(element)], place.key == nil else { return }
    let context = SubscriptionContext()
    places[ObjectIdentifier(element)]?.key = observations.insert(context)
    if context.isActive { observe(element, context) }
  }
}

extension PropertyObservable {
  /// Emits how each value of an array property differs from the one before; at first, how the
  /// current one differs from an empty array. Every set is one emission; it may be an empty
  /// difference.
  ///
  /// - Lifetime: as for `observe(_:options:)`; retains a copy of the array.
  /// - Complexity: that of `difference(from:by:)` per set; an in-place edit copies the array. An
  ///   ``ObservableArray`` emits its edits without a comparison.
  /// - Parameter areEquivalent: whether two elements are the same.
  public func observeDifference<Element>(
    _ keyPath: KeyPath<Self, [Element]>, by areEquivalent: @escaping (Element, Element) -> Bool
  ) -> Observable<CollectionDifference<Element>> {
    observe(keyPath)
      .scan((old: [Element](), new: [Element]())) { ($0.new, $1) }
      .map { $0.new.difference(from: $0.old, by: areEquivalent) }
  }

  /// As `observeDifference(_:by:)`, for elements that are `Equatable`.
  public func observeDifference<Element: Equatable>(
    _ keyPath: KeyPath<Self, [Element]>
  ) -> Observable<CollectionDifference<Element>> {
    observeDifference(keyPath, by: ==)
  }
}
