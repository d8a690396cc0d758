extension ObservableArray where Element: PropertyObservable {
  /// Emits the value of `keyPath` of every element, with the element: now, and whenever it changes.
  ///
  /// ```swift
  /// order.items.observeElements(\.price).subscribe(onNext: { item, price in … })
  /// ```
  ///
  /// | event | what is emitted |
  /// | --- | --- |
  /// | subscribe, `.initial` | one for each element, in order |
  /// | an element's property changes, `.new` | one, wherever and however often the element stands |
  /// | an object comes that was not there, `.initial` | one: its value |
  /// | an element goes, moves, or comes a second time | nothing |
  /// | the array dies | completion |
  ///
  /// An element is followed as long as it stands anywhere in the array. What one emission of
  /// ``changes`` takes out and puts back in has not been away.
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
      let followed = FollowedElements(keyPath, options, observer, context)
      changes(after: followed.insert).run(
        in: context.child(), next: followed.change, terminate: followed.terminate)
    }
  }
}

/// The elements that are observed, each once.
///
/// Only their values meet in the junction; who comes and who goes is decided in the deliveries of the
/// array, which are in order by themselves.
private final class FollowedElements<Object: PropertyObservable, Value> {
  private struct Place {
    /// How often the object stands in the array.
    var count = 0
    var observation: CompositeDisposable.DisposeKey?
  }

  private let keyPath: KeyPath<Object, Value>
  private let options: KeyValueObservingOptions
  private let observer: AnyObserver<(element: Object, value: Value)>
  private let junction: Junction
  private let observations = CompositeDisposable()
  private var places: [ObjectIdentifier: Place] = [:]

  init(
    _ keyPath: KeyPath<Object, Value>, _ options: KeyValueObservingOptions,
    _ observer: AnyObserver<(element: Object, value: Value)>, _ context: SubscriptionContext
  ) {
    self.keyPath = keyPath
    self.options = options
    self.observer = observer
    junction = Junction(context)
    context.add(observations)
  }

  func insert(_ elements: [Object]) { replace([], with: elements) }

  func change(_ edits: [ArrayEdit<Object>]) {
    replace(edits.flatMap(\.removed), with: edits.flatMap(\.inserted))
  }

  func terminate(_ error: (any Error)?) { junction.pass(error, to: observer.terminate) }

  private func replace(_ removed: [Object], with inserted: [Object]) {
    for element in inserted { places[ObjectIdentifier(element), default: Place()].count += 1 }
    for element in removed { leave(element) }
    for element in inserted { follow(element) }
  }

  private func leave(_ element: Object) {
    let id = ObjectIdentifier(element)
    guard var place = places.removeValue(forKey: id) else { return }
    place.count -= 1
    if place.count > 0 {
      places[id] = place
    } else if let observation = place.observation {
      observations.remove(for: observation)
    }
  }

  private func follow(_ element: Object) {
    let id = ObjectIdentifier(element)
    guard let place = places[id], place.observation == nil else { return }
    let context = SubscriptionContext()
    places[id]?.observation = observations.insert(context)
    guard context.isActive else { return }
    element.observe(keyPath, options: options).run(
      in: context,
      next: { [junction, observer, weak element] value in
        if let element { junction.pass((element, value), to: observer.next) }
      },
      terminate: { _ in })
  }
}

extension PropertyObservable {
  /// Emits how each value of an array property differs from the one before.
  ///
  /// The first difference, that of `.initial`, is from an empty array: so the differences lead from
  /// there to what the property holds. Every set is one emission; it may be an empty difference.
  ///
  /// - Lifetime: as for `observe(_:options:)`; keeps a copy of the array.
  /// - Complexity: that of `difference(from:by:)` per set; an in-place edit copies the array. An
  ///   ``ObservableArray`` knows its edits instead of finding them out.
  /// - Parameter areEquivalent: whether two elements are the same, old one first.
  public func observeDifference<Element>(
    _ keyPath: KeyPath<Self, [Element]>, options: KeyValueObservingOptions = [.initial, .new],
    by areEquivalent: @escaping (Element, Element) -> Bool
  ) -> Observable<CollectionDifference<Element>> {
    let differences = observe(keyPath, options: options.union(.initial))
      .scan((former: [], difference: nil)) { state, value in
        (value, value.difference(from: state.former, by: areEquivalent))
          as (former: [Element], difference: CollectionDifference<Element>?)
      }
      .compactMap(\.difference)
    return options.contains(.initial) ? differences : differences.skip(1)
  }

  /// As `observeDifference(_:options:by:)`, of elements that can be compared.
  public func observeDifference<Element: Equatable>(
    _ keyPath: KeyPath<Self, [Element]>, options: KeyValueObservingOptions = [.initial, .new]
  ) -> Observable<CollectionDifference<Element>> {
    observeDifference(keyPath, options: options, by: ==)
  }
}
